#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "core/base/logging.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/tile_schedule.h"

namespace isolume::dispatch {
namespace {

using Clock = std::chrono::steady_clock;

/// One call of run_tiles: the schedule, and the work of each device.
class Farm {
 public:
  Farm(std::span<Device* const> devices, std::size_t tile_count, const TileFunction& tile_function,
       const jobs::Progress& progress, const FarmOptions& options)
      : devices_(devices),
        tile_count_(tile_count),
        tile_function_(tile_function),
        progress_(progress),
        schedule_(tile_count, speeds(devices, options)) {
    report_.timeline.reserve(tile_count);
  }

  Report run() {
    leave_out_those_set_aside();
    serve_all();
    if (cancelled_ || progress_.cancelled()) throw Cancelled();
    if (!schedule_.complete()) std::rethrow_exception(last_failure_);
    report_.seconds = now();
    return std::move(report_);
  }

 private:
  static std::vector<TileSchedule::DeviceSpeed> speeds(std::span<Device* const> devices,
                                                       const FarmOptions& options) {
    std::vector<TileSchedule::DeviceSpeed> made;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      made.push_back({devices[i]->concurrency(),
                      i < options.seconds_per_tile.size() ? options.seconds_per_tile[i] : 0.0});
    }
    return made;
  }

  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void leave_out_those_set_aside() {
    std::string reasons;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      auto& share = report_.shares.emplace_back();
      share.device = devices_[i]->name();
      share.which = devices_[i];
      share.error = devices_[i]->set_aside_because();
      if (share.error.empty()) continue;
      schedule_.retire(i);
      reasons += fmt::format(" {}: {}", share.device, share.error);
    }
    last_failure_ = std::make_exception_ptr(Error("Every device is set aside." + reasons));
  }

  void serve_all() {
    std::vector<std::size_t> serving;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      if (schedule_.in_play(i)) serving.push_back(i);
    }
    if (serving.empty()) return;
    // The caller's thread serves the last device, so that work on one device starts without a thread switch.
    std::vector<std::jthread> others;
    for (std::size_t i = 0; i + 1 < serving.size(); ++i) {
      others.emplace_back([this, device = serving[i]] { serve(device); });
    }
    serve(serving.back());
  }

  /// Serves a device until it is not needed any more. Its workers never wait: a tile may itself run TBB
  /// loops, so a worker that waited for running tiles could block one of them further down its own stack.
  /// They return instead, and only this thread waits.
  void serve(std::size_t index) {
    while (wait_for_work(index)) {
      try {
        devices_[index]->run_workers([&](int worker) {
          while (pull(index, worker)) {
          }
        });
      } catch (const std::exception& problem) {
        const std::scoped_lock lock(mutex_);
        schedule_.retire(index);
        set_aside(index, problem.what(), false);
      }
    }
  }

  /// True if there is a tile for the device, false if it is not needed any more.
  bool wait_for_work(std::size_t index) {
    // Cancellation does not wake this thread, and other devices become late without an event.
    constexpr auto look_again = std::chrono::milliseconds(2);
    std::unique_lock lock(mutex_);
    while (!cancelled_ && !progress_.cancelled() && !schedule_.complete() && schedule_.in_play(index)) {
      if (schedule_.wants(index, now())) return true;
      changed_.wait_for(lock, look_again);
    }
    return false;
  }

  /// Computes one tile; false if the worker has no more to do.
  bool pull(std::size_t index, int worker) {
    if (progress_.cancelled()) return false;
    Report::Span span{static_cast<int>(index), worker, 0, 0, 0, false};
    {
      const std::scoped_lock lock(mutex_);
      span.begin = now();
      const auto tile = cancelled_ ? std::nullopt : schedule_.take(index, worker, span.begin);
      if (!tile) return false;
      span.tile = *tile;
    }
    try {
      tile_function_(*devices_[index], worker, span.tile);
    } catch (const Cancelled&) {
      const std::scoped_lock lock(mutex_);
      cancelled_ = true;
      changed_.notify_all();
      return false;
    } catch (const DeviceLost& problem) {
      give_back(span, problem.what(), true);
      return false;
    } catch (const std::exception& problem) {
      give_back(span, problem.what(), false);
      return false;
    }
    hand_in(span);
    return true;
  }

  void hand_in(Report::Span span) {
    std::size_t done = 0;
    {
      const std::scoped_lock lock(mutex_);
      span.end = now();
      schedule_.finish(static_cast<std::size_t>(span.device), span.worker, span.end);
      auto& share = report_.shares[static_cast<std::size_t>(span.device)];
      ++share.tiles;
      share.busy_seconds += span.end - span.begin;
      report_.timeline.push_back(span);
      done = schedule_.done();
      if (devices_.size() > 1) changed_.notify_all();
    }
    progress_.report(static_cast<double>(done) / static_cast<double>(tile_count_));
  }

  /// Called in the handler of the exception that made the device fail.
  void give_back(Report::Span span, const std::string& why, bool for_good) {
    const std::scoped_lock lock(mutex_);
    span.end = now();
    span.failed = true;
    report_.timeline.push_back(span);
    schedule_.fail(static_cast<std::size_t>(span.device), span.worker);
    set_aside(static_cast<std::size_t>(span.device), why, for_good);
  }

  /// The caller holds the mutex and handles the exception.
  void set_aside(std::size_t index, const std::string& why, bool for_good) {
    last_failure_ = std::current_exception();
    changed_.notify_all();
    auto& device = *devices_[index];
    auto& share = report_.shares[index];
    const bool is_worse = for_good && device.set_aside_because().empty();
    if (for_good) device.set_aside(why);
    if (!share.error.empty() && !is_worse) return;  // one fault often affects all of a device's workers
    share.error = why.empty() ? "failed without saying why" : why;
    log::warning("{} is set aside{}: {}", share.device, for_good ? "" : " for this job", share.error);
  }

  const Clock::time_point start_ = Clock::now();
  const std::span<Device* const> devices_;
  const std::size_t tile_count_;
  const TileFunction& tile_function_;
  jobs::Progress progress_;

  std::mutex mutex_;  ///< guards the following members
  std::condition_variable changed_;
  TileSchedule schedule_;
  Report report_;
  std::exception_ptr last_failure_;
  bool cancelled_ = false;
};

}  // namespace

