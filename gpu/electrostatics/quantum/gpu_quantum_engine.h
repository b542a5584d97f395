#pragma once

#include <memory>

#include "core/electrostatics/quantum/quantum_engine.h"
#include "gpu/runtime/multi_device/engine_settings.h"

namespace isolume::gpu {

/// Like default_engine_settings(), for sums in double precision.
EngineSettings default_quantum_settings();

/// The engine of the pool's GPUs: "cuda", or "emulated". It divides work like make_gpu_pair_engine's: layers
/// of a grid or runs of points; the values are bit-identical on any number of GPUs, and within rounding if
/// the CPU computes some of them.
std::unique_ptr<electrostatics::QuantumEngine> make_gpu_quantum_engine(
    std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings = default_quantum_settings());

}  // namespace isolume::gpu
