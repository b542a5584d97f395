#pragma once

#include <array>
#include <vector>

#include "core/nbody/octree.h"

namespace isolume::nbody {

/// What a cell exerts beyond its mass, for cells whose lengths are divided by their radius: sum_j m_j
/// (-d)^b / b! for the multi-indices b of second and third order, d being places relative to the centre of
/// mass. In the order xx, xy, xz, yy, yz, zz, xxx, xxy, xxz, xyy, xyz, xzz, yyy, yyz, yzz, zzz.
struct CellMoments {
  static constexpr std::size_t count = 16;
  std::array<float, count> values = {};
};

/// For each cell of the tree.
Paged<CellMoments> cell_moments(const Octree& tree);

}  // namespace isolume::nbody
