#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "core/dispatch/tile_plan.h"

namespace isolume::dispatch {

/// The pool's GPUs, including emulated ones, that are not set aside; in the order of the pool.
std::vector<Device*> usable_gpus(const DevicePool& pool);
/// The GPUs in use, such as "2 GPUs, NVIDIA H100, NVIDIA A100".
std::string describe_gpus(const DevicePool& pool);

/// The devices of a pool that ComputeOptions::devices names ("1,2"), each once; empty for "all". Throws an
/// Error that lists the devices if a number is not one of them, and gives the reason if one is set aside.
std::optional<std::vector<Device*>> parse_devices(std::string_view text, const DevicePool& pool);

/// Removes the devices that the plan leaves out, from the plan too, and returns them for the report.
std::vector<Report::Share> drop_left_out(std::vector<Device*>& devices, TilePlan& plan);

/// Runs `work` on one device; if it throws DeviceLost, the device is excluded from all later jobs.
template <class Work>
auto guarded(const Device& device, const Work& work) {
  try {
    return work();
  } catch (const DeviceLost& lost) {
    device.set_aside(lost.what());
    throw;
  }
}

}  // namespace isolume::dispatch
