#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isolume::parameters {

/// "#rrggbb" of a colour name in CSS Color Module Level 4 ("black", "RebeccaPurple"), case-insensitive.
std::optional<std::string> css_colour(std::string_view name);

}  // namespace isolume::parameters
