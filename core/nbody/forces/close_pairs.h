#pragma once

#include <cstddef>
#include <vector>

#include "core/nbody/forces/target_group.h"

namespace isolume::nbody {

/// Distance within which a body and one of a group with this box may form a close pair (below); 0 where the softening
/// is large enough that none is. Parts of the group have no larger reach.
double close_reach(const Eigen::AlignedBox3d& box, double softening);

/// Pairs so close, compared with the size of their group, that single precision relative to its middle would blur
/// their distance by more than about a millionth, or so close that the force overflows it. Their forces are corrected
/// to double precision.
class ClosePairs {
 public:
  /// `end`: end of the group. `softening` is in the units of the bodies; with enough of it no pair needs correction.
  ClosePairs(const SortedBodies& bodies, const TargetGroup& group, std::size_t end, double softening,
             SofteningKind kind = SofteningKind::plummer);

  /// Whether a body at this position, or within `distance` of it, may be close to one of the group.
  bool reaches(const Eigen::Vector3d& place) const { return reach_ > 0 && around_.contains(place); }
  bool reaches(const Eigen::Vector3d& place, double distance) const {
    return reach_ > 0 && around_.squaredExteriorDistance(place) <= distance * distance;
  }
  /// Products with so small a mass soon underflow in single precision.
  static bool is_light(double mass) { return mass > 0 && mass < 1e-30; }
  static constexpr std::size_t nobody = static_cast<std::size_t>(-1);
  /// `point`: x, y, z and mass of a body; `acting`: the source that is about to act on the group, whose mass is set
  /// to 0 where its contribution would be far off. `own`: index of the body if it is one of the group's.
  void offer(const Eigen::Vector4d& point, PointSource& acting, std::size_t own = nobody) {
    if (is_light(point.w())) return take_exactly(point, acting, own);
    if (reaches(Eigen::Vector3d(point.head<3>()))) take(point, acting, own);
  }
  /// Coincident bodies, with their total mass, that act in double precision only. They include the targets from
  /// `begin` to `end`.
  void add_exactly(const Eigen::Vector4d& point, std::size_t begin, std::size_t end) {
    exact_.push_back({point, begin, end});
  }
  /// Call after all sources were offered and have acted: corrects the sums of the group's bodies from `first` on.
  void correct(std::size_t first, Targets& targets) const;

 private:
  struct Target {
    double x;
    std::size_t number;  ///< index among all bodies
  };
  /// Stores the single-precision source as well: GCC 12 optimises away a vector's conversion to single precision and
  /// back.
  struct Pair {
    std::size_t target;
    Eigen::Vector4d point;
    PointSource acting;
  };

  /// The source includes the targets from `begin` to `end`.
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
  double reach_, tight_, softening_;
  SofteningKind kind_;
  Eigen::AlignedBox3d around_;
  std::vector<Target> targets_;  ///< of the group, sorted by x
  std::vector<Pair> pairs_;      ///< to be corrected
  std::vector<Exact> exact_;     ///< that act in double precision only
};

}  // namespace isolume::nbody
