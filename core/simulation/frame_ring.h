#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/simulation/simulation.h"

namespace isolume::simulation {

/// The frames made last. One thread puts frames in and never waits for those who read; any number of threads
/// read and never wait for the one that writes.
class FrameRing {
 public:
  /// Holds up to `slots` frames, and fewer where they would take more than `most_bytes` (but one always).
  FrameRing(std::size_t slots, std::size_t most_bytes);

  /// Of this step, null where it is not there (any more) or cannot be read any more (Frame::readable).
  FramePointer at(std::int64_t step) const;
  bool has(std::int64_t step) const { return at(step) != nullptr; }

  /// The writer's alone. Takes the place of a frame of the same step, else of the frames put in first. A slot
  /// from which somebody is taking a frame right now stays as it is.
  void put(FramePointer frame);
  /// The writer's alone: forgets the frames of steps outside [first, last].
  void keep(std::int64_t first, std::int64_t last);

  /// So many frames of that size fit.
  std::size_t room(std::size_t frame_bytes) const;
  std::size_t size() const;
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t empty = std::numeric_limits<std::int64_t>::min();
  struct Slot {
    mutable std::atomic<std::uint32_t> users = 0;  ///< readers that copy the pointer now, or `writing`
    std::atomic<std::int64_t> step = empty;
    FramePointer frame;
    std::uint64_t order = 0;  ///< the writer's, as is the next one
    std::size_t bytes = 0;
  };
  static constexpr std::uint32_t writing = 1u << 31;

  bool replace(Slot& slot, FramePointer frame);
  void forget(Slot& slot);
  Slot* oldest() const;

  std::unique_ptr<Slot[]> slots_;
  std::size_t count_;
  std::size_t most_bytes_;
  std::atomic<std::size_t> bytes_ = 0;
  std::uint64_t order_ = 0;
};

}  // namespace isolume::simulation
