#pragma once

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// What every scene has: a key light from above left, a fill from the right and a little from the eye, all of
/// which go with the camera; and what is translucent in the right order from every side.
void set_stage(vtkRenderer& renderer);

Rgb background_colour(bool dark);
/// Of text and thin lines that are to be read on it.
Rgb text_colour_on(const Rgb& background);

}  // namespace isolume::scene
