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

}  // namespace isolume::labs::electrostatics
