#pragma once

#include <algorithm>

#include "core/lattice/lattice.h"

namespace isolume::lattice {

/// The product of the dimensions as a real number, valid beyond the range of integers.
inline double point_number(const Lattice& lattice) {
  double number = 1;
  for (const int n : lattice.dimensions) number *= std::max(n, 0);
  return number;
}

}  // namespace isolume::lattice
