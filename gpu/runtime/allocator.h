#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cuda_runtime.h>

#include "gpu/runtime/memory.h"

namespace isolume::gpu {

/// The order of one stream's work, as the blocks that were taken for it know it: outlives the stream.
struct StreamOrder {
  explicit StreamOrder(cudaStream_t living) : stream(living) {}
  ~StreamOrder() {
    if (end != nullptr) cudaEventDestroy(end);
  }
  StreamOrder(const StreamOrder&) = delete;
  StreamOrder& operator=(const StreamOrder&) = delete;

  cudaStream_t stream;        ///< null once the stream is gone
  cudaEvent_t end = nullptr;  ///< then: the end of its work
  /// Other streams of the device whose work may use what was taken in this order. The allocator's to touch.
  std::vector<std::shared_ptr<StreamOrder>> users;
};

/// Set when a device is given up for hanging. Pinned memory belongs to all devices of the process, and
/// freeing any waits for all of them: from then on none is freed. A test that takes its devices away sets it
/// back.
inline std::atomic<bool> some_device_hangs = false;

/// The memory of one device, kept for reuse after it was given back. All calls from any thread.
///
/// A block that is given back may still be in use by work that was queued before. Device memory goes back to
/// the same stream at once, because that stream's next work comes after; everything else (another stream,
/// memory that the host touches) waits until the stream has come as far as it was when the block was given
/// back. Where other streams use a stream's blocks too (Stream::uses_memory_of), "as far" includes these. A
/// stream that never gets there keeps its blocks: nothing here waits for a device that hangs.
class Allocator {
 public:
  /// `budget_bytes` limits device memory, in use and kept; pinned memory is limited by the machine's.
  Allocator(int device, std::string device_name, std::size_t budget_bytes);
  /// Frees everything; all blocks must have been given back. Leaves it to the end of the process when the
  /// device does not finish its work within seconds.
  ~Allocator();
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  /// What a new stream takes memory with, and what it says before it is destroyed.
  std::shared_ptr<StreamOrder> stream_begins(cudaStream_t stream);
  void stream_ends(StreamOrder& order) noexcept;
  /// Work of `user` may use what is taken in `owner`.
  void shares(StreamOrder& owner, std::shared_ptr<StreamOrder> user) noexcept;

  /// Throws ResourceError with numbers when neither budget nor driver has room, even after all that is kept
  /// and no longer in use was freed.
  MemoryBlock take(const std::shared_ptr<StreamOrder>& order, MemorySpace space, std::size_t bytes);
  /// Any block of any allocator; empties it.
  static void give_back(MemoryBlock& block) noexcept;

  /// The device hangs or is broken: from here on the driver is not called any more, and nothing is freed.
  void abandon() noexcept;

  std::size_t budget_bytes() const { return budget_bytes_; }
  /// Taken and not given back.
  std::size_t used_bytes(MemorySpace space) const;
  /// Reserved of the driver: in use and kept.
  std::size_t reserved_bytes(MemorySpace space) const;

 private:
  struct Allocation {
    Allocator* allocator;
    MemoryBlock memory;                  ///< with all its bytes; what is handed out may say less
    std::shared_ptr<StreamOrder> order;  ///< whose work may use it
    cudaEvent_t given_back = nullptr;    ///< in that order, once kept; null: the end of the order counts
    bool in_use = true;
  };

  Allocation* find_kept(const StreamOrder& order, MemorySpace space, std::size_t bytes) noexcept;
  Allocation* reserve(MemorySpace space, std::size_t bytes);
  void keep(Allocation& allocation) noexcept;
  void wait_for_users(StreamOrder& order) noexcept;
  void free_kept(std::chrono::seconds patience) noexcept;
  bool all_work_ends(std::chrono::seconds patience) noexcept;
  bool idle(const Allocation& allocation) noexcept;
  bool happened(cudaEvent_t event) noexcept;
  cudaEvent_t record(cudaStream_t stream, cudaEvent_t event = nullptr) noexcept;
  void note(cudaError_t status) noexcept;
  std::size_t bytes(MemorySpace space, bool in_use_only) const;
  [[noreturn]] void refuse(MemorySpace space, std::size_t bytes) const;

  int device_;
  std::string device_name_;
  std::size_t budget_bytes_;
  mutable std::mutex mutex_;
  std::list<Allocation> allocations_;                 ///< blocks point to theirs
  std::vector<std::shared_ptr<StreamOrder>> orders_;  ///< of streams that live
  std::atomic<bool> abandoned_ = false;
};

/// How much of a device's memory may be reserved: ISOLUME_GPU_MEMORY_BUDGET ("2GiB", "500 MiB", or bytes)
/// where it is set, else 80 % of what is free; never more than is free. Throws Error for a text that is no
/// size.
std::size_t memory_budget(std::size_t free_bytes);
/// "1.5GiB", "500 MiB", "64KiB", "1048576"; nothing for any other text.
std::optional<std::size_t> parse_bytes(std::string_view text);

}  // namespace isolume::gpu
