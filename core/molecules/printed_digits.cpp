#include "core/molecules/printed_digits.h"

#include <algorithm>
#include <cmath>

namespace isolume::molecules {

void PrintedDigits::see(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  const std::size_t exponent = word.find_first_of("eEdDqQ+-");
  const std::string_view mantissa = word.substr(0, exponent);
  const std::size_t point = mantissa.find('.');
  if (point == std::string_view::npos || mantissa.find_first_of("123456789") == std::string_view::npos)
    return;
  const auto digits = static_cast<int>(mantissa.size() - 1);
  const auto leading = static_cast<int>(mantissa.find_first_of("123456789"));
  significant_ = std::max(significant_, digits - leading + (leading > static_cast<int>(point) ? 1 : 0));
  if (exponent == std::string_view::npos) {
    decimals_ = std::max(decimals_, static_cast<int>(mantissa.size() - point - 1));
  } else {
    scientific_ = true;
  }
}

double PrintedDigits::half_unit(double value) const {
  if (significant_ == 0) return 0;
  const double first = value == 0 ? 0 : std::floor(std::log10(std::abs(value)));
  const double by_significant = 0.5 * std::pow(10.0, first + 1 - significant_);
  return scientific_ ? by_significant : std::max(by_significant, 0.5 * std::pow(10.0, -decimals_));
}

}  // namespace isolume::molecules
