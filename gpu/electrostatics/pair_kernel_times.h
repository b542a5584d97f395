#pragma once

#include <string>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/electrostatics/pair_engine.h"
#include "core/electrostatics/quantum_sums.h"

namespace isolume::gpu {

/// What one GPU takes for a sum when charges are in its memory already and the values stay there.
struct PairKernelTimes {
  std::string device, kernel;
  double sums_ms = 0;  ///< by the device's clock; the median
};

/// On the first GPU that the options name, by the kernel that they name, on a lattice along x, y and z. What a kernel leaves
/// to the host is not timed. Throws Error where there is no GPU, or none of the charges is other than 0;
/// ResourceError, Cancelled, dispatch::DeviceLost.
PairKernelTimes time_pair_kernel(const dispatch::DevicePool& pool, const lattice::Lattice& lattice,
                                 const electrostatics::PairProblem& problem,
                                 const dispatch::ComputeOptions& options,
                                 const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress);
/// The same of the potential of a wavefunction. Throws Error where there is no GPU, ResourceError, Cancelled,
/// dispatch::DeviceLost.
PairKernelTimes time_quantum_kernel(const dispatch::DevicePool& pool, const lattice::Lattice& lattice,
                                    const electrostatics::QuantumProblem& problem,
                                    const dispatch::ComputeOptions& options,
                                    const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress);

}  // namespace isolume::gpu
