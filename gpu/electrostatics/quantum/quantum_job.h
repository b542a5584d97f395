#pragma once

#include <memory>
#include <span>

#include "core/electrostatics/quantum/quantum_sums.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

inline constexpr std::string_view quantum_kernel = "sites";

/// The potential of a wavefunction on a grid, whose layers are items. `operations`: total number.
std::unique_ptr<SumJob> make_quantum_job(const grid::Grid& grid,
                                         const electrostatics::QuantumProblem& problem, double operations);
/// At the points with these numbers, in this order. A value is the sum of fields 0 and 1.
std::unique_ptr<SumJob> make_quantum_job(const electrostatics::Places& places,
                                         std::span<const std::size_t> which,
                                         const electrostatics::QuantumProblem& problem, double operations);

}  // namespace isolume::gpu
