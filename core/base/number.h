#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>

namespace isolume {

/// Whether a decimal number that is out of range of its type is too close to zero, rather than too large.
bool is_tiny_number(std::string_view text);

/// Parses all of `text` as a decimal number with at most one sign; empty if there is anything else ("+-3", "3
/// ", ""), or if it is too large for its type. A real number too close to zero is zero; "inf" and "nan" are
/// real numbers.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  Number number{};
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if (std::is_floating_point_v<Number> && failed == std::errc::result_out_of_range && is_tiny_number(text))
    return Number{};
  return failed == std::errc{} ? std::optional(number) : std::nullopt;
}

/// The same, but rejects "inf" and "nan".
std::optional<double> parse_finite(std::string_view text);

/// Parses "1280x960", each from `least` to `most`.
std::optional<std::pair<int, int>> parse_pixel_size(std::string_view text, int least, int most);

}  // namespace isolume
