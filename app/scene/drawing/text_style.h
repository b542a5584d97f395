#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/base/shown_number.h"

class vtkTextProperty;

namespace isolume::scene {

using Rgb = std::array<double, 3>;

/// Size of text in a scene.
inline constexpr double scene_font_points = 13;
inline constexpr double scene_letter_width = 7.8;  ///< approximate width of that font

/// "#rrggbb" as red, green, blue in [0, 1]. Throws Error naming the text.
Rgb colour_of(std::string_view text);
/// Perceived lightness of a colour, in [0, 1] (Rec. 709 luminance of its linear values).
double luminance(const Rgb& colour);

/// Uses DejaVu Sans if it is installed: VTK's own font has neither Greek nor superscripts.
void use_scene_font(vtkTextProperty& text, double points, const Rgb& colour);
/// Puts a field behind the text, dark behind light text: it is legible on whatever the scene shows there.
void set_backdrop(vtkTextProperty& text);
/// The text in characters of the scene's font: unchanged, or in ASCII ("A" for Å, "psi", "^3") if only VTK's
/// own font is available.
std::string displayable(std::string_view text);
using isolume::pretty_unit;

}  // namespace isolume::scene
