#include "core/base/byte_size.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace isolume {

std::optional<std::size_t> parse_bytes(std::string_view text) {
  double number = 0;
  const auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || !(number >= 0)) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::array<std::string_view, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
  const auto found = unit.empty() ? units.begin() : std::ranges::find(units, unit);
  if (found == units.end()) return std::nullopt;
  number = std::ldexp(number, 10 * static_cast<int>(found - units.begin()));
  if (number >= std::ldexp(1.0, 63)) return std::nullopt;
  return static_cast<std::size_t>(number);
}

}  // namespace isolume
