#pragma once

#include <memory>
#include <vector>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// The devices that take part.
struct PairDevices {
  std::vector<dispatch::Device*> all;
  bool named = false;
  std::unique_ptr<dispatch::Device> cpu;  ///< replaces the pool's, with the requested number of threads

  bool has_cpu() const;
};

bool is_cpu(const dispatch::Device* device);

/// Throws Error if none of the devices is a GPU.
PairDevices choose_pair_devices(const dispatch::DevicePool& pool, const dispatch::ComputeOptions& options);

}  // namespace isolume::gpu
