#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/pair_engine.h"
#include "gpu/runtime/engine_settings.h"

namespace isolume::gpu {

/// The engine of the pool's GPUs: "cuda", or "emulated". Slabs of planes (or runs of places) are summed for by any mix of
/// the pool's devices; the values are the same bits on any number of GPUs, and within the engines' tolerance where the
/// CPU computes some of them. ComputeOptions::devices "all": as many GPUs as help, and the CPU in their place when all of
/// them have failed. Devices given by their numbers are used whatever it costs, the CPU too, beside a GPU at least. What a
/// mesh carries is one GPU's; the CPU finds it when all have failed, or cuFFT is not installed, and the report's reason
/// says so.
std::unique_ptr<electrostatics::PairEngine> make_gpu_pair_engine(
    std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings = default_engine_settings());

}  // namespace isolume::gpu
