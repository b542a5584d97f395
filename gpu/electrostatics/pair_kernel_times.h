#pragma once

#include <string>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/quantum/quantum_sums.h"
#include "core/electrostatics/sums/pair_engine.h"

namespace isolume::gpu {

/// Time of a sum on one GPU, with the charges already in its memory and the values staying there.
struct PairKernelTimes {
  std::string device, kernel;
  double sums_ms = 0;  ///< by the device's clock; the median
};

/// Measured on the first GPU that the options name, with the kernel that they name, on a grid along x, y
/// and z. Work that a kernel leaves to the host is not timed. Throws Error if there is no GPU, or if all
/// charges are 0; ResourceError, Cancelled, dispatch::DeviceLost.
PairKernelTimes time_pair_kernel(const dispatch::DevicePool& pool, const grid::Grid& grid,
                                 const electrostatics::PairProblem& problem,
                                 const dispatch::ComputeOptions& options,
                                 const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress);
/// The same for the potential of a wavefunction. Throws Error if there is no GPU, ResourceError, Cancelled,
/// dispatch::DeviceLost.
PairKernelTimes time_quantum_kernel(const dispatch::DevicePool& pool, const grid::Grid& grid,
                                    const electrostatics::QuantumProblem& problem,
                                    const dispatch::ComputeOptions& options,
                                    const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress);

}  // namespace isolume::gpu
