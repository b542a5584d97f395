#pragma once

#include <algorithm>

#include "core/grid/grid.h"

namespace isolume::grid {

/// The product of the dimensions as a real number, valid beyond the range of integers.
inline double point_number(const Grid& grid) {
  double number = 1;
  for (const int n : grid.dimensions) number *= std::max(n, 0);
  return number;
}

}  // namespace isolume::grid
