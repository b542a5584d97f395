#include "app/slices/number_text.h"

#include <cmath>

namespace isolume::slices {

QString short_number(double value) {
  const bool whole = value == std::round(value) && std::abs(value) < 1e7;
  return QString::number(value, whole ? 'f' : 'g', whole ? 0 : 5).replace(QLatin1Char('-'), QChar(0x2212));
}

QString fixed_number(double value, int decimals) {
  const bool is_small = value != 0 && std::abs(value) < 1;
  return is_small ? QString::number(value, 'g', 3) : QString::number(value, 'f', decimals);
}

}  // namespace isolume::slices
