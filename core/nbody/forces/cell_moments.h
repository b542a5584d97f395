#pragma once

#include <array>
#include <vector>

#include "core/nbody/forces/octree.h"
#include "core/nbody/forces/taylor_index.h"

namespace isolume::nbody {

/// Multipole moments of a cell beyond its mass, with lengths divided by the cell's radius: sum_j m_j (-d)^b / b! for
/// the multi-indices b from second order to taylor_top - 1, d being positions relative to the centre of mass. In the
/// order xx, xy, xz, yy, yz, zz, xxx, xxy, ...
struct CellMoments {
  static constexpr int top = taylor_top - 1;
  static constexpr std::size_t first = taylor_count_to(1);  ///< multi-index of values[0]
  static constexpr std::size_t count = taylor_count_to(top) - first;
  std::array<float, count> values = {};
};

/// Moments of each cell of the tree.
Paged<CellMoments> cell_moments(const Octree& tree);

}  // namespace isolume::nbody
