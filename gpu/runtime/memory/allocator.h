#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include "gpu/runtime/memory/memory.h"

namespace isolume::gpu {

/// What the allocator knows of a stream: outlives the stream, for the blocks that were allocated for it.
struct AllocatorStream {
  explicit AllocatorStream(cudaStream_t stream) : handle(stream) {}
  ~AllocatorStream() {
    if (end != nullptr) cudaEventDestroy(end);
  }
  AllocatorStream(const AllocatorStream&) = delete;
  AllocatorStream& operator=(const AllocatorStream&) = delete;

  cudaStream_t handle;        ///< null once the stream is destroyed
  cudaEvent_t end = nullptr;  ///< recorded at the end of the stream's work when the stream is destroyed
  /// Other streams of the device whose work may use blocks of this one.
  std::vector<std::shared_ptr<AllocatorStream>> users;
};

/// Set when a hanging device is given up. Pinned memory belongs to all devices of the process, and freeing
/// any of it waits for all of them: from then on none is freed. A test that removes its devices resets it.
inline std::atomic<bool> some_device_hangs = false;

/// The memory of one device, kept for reuse after it was freed. Calls may come from any thread.
///
/// A freed block may still be in use by work that was queued before. Device memory is reused in the same
/// stream at once, because that stream's next work comes after. Any other reuse (another stream, memory that
/// the host accesses) waits until the stream has reached its position at the time of the freeing. If other
/// streams use a stream's blocks, too (Stream::uses_memory_of), they must have reached theirs. A stream that
/// never does keeps its blocks: nothing here waits for a hanging device.
class Allocator {
 public:
  /// `budget_bytes` limits device memory, both in use and kept; pinned memory is limited by the machine's.
  Allocator(int device, std::string device_name, std::size_t budget_bytes);
  /// Returns everything to the driver; all blocks must have been freed. Leaves the memory to the end of the
  /// process if the device does not finish its work within seconds.
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// Registers a new stream: the result is needed for allocations, and for unregistering the stream.
  std::shared_ptr<AllocatorStream> register_stream(cudaStream_t stream);
  void unregister_stream(AllocatorStream& stream) noexcept;
  /// Allows work of `user` to use blocks that were allocated for `owner`.
  void allow_use(AllocatorStream& owner, std::shared_ptr<AllocatorStream> user) noexcept;

  /// Throws ResourceError with the required and available bytes if neither budget nor driver has enough
  /// memory, even after all kept and unused memory was returned to the driver.
  MemoryBlock allocate(const std::shared_ptr<AllocatorStream>& stream, MemorySpace space, std::size_t bytes);
  /// Frees any block of any allocator and clears it.
  static void free(MemoryBlock& block) noexcept;

  /// For a device that hangs or is broken: from here on the driver is not called any more, and nothing is
  /// freed.
  void abandon() noexcept;

  std::size_t budget_bytes() const { return budget_bytes_; }
  /// Bytes allocated and not freed.
  std::size_t used_bytes(MemorySpace space) const;
  /// Bytes reserved from the driver: in use and kept.
  std::size_t reserved_bytes(MemorySpace space) const;

 private:
  struct Allocation {
    Allocator* allocator;
    MemoryBlock memory;                       ///< the whole allocation; the caller's block may be smaller
    std::shared_ptr<AllocatorStream> stream;  ///< whose work may use it
    cudaEvent_t freed = nullptr;              ///< recorded there when freed; null: use the end of that stream
    bool in_use = true;
  };

  Allocation* find_kept(const AllocatorStream& stream, MemorySpace space, std::size_t bytes) noexcept;
  Allocation* reserve(MemorySpace space, std::size_t bytes);
  void keep(Allocation& allocation) noexcept;
  void wait_for_users(AllocatorStream& stream) noexcept;
  void free_kept(std::chrono::seconds patience) noexcept;
  bool all_work_ends(std::chrono::seconds patience) noexcept;
  bool idle(const Allocation& allocation) noexcept;
  bool completed(cudaEvent_t event) noexcept;
  cudaEvent_t record(cudaStream_t stream, cudaEvent_t event = nullptr) noexcept;
  void note(cudaError_t status) noexcept;
  std::size_t bytes(MemorySpace space, bool in_use_only) const;
  [[noreturn]] void refuse(MemorySpace space, std::size_t bytes) const;

  int device_;
  std::string device_name_;
  std::size_t budget_bytes_;
  mutable std::mutex mutex_;
  std::list<Allocation> allocations_;                      ///< blocks point to their entries
  std::vector<std::shared_ptr<AllocatorStream>> streams_;  ///< of existing streams
  std::atomic<bool> abandoned_ = false;
};

/// How much of a device's memory may be reserved: ISOLUME_GPU_MEMORY_BUDGET ("2GiB", "500 MiB", or bytes) if
/// it is set, else 80 % of the free memory; never more than is free. Throws Error for a text that is not a
/// size.
std::size_t memory_budget(std::size_t free_bytes);

}  // namespace isolume::gpu
