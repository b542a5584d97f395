#pragma once

#include <cstddef>

#include "core/gaussians/triple_index.h"

namespace isolume::gaussians {

/// Points whose potential is summed together; those past `count` repeat the last one. Lengths are in bohr.
struct PointTile {
  static constexpr int capacity = 64;

  int count = 0;
  alignas(64) double x[capacity];
  alignas(64) double y[capacity];
  alignas(64) double z[capacity];
  alignas(64) double potential[capacity];  ///< Eh/e
};

/// The potential of a Hermite Gaussian at a point, with X, Y, Z from there to its centre:
///   sum over i + j + k + 2 s <= order of c_ijks X^i Y^j Z^k F_(i+j+k+s)(exponent (X^2 + Y^2 + Z^2)),
/// with c in the order of triple_index(order), s fastest.
struct NearGaussian {
  double x = 0, y = 0, z = 0;
  double exponent = 0;
  int order = 0;
  std::size_t first = 0;  ///< position of c
};
constexpr std::size_t near_count(int order) {
  std::size_t count = 0;
  for (int left = order; left >= 0; left -= 2) count += triple_count(left);
  return count;
}

/// The potential of a multipole at a point, with X, Y, Z from there to its centre, all divided by R^2 = X^2 +
/// Y^2 + Z^2:
///   (1 / R) sum over i + j + k <= order of c_ijk (X/R^2)^i (Y/R^2)^j (Z/R^2)^k.
struct FarMultipole {
  double x = 0, y = 0, z = 0;
  int order = 0;
  const double* coefficients = nullptr;
};

/// These functions add to a tile's potential, in double precision.
void add_near(PointTile& tile, const NearGaussian* gaussians, std::size_t count, const double* coefficients);
void add_far(PointTile& tile, const FarMultipole& multipole);

/// Adds charge / distance, but nothing at points closer than `nearest`.
struct Nucleus {
  double x = 0, y = 0, z = 0, charge = 0;
};
void add_nuclei(PointTile& tile, const Nucleus* nuclei, std::size_t count, double nearest);

}  // namespace isolume::gaussians
