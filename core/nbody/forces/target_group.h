#pragma once

#include <span>
#include <vector>

#include "core/nbody/forces/octree.h"
#include "core/nbody/forces/pair_sums.h"

namespace isolume::nbody {

/// A subset of the sorted bodies, in the same order and units.
struct SortedPart {
  SortedBodies bodies;
  std::vector<std::uint32_t> before;  ///< number of them before each of all bodies, and before the end
};
/// `numbers`: indices among the given bodies.
SortedPart part_of(const SortedBodies& all, std::span<const std::uint32_t> numbers);

/// Consecutive bodies in sorted order, which are near each other: sources are converted to single precision relative
/// to an origin among them.
struct TargetGroup {
  std::size_t first = 0;
  Eigen::AlignedBox3d box = {};
  Eigen::Vector3d place = {0, 0, 0};

  TargetGroup(const SortedBodies& bodies, std::size_t first_body, std::size_t end);

  Eigen::Vector3f from_place(const Eigen::Vector3d& other) const { return (other - place).cast<float>(); }
  /// Appends sources given as x, y, z and mass.
  void append(std::span<const Eigen::Vector4d> points, Paged<PointSource>& sources) const {
    if (points.empty()) return;
    const std::size_t before = sources.size();
    sources.resize(before + points.size());
    points_from(place.data(), {points.front().data(), 4 * points.size()}, &sources[before]);
  }
};

/// Boundaries of groups of at most `most` bodies from `first` on, including the end: consecutive bodies form a group
/// unless one is so far from the previous one that single precision would blur close neighbours.
std::vector<std::size_t> group_bounds(const SortedBodies& bodies, std::size_t first, std::size_t end,
                                      std::size_t most);

/// At most Targets::capacity bodies of a group, from `first` on, with sums of 0.
Targets targets_of(const SortedBodies& bodies, const TargetGroup& group, std::size_t first, std::size_t end);

/// Stores the sums for the bodies from `first` on at their original indices, in the units of the given bodies.
void store(const Targets& targets, const SortedBodies& bodies, std::size_t first, Forces& forces);

}  // namespace isolume::nbody
