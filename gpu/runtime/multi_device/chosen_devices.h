#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// The devices that take part in a job.
struct ChosenDevices {
  std::vector<dispatch::Device*> all;
  bool named = false;  ///< the user named them: they are used at any cost
  std::unique_ptr<dispatch::Device> cpu =
      nullptr;  ///< replaces the pool's, with the requested number of threads

  bool has_cpu() const;
};

bool is_cpu(const dispatch::Device* device);

/// The devices that the options name, or all that are in use. Throws Error if none of them is a GPU.
ChosenDevices choose_devices(const dispatch::DevicePool& pool, const dispatch::ComputeOptions& options);
/// The same for work that only GPUs do, by ComputeOptions::devices. Throws Error for other devices, too.
ChosenDevices choose_gpus(const dispatch::DevicePool& pool, std::string_view devices);

}  // namespace isolume::gpu
