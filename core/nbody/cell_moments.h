#pragma once

#include <array>
#include <vector>

#include "core/nbody/octree.h"
#include "core/nbody/taylor_index.h"

namespace isolume::nbody {

/// What a cell exerts beyond its mass, for cells whose lengths are divided by their radius: sum_j m_j
/// (-d)^b / b! for the multi-indices b from second order on to one below taylor_top, d being places relative to
/// the centre of mass. In the order xx, xy, xz, yy, yz, zz, xxx, xxy, ...
struct CellMoments {
  static constexpr int top = taylor_top - 1;
  static constexpr std::size_t first = taylor_count_to(1);  ///< multi-index of values[0]
  static constexpr std::size_t count = taylor_count_to(top) - first;
  std::array<float, count> values = {};
};

/// For each cell of the tree.
Paged<CellMoments> cell_moments(const Octree& tree);

}  // namespace isolume::nbody
