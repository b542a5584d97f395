#pragma once

#include <memory>
#include <span>

#include "core/electrostatics/quantum_sums.h"
#include "gpu/electrostatics/sum_job.h"

namespace isolume::gpu {

inline constexpr std::string_view quantum_kernel = "sites";

/// The potential of a wavefunction on a lattice, whose layers are items. `operations`: of all of it.
std::unique_ptr<SumJob> make_quantum_job(const lattice::Lattice& lattice,
                                         const electrostatics::QuantumProblem& problem, double operations);
/// At the places of these numbers, in this order. Field 0 of a value, and field 1 added to it.
std::unique_ptr<SumJob> make_quantum_job(const electrostatics::Places& places,
                                         std::span<const std::size_t> which,
                                         const electrostatics::QuantumProblem& problem, double operations);

}  // namespace isolume::gpu
