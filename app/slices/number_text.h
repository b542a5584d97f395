#pragma once

#include <QString>

namespace isolume::slices {

/// A number formatted by isolume::shown_reading.
QString shown_number(double value);

}  // namespace isolume::slices
