#include "gpu/orbitals/slab_farm.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/base/error.h"
#include "gpu/runtime/buffer.h"
#include "gpu/runtime/deadline.h"
#include "gpu/runtime/stream.h"

namespace isolume::gpu {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

}  // namespace

/// A GPU's part: the kernel's job on it, and for each worker a stream with room for one slab.
class SlabFarm::GpuShare {
 public:
  struct Problem {
    const KernelJob& kernel;
    const std::vector<float*>& fields;
    std::size_t item_points;
    int items_at_once;
    Seconds item_time;  ///< expected; 0: not known
  };
  GpuShare(GpuDevice& device, const Problem& problem, const Settings& settings)
      : device_(device),
        problem_(problem),
        settings_(settings),
        workers_(static_cast<std::size_t>(device.concurrency())) {}
  ~GpuShare() { leave_in_order(); }
  GpuShare(const GpuShare&) = delete;
  GpuShare& operator=(const GpuShare&) = delete;

  void compute(int number, Slab slab, const jobs::Progress& progress) {
    try {
      prepare(progress);
      auto& worker = workers_[static_cast<std::size_t>(number)];
      if (!worker) worker = make_worker();
      for (int done = 0; done < slab.count; done += problem_.items_at_once) {
        compute_part(*worker, {slab.first + done, std::min(problem_.items_at_once, slab.count - done)},
                     progress);
      }
    } catch (const dispatch::DeviceLost&) {
      throw;
    } catch (const ResourceError&) {
      throw;
    } catch (const Error&) {
      failed_ = true;
      throw;
    }
  }

  GpuDevice& device() const { return device_; }
  bool failed() const { return failed_; }
  double start_seconds() const { return start_seconds_; }

 private:
  struct Worker {
    explicit Worker(const GpuDevice& device) : stream(device) {}
    Stream stream;
    DeviceBuffer<float> results;
    PinnedBuffer<float> staging;
    MappedBuffer<float> mapped;  ///< or this instead of both
  };

  /// Once, by whichever worker comes first; the others wait for it.
  void prepare(const jobs::Progress& progress) {
    std::unique_lock lock(mutex_, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(5))) progress.check();
    if (job_ != nullptr) return;
    if (!home_) home_.emplace(device_);
    auto job = problem_.kernel.prepare(*home_);
    home_->wait(deadline(0), progress);
    job_ = std::move(job);
  }

  std::unique_ptr<Worker> make_worker() const {
    auto worker = std::make_unique<Worker>(device_);
    const std::size_t values =
        problem_.fields.size() * problem_.item_points * static_cast<std::size_t>(problem_.items_at_once);
    if (settings_.mapped_results) {
      worker->mapped = MappedBuffer<float>(worker->stream, values);
    } else {
      worker->results = DeviceBuffer<float>(worker->stream, values);
      worker->staging = PinnedBuffer<float>(worker->stream, values);
    }
    return worker;
  }

  void compute_part(Worker& worker, Slab part, const jobs::Progress& progress) {
    const std::size_t points = problem_.item_points * static_cast<std::size_t>(part.count);
    const std::size_t values = points * problem_.fields.size();
    std::span<const float> host;
    {
      const std::scoped_lock lock(mutex_);
      job_->launch(part,
                   settings_.mapped_results ? worker.mapped.device_data() : worker.results.device_data(),
                   points, worker.stream);
      if (start_seconds_ == 0) start_seconds_ = Seconds(Clock::now() - begin_).count();
    }
    if (settings_.mapped_results) {
      host = worker.mapped.host().first(values);
    } else {
      worker.results.copy_to(worker.staging.host().first(values), worker.stream);
      host = worker.staging.host().first(values);
    }
    worker.stream.wait(deadline(part.count), progress);
    const std::size_t first = problem_.item_points * static_cast<std::size_t>(part.first);
    for (std::size_t k = 0; k < problem_.fields.size(); ++k) {
      std::ranges::copy(host.subspan(k * points, points), problem_.fields[k] + first);
    }
  }

  Clock::time_point deadline(int items) const {
    return from_now(std::max(settings_.deadline, 20.0 * items * problem_.item_time));
  }

  /// The job's memory goes back in the order of `home_`, but after a cancel other streams may still work with
  /// it.
  void leave_in_order() noexcept {
    if (!home_ || device_.given_up()) return;
    try {
      device_.make_current();
      for (const auto& worker : workers_) {
        if (!worker) continue;
        Event end;
        end.record(worker->stream);
        home_->wait_for(end);
      }
    } catch (const Error&) {  // a broken device: nothing runs there any more
    }
  }

  GpuDevice& device_;
  const Problem problem_;
  const Settings settings_;
  const Clock::time_point begin_ = Clock::now();
  std::timed_mutex mutex_;  ///< guards what follows, up to the workers
  std::optional<Stream> home_;
  std::unique_ptr<DeviceJob> job_;
  std::atomic<double> start_seconds_ = 0;
  std::atomic<bool> failed_ = false;
  std::vector<std::unique_ptr<Worker>> workers_;  ///< each its thread's own
};

