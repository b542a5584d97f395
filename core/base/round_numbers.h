#pragma once

namespace isolume {

/// The smallest number of ... 0.1, 0.2, 0.5, 1, 2, 5 ... that is not below `value` (> 0), and the largest not
/// above it.
double rounded_up(double value);
double rounded_down(double value);

}  // namespace isolume
