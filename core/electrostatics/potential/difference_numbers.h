#pragma once

#include <cstddef>
#include <span>

#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Statistics of the difference between two maps or two sets of values, in the unit of their values.
struct DifferenceNumbers {
  std::size_t count = 0;  ///< number of known values
  double rms = 0;
  double mean = 0;
  double largest = 0;  ///< difference of the largest magnitude, with its sign
};

/// `differences` are in single precision, sums in double; values that are not finite are left out. Throws Cancelled.
DifferenceNumbers difference_numbers(std::span<const float> differences, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