/// The CPU's part, made when it computes its first tile: often it never does.
class SlabFarm::CpuShare {
 public:
  CpuShare(const FieldProblem& problem, const std::vector<float*>& fields, int threads,
           std::optional<orbitals::CpuField> field)
      : problem_(problem),
        fields_(fields),
        field_(std::move(field)),
        scratches_(static_cast<std::size_t>(threads)) {}

  void compute(int worker, Slab slab, const jobs::Progress& progress) {
    const orbitals::CpuField& field = made();
    const auto block = static_cast<std::size_t>(field.block_size());
    const std::size_t end = static_cast<std::size_t>(slab.first + slab.count) + block - 1;
    const std::size_t last = std::min(field.piece_count(), end / block * field.pieces_per_block());
    for (std::size_t piece = static_cast<std::size_t>(slab.first) / block * field.pieces_per_block();
         piece < last; ++piece) {
      progress.check();
      field.compute(piece, fields_, scratches_[static_cast<std::size_t>(worker)], progress);
    }
  }

 private:
  const orbitals::CpuField& made() {
    const std::scoped_lock lock(mutex_);
    if (!field_) field_.emplace(problem_);
    return *field_;
  }

  const FieldProblem problem_;
  const std::vector<float*>& fields_;
  std::mutex mutex_;
  std::optional<orbitals::CpuField> field_;
  std::vector<orbitals::CpuField::Scratch> scratches_;
};

SlabFarm::SlabFarm(const FieldProblem& problem, const KernelJob& kernel, const std::vector<float*>& fields,
                   const SlabWork& work, const SlabPlan& plan, std::span<dispatch::Device* const> devices,
                   const Settings& settings, std::optional<orbitals::CpuField> on_cpu)
    : work_(work), plan_(plan), devices_(devices.begin(), devices.end()) {
  const std::size_t item_points = problem.point_count() / static_cast<std::size_t>(work.items);
  for (std::size_t i = 0; i < devices_.size(); ++i) {
    auto& share = gpus_.emplace_back();
    if (auto* gpu = dynamic_cast<GpuDevice*>(devices_[i])) {
      const double tile_time = plan.devices[i].seconds_per_tile;
      const Seconds item_time(std::isinf(tile_time) ? 0 : tile_time / plan.items_per_tile);
      share = std::make_unique<GpuShare>(
          *gpu, GpuShare::Problem{kernel, fields, item_points, plan.devices[i].items_at_once, item_time},
          settings);
    } else {
      cpu_ = std::make_unique<CpuShare>(problem, fields, devices_[i]->concurrency(), std::move(on_cpu));
    }
  }
}

SlabFarm::~SlabFarm() = default;

Slab SlabFarm::slab(std::size_t tile) const {
  const int first = static_cast<int>(tile) * plan_.items_per_tile;
  return {first, std::min(plan_.items_per_tile, work_.items - first)};
}

dispatch::Report SlabFarm::run(const jobs::Progress& progress) {
  dispatch::FarmOptions options;
  for (const auto& device : plan_.devices) options.seconds_per_tile.push_back(device.seconds_per_tile);
  return dispatch::run_tiles(
      devices_, static_cast<std::size_t>(plan_.tile_count(work_)),
      [&](dispatch::Device& device, int worker, std::size_t tile) {
        const auto position = std::ranges::find(devices_, &device) - devices_.begin();
        if (auto& gpu = gpus_[static_cast<std::size_t>(position)]) {
          gpu->compute(worker, slab(tile), progress);
        } else {
          cpu_->compute(worker, slab(tile), progress);
        }
      },
      progress, options);
}

double SlabFarm::start_seconds(std::size_t device) const {
  return gpus_[device] ? gpus_[device]->start_seconds() : 0;
}

std::vector<GpuDevice*> SlabFarm::failed() const {
  std::vector<GpuDevice*> devices;
  for (const auto& gpu : gpus_) {
    if (gpu && gpu->failed()) devices.push_back(&gpu->device());
  }
  return devices;
}

}  // namespace isolume::gpu
