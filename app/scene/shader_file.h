#pragma once

#include <string_view>

class vtkShaderProperty;

namespace isolume::scene {

/// Puts our GLSL into the shaders that VTK makes for an actor: that of the shipped files shaders/NAME.vert, .geom and
/// .frag, as far as there are any. In them a line "//@ after VTK::Normal::Dec" (or "before", or "instead of") begins
/// what goes to that place of VTK's template. A compiler's messages count the lines of the file, which they call 1
/// (.vert), 2 (.geom) or 3 (.frag). Throws Error where there is no such file, or it cannot be understood.
void use_shaders(vtkShaderProperty& actor, std::string_view name);

}  // namespace isolume::scene
