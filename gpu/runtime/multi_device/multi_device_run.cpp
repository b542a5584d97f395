#include "gpu/runtime/multi_device/multi_device_run.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

}  // namespace

/// A GPU's part of the run: its job, and for each worker a stream with memory for one slab.
class MultiDeviceRun::GpuShare {
 public:
  GpuShare(GpuDevice& device, const Job& job, int items_at_once, Seconds item_time, const Settings& settings)
      : device_(device),
        job_(job),
        items_at_once_(items_at_once),
        item_time_(item_time),
        settings_(settings),
        workers_(static_cast<std::size_t>(device.concurrency())) {}

  void compute(int number, Slab slab, const jobs::Progress& progress) {
    guarded_on(device_, settings_.deadline, [&] {
      prepare(progress);
      auto& worker = workers_[static_cast<std::size_t>(number)];
      if (!worker) worker = make_worker();
      for (int done = 0; done < slab.count; done += items_at_once_) {
        compute_part(*worker, {slab.first + done, std::min(items_at_once_, slab.count - done)}, progress);
      }
    });
  }

  const GpuDevice& device() const { return device_; }
  /// Number of timed items; the caller fills in `seen().operations`, since it knows the work of an item.
  int timed_items() const { return timed_items_; }
  const dispatch::Calibration::Seen& seen() const { return seen_; }

 private:
  struct Worker {
    explicit Worker(const GpuDevice& device) : stream(device) {}
    Stream stream;
    std::optional<Stream> there;      ///< on the device of the results, if that is another one
    std::optional<Event> begin, end;  ///< of the kernels, if they are timed
    DeviceBuffer<float> results;
    PinnedBuffer<float> staging;
    MappedBuffer<float> mapped;  ///< used instead of both
  };

  /// Runs once, in the first worker; the others wait for it.
  void prepare(const jobs::Progress& progress) {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(5))) progress.check();
    if (on_device_ != nullptr) return;
    if (!home_) home_.emplace(device_);
    auto prepared = job_.prepare(*home_);
    home_->wait(deadline(0), progress);
    on_device_ = std::move(prepared);
  }

  std::unique_ptr<Worker> make_worker() const {
    auto worker = std::make_unique<Worker>(device_);
    worker->stream.uses_memory_of(*home_);
    const std::size_t values = fields() * job_.item_values * static_cast<std::size_t>(items_at_once_);
    if (job_.on_device) {
      make_way(*worker, values);
    } else if (settings_.mapped_results) {
      worker->mapped = MappedBuffer<float>(worker->stream, values);
    } else {
      worker->results = DeviceBuffer<float>(worker->stream, values);
      worker->staging = PinnedBuffer<float>(worker->stream, values);
    }
    return worker;
  }

  bool stays_here() const { return job_.on_device && job_.on_device->device == &device_; }
  std::size_t fields() const { return job_.on_device ? 1 : job_.results.size(); }

  /// Copies to the results that stay on a device.
  void make_way(Worker& worker, std::size_t values) const {
    if (stays_here()) return job_.on_device->used_by(worker.stream);
    worker.results = DeviceBuffer<float>(worker.stream, values);
    worker.there.emplace(*job_.on_device->device);
    job_.on_device->used_by(*worker.there);
    enable_peer_access(*job_.on_device->device, device_);
  }

  /// Where the kernels write a part.
  float* written_to(const Worker& worker, Slab part) const {
    if (stays_here()) return job_.on_device->values + job_.item_values * static_cast<std::size_t>(part.first);
    if (settings_.mapped_results && !job_.on_device) return worker.mapped.device_data();
    return worker.results.device_data();
  }

  void compute_part(Worker& worker, Slab part, const jobs::Progress& progress) {
    const std::size_t points = job_.item_values * static_cast<std::size_t>(part.count);
    const std::size_t values = points * fields();
    const bool timed = needs_timing(part);
    if (timed && !worker.begin) {
      worker.begin.emplace(device_, true);
      worker.end.emplace(device_, true);
    }
    const auto begin = Clock::now();
    std::span<const float> host;
    {
      const std::scoped_lock lock(mutex_);
      if (timed) worker.begin->record(worker.stream);
      on_device_->launch(part, written_to(worker, part), points, worker.stream);
      if (seen_.start_seconds == 0) seen_.start_seconds = seconds_since(begin_);
    }
    if (timed) worker.end->record(worker.stream);
    const std::size_t first = job_.item_values * static_cast<std::size_t>(part.first);
    if (job_.on_device) {
      if (!stays_here()) {
        // A failed or hanging device must not write there later, over results of another one.
        worker.stream.wait(deadline(part.count), progress);
        copy_between_devices(*worker.there, job_.on_device->values + first, worker.stream,
                             worker.results.device_data(), values * sizeof(float));
      }
    } else if (settings_.mapped_results) {
      host = worker.mapped.host().first(values);
    } else {
      worker.results.copy_to(worker.staging.host().first(values), worker.stream);
      host = worker.staging.host().first(values);
    }
    worker.stream.wait(deadline(part.count), progress);
    for (std::size_t k = 0; k < job_.results.size(); ++k) {
      std::ranges::copy(host.subspan(k * points, points), job_.results[k] + first);
    }
    if (timed) {
      note(part, values, 1e-3 * Event::milliseconds(*worker.begin, *worker.end), seconds_since(begin));
    }
  }

  /// For short work, events would take a noticeable part of the time; one measurement suffices.
  bool needs_timing(Slab part) const {
    constexpr Seconds shortest(0.3e-3);
    return item_time_.count() == 0 || part.count * item_time_ >= shortest;
  }

  /// Everything besides kernels counts as moving data: the bus and the host's copy.
  void note(Slab part, std::size_t values, double kernel_seconds, double seconds) {
    const std::scoped_lock lock(mutex_);
    timed_items_ += part.count;
    seen_.computing_seconds += kernel_seconds;
    if (settings_.mapped_results || job_.on_device) return;
    seen_.moved_bytes += static_cast<double>(values * sizeof(float));
    seen_.moving_seconds += std::max(0.0, seconds - kernel_seconds);
  }

  Clock::time_point deadline(int items) const {
    return from_now(std::max(settings_.deadline, 20.0 * items * item_time_));
  }

  GpuDevice& device_;
  const Job& job_;
  const int items_at_once_;
  const Seconds item_time_;  ///< expected time; 0: unknown
  const Settings settings_;
  const Clock::time_point begin_ = Clock::now();
  std::timed_mutex mutex_;  ///< guards the following members, up to the workers
  std::optional<Stream> home_;
  std::unique_ptr<DeviceJob> on_device_;
  dispatch::Calibration::Seen seen_;
  int timed_items_ = 0;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< each used by its own thread
};

