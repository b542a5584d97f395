#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuda_runtime.h"

#include "gpu/emulator/block.h"
#include "gpu/emulator/devices.h"
#include "gpu/emulator/fibers.h"
#include "gpu/emulator/memory.h"
#include "gpu/emulator/symbols.h"
#include "gpu/emulator/thread_locals.h"

namespace isolume::gpu::emulator {

/// Description of a failure on a device: kernel, block, thread, operation and address.
struct Failure {
  cudaError_t code = cudaSuccess;
  std::string text;
};

struct Launch {
  KernelCall call;
  KernelCode code;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  std::size_t shared_limit = 0;  ///< for static and dynamic shared memory together
  std::size_t most_shared = 0;   ///< the most for which the kernel may opt in
  std::uint32_t peers = 0;       ///< bit per device whose memory the kernel may access
  BlockOrder order = BlockOrder::in_order;
  bool loads = false;      ///< the first launch of its kernel on the device, unless that was loaded before
  bool conflicts = false;  ///< whether to look for conflicts of blocks
  std::uint32_t seed = 0;  ///< seed of this launch
};

/// Runs kernels on the thread that created it. The threads of a block are fibers that run until they wait at
/// a barrier or for other lanes of their warp; those that never wait share one fiber. In an interleaved
/// launch several blocks run at a time: they switch at barriers, fences, atomic operations and occasionally
/// at any access to global memory.
class Processor {
 public:
  explicit Processor(int device);
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  /// Empty on success.
  std::optional<Failure> run(const Launch& launch);

  /// From now on kernels may read but not write these bytes of the worker's.
  void mark_constant(const void* begin, std::size_t bytes);

  // Called by kernels.

  uint3 thread_index() const { return current_->index; }
  uint3 block_index() const { return block_->index; }
  const Launch& launch() const { return *launch_; }
  std::byte* dynamic_shared_memory() const { return block_->dynamic_shared; }
  int sync_block(bool predicate, Place place);
  std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value, int argument,
                               int width, Place place);
  unsigned active_lanes() const;
  /// __threadfence.
  void fence();
  /// Beginning of this device's own memory.
  std::uintptr_t own_memory() const { return own_memory_; }
  /// Whether every access to the device's own memory must be passed to `follow`.
  bool follows() const { return follows_; }
  /// A valid access to the device's own memory.
  void follow(std::uintptr_t address, std::size_t bytes, Access access);
  /// Follows a plain access that meets no other block's. Returns false, with nothing done, for others, which are for follow().
  template <Access access>
  bool is_followed(std::uintptr_t address, std::size_t bytes) {
    if constexpr (is_strong(access)) return false;
    if (until_way_is_given_ == 1 ||
        !conflicts_.is_usual<access>(address, bytes, block_->history, current_->number))
      return false;
    --until_way_is_given_;
    return true;
  }
  /// Whether an access is to the thread's own stack, or one that SharedMemoryChecks::is_usual notes; others are for check().
  template <Access access>
  bool is_usual(std::uintptr_t address, std::size_t bytes) {
    if (current_fiber_->owns(address)) return true;
    if constexpr (is_strong(access)) return false;
    return block_->shared.is_usual<access>(address, bytes, {current_->number, current_->warp_time});
  }
  /// Ends the launch if the current thread may not make this access.
  void check(std::uintptr_t address, std::size_t bytes, Access access);
  /// Ends the launch. `text` describes the operation of the current thread.
  [[noreturn]] void stop(cudaError_t code, const char* text);
  /// Ends the launch for a misaligned pointer.
  [[noreturn]] void stop_misaligned(std::uintptr_t address, std::size_t alignment, const char* type,
                                    Place place);

 private:
  using State = Thread::State;
  static constexpr std::size_t most_running_blocks = 4;

  static void run_threads(void* self);
  void run_some_threads();
  void start_block(std::uint64_t number);
  /// Continues one of the running blocks until a thread of it leaves its fiber.
  void go_on();
  void enter(Block& block);
  void wait();
  /// Yields to other threads and blocks.
  void give_way();
  /// True once in `times` calls on average, by a sequence that starts with the launch's seed.
  bool now_and_then(std::uint32_t times);
  std::uint32_t random();
  /// Stores the first reason for ending the launch. The caller returns, so that nothing is left on the stack,
  /// and then abandons the thread.
  void fail(cudaError_t code, const std::string& text);
  [[noreturn]] void abandon();
  void open_barrier();
  bool together(const Thread& thread, const Thread& other) const;
  void complete(unsigned mask, int warp);
  std::uint64_t result_for(int lane, const Thread* warp, unsigned mask);
  static std::uint64_t reduced(const Thread* warp, unsigned mask);
  static unsigned lanes_with(std::uint64_t value, const Thread* warp, unsigned mask);
  unsigned existing_lanes(int warp) const;
  int number(const Thread& thread) const { return block_->number(thread); }
  void check_global(std::uintptr_t address, std::size_t bytes, Access access);
  void check_shared(std::uintptr_t address, std::size_t bytes, Access access);
  void check_host(std::uintptr_t address, std::size_t bytes, Access access);
  void count_static_shared_memory(std::uintptr_t address);
  void fail_by_conflict(std::uintptr_t address, std::size_t bytes, Access access,
                        const BlockConflicts::Finding& found);
  void fail_misaligned(std::uintptr_t address, std::size_t alignment, const char* type, Place place);
  void find_shared_memory();
  std::string where() const;
  std::string who(const Thread& thread) const;
  std::string why_stuck() const;
  std::string why_stuck(const Thread& thread) const;
  std::string what_does(const Thread& thread) const;

  int device_;
  std::uintptr_t own_memory_;
  FiberPool fibers_;
  std::array<Block, most_running_blocks> blocks_;
  BlockConflicts conflicts_;
  Segment constants_;  ///< the last segment of the program that a kernel has read
  std::uint64_t known_modules_ = 0;
  std::vector<ThreadLocalVariable> variables_;
  std::vector<bool> variable_used_;  ///< during the launch

  // State of the launch.
  const Launch* launch_ = nullptr;
  std::vector<Block*> running_;
  std::vector<Block*> idle_;
  std::size_t turn_ = 0;  ///< number of the block to continue
  bool follows_ = false;
  std::uint32_t random_ = 1;
  std::uint32_t until_way_is_given_ = 0;
  std::uint32_t ways_given_ = 0;  ///< yields since a block ended
  std::size_t static_shared_bytes_ = 0;
  std::optional<Failure> failure_;

  // State of the running block and thread.
  Block* block_ = nullptr;
  Block* in_memory_ = nullptr;  ///< the block whose shared variables are in place
  Thread* current_ = nullptr;
  Fiber* current_fiber_ = nullptr;
};

/// The processor of the kernel in which the calling host thread is; null outside of kernels.
extern constinit thread_local Processor* current_processor;

}  // namespace isolume::gpu::emulator
