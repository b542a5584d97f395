#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace isolume::parameters {

/// "#rrggbb" of a colour's name in CSS Color Module Level 4 ("black", "RebeccaPurple"), in letters of any case.
std::optional<std::string> css_colour(std::string_view name);

}  // namespace isolume::parameters
