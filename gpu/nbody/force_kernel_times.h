#pragma once

#include <string>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/nbody/forces/solver.h"

namespace isolume::gpu {

/// Times of forces on one GPU, with the bodies already in its memory and the forces staying there; medians,
/// in milliseconds.
struct ForceKernelTimes {
  std::string device;
  /// Sorting and tree, with the host's part; all on the host, and once, for fmm; 0 for the direct sum, which
  /// the CPU sorts.
  double tree_ms = 0;
  double sums_ms = 0;  ///< by the device's clock
};

/// Measured on the first GPU that the options name, with the solver that they name. Throws Error if there is
/// none, and for bodies that the GPU's tree cannot separate; ResourceError, Cancelled, dispatch::DeviceLost.
ForceKernelTimes time_force_kernels(const dispatch::DevicePool& pool, const nbody::Bodies& bodies,
                                    const nbody::ForceOptions& options,
                                    const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress);

}  // namespace isolume::gpu
