#pragma once

#include <cstddef>
#include <memory>

#include "core/dispatch/device_values.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {

/// Memory of one GPU for several consecutive tables of numbers; any number of threads and streams may read
/// it.
class ValuesBlock {
 public:
  /// Memory for this many numbers. Streams that write it must be passed to `used_by`, and be waited for
  /// before anybody reads. `pool` owns the device. Throws ResourceError.
  ValuesBlock(std::shared_ptr<dispatch::DevicePool> pool, const GpuDevice& device, std::size_t size);

  const GpuDevice& device() const { return stream_.device(); }
  const std::shared_ptr<dispatch::DevicePool>& pool() const { return pool_; }
  float* data() { return values_.device_data(); }
  const float* data() const { return values_.device_data(); }
  std::size_t size() const { return values_.size(); }
  /// For work on `stream` that reads or writes it, which may outlive this object.
  void used_by(const Stream& stream) const { stream.uses_memory_of(stream_); }

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
  Stream stream_;  ///< the memory belongs to its order; no work is queued on it
  DeviceBuffer<float> values_;
};

/// A table in such a block.
class ValuesOnGpu final : public dispatch::DeviceValues {
 public:
  ValuesOnGpu(std::shared_ptr<const ValuesBlock> block, std::size_t first, std::size_t size);

  const ValuesBlock& block() const { return *block_; }
  const float* data() const { return block_->data() + first_; }

  std::size_t size() const override { return size_; }
  bool readable() const override;
  void to_host(std::span<float> values) const override;
  std::vector<float> at(std::span<const std::uint32_t> places) const override;

 private:
  template <class Work>
  auto on_own_stream(const Work& work) const;

  std::shared_ptr<const ValuesBlock> block_;
  std::size_t first_, size_;
};

}  // namespace isolume::gpu
