#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <vector>

namespace isolume::dispatch {

/// Who computes which tile: one queue that the workers of all devices pull from. Knows neither clock nor
/// threads: times are handed in, in seconds from any start and never falling, so that a test can drive it
/// with a virtual clock. Not for two threads at once.
///
/// Earliest finish time: a device takes no tile that it would end after the others could have done all that
/// is waiting, by what a tile took on each so far. Tiles being alike and times as expected, the last tile
/// then ends as early as any schedule can make it, which is the least T with sum_w floor(T / p_w) >= N for N
/// tiles and workers w of p_w seconds a tile; hence T <= (N + W - 1) / sum_w 1/p_w, W workers in all, and the
/// efficiency is at least N / (N + W - 1). Where nothing is known beforehand every worker takes a first tile
/// unseen: T is then the larger of that and the slowest first tile.
///
/// A device that has taken none is not out: what it expects of the others changes when they are late or
/// fail, so ask again.
class TileSchedule {
 public:
  struct DeviceSpeed {
    int workers = 1;
    /// What a tile takes one worker; 0: not known yet. Infinite: a reserve, which takes tiles only when all
    /// devices that are none have failed.
    double seconds_per_tile = 0;
  };
  TileSchedule(std::size_t tile_count, std::span<const DeviceSpeed> devices);

  /// The tile that this worker, which has none in hand, is to compute next; none when there is nothing for it
  /// now.
  std::optional<std::size_t> take(std::size_t device, int worker, double now);
  /// Whether a worker of the device would be given a tile.
  bool wants(std::size_t device, double now) const;
  /// The tile in the worker's hands is done.
  void finish(std::size_t device, int worker, double now);
  /// The tile in the worker's hands goes back to the queue; the device gets no more.
  void fail(std::size_t device, int worker);
  /// The device gets no more; tiles in its hands stay there.
  void retire(std::size_t device);

  bool in_play(std::size_t device) const { return !devices_[device].retired; }
  std::size_t done() const { return done_; }
  bool complete() const { return done_ == count_; }
  /// As expected now: from the tiles it did, else as given.
  double seconds_per_tile(std::size_t device) const { return devices_[device].seconds_per_tile; }

 private:
  struct Worker {
    bool pulling = true;  ///< will ask by itself: is at work, or has not yet been told that there is nothing
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
  /// Whether the other devices could end all waiting tiles within less than `seconds` from now.
  bool others_would_end_within(double seconds, std::size_t device, double now) const;

  std::size_t count_;
  std::size_t fresh_ = 0;
  std::size_t done_ = 0;
  std::deque<std::size_t> returned_;
  std::vector<DeviceState> devices_;
};

}  // namespace isolume::dispatch
