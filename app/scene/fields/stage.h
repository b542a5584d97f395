#pragma once

#include "app/scene/drawing/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// Sets up the lights of every scene: a key light from above left, a fill light from the right and a weak
/// light from the eye, all of which move with the camera. Also sets up the correct order of translucent
/// objects from every side.
void set_stage(vtkRenderer& renderer);

Rgb background_colour(bool dark);
/// Colour of text and thin lines on this background.
Rgb text_colour_on(const Rgb& background);

}  // namespace isolume::scene
