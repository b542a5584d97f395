#pragma once

#include <string>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/nbody/solver.h"

namespace isolume::gpu {

/// What one GPU takes for forces when the bodies are in its memory already and the forces stay there; medians, in
/// milliseconds.
struct ForceKernelTimes {
  std::string device;
  double tree_ms =
      0;  ///< order and tree, with what the host does meanwhile; 0 for the direct sum, whose order is the CPU's
  double sums_ms = 0;  ///< by the device's clock
};

/// On the first GPU that the options name, by the solver that they name. Throws Error where there is none, and for
/// bodies that the GPU's tree does not tell apart; ResourceError, Cancelled, dispatch::DeviceLost.
ForceKernelTimes time_force_kernels(const dispatch::DevicePool& pool, const nbody::Bodies& bodies,
                                    const nbody::ForceOptions& options,
                                    const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress);

}  // namespace isolume::gpu
