#include "core/dispatch/tile_schedule.h"

#include <algorithm>
#include <cmath>

namespace isolume::dispatch {

TileSchedule::TileSchedule(std::size_t tile_count, std::span<const DeviceSpeed> devices)
    : count_(tile_count) {
  for (const auto& device : devices) {
    DeviceState& state = devices_.emplace_back();
    state.reserve = std::isinf(device.seconds_per_tile);
    state.seconds_per_tile = state.reserve ? 0 : device.seconds_per_tile;
    state.workers.resize(static_cast<std::size_t>(std::max(1, device.workers)));
  }
}

bool TileSchedule::only_reserves_left() const {
  return std::ranges::all_of(devices_, [](const DeviceState& each) { return each.retired || each.reserve; });
}

bool TileSchedule::others_would_end_within(double seconds, std::size_t device, double now) const {
  double tiles = 0;
  for (std::size_t other = 0; other < devices_.size(); ++other) {
    const DeviceState& state = devices_[other];
    if (other == device || state.retired || state.seconds_per_tile <= 0) continue;
    for (const Worker& worker : state.workers) {
      if (!worker.pulling) continue;
      double each = state.seconds_per_tile;
      double free_in = 0;
      if (worker.tile) {
        // A late worker is expected to be as late with later tiles, so that a hanging device counts less and
        // less.
        each = std::max(each, now - worker.begin);
        free_in = std::max(0.0, worker.begin + each - now);
      }
      constexpr double rounding = 1e-9;  // ties are no reason to decline
      tiles += std::max(0.0, std::ceil((seconds - free_in) / each * (1 - rounding)) - 1);
      if (tiles >= static_cast<double>(waiting())) return true;
    }
  }
  return false;
}

bool TileSchedule::wants(std::size_t device, double now) const {
  const DeviceState& state = devices_[device];
  if (state.retired || waiting() == 0) return false;
  if (state.reserve) return only_reserves_left();
  return !others_would_end_within(state.seconds_per_tile, device, now);
}

std::optional<std::size_t> TileSchedule::take(std::size_t device, int worker, double now) {
  Worker& taker = devices_[device].workers[static_cast<std::size_t>(worker)];
  taker.pulling = wants(device, now);
  if (!taker.pulling) return std::nullopt;
  if (returned_.empty()) {
    taker.tile = fresh_++;
  } else {
    taker.tile = returned_.front();
    returned_.pop_front();
  }
  taker.begin = now;
  return taker.tile;
}

void TileSchedule::finish(std::size_t device, int worker, double now) {
  DeviceState& state = devices_[device];
  Worker& taker = state.workers[static_cast<std::size_t>(worker)];
  const double taken = now - taker.begin;
  // The newest tile has a weight of one half, so that the first ones, with their set-up time, are soon
  // forgotten.
  state.seconds_per_tile = state.seconds_per_tile > 0 ? (state.seconds_per_tile + taken) / 2 : taken;
  taker.tile.reset();
  ++done_;
}

void TileSchedule::fail(std::size_t device, int worker) {
  Worker& taker = devices_[device].workers[static_cast<std::size_t>(worker)];
  if (taker.tile) returned_.push_back(*taker.tile);
  taker.tile.reset();
  retire(device);
}

void TileSchedule::retire(std::size_t device) {
  devices_[device].retired = true;
}

}  // namespace isolume::dispatch
