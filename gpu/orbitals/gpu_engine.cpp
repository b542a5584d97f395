#include "gpu/orbitals/gpu_engine.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/calibration.h"
#include "core/dispatch/device_choice.h"
#include "core/orbitals/cpu_field.h"
#include "core/orbitals/field_engine.h"
#include "gpu/grid/resident_field.h"
#include "gpu/orbitals/kernel_choice.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

using dispatch::Device;
using orbitals::Computed;
using orbitals::CpuField;
using orbitals::EngineOptions;
using orbitals::FieldOnDevice;
using Role = dispatch::TilePlan::Device::Role;

bool is_gpu(const Device* device) {
  return device->kind() != dispatch::DeviceKind::cpu;
}

dispatch::TileWork work_for(const FieldProblem& problem, const KernelJob& kernel, bool with_cpu) {
  dispatch::TileWork work;
  work.items =
      problem.grid != nullptr ? problem.grid->dimensions[2] : static_cast<int>(problem.points_bohr->cols());
  // Points are divided so that no two devices write to one cache line.
  const int granularity = with_cpu ? CpuField::block_size(problem) : problem.grid != nullptr ? 1 : 64;
  work.block = std::lcm(granularity, kernel.slab_granularity());
  work.item_bytes = problem.point_count() / static_cast<std::size_t>(work.items) * sizeof(float) *
                    static_cast<std::size_t>(problem.field_count());
  work.job_bytes = kernel.device_bytes();
  work.operations = kernel.flop({0, work.items});
  work.moved_bytes = static_cast<double>(work.item_bytes) * work.items;
  work.item = "One plane of the field";
  work.remedy = "Use a coarser spacing, a smaller box, fewer orbitals at once, or other devices.";
  return work;
}

/// Measures the CPU's speed in the kernel's operations, on the part in the middle of the field, which takes
/// the most work. Writes that part.
double measure_cpu(const CpuField& field, const dispatch::TileWork& work, const std::vector<float*>& fields,
                   const jobs::Progress& progress) {
  CpuField::Scratch scratch;
  const std::size_t pieces = field.piece_count();
  const auto start = std::chrono::steady_clock::now();
  field.compute(pieces / 2, fields, scratch, progress);
  return work.operations / static_cast<double>(pieces) / std::max(seconds_since(start), 1e-9);
}

/// The CPU's part, created when it computes its first tile, which it often never does.
class CpuShare {
 public:
  CpuShare(const FieldProblem& problem, const std::vector<float*>& fields, int threads,
           std::optional<CpuField> field)
      : problem_(problem),
        fields_(fields),
        field_(std::move(field)),
        scratches_(static_cast<std::size_t>(threads)) {}

  void compute(int worker, Slab slab, const jobs::Progress& progress) {
    const CpuField& field = made();
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
  const CpuField& made() {
    const std::scoped_lock lock(mutex_);
    if (!field_) field_.emplace(problem_);
    return *field_;
  }

  const FieldProblem problem_;
  const std::vector<float*>& fields_;
  std::mutex mutex_;
  std::optional<CpuField> field_;
  std::vector<CpuField::Scratch> scratches_;
};

/// A job before it runs.
struct Job {
  std::vector<Device*> devices;
  std::vector<dispatch::DeviceFacts> facts;  ///< of the devices, as in plan.devices
  dispatch::TileWork work;
  dispatch::TilePlan plan;

  bool has_gpu() const { return std::ranges::any_of(devices, is_gpu); }
  bool has_cpu() const { return !std::ranges::all_of(devices, is_gpu); }
};

/// Devices that the plan leaves out do not compute, but are in the report.
std::vector<dispatch::Report::Share> drop_left_out(Job& job) {
  std::vector<dispatch::Report::Share> left_out;
  Job kept{{}, {}, job.work, {job.plan.items_per_tile, {}}};
  for (std::size_t i = 0; i < job.devices.size(); ++i) {
    if (job.plan.devices[i].role == Role::left_out) {
      left_out.push_back({job.devices[i]->name(), 0, 0, job.plan.devices[i].why});
    } else {
      kept.devices.push_back(job.devices[i]);
      kept.facts.push_back(job.facts[i]);
      kept.plan.devices.push_back(job.plan.devices[i]);
    }
  }
  job = std::move(kept);
  return left_out;
}

/// Describes which devices computed with which kernel, and why.
void explain(const KernelJob& kernel, const std::string& why, const Job& job, dispatch::Report& report) {
  report.who = report.took_part();
  bool by_gpu = false;
  bool failed = false;
  for (std::size_t i = 0; i < job.devices.size(); ++i) {
    if (!is_gpu(job.devices[i])) continue;
    by_gpu |= report.shares[i].tiles > 0;
    failed |= !report.shares[i].error.empty();
  }
  if (!by_gpu) {
    report.reason =
        failed ? "the CPU alone: no GPU finished a tile" : "the CPU alone: no GPU would finish sooner";
    return;
  }
  report.kernel = to_string(kernel.kind());
  const std::string instead = kernel.remark();
  report.reason = instead.empty() ? why : instead;
  bool idle = false;
  for (std::size_t i = 0; i < job.devices.size(); ++i) {
    idle |= is_gpu(job.devices[i]) && job.plan.devices[i].role == Role::reserve;
  }
  if (idle) report.reason += "; more GPUs would not shorten so small a job";
}

class GpuEngine final : public orbitals::FieldEngine {
 public:
  GpuEngine(std::shared_ptr<dispatch::DevicePool> pool, const GpuEngineSettings& settings)
      : pool_(std::move(pool)), settings_(settings) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(*pool_); }
  std::vector<std::string> kernels() const override { return kernel_names(); }

