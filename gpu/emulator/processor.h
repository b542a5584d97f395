#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cuda_runtime.h"

#include "gpu/emulator/fibers.h"
#include "gpu/emulator/memory.h"
#include "gpu/emulator/shared_memory_checks.h"
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
  std::uint32_t peers = 0;  ///< bit per device whose memory the kernel may use
};

/// Runs kernels, block after block, on the thread that made it. The threads of a block are fibers that run
/// until they wait at a barrier or for other lanes of their warp; those that never wait share one fiber.
class Processor {
 public:
  explicit Processor(int device);
  ~Processor();
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;

  /// Nothing when all is well.
  std::optional<Failure> run(const Launch& launch);

  /// From now on kernels may read but not write these bytes of the worker's.
  void mark_constant(const void* begin, std::size_t bytes);

  // For kernels.

  uint3 thread_index() const { return current_->index; }
  uint3 block_index() const { return block_index_; }
  const Launch& launch() const { return *launch_; }
  std::byte* dynamic_shared_memory() const { return dynamic_shared_; }
  int sync_block(bool predicate, Place place);
  std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value, int argument,
                               int width, Place place);
  unsigned active_lanes() const;
  /// Where this device's own memory begins.
  std::uintptr_t own_memory() const { return own_memory_; }
  /// Ends the launch when the current thread may not do that.
  void check(std::uintptr_t address, std::size_t bytes, SharedMemoryChecks::Kind kind);
  /// Ends the launch. `text` says what the current thread did.
  [[noreturn]] void stop(cudaError_t code, const char* text);

 private:
  enum class State { running, at_barrier, in_warp_operation, ended };
  struct Thread {
    uint3 index;
    Fiber* fiber = nullptr;
    State state = State::running;
    Place place{};
    WarpOperation operation{};
    unsigned mask = 0;
    int argument = 0;
    int width = 32;
    std::uint16_t warp_time = 0;  ///< of its warp when it was last synchronised
    std::uint64_t value = 0;
    std::uint64_t result = 0;
  };

  static void run_threads(void* self);
  void run_block();
  void run_some_threads();
  void wait();
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
  int number(const Thread& thread) const { return static_cast<int>(&thread - threads_.data()); }
  void check_global(std::uintptr_t address, std::size_t bytes, SharedMemoryChecks::Kind kind);
  void check_shared(std::uintptr_t address, std::size_t bytes, SharedMemoryChecks::Kind kind);
  void check_host(std::uintptr_t address, std::size_t bytes, SharedMemoryChecks::Kind kind);
  void find_shared_memory();
  void begin_times();
  std::string where() const;
  std::string who(const Thread& thread) const;
  std::string why_stuck() const;
  std::string why_stuck(const Thread& thread) const;
  std::string what_does(const Thread& thread) const;

  static constexpr std::size_t dynamic_shared_capacity = std::size_t{256} << 10;

  int device_;
  std::uintptr_t own_memory_;
  FiberPool fibers_;
  std::byte* dynamic_shared_;
  std::vector<Thread> threads_;
  SharedMemoryChecks shared_;
  std::vector<std::uint16_t> warp_times_;
  Segment constants_;       ///< data of the program that a kernel has read last
  std::vector<int> ready_;  ///< ring of threads that can go on
  std::size_t ready_first_ = 0;
  std::size_t ready_count_ = 0;

  // Of the launch and the block that is run.
  const Launch* launch_ = nullptr;
  uint3 block_index_{};
  Thread* current_ = nullptr;
  Fiber* current_fiber_ = nullptr;
  int count_ = 0;    ///< threads of a block
  int started_ = 0;  ///< of them
  int ended_ = 0;
  int at_barrier_ = 0;
  int barrier_votes_ = 0;
  int barrier_result_ = 0;
  std::optional<Failure> failure_;
};

/// The one whose kernel the calling host thread is in; null outside of kernels.
extern constinit thread_local Processor* current_processor;

}  // namespace isolume::gpu::emulator
