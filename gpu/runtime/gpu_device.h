#pragma once

#include <cstddef>
#include <string>

#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices.h"

namespace isolume::gpu {

/// One GPU as a device of the farm: two workers, each with a stream of its own, so that one tile is computed
/// while another's result travels (compute and both copy directions overlap: Ha et al.'s hardware-independent
/// scheme with the driver choosing the units).
class GpuDevice final : public dispatch::Device {
 public:
  /// Throws Error for a device that is not usable.
  explicit GpuDevice(const DeviceDescription& description);
  ~GpuDevice() override;

  dispatch::DeviceKind kind() const override;
  std::string name() const override;
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

 private:
  DeviceDescription description_;
};

}  // namespace isolume::gpu
