#pragma once

#include <string>
#include <string_view>
#include <vector>

class QColor;

namespace isolume::workbench {

enum class Theme { system, light, dark };

/// "system", "light", "dark".
const std::vector<std::string>& theme_names();
/// Throws Error naming the themes.
Theme theme_named(std::string_view name);
std::string theme_name(Theme theme);

/// Gives the whole application the Fusion style in the theme's colours. `system` follows the desktop's own
/// palette at the start.
void apply_theme(Theme theme);
/// Whether the active colours are dark.
bool dark_theme();

/// Colours for texts that stand out from the theme's background; blue and orange, safe for colour blindness.
QColor warning_colour();
QColor error_colour();

}  // namespace isolume::workbench
