#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "gpu/runtime/algorithms/fourier.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {

/// Fourier transforms whose plans are kept for later levels and registrations, which have the same sizes again. Calls may come
/// from any thread. Outlives the transforms that it lends; the devices outlive it.
class KeptTransforms {
 public:
  /// Idle transforms of each device that are kept: those of the levels of a registration, and one more.
  static constexpr std::size_t most_of_a_device = 4;

  /// A transform for the caller alone, until the last pointer to it is gone. Throws as SingleFourier.
  std::shared_ptr<const SingleFourier> lend(const GpuDevice& device, FourierSize size, int arrays);
  /// The number of idle transforms.
  std::size_t size() const;

 private:
  struct Kept {
    const GpuDevice* device;
    FourierSize size;
    int arrays;
    std::unique_ptr<const SingleFourier> transform;
  };
  void take_back(Kept transform);

  mutable std::mutex mutex_;
  std::vector<Kept> kept_;  ///< those that were used last are at the end
};

}  // namespace isolume::gpu
