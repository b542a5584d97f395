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
#include "gpu/emulator/thread_locals.h"

namespace isolume::gpu::emulator {

/// What went wrong on a device, in full: kernel, block, thread, what and where.
struct Failure {
  cudaError_t code = cudaSuccess;
  std::string text;
};

struct Launch {
  KernelCall call;
  dim3 grid;
  dim3 block;
  std::size_t shared_bytes = 0;
  std::size_t shared_limit = 0;  ///< for static and dynamic shared memory together
  std::size_t most_shared = 0;   ///< for which the kernel may ask
  std::uint32_t peers = 0;       ///< bit per device whose memory the kernel may use
  BlockOrder order = BlockOrder::in_order;
  bool conflicts = false;  ///< of blocks are looked for
  std::uint32_t seed = 0;  ///< of what is random in this launch
};

/// Runs kernels on the thread that made it. The threads of a block are fibers that run until they wait at a
/// barrier or for other lanes of their warp; those that never wait share one fiber. Some blocks run at a
/// time, where the launch says interleaved: they change places at barriers, fences, atomic operations and now
/// and then at any access to global memory.
class Processor {
 public:
  explicit Processor(int device);
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  /// Nothing when all is well.
  std::optional<Failure> run(const Launch& launch);

  /// From now on kernels may read but not write these bytes of the worker's.
  void mark_constant(const void* begin, std::size_t bytes);

  // For kernels.

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
  /// Where this device's own memory begins.
  std::uintptr_t own_memory() const { return own_memory_; }
  /// Whether every access to the device's own memory is to be told to `follow`.
  bool follows() const { return follows_; }
  /// An access to the device's own memory that is otherwise all right.
  void follow(std::uintptr_t address, std::size_t bytes, Access access);
  /// Ends the launch when the current thread may not do that.
  void check(std::uintptr_t address, std::size_t bytes, Access access);
  /// Ends the launch. `text` says what the current thread did.
  [[noreturn]] void stop(cudaError_t code, const char* text);
  /// A pointer that is not aligned as its type must be.
  [[noreturn]] void stop_misaligned(std::uintptr_t address, std::size_t alignment, const char* type,
                                    Place place);

 private:
  using State = Thread::State;
  static constexpr std::size_t most_running_blocks = 4;

  static void run_threads(void* self);
  void run_some_threads();
  void start_block(std::uint64_t number);
  /// Lets one of the running blocks go on until a thread of it leaves its fiber.
  void go_on();
  void enter(Block& block);
  void wait();
  /// Gives way to other threads and blocks.
  void give_way();
  /// True once in so many times, by a sequence that the launch's seed begins.
  bool now_and_then(std::uint32_t times);
  std::uint32_t random();
  /// Notes why the launch is to end, if nothing was noted before. Whoever calls it returns, so that nothing
  /// is left on the stack, and then abandons the thread.
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
  Segment constants_;  ///< data of the program that a kernel has read last
  std::uint64_t known_modules_ = 0;
  std::vector<ThreadLocalVariable> variables_;
  std::vector<bool> variable_used_;  ///< by the launch

  // Of the launch.
  const Launch* launch_ = nullptr;
  std::vector<Block*> running_;
  std::vector<Block*> idle_;
  std::size_t turn_ = 0;  ///< which of them goes on
  bool follows_ = false;
  std::uint32_t random_ = 1;
  std::uint32_t until_way_is_given_ = 0;
  std::uint32_t ways_given_ = 0;  ///< since a block ended
  std::size_t static_shared_bytes_ = 0;
  std::optional<Failure> failure_;

  // Of the block and the thread that run.
  Block* block_ = nullptr;
  Block* in_memory_ = nullptr;  ///< whose shared variables are in their place
  Thread* current_ = nullptr;
  Fiber* current_fiber_ = nullptr;
};

/// The one whose kernel the calling host thread is in; null outside of kernels.
extern constinit thread_local Processor* current_processor;

}  // namespace isolume::gpu::emulator
