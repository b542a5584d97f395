#pragma once

#include <array>
#include <vector>

#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Values in a box, [z][y][x] with x fastest.
struct NumberBox {
  std::array<int, 3> points{};
  std::vector<double> values;

  std::size_t at(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(points[0]) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(points[1]) * z);
  }
};

/// A kernel that is even along x, y and z, as a function of the steps along each: 0 beyond `radius` steps.
struct EvenKernel {
  std::array<int, 3> reach{};  ///< steps along an axis
  double radius = 0;           ///< in steps; 0 at larger distances
  std::vector<double> values;  ///< [z][y][x], for 0 to reach

  double at(int x, int y, int z) const {
    return values[static_cast<std::size_t>(x) +
                  static_cast<std::size_t>(reach[0] + 1) *
                      (static_cast<std::size_t>(y) + static_cast<std::size_t>(reach[1] + 1) * z)];
  }
};

/// Convolution of the values with the kernel at each point; values outside the box are 0. Runs on the threads of
/// TBB's arena; the result does not depend on their number. Throws Cancelled.
NumberBox convolved(const NumberBox& numbers, const EvenKernel& kernel, const jobs::Progress& progress);

}  // namespace isolume::electrostatics