  Computed<FieldOnDevice> on_device(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                    const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights,
                                    const grid::Grid& grid, const EngineOptions& options,
                                    const jobs::Progress& progress) const override {
    if (coefficients.cols() == 0 || grid.point_count() == 0) return {};
    const auto named = dispatch::parse_devices(options.devices, *pool_);
    if (named && !std::ranges::all_of(*named, is_gpu)) return {};
    try {
      return keep({molecule, basis, coefficients, weights, &grid, nullptr, options.screening}, options,
                  progress);
    } catch (const Error& error) {  // the fallback reports it if it matters
      log::warning("A field is assembled in host memory: {}", error.what());
      return {};
    }
  }

 protected:
  dispatch::Report fill(const FieldProblem& problem, const std::vector<float*>& fields,
                        const EngineOptions& options, const jobs::Progress& progress) const override {
    const auto named = dispatch::parse_devices(options.devices, *pool_);
    const auto some_threads = options.threads > 0 ? dispatch::make_cpu_device(options.threads) : nullptr;
    Job job;
    job.devices = choose_devices(named, some_threads.get());
    if (!job.has_gpu()) return fill_by_cpu(problem, fields, options, progress, named.has_value());

    const KernelChoice choice = choose_kernel(options.kernel, problem, progress);
    job.work = work_for(problem, *choice.job, job.has_cpu());
    job.facts = calibration_.facts(job.devices, to_string(choice.job->kind()));
    auto on_cpu = named ? std::nullopt : prepare_cpu(problem, fields, progress, job);
    auto rules = settings_.rules;
    rules.all_given = named.has_value();
    job.plan = dispatch::plan_tiles(job.work, job.facts, rules);
    const auto facts = job.facts;
    const auto left_out = drop_left_out(job);
    if (job.devices.empty()) dispatch::refuse(job.work, facts);

    auto report = run(problem, *choice.job, fields, job, std::move(on_cpu), progress);
    explain(*choice.job, choice.why, job, report);
    report.shares.insert(report.shares.end(), left_out.begin(), left_out.end());
    return report;
  }

 private:
  /// Like fill(), but all parts are collected in the memory of the GPU that is fastest at this work.
  Computed<FieldOnDevice> keep(const FieldProblem& problem, const EngineOptions& options,
                               const jobs::Progress& progress) const {
    const auto named = dispatch::parse_devices(options.devices, *pool_);
    Job job;
    job.devices = choose_devices(named, nullptr);
    const bool cpu_in_use = job.has_cpu();
    std::erase_if(job.devices, [](const Device* device) { return !is_gpu(device); });
    if (!job.has_gpu()) return {};

    const KernelChoice choice = choose_kernel(options.kernel, problem, progress);
    const auto kernel = to_string(choice.job->kind());
    job.work = work_for(problem, *choice.job, false);
    job.facts = calibration_.facts(job.devices, kernel);
    if (cpu_in_use && !named && seconds_together(job) > settings_.rules.host_from_seconds) return {};
    const auto fastest =
        std::ranges::max_element(job.facts, {}, &dispatch::DeviceFacts::operations_per_second);
    const auto position = static_cast<std::size_t>(fastest - job.facts.begin());
    const GpuDevice& home = gpu_of(*job.devices[position]);
    auto field = std::make_shared<ResidentField>(home, *problem.grid, pool_);
    job.facts = calibration_.facts(job.devices, kernel);  // less memory is available now
    job.facts[position].bytes_per_second = 0;             // its results are not moved
    auto rules = settings_.rules;
    rules.all_given = named.has_value();
    job.plan = dispatch::plan_tiles(job.work, job.facts, rules);
    const auto facts = job.facts;
    const auto left_out = drop_left_out(job);
    if (job.devices.empty()) dispatch::refuse(job.work, facts);

    const MultiDeviceRun::Job parts{
        .prepare = [&](const Stream& stream) { return choice.job->prepare(stream); },
        .on_host = {},
        .results = {},
        .item_values = problem.point_count() / static_cast<std::size_t>(job.work.items),
        .on_device = MultiDeviceRun::Job::OnDevice{&home, field->values(),
                                                   [&](const Stream& stream) { field->used_by(stream); }}};
    auto report = run(parts, *choice.job, job, progress);
    for (const auto& share : report.shares) {
      if (share.which == &home && !share.error.empty()) throw Error(share.error);
    }
    explain(*choice.job, choice.why, job, report);
    report.reason += fmt::format("; the field stays on {}", home.name());
    report.shares.insert(report.shares.end(), left_out.begin(), left_out.end());
    return {std::move(field), std::move(report)};
  }

