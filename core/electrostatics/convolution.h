#pragma once

#include <array>
#include <vector>

#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// Numbers in a box, [z][y][x] with x fastest.
struct NumberBox {
  std::array<int, 3> points{};
  std::vector<double> values;

  std::size_t at(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(points[0]) *
               (static_cast<std::size_t>(y) + static_cast<std::size_t>(points[1]) * z);
  }
};

/// What a number acts by on points so many steps away along x, y and z, in either direction: 0 beyond `radius` steps.
struct EvenKernel {
  std::array<int, 3> reach{};  ///< steps along an axis
  double radius = 0;           ///< steps; none of those farther away counts
  std::vector<double> values;  ///< [z][y][x], of 0 to reach

  double at(int x, int y, int z) const {
    return values[static_cast<std::size_t>(x) +
                  static_cast<std::size_t>(reach[0] + 1) *
                      (static_cast<std::size_t>(y) + static_cast<std::size_t>(reach[1] + 1) * z)];
  }
};

/// The sum over all numbers of kernel times number, at each point; nothing lies outside of the box. On the threads of TBB's
/// arena, with the same result on any number of them. Throws Cancelled.
NumberBox convolved(const NumberBox& numbers, const EvenKernel& kernel, const jobs::Progress& progress);

}  // namespace isolume::electrostatics
