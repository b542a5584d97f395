#pragma once

#include <QString>
#include <cmath>

/// Numbers in the lab's tables.
namespace isolume::labs::electrostatics {

/// Never minus nothing.
inline double rounded(double value, int decimals) {
  const double scale = std::pow(10, decimals);
  return std::round(value * scale) / scale + 0.0;
}

/// A real minus sign, as wide as the digits; a dash for what there is not.
inline QString number_text(double value, int decimals) {
  if (!std::isfinite(value)) return QStringLiteral("–");
  return QString::number(rounded(value, decimals), 'f', decimals).replace(QLatin1Char('-'), QChar(0x2212));
}

}  // namespace isolume::labs::electrostatics
