#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/sums/pair_engine.h"
#include "gpu/runtime/multi_device/engine_settings.h"

namespace isolume::gpu {

/// The engine of the pool's GPUs: "cuda", or "emulated". Slabs of planes (or runs of points) are computed by
/// any mix of the pool's devices; the values are bit-identical on any number of GPUs, and within the engines'
/// tolerance if the CPU computes some of them. ComputeOptions::devices "all": as many GPUs as help, and the
/// CPU if all of them have failed. Devices given by their numbers are used at any cost, including the CPU
/// next to at least one GPU. One GPU computes the mesh part; if all have failed, or cuFFT is not installed,
/// the CPU does, and the report's reason says so.
std::unique_ptr<electrostatics::PairEngine> make_gpu_pair_engine(
    std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings = default_engine_settings());

}  // namespace isolume::gpu
