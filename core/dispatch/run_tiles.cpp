#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <optional>
#include <thread>

#include "core/base/logging.h"
#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The one queue: each tile is handed out once, and again when a device gave it back.
class TileQueue {
 public:
  explicit TileQueue(std::size_t count) : count_(count) {}

  /// Never waits: a worker that waited for tiles in other hands could sit on top of one of them in its own
  /// stack, because a tile may itself run TBB loops.
  std::optional<std::size_t> next() {
    const std::scoped_lock lock(mutex_);
    if (stopped_) return std::nullopt;
    if (!returned_.empty()) {
      const std::size_t tile = returned_.front();
      returned_.pop_front();
      return tile;
    }
    if (fresh_ < count_) return fresh_++;
    return std::nullopt;
  }
  /// How many are done now.
  std::size_t mark_done() {
    const std::scoped_lock lock(mutex_);
    return ++done_;
  }
  void give_back(std::size_t tile) {
    const std::scoped_lock lock(mutex_);
    returned_.push_back(tile);
  }
  void stop() {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  bool complete() const {
    const std::scoped_lock lock(mutex_);
    return done_ == count_;
  }

 private:
  mutable std::mutex mutex_;
  std::deque<std::size_t> returned_;
  std::size_t fresh_ = 0;
  std::size_t done_ = 0;
  std::size_t count_;
  bool stopped_ = false;
};

/// One call of run_tiles: the queue, and what each device did.
class Farm {
 public:
  Farm(std::size_t tile_count, const TileFunction& tile_function, const jobs::Progress& progress)
      : queue_(tile_count), tile_count_(tile_count), tile_function_(tile_function), progress_(progress) {}

  Report run(std::span<Device* const> devices) {
    const auto start = Clock::now();
    for (Device* device : devices) report_.shares.push_back({device->name(), 0, 0, {}});
    // A second round is needed only when a device failed after the others had found the queue empty.
    while (!queue_.complete()) {
      run_round(devices);
      if (cancelled_ || progress_.cancelled()) throw Cancelled();
      if (alive(devices.size()).empty() && !queue_.complete()) std::rethrow_exception(last_failure_);
    }
    report_.seconds = seconds_since(start);
    return std::move(report_);
  }

 private:
  std::vector<std::size_t> alive(std::size_t device_count) {
    std::vector<std::size_t> indices;
    for (std::size_t i = 0; i < device_count; ++i) {
      if (report_.shares[i].error.empty()) indices.push_back(i);
    }
    return indices;
  }

  void run_round(std::span<Device* const> devices) {
    const auto indices = alive(devices.size());
    // The caller's thread serves the last device, so that work on one device starts without a thread switch.
    std::vector<std::jthread> others;
    for (std::size_t i = 0; i + 1 < indices.size(); ++i) {
      others.emplace_back([this, devices, index = indices[i]] { serve(*devices[index], index); });
    }
    serve(*devices[indices.back()], indices.back());
  }

  void serve(Device& device, std::size_t index) {
    std::atomic<bool> failed = false;
    device.run_workers([&](int worker) {
      while (!failed && !progress_.cancelled()) {
        const auto tile = queue_.next();
        if (!tile) return;
        if (!compute(device, index, worker, *tile)) failed = true;
      }
    });
  }

  /// False when the device failed at this tile.
  bool compute(Device& device, std::size_t index, int worker, std::size_t tile) {
    const auto start = Clock::now();
    try {
      tile_function_(device, worker, tile);
    } catch (const Cancelled&) {
      cancelled_ = true;
      queue_.stop();
      return true;
    } catch (const std::exception& problem) {
      set_aside(index, problem.what());
      queue_.give_back(tile);
      return false;
    }
    const std::size_t done = queue_.mark_done();
    {
      const std::scoped_lock lock(mutex_);
      ++report_.shares[index].tiles;
      report_.shares[index].busy_seconds += seconds_since(start);
    }
    progress_.report(static_cast<double>(done) / static_cast<double>(tile_count_));
    return true;
  }

  void set_aside(std::size_t index, const std::string& why) {
    const std::scoped_lock lock(mutex_);
    report_.shares[index].error = why.empty() ? "failed without saying why" : why;
    last_failure_ = std::current_exception();
    log::warning("{} is set aside for this job: {}", report_.shares[index].device, why);
  }

  TileQueue queue_;
  std::size_t tile_count_;
  const TileFunction& tile_function_;
  const jobs::Progress& progress_;
  std::mutex mutex_;
  Report report_;
  std::exception_ptr last_failure_;
  std::atomic<bool> cancelled_ = false;
};

}  // namespace

Report run_tiles(std::span<Device* const> devices, std::size_t tile_count, const TileFunction& tile_function,
                 const jobs::Progress& progress, const FarmOptions&) {
  if (devices.empty()) throw Error("There is no device to compute on.");
  progress.check();
  return Farm(tile_count, tile_function, progress).run(devices);
}

}  // namespace isolume::dispatch
