#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices/devices.h"

namespace isolume::gpu {

class Allocator;

/// One GPU as a device for tiles: two workers, each with a stream of its own, so that one tile is computed
/// while another's result is copied (compute and both copy directions overlap: Ha et al.'s
/// hardware-independent scheme with the driver choosing the units).
class GpuDevice final : public dispatch::Device {
 public:
  /// An unusable device is set aside for its reason, and throws Error if it is used nevertheless.
  explicit GpuDevice(const DeviceDescription& description);
  /// All streams and buffers of the device must be gone.
  ~GpuDevice() override;

  dispatch::DeviceKind kind() const override;
  std::string name() const override;
  /// Remaining memory of the allocator; 0 for a device that does not respond.
  std::size_t memory_budget_bytes() const override;
  int concurrency() const override;
  void run_workers(const std::function<void(int)>& body) override;
  std::string detail() const override;
  std::size_t memory_bytes() const override;
  std::size_t memory_used_bytes() const override;

  int index() const { return description_.index; }
  const DeviceDescription& description() const { return description_; }
  /// Makes it the calling thread's current device.
  void make_current() const;

  /// Created on first use: until then nothing is reserved on the device.
  Allocator& allocator() const;
  /// Keeps an object that all work on the device shares, until this object is destroyed and the work is done.
  void keep(std::shared_ptr<void> shared) const;
  /// For a hanging device: its driver is not called any more, so that no destructor waits for it. Its memory
  /// stays reserved until the program ends.
  void give_up() const noexcept;
  bool given_up() const noexcept { return given_up_; }

 private:
  DeviceDescription description_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<void>> kept_;
  mutable std::unique_ptr<Allocator> allocator_;  ///< destroyed first, and waits for the device's work
  mutable std::atomic<bool> given_up_ = false;
};

/// The name of engines that compute on GPUs: "cuda", or "emulated".
std::string_view gpu_engine_name();

/// Throws Error for a device that is not a GPU.
const GpuDevice& gpu_of(const dispatch::Device& device);

/// The GPU for work on one device: the first that is in use (in CUDA's order, the fastest) of those in
/// `devices`, as ComputeOptions::devices. Throws Error with the reason if there is none.
const GpuDevice& choose_gpu(const dispatch::DevicePool& pool, std::string_view devices = "all");

}  // namespace isolume::gpu
