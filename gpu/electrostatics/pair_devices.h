#pragma once

#include <memory>
#include <vector>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// Those that sum.
struct PairDevices {
  std::vector<dispatch::Device*> all;
  bool named = false;
  std::unique_ptr<dispatch::Device> cpu;  ///< in place of the pool's, with as many threads as were asked for

  bool has_cpu() const;
};

bool is_cpu(const dispatch::Device* device);

/// Throws Error for devices among which there is no GPU.
PairDevices choose_pair_devices(const dispatch::DevicePool& pool, const dispatch::ComputeOptions& options);

}  // namespace isolume::gpu
