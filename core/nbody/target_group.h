#pragma once

#include <span>
#include <vector>

#include "core/nbody/octree.h"
#include "core/nbody/pair_sums.h"

namespace isolume::nbody {

/// Some of the bodies in their order, in the same units.
struct SortedPart {
  SortedBodies bodies;
  std::vector<std::uint32_t> before;  ///< how many of them come before each of all bodies, and before the end
};
/// `numbers`: among the bodies that were given.
SortedPart part_of(const SortedBodies& all, std::span<const std::uint32_t> numbers);

/// Bodies that follow each other in their order, and so are near each other: what exerts forces on them is
/// handed to them in single precision relative to a place among them.
struct TargetGroup {
  std::size_t first = 0;
  Eigen::AlignedBox3d box = {};
  Eigen::Vector3d place = {0, 0, 0};

  TargetGroup(const SortedBodies& bodies, std::size_t first_body, std::size_t end);

  Eigen::Vector3f from_place(const Eigen::Vector3d& other) const { return (other - place).cast<float>(); }
  /// Appends them, given as x, y, z and mass.
  void append(std::span<const Eigen::Vector4d> points, Paged<PointSource>& sources) const {
    if (points.empty()) return;
    const std::size_t before = sources.size();
    sources.resize(before + points.size());
    points_from(place.data(), {points.front().data(), 4 * points.size()}, &sources[before]);
  }
};

/// Where groups of at most `most` bodies begin among those from `first` on, and the end: bodies follow each
/// other in a group unless one is so far from the one before that single precision would blur those near each
/// other.
std::vector<std::size_t> group_bounds(const SortedBodies& bodies, std::size_t first, std::size_t end,
                                      std::size_t most);

/// At most Targets::capacity bodies of a group, from `first` on, with sums of 0.
Targets targets_of(const SortedBodies& bodies, const TargetGroup& group, std::size_t first, std::size_t end);

/// Puts the sums for the bodies from `first` on where they belong, in the units of the bodies that were given.
void store(const Targets& targets, const SortedBodies& bodies, std::size_t first, Forces& forces);

}  // namespace isolume::nbody
