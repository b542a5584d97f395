#pragma once

#include <string_view>

class vtkShaderProperty;

namespace isolume::scene {

/// Inserts our GLSL into the shaders that VTK generates for an actor: the shipped files shaders/NAME.vert,
/// .geom and .frag that exist. In them a line "//@ after VTK::Normal::Dec" (or "before", or "instead of")
/// starts the text for that position of VTK's template. A compiler's messages count the lines of the file,
/// which they call 1 (.vert), 2 (.geom) or 3 (.frag). Throws Error if there is no such file, or if it is
/// invalid.
void use_shaders(vtkShaderProperty& actor, std::string_view name);

}  // namespace isolume::scene
