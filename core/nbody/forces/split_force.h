#pragma once

namespace isolume::nbody {

/// Ewald's division of 1 / r into a smooth part, which a mesh can represent, and a short-range part. This is the
/// smooth part: the field of a point mass spread as a Gaussian with standard deviation split sqrt(2).
struct SmoothPull {
  double pull;       ///< the acceleration due to a mass of 1 is pull x distance
  double potential;  ///< due to a mass of 1, without its sign
};
/// The smooth part at the distance r.
SmoothPull smooth_pull(double r, double split);

}  // namespace isolume::nbody
