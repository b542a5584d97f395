#include "core/base/colour.h"

#include <charconv>
#include <system_error>

namespace isolume {

std::optional<std::array<int, 3>> rgb_of(std::string_view colour) {
  if (colour.size() != 7 || colour[0] != '#') return std::nullopt;
  unsigned value = 0;
  const char* const end = colour.data() + colour.size();
  const auto [behind, failed] = std::from_chars(colour.data() + 1, end, value, 16);
  if (failed != std::errc() || behind != end) return std::nullopt;
  return std::array{static_cast<int>(value >> 16U), static_cast<int>(value >> 8U & 255U),
                    static_cast<int>(value & 255U)};
}

}  // namespace isolume