  /// The time of all the job's GPUs together; 0 if the speed of one is unknown.
  static double seconds_together(const Job& job) {
    double together = 0;  // jobs per second
    for (const auto& facts : job.facts) {
      if (facts.host) continue;
      if (!facts.measured) return 0;
      together += facts.workers / facts.seconds_for(job.work);
    }
    return 1 / together;
  }

  /// The named devices; otherwise all that are in use. If given, `some_threads` is used for the CPU.
  std::vector<Device*> choose_devices(const std::optional<std::vector<Device*>>& named,
                                      Device* some_threads) const {
    std::vector<Device*> devices;
    if (named) {
      devices = *named;
    } else {
      std::ranges::copy_if(pool_->devices(), std::back_inserter(devices),
                           [](const Device* device) { return device->set_aside_because().empty(); });
    }
    for (Device*& device : devices) {
      if (!is_gpu(device) && some_threads != nullptr) device = some_threads;
    }
    return devices;
  }

  static dispatch::Report fill_by_cpu(const FieldProblem& problem, const std::vector<float*>& fields,
                                      const EngineOptions& options, const jobs::Progress& progress,
                                      bool named) {
    auto report = orbitals::fill_on_cpu(problem, fields, options.threads, progress);
    if (!named) report.reason += "; every GPU is set aside";
    return report;
  }

  /// If the CPU might help and its speed is not known, measures it, and returns the CPU's field.
  std::optional<CpuField> prepare_cpu(const FieldProblem& problem, const std::vector<float*>& fields,
                                      const jobs::Progress& progress, Job& job) const {
    const auto cpu = std::ranges::find_if(job.facts, &dispatch::DeviceFacts::host);
    if (cpu == job.facts.end() || seconds_together(job) <= settings_.rules.host_from_seconds)
      return std::nullopt;
    CpuField field(problem);
    cpu->operations_per_second = measure_cpu(field, job.work, fields, progress);
    cpu->measured = true;
    return field;
  }

  dispatch::Report run(const FieldProblem& problem, const KernelJob& kernel,
                       const std::vector<float*>& fields, const Job& job, std::optional<CpuField> on_cpu,
                       const jobs::Progress& progress) const {
    std::optional<CpuShare> cpu;
    const auto host = std::ranges::find_if_not(job.devices, is_gpu);
    if (host != job.devices.end()) cpu.emplace(problem, fields, (*host)->concurrency(), std::move(on_cpu));
    const MultiDeviceRun::Job parts{
        .prepare = [&](const Stream& stream) { return kernel.prepare(stream); },
        .on_host = [&](int worker, Slab slab, const auto& on) { cpu->compute(worker, slab, on); },
        .results = fields,
        .item_values = problem.point_count() / static_cast<std::size_t>(job.work.items),
        .on_device = std::nullopt};
    return run(parts, kernel, job, progress);
  }

  dispatch::Report run(const MultiDeviceRun::Job& parts, const KernelJob& kernel, const Job& job,
                       const jobs::Progress& progress) const {
    MultiDeviceRun run(parts, job.work, job.plan, job.devices, settings_.run);
    auto report = run.run(progress);
    run.add_to(calibration_, to_string(kernel.kind()));
    return report;
  }

  const std::shared_ptr<dispatch::DevicePool> pool_;
  const GpuEngineSettings settings_;
  mutable dispatch::Calibration calibration_;
};

}  // namespace

GpuEngineSettings default_settings() {
  GpuEngineSettings settings;
  settings.run.deadline = default_deadline();
#ifdef ISOLUME_GPU_EMULATED
  settings.rules.unknown_operations_per_second = 1e7;
#endif
  return settings;
}

std::unique_ptr<orbitals::Engine> make_gpu_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                  const GpuEngineSettings& settings) {
  return std::make_unique<GpuEngine>(std::move(pool), settings);
}

}  // namespace isolume::gpu
