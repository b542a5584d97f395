#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/nbody/forces/tree_stops.h"

namespace isolume::nbody {

/// Outline of a group of target bodies, as other ranks' trees need it; in scaled units.
struct GroupOutline {
  std::array<double, 3> low, high;  ///< corners of the bounding box of its bodies
  double factor;                    ///< opening factor
  double reach;                     ///< reach of close pairs
};

/// A cell of an essential tree, as plain numbers that can be sent; see Stop.
struct EssentialCell {
  std::array<double, 3> centre_of_mass;
  float radius, opening, mass, spread;
  std::uint32_t first, parts;  ///< in EssentialTree::cells; without parts: a leaf, or never opened
  std::uint32_t begin, end;    ///< in EssentialTree::points; empty if the cell is never opened
  std::array<float, CellMoments::count> moments;
};

/// x, y, z and mass, in scaled units.
using EssentialPoint = std::array<double, 4>;

/// The part of a tree that groups of bodies on other ranks may need: cells that every group accepts as a whole are
/// without their parts (locally essential trees: Salmon, thesis, California Institute of Technology (1991)). The
/// first cell is the root; an empty tree is needed by nobody.
struct EssentialTree {
  std::vector<EssentialCell> cells;
  std::vector<EssentialPoint> points;
};

/// Applies the same acceptance criterion as a sum over all bodies in one process would, cell by cell and group by
/// group, with the present openings of the stops. `distance` and `allowed` are the parameters of the expansions used
/// for the groups.
EssentialTree essential_tree(const Octree& tree, const Paged<Stop>& stops,
                             std::span<const GroupOutline> groups, double distance, double allowed);

/// Appends the cells of another tree, so that they can be walked like own cells, and returns the index of its root.
/// `points_before`: number of points before the tree's.
std::uint32_t append(const EssentialTree& tree, std::uint32_t points_before, Paged<Stop>& stops);

}  // namespace isolume::nbody
