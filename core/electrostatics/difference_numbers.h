#pragma once

#include <cstddef>
#include <span>

#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// How far two maps, or two sets of values, are apart, in the unit of their values.
struct DifferenceNumbers {
  std::size_t count = 0;  ///< of values that are known
  double rms = 0;
  double mean = 0;
  double largest = 0;  ///< the difference of the largest size, with its sign
};

/// Of differences, in single precision with sums in double; what is not finite is left out. Throws Cancelled.
DifferenceNumbers difference_numbers(std::span<const float> differences, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
