#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices.h"

namespace isolume::gpu {

class Allocator;

/// One GPU as a device of the farm: two workers, each with a stream of its own, so that one tile is computed
/// while another's result travels (compute and both copy directions overlap: Ha et al.'s hardware-independent
/// scheme with the driver choosing the units).
class GpuDevice final : public dispatch::Device {
 public:
  /// One that is not usable is set aside for its reason, and throws Error when it is used all the same.
  explicit GpuDevice(const DeviceDescription& description);
  /// All streams and buffers of the device must be gone.
  ~GpuDevice() override;

  dispatch::DeviceKind kind() const override;
  std::string name() const override;
  /// What the allocator may still hand out; 0 for a device that does not answer.
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

  /// Made when first asked for: until then nothing is reserved on the device.
  Allocator& allocator() const;
  /// Keeps what all work on the device shares, until this object ends and the work is done.
  void keep(std::shared_ptr<void> shared) const;
  /// The device hangs: nothing calls its driver any more, so that no destructor waits for it. Its memory is
  /// reserved until the program ends.
  void give_up() const noexcept;
  bool given_up() const noexcept { return given_up_; }

 private:
  DeviceDescription description_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<void>> kept_;
  mutable std::unique_ptr<Allocator> allocator_;  ///< ends first, and waits for the device's work
  mutable std::atomic<bool> given_up_ = false;
};

/// What engines that compute on GPUs call themselves: "cuda", or "emulated".
std::string_view gpu_engine_name();

/// Throws Error for a device that is no GPU.
const GpuDevice& gpu_of(const dispatch::Device& device);

/// The GPU that work for one device goes to: the first that is in use (of CUDA's own order, the fastest) of
/// those that `devices` names, as ComputeOptions::devices. Throws Error with the reason where there is none.
const GpuDevice& choose_gpu(const dispatch::DevicePool& pool, std::string_view devices = "all");

}  // namespace isolume::gpu
