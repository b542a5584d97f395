#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

class GpuDevice;

/// What engines that compute on GPUs call themselves: "cuda", or "emulated".
std::string_view gpu_engine_name();
/// Their description: the pool's GPUs that are in use.
std::string describe_gpus(const dispatch::DevicePool& pool);

void set_aside(const dispatch::DevicePool& pool, const GpuDevice& device, const char* why);
/// Does `work` on a device of the pool; takes one that does not answer out of all later work.
template <class Work>
auto guarded(const dispatch::DevicePool& pool, const GpuDevice& device, const Work& work) {
  try {
    return work();
  } catch (const dispatch::DeviceLost& lost) {
    set_aside(pool, device, lost.what());
    throw;
  }
}

/// The devices of a pool that EngineOptions::devices names ("1,2"), each once; none for "all". Throws Error
/// that lists the devices there are for numbers that are none, and names the reason where one is set aside.
std::optional<std::vector<dispatch::Device*>> parse_devices(std::string_view text,
                                                            const dispatch::DevicePool& pool);

}  // namespace isolume::gpu
