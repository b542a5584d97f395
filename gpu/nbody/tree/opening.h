#pragma once

#include "core/nbody/forces/solver.h"

namespace isolume::gpu {

/// Multipole acceptance criterion: when cells act as a whole.
struct Opening {
  double angle;      ///< opening angle if no error is requested; otherwise that of the estimate
  double share = 0;  ///< see WalkTree::share
};
Opening opening_of(const nbody::ForceOptions& options);

}  // namespace isolume::gpu
