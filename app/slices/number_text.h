#pragma once

#include <QString>

namespace isolume::slices {

/// Whole numbers as they are, others to five digits; with a true minus sign.
QString short_number(double value);
/// With so many decimals; below 1 with three digits, as of micrometres in mm the decimals would leave
/// nothing.
QString fixed_number(double value, int decimals);

}  // namespace isolume::slices
