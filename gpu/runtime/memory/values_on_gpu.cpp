#include "gpu/runtime/memory/values_on_gpu.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/runtime/algorithms/gather_kernels.h"
#include "gpu/runtime/memory/transfer.h"

namespace isolume::gpu {
namespace {

/// Queries take milliseconds: a device that has not answered by then hangs.
std::chrono::steady_clock::time_point values_deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

}  // namespace

ValuesBlock::ValuesBlock(std::shared_ptr<dispatch::DevicePool> pool, const GpuDevice& device,
                         std::size_t size)
    : pool_(std::move(pool)), stream_(device), values_(stream_, size) {
  stream_.wait(values_deadline(), {});  // other streams may use it from now on
}

ValuesOnGpu::ValuesOnGpu(std::shared_ptr<const ValuesBlock> block, std::size_t first, std::size_t size)
    : block_(std::move(block)), first_(first), size_(size) {
  if (first > block_->size() || size > block_->size() - first)
    throw Error(fmt::format("GPU: {} numbers from number {} of {}.", size, first, block_->size()));
}

bool ValuesOnGpu::readable() const {
  return !block_->device().given_up() && block_->device().set_aside_because().empty();
}

/// Several threads may call at once, and a stream is for one thread.
template <class Work>
auto ValuesOnGpu::on_own_stream(const Work& work) const {
  const GpuDevice& device = block_->device();
  if (!readable()) throw Error(device.name() + ", which has these numbers, is set aside.");
  return dispatch::guarded(device, [&] {
    const Stream stream(device, Urgency::drawing);
    block_->used_by(stream);
    return work(stream);
  });
}

void ValuesOnGpu::to_host(std::span<float> values) const {
  if (size_ == 0) return;
  on_own_stream([&](const Stream& stream) {
    download<float>(stream, data(), values.first(size_), values_deadline(), {});
  });
}

std::vector<float> ValuesOnGpu::at(std::span<const std::uint32_t> places) const {
  std::vector<float> found(places.size());
  if (places.empty()) return found;
  on_own_stream([&](const Stream& stream) {
    const DeviceBuffer<std::uint32_t> rows(stream, places.size());
    const DeviceBuffer<float> some(stream, places.size());
    upload<std::uint32_t>(stream, places, rows.device_data(), values_deadline(), {});
    gather_kernels::gather({data(), rows.device_data(), static_cast<std::uint32_t>(places.size())},
                           some.device_data(), stream);
    download<float>(stream, some.device_data(), found, values_deadline(), {});
  });
  return found;
}

}  // namespace isolume::gpu
