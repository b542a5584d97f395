#pragma once

#include <algorithm>

#include "core/lattice/lattice.h"

namespace isolume::lattice {

/// The product of the dimensions, where it is beyond all integers as well.
inline double point_number(const Lattice& lattice) {
  double number = 1;
  for (const int n : lattice.dimensions) number *= std::max(n, 0);
  return number;
}

}  // namespace isolume::lattice
