#pragma once

#include <QString>

namespace isolume::slices {

/// Whole numbers as they are, others to five digits; with a true minus sign.
QString short_number(double value);

}  // namespace isolume::slices
