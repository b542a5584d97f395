#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cuda_runtime.h"

#include "gpu/emulator/block_conflicts.h"
#include "gpu/emulator/fibers.h"
#include "gpu/emulator/shared_memory_checks.h"

namespace isolume::gpu::emulator {

inline constexpr int largest_block = 1024;

/// A thread of a started block.
struct Thread {
  enum class State { running, at_barrier, in_warp_operation, ended };
  uint3 index;
  std::uint16_t number = 0;  ///< in the block
  Fiber* fiber = nullptr;
  State state = State::running;
  Place place{};
  WarpOperation operation{};
  unsigned mask = 0;
  int argument = 0;
  int width = 32;
  std::uint16_t warp_time = 0;  ///< of its warp at its last synchronisation
  std::uint64_t value = 0;
  std::uint64_t result = 0;
  ThreadHistory history;
};

/// A started block: its threads and their shared state.
struct Block {
  static constexpr std::size_t dynamic_shared_capacity = std::size_t{256} << 10;

  Block();
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Prepares it for the next block, of `threads` threads.
  void begin(uint3 block_index, std::uint32_t number, int threads, std::size_t shared_bytes);
  void begin_times();
  void push_ready(int thread) { ready[(ready_first + ready_count++) % largest_block] = thread; }
  /// For one that is to run before the others.
  void push_ready_first(int thread) {
    ready_first = (ready_first + largest_block - 1) % largest_block;
    ready[ready_first] = thread;
    ++ready_count;
  }
  int pop_ready();
  bool ended() const { return ended_threads == count; }
  int number(const Thread& thread) const { return static_cast<int>(&thread - threads.data()); }
  std::uintptr_t dynamic_shared_address() const { return reinterpret_cast<std::uintptr_t>(dynamic_shared); }

  uint3 index{};
  BlockHistory history;
  std::vector<Thread> threads;
  int count = 0;  ///< of threads
  int started = 0;
  int ended_threads = 0;
  int at_barrier = 0;
  int barrier_votes = 0;
  int barrier_result = 0;
  std::vector<int> ready;  ///< ring of threads that can run
  std::size_t ready_first = 0;
  std::size_t ready_count = 0;
  std::byte* dynamic_shared;
  SharedMemoryChecks shared;
  std::vector<std::uint16_t> warp_times;
};

}  // namespace isolume::gpu::emulator
