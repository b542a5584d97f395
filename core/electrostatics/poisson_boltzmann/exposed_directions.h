#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/poisson_boltzmann/circle_cuts.h"

namespace isolume::electrostatics {

/// The set of directions u with u.(x, y, z) >= least.
struct Caps {
  std::vector<float> x, y, z, least;
};

/// A conservative estimate of the exposed part of a ball's surface, by sampling directions. A direction counts as
/// covered if it is so deep in another ball that all directions up to its neighbours are covered, too: all exposed
/// parts are found, and possibly more.
class ExposedDirections {
 public:
  void find(double ball_radius, const BallsAround& others);
  bool none() const { return x_.empty(); }
  /// Whether part of the circle of directions with this cosine to `axis` (a unit vector) may be exposed.
  bool may_reach(const Eigen::Vector3d& axis, double cosine) const;

 private:
  std::vector<float> x_, y_, z_;
  Caps caps_;  ///< scratch memory
};

}  // namespace isolume::electrostatics
