#include "gpu/runtime/devices/gpu_device.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "core/dispatch/device_choice.h"
#include "gpu/runtime/cuda_error.h"
#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/streams/range.h"

namespace isolume::gpu {

GpuDevice::GpuDevice(const DeviceDescription& description) : description_(description) {
  if (!description.usable) set_aside(description.unusable_because);
}

GpuDevice::~GpuDevice() {
  if (!given_up_) return;
  // Like its memory, left to the end of the process, since its driver is not called any more.
  static std::mutex mutex;
  static auto* const left = new std::vector<decltype(kept_)>;
  const std::scoped_lock lock(mutex);
  left->push_back(std::move(kept_));
}

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
  if (given_up_ || !description_.usable) return 0;
  const Allocator& memory = allocator();
  make_current();
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) {
    cudaGetLastError();
    return 0;
  }
  const std::size_t used = memory.used_bytes(MemorySpace::device);
  const std::size_t kept = memory.reserved_bytes(MemorySpace::device) - used;
  return std::min(memory.budget_bytes() - std::min(used, memory.budget_bytes()), free + kept);
}

int GpuDevice::concurrency() const {
  return 2;
}

void GpuDevice::run_workers(const std::function<void(int)>& body) {
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(concurrency()));
  const auto work = [&](int worker) {
    try {
      make_current();
      const Range range("worker");
      body(worker);
    } catch (...) {
      failures[static_cast<std::size_t>(worker)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (int worker = 1; worker < concurrency(); ++worker) others.emplace_back(work, worker);
    work(0);
  }
  for (const auto& failure : failures) {
    if (failure != nullptr) std::rethrow_exception(failure);
  }
}

std::string GpuDevice::detail() const {
  return fmt::format("compute capability {}.{}, {} multiprocessors{}{}", description_.compute_major,
                     description_.compute_minor, description_.multiprocessors,
                     description_.code.empty() ? "" : ", ", description_.code);
}

std::size_t GpuDevice::memory_bytes() const {
  return description_.memory_bytes;
}

std::size_t GpuDevice::memory_used_bytes() const {
  const std::scoped_lock lock(mutex_);
  return allocator_ == nullptr ? 0 : allocator_->reserved_bytes(MemorySpace::device);
}

void GpuDevice::make_current() const {
  if (!description_.usable) throw Error(description_.unusable_because);
  require_success(cudaSetDevice(description_.index), "choosing a device");
}

Allocator& GpuDevice::allocator() const {
  const std::scoped_lock lock(mutex_);
  if (allocator_ == nullptr) {
    make_current();
    std::size_t free = 0;
    std::size_t total = 0;
    require_success(cudaMemGetInfo(&free, &total), "asking for free memory");
    allocator_ = std::make_unique<Allocator>(index(), name(), memory_budget(free));
  }
  return *allocator_;
}

void GpuDevice::keep(std::shared_ptr<void> shared) const {
  const std::scoped_lock lock(mutex_);
  if (std::ranges::find(kept_, shared) == kept_.end()) kept_.push_back(std::move(shared));
}

void GpuDevice::give_up() const noexcept {
  given_up_ = true;
  const std::scoped_lock lock(mutex_);
  if (allocator_ != nullptr) allocator_->abandon();
}

std::string_view gpu_engine_name() {
#ifdef ISOLUME_GPU_EMULATED
  return "emulated";
#else
  return "cuda";
#endif
}

const GpuDevice& gpu_of(const dispatch::Device& device) {
  const auto* gpu = dynamic_cast<const GpuDevice*>(&device);
  if (gpu == nullptr) throw Error(fmt::format("{} is not a GPU: kernels run on GPUs only.", device.name()));
  return *gpu;
}

const GpuDevice& choose_gpu(const dispatch::DevicePool& pool, std::string_view devices) {
  const auto named = dispatch::parse_devices(devices, pool);
  std::string why = pool.why_no_gpu();
  for (const auto* each : named ? std::span<dispatch::Device* const>(*named) : pool.devices()) {
    const auto* gpu = dynamic_cast<const GpuDevice*>(each);
    if (gpu == nullptr) continue;
    why = gpu->set_aside_because();
    if (why.empty()) return *gpu;
  }
  if (named) {
    throw Error(fmt::format("devices: {} names no GPU. Name one, or choose an engine of the CPU.",
                            isolume::quoted(devices)));
  }
  throw Error(why.empty() ? "There is no GPU to compute on." : why);
}

}  // namespace isolume::gpu
