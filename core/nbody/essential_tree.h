#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/nbody/tree_stops.h"

namespace isolume::nbody {

/// A group of bodies that forces are wanted on, as other trees need to know it; in scaled units.
struct GroupOutline {
  std::array<double, 3> low, high;  ///< corners of the smallest box around its bodies
  double factor;                    ///< of openings
  double reach;                     ///< of close pairs
};

/// A cell of an essential tree, as plain numbers that can be sent; see Stop.
struct EssentialCell {
  std::array<double, 3> centre_of_mass;
  float radius, opening, mass, spread;
  std::uint32_t first, parts;  ///< in EssentialTree::cells; without parts: a leaf, or always a whole
  std::uint32_t begin, end;    ///< in EssentialTree::points; none where it is always a whole
  std::array<float, CellMoments::count> moments;
};

/// x, y, z and mass, in scaled units.
using EssentialPoint = std::array<double, 4>;

/// As much of a tree as some groups of bodies elsewhere may need: cells that act as wholes on each of them are
/// without their parts (Salmon, thesis, California Institute of Technology (1991): locally essential trees). The
/// first cell is all of the tree; without cells: nobody needs any.
struct EssentialTree {
  std::vector<EssentialCell> cells;
  std::vector<EssentialPoint> points;
};

/// Decides as the sum over both parts of the bodies in one place would, cell by cell and group by group, with the
/// openings that the stops have at present. `distance` and `allowed`: of expansions, as they are for the groups.
EssentialTree essential_tree(const Octree& tree, const Paged<Stop>& stops,
                             std::span<const GroupOutline> groups, double distance, double allowed);

/// Adds the cells of others, so that they can be walked through as one's own are, and returns the number of the first.
/// `points_before`: how many points come before theirs.
std::uint32_t append(const EssentialTree& tree, std::uint32_t points_before, Paged<Stop>& stops);

}  // namespace isolume::nbody