MultiDeviceRun::MultiDeviceRun(const Job& job, const dispatch::TileWork& work, const dispatch::TilePlan& plan,
                               std::span<dispatch::Device* const> devices, const Settings& settings)
    : job_(job), work_(work), plan_(plan), devices_(devices.begin(), devices.end()) {
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    auto& share = gpus_.emplace_back();
    auto* const gpu = dynamic_cast<GpuDevice*>(devices_[i]);
    if (gpu == nullptr) continue;
    const double tile_time = plan.devices[i].seconds_per_tile;
    const Seconds item_time(std::isinf(tile_time) ? 0 : tile_time / plan.items_per_tile);
    share = std::make_unique<GpuShare>(*gpu, job_, plan.devices[i].items_at_once, item_time, settings);
  }
}

MultiDeviceRun::~MultiDeviceRun() = default;

Slab MultiDeviceRun::slab(std::size_t tile) const {
  const int first = static_cast<int>(tile) * plan_.items_per_tile;
  return {first, std::min(plan_.items_per_tile, work_.items - first)};
}

dispatch::Report MultiDeviceRun::run(const jobs::Progress& progress) {
  dispatch::FarmOptions options;
  for (const auto& device : plan_.devices) options.seconds_per_tile.push_back(device.seconds_per_tile);
  return dispatch::run_tiles(
      devices_, static_cast<std::size_t>(plan_.tile_count(work_)),
      [&](dispatch::Device& device, int worker, std::size_t tile) {
        const auto position = std::ranges::find(devices_, &device) - devices_.begin();
        if (auto& gpu = gpus_[static_cast<std::size_t>(position)]) {
          gpu->compute(worker, slab(tile), progress);
        } else {
          job_.on_host(worker, slab(tile), progress);
        }
      },
      progress, options);
}

void MultiDeviceRun::add_to(dispatch::Calibration& calibration, std::string_view kernel) const {
  for (const auto& gpu : gpus_) {
    if (gpu == nullptr || gpu->timed_items() == 0) continue;
    auto seen = gpu->seen();
    seen.operations = work_.operations * gpu->timed_items() / std::max(1, work_.items);
    calibration.add(gpu->device(), kernel, seen);
  }
}

}  // namespace isolume::gpu
