#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/electrostatics/poisson_boltzmann/circle_cuts.h"

namespace isolume::electrostatics {

/// Of all directions u those with u.(x, y, z) >= least.
struct Caps {
  std::vector<float> x, y, z, least;
};

/// What of the surface of a ball others may leave free, found by directions all over it. Those count as covered that lie so
/// deep in another ball that all between them and the next ones is covered, too: what is free is found for certain,
/// and more.
class ExposedDirections {
 public:
  void find(double ball_radius, const BallsAround& others);
  bool none() const { return x_.empty(); }
  /// Whether a part of the circle may be free whose directions have this cosine with `axis`, which is of length 1.
  bool may_reach(const Eigen::Vector3d& axis, double cosine) const;

 private:
  std::vector<float> x_, y_, z_;
  Caps caps_;  ///< memory for the next time
};

}  // namespace isolume::electrostatics