std::string Report::by() const {
  return kernel.empty() ? who : fmt::format("{}, {} kernel", who, kernel);
}

std::string Report::how() const {
  if (kernel.empty()) return reason;
  return fmt::format("{} kernel{}{}", kernel, reason.empty() ? "" : ": ", reason);
}

std::size_t Report::tiles() const {
  std::size_t sum = 0;
  for (const auto& share : shares) sum += share.tiles;
  return sum;
}

std::string Report::took_part() const {
  std::vector<std::pair<std::string, int>> counts;
  for (const auto& share : shares) {
    if (share.tiles == 0) continue;
    const auto found = std::ranges::find(counts, share.device, &std::pair<std::string, int>::first);
    if (found == counts.end()) {
      counts.emplace_back(share.device, 1);
    } else {
      ++found->second;
    }
  }
  std::string text;
  for (const auto& [device, count] : counts) {
    text +=
        fmt::format("{}{}{}", text.empty() ? "" : ", ", count > 1 ? fmt::format("{} x ", count) : "", device);
  }
  return text;
}

double Report::efficiency() const {
  double tiles = 0;
  double speed = 0;  // tiles a second, summed over all workers that took part
  for (std::size_t i = 0; i < shares.size(); ++i) {
    std::set<int> workers;
    for (const auto& span : timeline) {
      if (span.device == static_cast<int>(i) && !span.failed) workers.insert(span.worker);
    }
    const auto& share = shares[i];
    if (share.tiles == 0 || !(share.busy_seconds > 0)) continue;
    tiles += static_cast<double>(share.tiles);
    speed += static_cast<double>(workers.size() * share.tiles) / share.busy_seconds;
  }
  return speed > 0 && seconds > 0 ? std::min(1.0, tiles / speed / seconds) : 0;
}

Report run_tiles(std::span<Device* const> devices, std::size_t tile_count, const TileFunction& tile_function,
                 const jobs::Progress& progress, const FarmOptions& options) {
  if (devices.empty()) throw Error("There is no device to compute on.");
  progress.check();
  return Farm(devices, tile_count, tile_function, progress, options).run();
}

}  // namespace isolume::dispatch
