#pragma once

#include <cstdint>
#include <string_view>

#include "core/filters/chain.h"

namespace isolume::filters {

/// A grid in mm whose axes are at right angles.
inline grid::Grid mm_grid(std::array<int, 3> dimensions, const Eigen::Vector3d& spacing = {1, 1, 1}) {
  grid::Grid grid;
  grid.dimensions = dimensions;
  grid.unit = grid::LengthUnit::millimetre;
  grid.step = spacing.asDiagonal();
  return grid;
}

/// The values of a function of the voxel's indices.
template <class Function>
grid::ScalarField field_of(const grid::Grid& grid, const Function& function) {
  grid::ScalarField field{.grid = grid, .values = {}, .name = {}, .unit = {}};
  field.values.resize(grid.point_count());
  std::size_t i = 0;
  for (int z = 0; z < grid.dimensions[2]; ++z) {
    for (int y = 0; y < grid.dimensions[1]; ++y) {
      for (int x = 0; x < grid.dimensions[0]; ++x, ++i)
        field.values[i] = static_cast<float>(function(x, y, z));
    }
  }
  return field;
}

/// Numbers from 0 to before 1 without any order (a linear congruential generator).
class Noise {
 public:
  double operator()() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11U) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

inline grid::ScalarField noise(const grid::Grid& grid, double scale = 1) {
  Noise number;
  return field_of(grid, [&](int, int, int) { return scale * number(); });
}

inline Filtered run_filter(std::string_view text, const grid::ScalarField& image) {
  return parse_filter(text)->apply(image);
}

}  // namespace isolume::filters
