#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/emulator/access.h"

namespace isolume::gpu::emulator {

/// Knows of every four bytes of shared memory who wrote and who read them last, and finds accesses of two
/// threads of a block with nothing between them that orders them: a barrier of the block, or __syncwarp
/// within a warp (a shuffle orders no memory). Two atomic operations never conflict. It is exact for threads
/// of different warps; for lanes of one warp it takes a __syncwarp of some lanes for one of all. Bytes that
/// were written earlier in the same four are forgotten when another thread writes others of them: races may
/// be missed, none are made up.
class SharedMemoryChecks {
 public:
  /// A thread of the block and how often its warp has been synchronised.
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

  /// A variable or the dynamic memory; known already or not. Of `initialised_bytes`, which come first,
  /// nothing is checked but that kernels do not write them: constants.
  void add_region(std::uintptr_t begin, std::size_t bytes, std::size_t initialised_bytes);
  void mark_constant(std::uintptr_t begin, std::size_t bytes);

  void begin_block();
  void barrier() { ++time_; }

  /// Variables are the same memory for all blocks that the host's thread runs: puts by what this block has
  /// written to them since it began, and writes it there again. (Not what lies in `own`, the block's own
  /// dynamic memory.)
  void put_by(std::uintptr_t own);
  void bring_back(std::uintptr_t own) const;

  /// Whether the address is one of a region.
  bool knows(std::uintptr_t address) { return region_of(address) != nullptr; }
  /// For addresses that are known.
  Finding access(std::uintptr_t address, std::size_t bytes, Access access, Actor actor);

 private:
  struct Cell {
    std::uint32_t write_time = 0;
    std::uint32_t read_time = 0;
    Actor writer;
    Actor reader;                 ///< or one of the flags below
    std::uint32_t block = 0;      ///< in which it was written
    std::uint8_t written = 0;     ///< bit per byte, in that block
    std::uint8_t write_mask = 0;  ///< by the writer
    std::uint8_t read_mask = 0;
    bool atomic = false;
  };
  struct Region {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    std::vector<Cell> cells;
    std::size_t written_begin = 0;  ///< of what the block has written, bytes from the region's begin
    std::size_t written_end = 0;
    std::vector<std::byte> kept;
  };

  static constexpr std::uint16_t several_lanes = 0x8000;  ///< of the warp in the lower bits
  static constexpr std::uint16_t several_warps = 0xffff;
  static constexpr std::uint32_t constant = 0xffffffff;

  Region* region_of(std::uintptr_t address);
  Problem read(Cell& cell, unsigned mask, Actor actor) const;
  Problem write(Cell& cell, unsigned mask, bool atomic, Actor actor) const;
  static bool ordered(Actor earlier, Actor now) {
    return earlier.thread / 32 == now.thread / 32 && now.warp_time > earlier.warp_time;
  }
  static int other_thread(Problem problem, const Cell& before);

  std::vector<Region> regions_;
  std::size_t last_region_ = 0;
  std::uint32_t time_ = 1;
  std::uint32_t block_ = 1;
};

}  // namespace isolume::gpu::emulator
