#pragma once

#include <cstddef>

namespace isolume::anatomy {

/// Where the neighbours of a row's points along an axis lie, and the factor that makes a slope of their difference.
struct Neighbours {
  std::ptrdiff_t before = 0, after = 0;
  float per_mm = 0;
};

/// Sums over points x of a row; g is the gradient of the row's values.
struct RowMoments {
  double weighted[3][2] = {};  ///< w g_a x^k
  double products[6][3] = {};  ///< g_a g_b x^k for the axes a b: xx, yy, zz, xy, xz, yz
};

/// Adds points from `first` to before `last` of a row of `count` points; `weights` begins at `first`.
void add_row_moments(const float* row, const float* weights, int first, int last, int count, float x_per_mm,
                     const Neighbours& along_y, const Neighbours& along_z, RowMoments& moments);

}  // namespace isolume::anatomy
