#pragma once

#include <vector>

#include "app/pictures/label_layout.h"

class vtkRenderer;
class vtkTextActor;

namespace isolume::scene {

using pictures::PictureBox;

/// Layer of texts and marks at places of the scene, which leave bars, captions and the like free: those have VTK's
/// usual layer, 0.
inline constexpr int label_layer = 1;
/// Layer of texts that leave those labels free, too.
inline constexpr int value_layer = 2;

PictureBox picture_of(vtkRenderer& renderer);
/// The box of a text that has been given a display position.
PictureBox box_of(vtkTextActor& text, vtkRenderer& renderer);
/// What visible bars, captions and other texts cover, which labels leave free: everything below their layer.
std::vector<PictureBox> overlays_of(vtkRenderer& renderer, int layer = label_layer);

}  // namespace isolume::scene
