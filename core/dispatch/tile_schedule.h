#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace isolume::dispatch {

/// Assigns tiles to workers: one queue from which the workers of all devices pull. It has neither clock nor
/// threads. Times are passed in, in seconds from any start and never decreasing, so that a test can drive it
/// with a virtual clock. Not thread-safe.
///
/// Earliest finish time: a device takes no tile that it would finish after the others could have done all
/// waiting tiles, judged by the time of their tiles so far. If tiles are alike and times as expected, the
/// last tile then ends as early as in any schedule, at the least T with sum_w floor(T / p_w) >= N for N tiles
/// and workers w of p_w seconds a tile. Hence T <= (N + W - 1) / sum_w 1/p_w for W workers in all, and the
/// efficiency is at least N / (N + W - 1). Without known times every worker takes a first tile
/// unconditionally: T is then the larger of that bound and the slowest first tile.
///
/// A device that has declined may be needed later, since others may be late or fail: ask again.
class TileSchedule {
 public:
  struct DeviceSpeed {
    int workers = 1;
    /// Time of a tile on one worker; 0: unknown. Infinite: a reserve, which takes tiles only when all other
    /// devices have failed.
    double seconds_per_tile = 0;
  };
  TileSchedule(std::size_t tile_count, std::span<const DeviceSpeed> devices);

  /// The tile that this idle worker is to compute next; empty if there is none for it now.
  std::optional<std::size_t> take(std::size_t device, int worker, double now);
  /// Whether a worker of the device would be given a tile.
  bool wants(std::size_t device, double now) const;
  /// The worker has finished its tile.
  void finish(std::size_t device, int worker, double now);
  /// The worker's tile is re-queued; the device gets no more.
  void fail(std::size_t device, int worker);
  /// The device gets no more tiles; its running ones stay assigned to it.
  void retire(std::size_t device);

  bool in_play(std::size_t device) const { return !devices_[device].retired; }
  std::size_t done() const { return done_; }
  bool complete() const { return done_ == count_; }
  /// The present estimate: from the tiles that the device has done, else as given.
  double seconds_per_tile(std::size_t device) const { return devices_[device].seconds_per_tile; }

 private:
  struct Worker {
    bool pulling = true;  ///< asks by itself: it works, or has not been refused yet
    std::optional<std::size_t> tile;
    double begin = 0;
  };
  struct DeviceState {
    double seconds_per_tile = 0;
    bool reserve = false;
    bool retired = false;
    std::vector<Worker> workers;
  };

  std::size_t waiting() const { return returned_.size() + (count_ - fresh_); }
  bool only_reserves_left() const;
  /// Whether the other devices could finish all waiting tiles within `seconds` from now.
  bool others_would_end_within(double seconds, std::size_t device, double now) const;

  std::size_t count_;
  std::size_t fresh_ = 0;
  std::size_t done_ = 0;
  std::deque<std::size_t> returned_;
  std::vector<DeviceState> devices_;
};

}  // namespace isolume::dispatch
