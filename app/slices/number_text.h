#pragma once

#include <QString>

#include "core/base/shown_number.h"

namespace isolume::slices {

/// A number formatted by isolume::shown_reading.
inline QString shown_number(double value) {
  return QString::fromStdString(shown_reading(value));
}

}  // namespace isolume::slices
