#pragma once

#include <cstddef>
#include <vector>

#include "core/nbody/target_group.h"

namespace isolume::nbody {

/// How near a body may be to one of a group with this box for the two to be a close pair (below); 0: none is, as there is
/// enough softening. A part of the group reaches no farther.
double close_reach(const Eigen::AlignedBox3d& box, double softening);

/// Pairs so close beside the size of their group that single precision, relative to its middle, would blur their
/// distance by more than some millionth, or so close that it cannot hold the force: what they exert is brought to what it is
/// in double precision.
class ClosePairs {
 public:
  /// Of the group that ends before `end`. `softening` in the units of the bodies: with enough of it nothing is blurred.
  ClosePairs(const SortedBodies& bodies, const TargetGroup& group, std::size_t end, double softening);

  /// Whether a body there, or so far from there, may be close to one of the group.
  bool reaches(const Eigen::Vector3d& place) const { return reach_ > 0 && around_.contains(place); }
  bool reaches(const Eigen::Vector3d& place, double distance) const {
    return reach_ > 0 && around_.squaredExteriorDistance(place) <= distance * distance;
  }
  /// Products of so small a mass are soon beyond single precision.
  static bool is_light(double mass) { return mass > 0 && mass < 1e-30; }
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  /// x, y, z and mass of a body, and as what it is about to act on the group: without mass, where that would be far off.
  /// `own`: its number, where it is one of the group's bodies.
  void offer(const Eigen::Vector4d& point, PointSource& acting, std::size_t own = nobody) {
    if (is_light(point.w())) return take_exactly(point, acting, own);
    if (reaches(Eigen::Vector3d(point.head<3>()))) take(point, acting, own);
  }
  /// Bodies at one place, with the mass of all, that act in double precision alone. Those of the targets from `begin` to
  /// `end` are among them.
  void add_exactly(const Eigen::Vector4d& point, std::size_t begin, std::size_t end) {
    exact_.push_back({point, begin, end});
  }
  /// Once all are offered and have acted: corrects the sums of the group's bodies from `first` on.
  void correct(std::size_t first, Targets& targets) const;

 private:
  struct Target {
    double x;
    std::size_t number;  ///< among all bodies
  };
  /// The source is kept as it acts, too: GCC 12 takes a vector's conversion to single precision and back for nothing.
  struct Pair {
    std::size_t target;
    Eigen::Vector4d point;
    PointSource acting;
  };

  /// Targets from `begin` to `end` are among what acts.
  struct Exact {
    Eigen::Vector4d point;
    std::size_t begin, end;
  };

  void take(const Eigen::Vector4d& point, PointSource& acting, std::size_t own);
  void take_exactly(const Eigen::Vector4d& point, PointSource& acting, std::size_t own) {
    add_exactly(point, own == nobody ? 0 : own, own == nobody ? 0 : own + 1);
    acting.mass = 0;
  }

  const SortedBodies& bodies_;
  double reach_, tight_, softening_squared_;
  Eigen::AlignedBox3d around_;
  std::vector<Target> targets_;  ///< of the group, by x
  std::vector<Pair> pairs_;      ///< that are corrected
  std::vector<Exact> exact_;     ///< that act in double precision alone
};

}  // namespace isolume::nbody
