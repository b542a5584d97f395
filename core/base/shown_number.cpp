#include "core/base/shown_number.h"

#include <cmath>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

namespace isolume {
namespace {

/// "3.2e-07" -> "3.2e-7", "1e+06" -> "1e6".
std::string with_short_exponent(std::string text) {
  const auto at = text.find('e');
  if (at == std::string::npos) return text;
  const int exponent = std::atoi(text.c_str() + at + 1);
  return text.substr(0, at + 1) + std::to_string(exponent);
}

std::string ascii_reading(double value, int digits) {
  constexpr double most_whole = 1e6;
  if (value == 0) return "0";  // also for minus zero
  if (std::abs(value) < most_whole && value == std::round(value)) return fmt::format("{:.0f}", value);
  // From a thousand on, decimals are dropped before digits of the whole part are.
  const bool plain = std::abs(value) >= std::pow(10, digits - 1) && std::abs(value) < most_whole;
  std::string text = plain ? fmt::format("{:.0f}", value) : fmt::format("{:.{}g}", value, digits);
  return with_short_exponent(std::move(text));
}

}  // namespace

std::string typeset(std::string number) {
  number = with_short_exponent(std::move(number));
  if (number.starts_with('-')) number.replace(0, 1, "−");
  return number;
}

std::string shown_reading(double value, int digits) {
  return typeset(ascii_reading(value, digits));
}

std::string pretty_unit(std::string_view unit) {
  constexpr std::pair<std::string_view, std::string_view> signs[]{
      {"angstrom", "Å"}, {"solar masses", "M⊙"}, {"^10", "¹⁰"}, {"^-3/2", "⁻³ᐟ²"},
      {"^-3", "⁻³"},     {"^-2", "⁻²"},          {"^3", "³"},   {"^2", "²"}};
  std::string text(unit);
  for (const auto& [from, to] : signs) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

std::string shown_setting(double value) {
  constexpr int most_digits = 6, digits = 4;
  const std::string short_one = fmt::format("{:.{}g}", value, most_digits);
  const bool exact = std::isfinite(value) && std::strtod(short_one.c_str(), nullptr) == value;
  return exact && value != 0 ? with_short_exponent(short_one) : ascii_reading(value, digits);
}

}  // namespace isolume
