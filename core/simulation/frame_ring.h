#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include "core/simulation/simulation.h"

namespace isolume::simulation {

/// The most recent frames. One thread puts frames in and never waits for readers; any number of threads read
/// and never wait for the writer.
class FrameRing {
 public:
  /// Holds up to `slots` frames, or fewer if they would take more than `most_bytes` (but always one).
  FrameRing(std::size_t slots, std::size_t most_bytes);

  /// The frame of this step; null if it is not (any more) in the ring or cannot be read any more
  /// (Frame::readable).
  FramePointer at(std::int64_t step) const;
  bool has(std::int64_t step) const { return at(step) != nullptr; }

  /// For the writer only. Replaces a frame of the same step, else the oldest frames. A slot that a reader is
  /// copying from right now is not changed.
  void put(FramePointer frame);
  /// For the writer only: drops the frames of steps outside [first, last].
  void keep(std::int64_t first, std::int64_t last);

  /// Number of frames of that size that fit.
  std::size_t room(std::size_t frame_bytes) const;
  std::size_t size() const;
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t empty = std::numeric_limits<std::int64_t>::min();
  struct Slot {
    mutable std::atomic<std::uint32_t> users = 0;  ///< readers that are copying the pointer, or `writing`
    std::atomic<std::int64_t> step = empty;
    FramePointer frame;
    std::uint64_t order = 0;  ///< for the writer only, like the next member
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
