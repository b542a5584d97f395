#pragma once

#include "core/nbody/solver.h"

namespace isolume::gpu {

/// When cells act as a whole.
struct Opening {
  double angle;      ///< where no error is asked for; else of the walk that estimates forces
  double share = 0;  ///< WalkTree::share
};
Opening opening_of(const nbody::ForceOptions& options);

}  // namespace isolume::gpu
