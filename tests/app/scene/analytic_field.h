#pragma once

#include <functional>

#include <Eigen/Core>

#include "core/grid/scalar_field.h"

namespace isolume::scene {

/// A function of a place in the unit that scenes show, sampled on a grid.
inline grid::ScalarField sampled(const grid::Grid& grid,
                                 const std::function<double(const Eigen::Vector3d& place)>& function) {
  grid::ScalarField field;
  field.grid = grid;
  field.values.resize(grid.point_count());
  std::size_t index = 0;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i) {
        const Eigen::Vector3d place = grid.position(i, j, k) * grid::shown_per_unit(grid.unit);
        field.values[index++] = static_cast<float>(function(place));
      }
    }
  }
  return field;
}

}  // namespace isolume::scene
