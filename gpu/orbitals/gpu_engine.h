#pragma once

#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/orbitals/engine.h"
#include "gpu/runtime/multi_device/multi_device_run.h"

namespace isolume::gpu {

struct GpuEngineSettings {
  MultiDeviceRun::Settings run;
  dispatch::PlanRules rules;
};
/// The defaults, with longer times for the emulator; ISOLUME_GPU_DEADLINE in seconds overrides the deadline.
/// Throws Error for a text that is not a number of seconds.
GpuEngineSettings default_settings();

/// The engine of the pool's GPUs: "cuda", or "emulated". Slabs of planes (or runs of points) are computed by
/// any mix of the pool's devices; the values are bit-identical on any number of GPUs, and within the engines'
/// tolerance if the CPU computes some of them. ComputeOptions::devices "all": as many GPUs as help, the CPU
/// next to them if that is worth it, and instead of them if all have failed. Devices given by their numbers
/// are used at any cost, and no others.
std::unique_ptr<orbitals::Engine> make_gpu_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                  const GpuEngineSettings& settings = default_settings());

}  // namespace isolume::gpu
