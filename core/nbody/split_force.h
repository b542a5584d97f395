#pragma once

namespace isolume::nbody {

/// Ewald's division of 1 / r into a part that is smooth, which a mesh can carry, and one that ends soon: what a point
/// mass exerts, and what it would exert spread as a Gaussian with the standard deviation split sqrt(2).
struct SmoothPull {
  double pull;       ///< the acceleration by a mass of 1 is pull x distance
  double potential;  ///< of a mass of 1, without its sign
};
/// Of the smooth part, at the distance r.
SmoothPull smooth_pull(double r, double split);

}  // namespace isolume::nbody
