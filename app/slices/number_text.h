#pragma once

#include <QString>

namespace isolume::slices {

/// A number as it is read: isolume::shown_reading.
QString shown_number(double value);

}  // namespace isolume::slices
