#pragma once

#include <cstddef>
#include <vector>

#include "core/nbody/target_group.h"

namespace isolume::nbody {

/// Pairs so close beside the size of their group that single precision, relative to its middle, would blur their
/// distance by more than some millionth: what they exert is corrected to what it is in double precision.
class ClosePairs {
 public:
  /// `softening` in the units of the group's bodies: with enough of it there is nothing to correct.
  ClosePairs(const TargetGroup& group, double softening);

  bool possible() const { return reach_ > 0; }
  /// Whether a body in the box may be close to one of the group.
  bool reaches(const Eigen::AlignedBox3d& box) const { return possible() && around_.intersects(box); }
  bool reaches(const Eigen::Vector3d& place) const { return possible() && around_.contains(place); }
  /// x, y, z and mass of a body that acts on the group by TargetGroup::source.
  void offer(const Eigen::Vector4d& point) {
    if (reaches(Eigen::Vector3d(point.head<3>()))) sources_.push_back(point);
  }
  /// Once all are offered and act: corrects the sums of the group's bodies from `first` on.
  void correct(const SortedBodies& bodies, std::size_t first, Targets& targets);

 private:
  const TargetGroup& group_;
  double reach_, softening_squared_;
  Eigen::AlignedBox3d around_;
  std::vector<Eigen::Vector4d> sources_;
  bool sorted_ = false;  ///< by x
};

}  // namespace isolume::nbody
