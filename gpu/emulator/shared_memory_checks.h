#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/emulator/access.h"

namespace isolume::gpu::emulator {

/// Stores the last writer and reader of every four bytes of shared memory, and finds accesses of two threads
/// of a block without an ordering between them: a barrier of the block, or __syncwarp within a warp (a
/// shuffle does not order memory). Two atomic operations never conflict. The check is exact for threads of
/// different warps; for lanes of one warp it treats a __syncwarp of some lanes as one of all. When another
/// thread writes other bytes of the same four, the earlier writes are forgotten: races may be missed, none
/// are invented.
class SharedMemoryChecks {
 public:
  /// A thread of the block and the number of synchronisations of its warp.
  struct Actor {
    std::uint16_t thread = 0;
    std::uint16_t warp_time = 0;
  };
  enum class Problem {
    none,
    unwritten,
    read_after_write,
    write_after_read,
    write_after_write,
    constant,
    end
  };
  struct Finding {
    Problem problem = Problem::none;
    int other = -1;      ///< the other thread of a race; -1: several
    bool first = false;  ///< nobody in the block has written there before
  };

  /// A variable or the dynamic memory; may be known already. The first `initialised_bytes` are constants:
  /// kernels must not write them, and nothing else is checked.
  void add_region(std::uintptr_t begin, std::size_t bytes, std::size_t initialised_bytes);
  void mark_constant(std::uintptr_t begin, std::size_t bytes);

  void begin_block();
  void barrier() { ++time_; }

  /// All blocks on the host's thread use the same memory for variables: saves the values that this block has
  /// written since it began, and restores them. (Except `own`, the block's own dynamic memory.)
  void put_by(std::uintptr_t own);
  void bring_back(std::uintptr_t own) const;

  /// Whether the address is in a region.
  bool knows(std::uintptr_t address) { return region_of(address) != nullptr; }
  /// Notes a read or write of whole words that the block has written before and that no other thread uses without an
  /// ordering: nearly all. Returns false, with nothing noted, for others, which access() decides.
  template <Access access>
  bool is_usual(std::uintptr_t address, std::size_t bytes, Actor actor);
  /// For known addresses.
  Finding access(std::uintptr_t address, std::size_t bytes, Access access, Actor actor);

 private:
  struct Cell {
    std::uint32_t write_time = 0;
    std::uint32_t read_time = 0;
    Actor writer;
    Actor reader;                 ///< or one of the flags below
    std::uint32_t block = 0;      ///< the block that wrote it
    std::uint8_t written = 0;     ///< bit per byte, in that block
    std::uint8_t write_mask = 0;  ///< bytes of the last writer
    std::uint8_t read_mask = 0;
    bool atomic = false;
  };
  struct Region {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::vector<Cell> cells;
    std::size_t written_begin = 0;  ///< part that the block has written, in bytes from the region's begin
    std::size_t written_end = 0;
    std::vector<std::byte> kept;
  };

  static constexpr std::uint16_t several_lanes = 0x8000;  ///< of the warp in the lower bits
  static constexpr std::uint16_t several_warps = 0xffff;
  static constexpr std::uint32_t constant = 0xffffffff;

  Region* region_of(std::uintptr_t address);
  Problem read(Cell& cell, unsigned mask, Actor actor) const;
  /// Notes a read that is in order.
  void note_read(Cell& cell, unsigned mask, Actor actor) const;
  Problem write(Cell& cell, unsigned mask, bool atomic, Actor actor) const;
  /// By a __syncwarp; `earlier` may be several lanes.
  static bool ordered(Actor earlier, Actor now) {
    const bool one_lane = (earlier.thread & several_lanes) == 0;
    const int warp = one_lane ? earlier.thread / 32 : earlier.thread & ~several_lanes;
    return warp == now.thread / 32 && now.warp_time > earlier.warp_time;
  }
  static int other_thread(Problem problem, const Cell& before);

  std::vector<Region> regions_;
  Region* last_region_ = nullptr;  ///< of those; the last one that was accessed
  std::uint32_t time_ = 1;
  std::uint32_t block_ = 1;
};

inline void SharedMemoryChecks::note_read(Cell& cell, unsigned mask, Actor actor) const {
  // Whatever is ordered after this read is ordered after reads that were ordered before it.
  if (cell.read_time != time_ || ordered(cell.reader, actor)) {
    cell.read_time = time_;
    cell.reader = actor;
    cell.read_mask = 0;
  } else if (cell.reader.thread != actor.thread) {
    const auto warp = static_cast<std::uint16_t>(several_lanes | actor.thread / 32U);
    const bool one_lane = (cell.reader.thread & several_lanes) == 0;
    const bool same_warp =
        one_lane ? cell.reader.thread / 32 == actor.thread / 32 : cell.reader.thread == warp;
    cell.reader.thread = same_warp ? warp : several_warps;
    cell.reader.warp_time = std::max(cell.reader.warp_time, actor.warp_time);
  }
  cell.read_mask = static_cast<std::uint8_t>(cell.read_mask | mask);
}

template <Access access>
inline bool SharedMemoryChecks::is_usual(std::uintptr_t address, std::size_t bytes, Actor actor) {
  constexpr std::uint8_t whole = 0xf;
  if (last_region_ == nullptr) return false;
  Region& region = *last_region_;
  const std::uintptr_t offset = address - region.begin;
  if (offset >= region.bytes || bytes > region.bytes - offset || (address | bytes) % 4 != 0) return false;
  Cell* const first = region.cells.data() + (address / 4 - region.begin / 4);
  Cell* const end = first + bytes / 4;
  const auto is_before = [&](std::uint32_t time, Actor other) {
    return time != time_ || other.thread == actor.thread || ordered(other, actor);
  };
  for (const Cell* cell = first; cell != end; ++cell) {
    if (cell->block != block_ || cell->written != whole || !is_before(cell->write_time, cell->writer))
      return false;
    if (writes(access) && !is_before(cell->read_time, cell->reader)) return false;
  }
  for (Cell* cell = first; cell != end; ++cell) {
    if constexpr (writes(access)) {
      cell->write_time = time_;
      cell->writer = actor;
      cell->write_mask = whole;
      cell->atomic = false;
    } else {
      note_read(*cell, whole, actor);
    }
  }
  return true;
}

}  // namespace isolume::gpu::emulator
