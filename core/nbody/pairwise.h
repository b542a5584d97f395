#pragma once

#include "core/nbody/run_options.h"

namespace isolume::nbody {

/// Accelerations, potentials, and how fast accelerations change, which needs velocities.
struct PairwiseForces {
  Forces forces;
  std::vector<double> jx = {}, jy = {}, jz = {};  ///< empty where they were not asked for
};

/// Every pair in double precision, by either kind of softening. The same on any number of threads, and whether on
/// all bodies or on those that are `active` (numbers, rising); none: on all.
PairwiseForces pairwise_forces(const Bodies& bodies, const RunOptions& options, bool with_jerks,
                               std::span<const std::uint32_t> active = {},
                               const jobs::Progress& progress = {});

/// Of a body of mass 1 at distance r, softened: the acceleration is `pull` r towards it, its change with r is
/// `change` r^2, and the potential is `potential`.
struct SoftenedPull {
  double pull, change, potential;
};
SoftenedPull softened_pull(double r_squared, double softening, SofteningKind kind);

}  // namespace isolume::nbody
