#pragma once

#include <memory>

#include "core/electrostatics/quantum_engine.h"
#include "gpu/runtime/engine_settings.h"

namespace isolume::gpu {

/// As default_engine_settings(), for sums in double precision.
EngineSettings default_quantum_settings();

/// The engine of the pool's GPUs: "cuda", or "emulated". It shares out as make_gpu_pair_engine's does: layers of a lattice or
/// runs of places; the values are the same bits on any number of GPUs, and within rounding where the CPU computes some of
/// them.
std::unique_ptr<electrostatics::QuantumEngine> make_gpu_quantum_engine(
    std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings = default_quantum_settings());

}  // namespace isolume::gpu
