#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu/emulator/access.h"
#include "gpu/emulator/memory.h"

namespace isolume::gpu::emulator {

/// Which of a block's accesses another block knows to be done: those of all its threads before `all_before`,
/// and those of single threads up to a time of each.
struct Knowledge {
  struct OfThread {
    std::uint16_t thread = 0;
    std::uint16_t up_to = 0;
  };
  std::uint16_t all_before = 0;
  std::vector<OfThread> threads;

  void join(const Knowledge& other);
};
using KnowledgeOfBlocks = std::unordered_map<std::uint32_t, Knowledge>;

/// History of a running block. Its time advances at every barrier and fence.
struct BlockHistory {
  std::uint32_t block = 0;  ///< number in the grid
  std::uint16_t time = 1;
  std::uint16_t last_barrier = 1;  ///< earlier accesses of any thread are ordered for all of them
  KnowledgeOfBlocks known;

  void begin(std::uint32_t number);
  void barrier();
};

/// History of a thread. A fence publishes earlier accesses to threads that synchronise with this one
/// afterwards.
struct ThreadHistory {
  std::uint16_t fence = 0;  ///< time of the last fence; 0: none
  std::uint16_t barrier_before_fence = 0;
  std::vector<std::uintptr_t> met;  ///< addresses where it has read others' releases since its last fence
};

/// Finds accesses of two blocks of one launch to the same bytes of the device's own memory, at least one of
/// them a write, without an ordering between them. They are ordered by a fence (__threadfence) of the one
/// block, a strong write of the same thread afterwards, a strong read of that word by the other block, and a
/// fence of the reading thread: CUDA's pattern for "the last block does the rest". The fence of a thread
/// covers accesses of other threads of its block only if a barrier lies between. Strong accesses never
/// conflict with each other. For every four bytes the last writer and one reader are stored, so that
/// conflicts may be missed; none are invented.
class BlockConflicts {
 public:
  /// An earlier access that conflicts.
  struct Finding {
    bool found = false;
    bool other_wrote = false;
    std::uint32_t block = 0;
    std::uint16_t thread = 0;
  };

  void begin_launch();
  /// Notes a plain access to whole words of which no other block has changed any in this launch, and for a write, read any:
  /// nearly all. Returns false, with nothing noted, for others, which access() decides.
  template <Access access>
  bool is_usual(std::uintptr_t address, std::size_t bytes, const BlockHistory& block, std::uint16_t thread);
  /// Call right before the access.
  Finding access(std::uintptr_t address, std::size_t bytes, Access access, const BlockHistory& block,
                 std::uint16_t thread, ThreadHistory& history);
  void fence(BlockHistory& block, ThreadHistory& history);

 private:
  struct Record {
    std::uint32_t launch = 0;
    std::uint32_t block = 0;
    std::uint16_t time = 0;
    std::uint16_t thread : 10 = 0;
    std::uint16_t mask : 4 = 0;
    std::uint16_t strong : 1 = 0;
  };
  /// The history of four bytes.
  struct Trace {
    Record write;
    Record read;
  };
  struct Actor {
    const BlockHistory& block;
    std::uint16_t thread;
    bool strong;
  };

  static Trace* trace_of(std::uintptr_t address);
  bool is_own_or_old(const Record& record, const BlockHistory& block) const {
    return record.launch != launch_ || record.block == block.block;
  }
  bool conflicts(const Record& earlier, unsigned mask, const Actor& actor) const;
  void note(Record& record, unsigned mask, const Actor& actor) const;
  void meet(std::uintptr_t address, Access access, const BlockHistory& block, std::uint16_t thread,
            ThreadHistory& history);

  friend void forget_traces(std::uintptr_t, std::size_t);
  static Trace* traces();

  std::uint32_t launch_ = 0;
  Trace* traces_ = nullptr;                                     ///< traces(), while a launch runs
  std::unordered_map<std::uintptr_t, KnowledgeOfBlocks> left_;  ///< published at words, for later readers
};

template <Access access>
inline bool BlockConflicts::is_usual(std::uintptr_t address, std::size_t bytes, const BlockHistory& block,
                                     std::uint16_t thread) {
  constexpr std::uint16_t whole = 0xf;
  if ((address | bytes) % 4 != 0) return false;
  Trace* const first = traces_ + (address - memory::arena) / 4;
  Trace* const end = first + bytes / 4;
  for (const Trace* trace = first; trace != end; ++trace) {
    if (!is_own_or_old(trace->write, block)) return false;
    // Other blocks may have read what this one reads, too: the record of theirs stays.
    const bool stays = !writes(access) && block.known.empty() && trace->read.mask == whole;
    if (!stays && !is_own_or_old(trace->read, block)) return false;
  }
  Record now;
  now.launch = launch_;
  now.block = block.block;
  now.time = block.time;
  now.thread = thread;
  now.mask = whole;
  for (Trace* trace = first; trace != end; ++trace) {
    if constexpr (writes(access)) {
      trace->write = now;
    } else if (is_own_or_old(trace->read, block)) {
      trace->read = now;
    }
  }
  return true;
}

/// Forgets freed memory.
void forget_traces(std::uintptr_t begin, std::size_t bytes);

}  // namespace isolume::gpu::emulator
