#include "gpu/runtime/gpu_device.h"

#include <algorithm>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "gpu/runtime/cuda_error.h"

namespace isolume::gpu {

GpuDevice::GpuDevice(const DeviceDescription& description) : description_(description) {
  if (!description.usable) throw Error(description.unusable_because);
}

GpuDevice::~GpuDevice() = default;

dispatch::DeviceKind GpuDevice::kind() const {
#ifdef ISOLUME_GPU_EMULATED
  return dispatch::DeviceKind::emulated_gpu;
#else
  return dispatch::DeviceKind::gpu;
#endif
}

std::string GpuDevice::name() const {
  return description_.name;
}

std::size_t GpuDevice::memory_budget_bytes() const {
  make_current();
  std::size_t free = 0;
  std::size_t total = 0;
  require_success(cudaMemGetInfo(&free, &total), "asking for free memory");
  return free / 5 * 4;
}

int GpuDevice::concurrency() const {
  return 2;
}

void GpuDevice::run_workers(const std::function<void(int)>& body) {
  std::vector<std::jthread> others;
  for (int worker = 1; worker < concurrency(); ++worker) {
    others.emplace_back([this, &body, worker] {
      make_current();
      body(worker);
    });
  }
  make_current();
  body(0);
}

std::string GpuDevice::detail() const {
  return fmt::format("compute capability {}.{}", description_.compute_major, description_.compute_minor);
}

std::size_t GpuDevice::memory_bytes() const {
  return description_.memory_bytes;
}

std::size_t GpuDevice::memory_used_bytes() const {
  return 0;
}

void GpuDevice::make_current() const {
  require_success(cudaSetDevice(description_.index), "choosing a device");
}

}  // namespace isolume::gpu
