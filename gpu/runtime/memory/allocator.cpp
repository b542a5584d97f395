#include "gpu/runtime/memory/allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "core/base/byte_size.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/cuda_error.h"

#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/suballocation.h"
#endif

namespace isolume::gpu {
namespace {

/// Eight sizes between one power of two and the next: blocks of nearly equal size can be reused for each
/// other, and at most an eighth is lost.
std::size_t size_class(std::size_t bytes) {
  constexpr std::size_t smallest = 512;
  if (bytes <= smallest) return smallest;
  const std::size_t step = std::bit_floor(bytes) / 8;
  return (bytes + step - 1) / step * step;
}

/// Makes a device current, and restores the previous one at the end: memory is returned in destructors, on
/// any thread.
class OnDevice {
 public:
  explicit OnDevice(int device) {
    if (cudaGetDevice(&before_) != cudaSuccess) before_ = device;
    if (before_ != device) cudaSetDevice(device);
    changed_ = before_ != device;
  }
  ~OnDevice() {
    if (changed_) cudaSetDevice(before_);
  }
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// Lets the emulator detect accesses beyond a block, and after its return, as it does without this allocator.
void report_to_emulator([[maybe_unused]] const MemoryBlock& block, [[maybe_unused]] std::size_t bytes_in_use,
                        [[maybe_unused]] cudaStream_t stream) {
#ifdef ISOLUME_GPU_EMULATED
  emulator::limit_use(block.host != nullptr ? block.host : block.device, bytes_in_use, stream);
#endif
}

cudaError_t reserve_block(MemoryBlock& block) {
  if (block.space == MemorySpace::device) return cudaMalloc(&block.device, block.bytes);
  const bool mapped = block.space == MemorySpace::mapped;
  const unsigned flags = cudaHostAllocPortable | (mapped ? cudaHostAllocMapped : cudaHostAllocDefault);
  if (const auto status = cudaHostAlloc(&block.host, block.bytes, flags); status != cudaSuccess)
    return status;
  if (!mapped) return cudaSuccess;
  const cudaError_t status = cudaHostGetDevicePointer(&block.device, block.host, 0);
  if (status != cudaSuccess) cudaFreeHost(block.host);
  return status;
}

/// Whether the stream's work is being recorded, by some thread, instead of queued.
bool records_graph(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) cudaGetLastError();
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

Allocator::Allocator(int device, std::string device_name, std::size_t budget_bytes)
    : device_(device), device_name_(std::move(device_name)), budget_bytes_(budget_bytes) {}

Allocator::~Allocator() {
  const std::scoped_lock lock(mutex_);
  const OnDevice here(device_);
  free_kept(std::chrono::seconds(5));
  if (allocations_.empty()) return;
  log::warning("{}: {} stay reserved until the program ends, because it hangs or is broken.", device_name_,
               format_bytes(bytes(MemorySpace::device, false)));
}

std::shared_ptr<AllocatorStream> Allocator::register_stream(cudaStream_t stream) {
  const std::scoped_lock lock(mutex_);
  return streams_.emplace_back(std::make_shared<AllocatorStream>(stream));
}

void Allocator::unregister_stream(AllocatorStream& stream) noexcept {
  const std::scoped_lock lock(mutex_);
  const OnDevice here(device_);
  wait_for_users(stream);
  stream.users.clear();
  stream.end = record(stream.handle);
  stream.handle = nullptr;
  std::erase_if(streams_, [&](const auto& known) { return known.get() == &stream; });
}

void Allocator::allow_use(AllocatorStream& owner, std::shared_ptr<AllocatorStream> user) noexcept {
  const std::scoped_lock lock(mutex_);
  std::erase_if(owner.users, [&](const auto& known) {
    return known == user || (known->handle == nullptr && completed(known->end));
  });
  owner.users.push_back(std::move(user));
}

/// All later work of the stream comes after the work that its users have queued so far; streams that no longer
/// exist queue no more.
void Allocator::wait_for_users(AllocatorStream& stream) noexcept {
  std::erase_if(stream.users, [&](const auto& user) {
    if (abandoned_) return false;
    const bool gone = user->handle == nullptr;
    const cudaEvent_t end = gone ? user->end : record(user->handle);
    if (end != nullptr) note(cudaStreamWaitEvent(stream.handle, end, 0));
    if (end != nullptr && !gone) cudaEventDestroy(end);
    return gone;
  });
}

MemoryBlock Allocator::allocate(const std::shared_ptr<AllocatorStream>& stream, MemorySpace space,
                                std::size_t bytes) {
  if (bytes == 0) return {nullptr, nullptr, 0, space, nullptr};
  const std::scoped_lock lock(mutex_);
  const OnDevice here(device_);
  Allocation* taken = find_kept(*stream, space, bytes);
  if (taken == nullptr) taken = reserve(space, size_class(bytes));
  if (taken == nullptr) {
    free_kept(std::chrono::seconds(1));
    taken = reserve(space, bytes);
  }
  if (taken == nullptr) refuse(space, bytes);
  taken->stream = stream;
  taken->in_use = true;
  MemoryBlock block = taken->memory;
  block.bytes = bytes;
  block.owner = taken;
  report_to_emulator(taken->memory, bytes, stream->handle);
  return block;
}

void Allocator::free(MemoryBlock& block) noexcept {
  if (block.owner != nullptr) {
    auto& allocation = *static_cast<Allocation*>(block.owner);
    allocation.allocator->keep(allocation);
  }
  block = {};
}

void Allocator::keep(Allocation& allocation) noexcept {
  const std::scoped_lock lock(mutex_);
  const OnDevice here(device_);
  allocation.in_use = false;
  if (allocation.stream->handle != nullptr) {
    wait_for_users(*allocation.stream);
    report_to_emulator(allocation.memory, 0, allocation.stream->handle);
    allocation.freed = record(allocation.stream->handle, allocation.freed);
  } else if (allocation.freed != nullptr) {
    cudaEventDestroy(std::exchange(allocation.freed, nullptr));
  }
}

Allocator::Allocation* Allocator::find_kept(const AllocatorStream& stream, MemorySpace space,
                                            std::size_t bytes) noexcept {
  const std::size_t most = size_class(bytes) / 4 * 5;
  Allocation* best = nullptr;
  for (Allocation& kept : allocations_) {
    if (kept.in_use || kept.memory.space != space) continue;
    if (kept.memory.bytes < bytes || kept.memory.bytes > most) continue;
    if (best != nullptr && best->memory.bytes <= kept.memory.bytes) continue;
    const bool same_stream = space == MemorySpace::device && kept.stream.get() == &stream;
    if (same_stream || idle(kept)) best = &kept;
  }
  return best;
}

Allocator::Allocation* Allocator::reserve(MemorySpace space, std::size_t bytes) {
  if (abandoned_) throw dispatch::DeviceLost(device_name_ + " was given up: it hangs or is broken.");
  if (space == MemorySpace::device) {
    if (this->bytes(space, false) + bytes > budget_bytes_) return nullptr;
  } else if (bytes > dispatch::available_memory_bytes()) {
    return nullptr;
  }
  MemoryBlock block{nullptr, nullptr, bytes, space, nullptr};
  const cudaError_t status = reserve_block(block);
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  require_success(status, "reserving memory");
  return &allocations_.emplace_back(Allocation{this, block, nullptr});
}

void Allocator::refuse(MemorySpace space, std::size_t bytes) const {
  if (space != MemorySpace::device) {
    throw ResourceError(fmt::format("Pinned memory for {}", device_name_), bytes,
                        dispatch::available_memory_bytes(), "Choose a smaller problem.");
  }
  std::size_t free = 0;
  std::size_t total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) cudaGetLastError();
  const std::size_t used = this->bytes(space, true);
  throw ResourceError(
      fmt::format("A block of memory on {} (budget {}, in use {}, free on the device {})", device_name_,
                  format_bytes(budget_bytes_), format_bytes(used), format_bytes(free)),
      bytes, std::min(budget_bytes_ - std::min(used, budget_bytes_), free),
      "Choose a smaller problem, close other programs that use the GPU, or raise "
      "ISOLUME_GPU_MEMORY_BUDGET.");
}

void Allocator::free_kept(std::chrono::seconds patience) noexcept {
  // The driver frees memory when all queued work of the device is done: with a hanging queue, never.
  if (abandoned_ || !all_work_ends(patience)) return;
  std::erase_if(allocations_, [&](Allocation& kept) {
    if (kept.in_use || !idle(kept)) return false;
    if (kept.memory.host != nullptr && some_device_hangs) return false;
    if (kept.freed != nullptr) cudaEventDestroy(kept.freed);
    note(kept.memory.host != nullptr ? cudaFreeHost(kept.memory.host) : cudaFree(kept.memory.device));
    return true;
  });
}

bool Allocator::all_work_ends(std::chrono::seconds patience) noexcept {
  std::vector<cudaEvent_t> ends;
  for (const auto& stream : streams_) {
    // An event would become part of the recording, and asking for it would spoil that. Nothing runs there before the
    // graph is launched, and blocks that are in use are not freed.
    if (!records_graph(stream->handle)) ends.push_back(record(stream->handle));
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  const auto ended = [&] {
    return std::ranges::all_of(ends, [&](cudaEvent_t end) { return completed(end); }) &&
           std::ranges::all_of(allocations_, [&](const Allocation& allocation) {
             return allocation.stream->handle != nullptr || completed(allocation.stream->end);
           });
  };
  bool all = ended();
  while (!all && !abandoned_ && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    all = ended();
  }
  for (const cudaEvent_t end : ends) {
    if (end != nullptr) cudaEventDestroy(end);
  }
  return all;
}

bool Allocator::idle(const Allocation& allocation) noexcept {
  return completed(allocation.freed != nullptr ? allocation.freed : allocation.stream->end);
}

bool Allocator::completed(cudaEvent_t event) noexcept {
  if (event == nullptr || abandoned_) return false;
  const cudaError_t status = cudaEventQuery(event);
  note(status);
  return status == cudaSuccess;
}

/// Null on failure: such an event never happens.
cudaEvent_t Allocator::record(cudaStream_t stream, cudaEvent_t event) noexcept {
  if (abandoned_) return event;
  if (event == nullptr) note(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  if (event == nullptr) return nullptr;
  const cudaError_t status = cudaEventRecord(event, stream);
  note(status);
  if (status == cudaSuccess) return event;
  cudaEventDestroy(event);
  return nullptr;
}

void Allocator::note(cudaError_t status) noexcept {
  if (status != cudaSuccess) cudaGetLastError();
  if (is_sticky(status)) abandoned_ = true;
}

void Allocator::abandon() noexcept {
  abandoned_ = true;
  some_device_hangs = true;
}

std::size_t Allocator::bytes(MemorySpace space, bool in_use_only) const {
  std::size_t total = 0;
  for (const Allocation& allocation : allocations_) {
    const bool counts = allocation.memory.space == space && (allocation.in_use || !in_use_only);
    if (counts) total += allocation.memory.bytes;
  }
  return total;
}

std::size_t Allocator::used_bytes(MemorySpace space) const {
  const std::scoped_lock lock(mutex_);
  return bytes(space, true);
}

std::size_t Allocator::reserved_bytes(MemorySpace space) const {
  const std::scoped_lock lock(mutex_);
  return bytes(space, false);
}

std::size_t memory_budget(std::size_t free_bytes) {
  const char* wanted = std::getenv("ISOLUME_GPU_MEMORY_BUDGET");
  if (wanted == nullptr || *wanted == '\0') return free_bytes / 5 * 4;
  const auto bytes = parse_bytes(wanted);
  if (!bytes) {
    throw Error(fmt::format(
        "ISOLUME_GPU_MEMORY_BUDGET is {}, which is not a size. Set it to something like 2GiB or 500MiB.",
        quoted(wanted)));
  }
  return std::min(*bytes, free_bytes);
}

}  // namespace isolume::gpu
