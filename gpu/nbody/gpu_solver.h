#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/nbody/engines/engine.h"
#include "gpu/runtime/multi_device/engine_settings.h"

namespace isolume::gpu {

/// The engine of the pool's GPUs: "cuda", or "emulated". Any number of them compute the forces on groups of
/// bodies; the values are bit-identical on any number. ComputeOptions::devices "all": as many GPUs as help;
/// those given by their numbers are used at any cost, and must be GPUs.
std::unique_ptr<nbody::Engine> make_gpu_nbody_engine(
    std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings = default_engine_settings());

}  // namespace isolume::gpu
