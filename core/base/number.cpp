#include "core/base/number.h"

#include <cmath>

namespace isolume {

bool is_tiny_number(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent != text.npos && exponent + 1 < text.size()) return text[exponent + 1] == '-';
  const std::size_t digit = text.find_first_not_of("-0");
  return digit != text.npos && text[digit] == '.';
}

std::optional<double> parse_finite(std::string_view text) {
  const auto number = parse_number<double>(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<std::pair<int, int>> parse_pixel_size(std::string_view text, int least, int most) {
  const std::size_t cross = text.find('x');
  if (cross == text.npos) return std::nullopt;
  const auto width = parse_number<int>(text.substr(0, cross)),
             height = parse_number<int>(text.substr(cross + 1));
  const auto fits = [&](const std::optional<int>& pixels) {
    return pixels && *pixels >= least && *pixels <= most;
  };
  return fits(width) && fits(height) ? std::optional(std::pair(*width, *height)) : std::nullopt;
}

}  // namespace isolume
