#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/quantum/quantum_engine.h"
#include "core/electrostatics/sums/pair_engine.h"

namespace isolume::gpu {

/// The engines for sums over pairs of charges and points: that of the pool's GPUs if one is in use, then the
/// CPU's.
electrostatics::EngineRegistry make_pair_engines(const std::shared_ptr<dispatch::DevicePool>& pool);
/// The same for potentials of wavefunctions.
electrostatics::QuantumEngineRegistry make_quantum_engines(const std::shared_ptr<dispatch::DevicePool>& pool);

}  // namespace isolume::gpu
