#pragma once

#include <QString>
#include <algorithm>
#include <cmath>

/// Numbers in the lab's tables.
namespace isolume::labs::electrostatics {

/// Of a number with at most four significant digits; whole parts are shown in full.
inline int shown_decimals(double value, int decimals) {
  constexpr int most_digits = 4;
  const double size = std::abs(value);
  const int before = size >= 1 ? static_cast<int>(std::floor(std::log10(size))) + 1 : 1;
  return std::clamp(most_digits - before, 0, decimals);
}

/// Never minus nothing.
inline double rounded(double value, int decimals) {
  const double scale = std::pow(10, shown_decimals(value, decimals));
  return std::round(value * scale) / scale + 0.0;
}

/// At most four significant digits and a real minus sign, as wide as the digits; a dash for what there is not.
inline QString number_text(double value, int decimals) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  const double shown = rounded(value, decimals);
  return QString::number(shown, 'f', shown_decimals(shown, decimals))
      .replace(QLatin1Char('-'), QChar(0x2212));
}

/// "−1423 ± 3": the uncertainty with one significant digit, and the value to the same place.
inline QString text_with_uncertainty(double value, double uncertainty) {
  if (!std::isfinite(value) || !(uncertainty > 0) || !std::isfinite(uncertainty))
    return number_text(value, 1) + QStringLiteral(" ± ") + number_text(uncertainty, 1);
  // From 0.95 on the digit is 1 of the next place.
  const int place = static_cast<int>(std::floor(std::log10(uncertainty / 0.95)));
  const double unit = std::pow(10, place);
  const auto text = [&](double number) {
    const double shown = std::round(number / unit) * unit + 0.0;
    return QString::number(shown, 'f', std::max(0, -place)).replace(QLatin1Char('-'), QChar(0x2212));
  };
  return text(value) + QStringLiteral(" ± ") + text(uncertainty);
}

}  // namespace isolume::labs::electrostatics
