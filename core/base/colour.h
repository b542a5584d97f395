#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace isolume {

/// Red, green and blue of "#e6b800", 0 to 255; empty for any other text.
std::optional<std::array<int, 3>> rgb_of(std::string_view colour);

}  // namespace isolume
