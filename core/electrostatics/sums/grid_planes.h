#pragma once

#include <cstddef>

#include "core/grid/grid.h"

namespace isolume::electrostatics {

/// A range of a grid's planes across its first axis: [first, end).
struct GridPlanes {
  int first = 0, end = 0;

  int count() const { return end - first; }
};
inline GridPlanes all_planes(const grid::Grid& grid) {
  return {0, grid.dimensions[0]};
}
/// These planes as a grid of their own. Its points are the same except for rounding.
inline grid::Grid grid_of_planes(grid::Grid grid, const GridPlanes& planes) {
  grid.origin = grid.position(planes.first, 0, 0);
  grid.dimensions[0] = planes.count();
  return grid;
}

}  // namespace isolume::electrostatics
