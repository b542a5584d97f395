#pragma once

#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Accelerations, potentials, and jerks, which need velocities.
struct PairwiseForces {
  Forces forces;
  std::vector<double> jx = {}, jy = {}, jz = {};  ///< empty where they were not requested
};

/// Sums every pair in double precision, with either kind of softening, for all bodies or for the `active` ones
/// (indices, ascending; empty: all). The result does not depend on the number of threads or on whether other bodies
/// are active.
PairwiseForces pairwise_forces(const Bodies& bodies, const ForceOptions& options, bool with_jerks,
                               std::span<const std::uint32_t> active = {},
                               const jobs::Progress& progress = {});

}  // namespace isolume::nbody
