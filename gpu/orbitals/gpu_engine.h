#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/engine.h"
#include "gpu/runtime/multi_device_run.h"

namespace isolume::gpu {

struct GpuEngineSettings {
  MultiDeviceRun::Settings run;
  dispatch::PlanRules rules;
};
/// The defaults, made longer for the emulator; ISOLUME_GPU_DEADLINE in seconds overrides the deadline. Throws
/// Error for a text that is no number of seconds.
GpuEngineSettings default_settings();

/// The engine of the pool's GPUs: "cuda", or "emulated". Slabs of planes (or runs of points) are computed by
/// any mix of the pool's devices; the values are the same bits on any number of GPUs, and within the engines'
/// tolerance where the CPU computes some of them. ComputeOptions::devices "all": as many GPUs as help, the CPU
/// beside them where that is worth it, and in their place when all of them have failed. Devices given by
/// their numbers are used whatever it costs, and no others.
std::unique_ptr<orbitals::Engine> make_gpu_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                  const GpuEngineSettings& settings = default_settings());

}  // namespace isolume::gpu
