#include "app/slices/number_text.h"

#include "core/base/shown_number.h"

namespace isolume::slices {

QString shown_number(double value) {
  return QString::fromStdString(shown_reading(value));
}

}  // namespace isolume::slices
