#include "gpu/orbitals/gpu_engine.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/orbitals/cpu_field.h"
#include "core/orbitals/field_engine.h"
#include "gpu/orbitals/kernel_choice.h"
#include "gpu/runtime/deadline.h"
#include "gpu/runtime/device_list.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

using dispatch::Device;
using orbitals::CpuField;
using orbitals::EngineOptions;
using Role = SlabPlan::Device::Role;

bool is_gpu(const Device* device) {
  return device->kind() != dispatch::DeviceKind::cpu;
}

/// What was measured, by device and kernel. It changes how later jobs are cut, never what they give.
class Measurements {
 public:
  struct Of {
    double flop_per_second = 0;
    double start_seconds = 0;
  };
  Of find(const Device* device, KernelKind kind) const {
    const std::scoped_lock lock(mutex_);
    const auto found = all_.find({device, kind});
    return found == all_.end() ? Of{} : found->second;
  }
  void add(const Device* device, KernelKind kind, const Of& measured) {
    const std::scoped_lock lock(mutex_);
    auto& known = all_[{device, kind}];
    const auto mix = [](double& old, double now) { old = old > 0 ? (old + now) / 2 : now; };
    mix(known.flop_per_second, measured.flop_per_second);
    if (measured.start_seconds > 0) mix(known.start_seconds, measured.start_seconds);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::pair<const Device*, KernelKind>, Of> all_;
};

SlabWork work_for(const FieldProblem& problem, const KernelJob& kernel, bool with_cpu) {
  SlabWork work;
  work.items = problem.lattice != nullptr ? problem.lattice->dimensions[2]
                                          : static_cast<int>(problem.points_bohr->cols());
  // Points are cut so that no two devices write to one cache line.
  const int granularity = with_cpu ? CpuField::block_size(problem) : problem.lattice != nullptr ? 1 : 64;
  work.block = std::lcm(granularity, kernel.slab_granularity());
  work.item_bytes = problem.point_count() / static_cast<std::size_t>(work.items) * sizeof(float) *
                    static_cast<std::size_t>(problem.field_count());
  work.job_bytes = kernel.device_bytes();
  work.flop = kernel.flop({0, work.items});
  return work;
}

/// The CPU's speed in the kernel's operations, from the piece in the middle of the field, which is the
/// heaviest. Writes that piece.
double measure_cpu(const CpuField& field, const SlabWork& work, const std::vector<float*>& fields,
                   const jobs::Progress& progress) {
  CpuField::Scratch scratch;
  const std::size_t pieces = field.piece_count();
  const auto start = std::chrono::steady_clock::now();
  field.compute(pieces / 2, fields, scratch, progress);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return work.flop / static_cast<double>(pieces) / std::max(taken.count(), 1e-9);
}

/// One job before it runs.
struct Job {
  std::vector<Device*> devices;
  std::vector<DeviceFacts> facts;  ///< of the devices, as is plan.devices
  SlabWork work;
  SlabPlan plan;

  bool has_gpu() const { return std::ranges::any_of(devices, is_gpu); }
  bool has_cpu() const { return !std::ranges::all_of(devices, is_gpu); }
};

/// Those that the plan leaves out are no part of the farm, but of the report.
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

[[noreturn]] void refuse(const SlabWork& work, const std::vector<DeviceFacts>& facts) {
  const auto& best = *std::ranges::max_element(facts, {}, &DeviceFacts::budget_bytes);
  throw ResourceError(
      "One plane of the field", work.job_bytes + static_cast<std::size_t>(best.workers) * work.item_bytes,
      best.budget_bytes, "Use a coarser spacing, a smaller box, fewer orbitals at once, or other devices.");
}

/// A device that failed may be broken for good: the first job to find out keeps the others from trying.
void examine(const std::vector<GpuDevice*>& failed, std::chrono::duration<double> deadline) {
  for (GpuDevice* device : failed) {
    if (const std::string fault = check_device(*device, deadline); !fault.empty()) device->set_aside(fault);
  }
}

std::string how(const KernelJob& kernel, const std::string& why, const Job& job,
                const dispatch::Report& report) {
  bool by_gpu = false;
  bool failed = false;
  for (std::size_t i = 0; i < job.devices.size(); ++i) {
    if (!is_gpu(job.devices[i])) continue;
    by_gpu |= report.shares[i].tiles > 0;
    failed |= !report.shares[i].error.empty();
  }
  if (!by_gpu)
    return failed ? "the CPU alone: no GPU finished a tile" : "the CPU alone: no GPU would end sooner";
  const std::string instead = kernel.remark();
  std::string text = fmt::format("{} kernel: {}", to_string(kernel.kind()), instead.empty() ? why : instead);
  std::size_t idle = 0;
  for (std::size_t i = 0; i < job.devices.size(); ++i) {
    if (is_gpu(job.devices[i]) && job.plan.devices[i].role == Role::reserve) ++idle;
  }
  if (idle > 0) text += "; more GPUs would not shorten so small a job";
  return text;
}

class GpuEngine final : public orbitals::FieldEngine {
 public:
  GpuEngine(std::shared_ptr<dispatch::DevicePool> pool, const GpuEngineSettings& settings)
      : pool_(std::move(pool)), settings_(settings) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return describe_gpus(*pool_); }
  std::vector<std::string> kernels() const override { return kernel_names(); }

 protected:
  void fill(const FieldProblem& problem, const std::vector<float*>& fields, const EngineOptions& options,
            const jobs::Progress& progress) const override {
    const auto named = parse_devices(options.devices, *pool_);
    const auto some_threads = options.threads > 0 ? dispatch::make_cpu_device(options.threads) : nullptr;
    Job job;
    job.devices = choose_devices(named, some_threads.get());
    if (!job.has_gpu()) return fill_by_cpu(problem, fields, options, progress, named.has_value());

    const KernelChoice choice = choose_kernel(options.kernel, problem);
    job.work = work_for(problem, *choice.job, job.has_cpu());
    gather_facts(choice.job->kind(), job);
    auto on_cpu = named ? std::nullopt : prepare_cpu(problem, fields, progress, job);
    PlanRules rules = settings_.rules;
    rules.all_given = named.has_value();
    job.plan = plan_slabs(job.work, job.facts, rules);
    const auto facts = job.facts;
    const auto left_out = drop_left_out(job);
    if (job.devices.empty()) refuse(job.work, facts);

    auto report = run(problem, *choice.job, fields, job, std::move(on_cpu), progress);
    report.how = how(*choice.job, choice.why, job, report);
    report.shares.insert(report.shares.end(), left_out.begin(), left_out.end());
    if (options.report != nullptr) *options.report = std::move(report);
  }

 private:
  /// Those that were named; else all that are in use. `some_threads`, where given, is used for the CPU.
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

  void fill_by_cpu(const FieldProblem& problem, const std::vector<float*>& fields,
                   const EngineOptions& options, const jobs::Progress& progress, bool named) const {
    orbitals::fill_on_cpu(problem, fields, options, progress);
    if (options.report != nullptr && !named) options.report->how += "; every GPU is set aside";
  }

  void gather_facts(KernelKind kind, Job& job) const {
    for (const Device* device : job.devices) {
      const auto known = measurements_.find(device, kind);
      auto& facts = job.facts.emplace_back();
      facts.workers = device->concurrency();
      facts.budget_bytes = device->memory_budget_bytes();
      facts.flop_per_second = known.flop_per_second;
      facts.start_seconds = known.start_seconds;
      facts.host = !is_gpu(device);
    }
  }

  /// Where the CPU might help and its speed is not known, measures it, and returns what it computes with.
  std::optional<CpuField> prepare_cpu(const FieldProblem& problem, const std::vector<float*>& fields,
                                      const jobs::Progress& progress, Job& job) const {
    const auto cpu = std::ranges::find_if(job.facts, &DeviceFacts::host);
    double together = 0;
    for (const auto& facts : job.facts) {
      if (!facts.host && facts.flop_per_second == 0) return std::nullopt;
      if (!facts.host) together += facts.workers * facts.flop_per_second;
    }
    if (cpu == job.facts.end() || job.work.flop / together <= settings_.rules.host_from_seconds) {
      return std::nullopt;
    }
    CpuField field(problem);
    cpu->flop_per_second = measure_cpu(field, job.work, fields, progress);
    return field;
  }

  dispatch::Report run(const FieldProblem& problem, const KernelJob& kernel,
                       const std::vector<float*>& fields, const Job& job, std::optional<CpuField> on_cpu,
                       const jobs::Progress& progress) const {
    SlabFarm farm(problem, kernel, fields, job.work, job.plan, job.devices, settings_.farm,
                  std::move(on_cpu));
    dispatch::Report report;
    try {
      report = farm.run(progress);
    } catch (const Error&) {
      examine(farm.failed(), settings_.farm.deadline);
      throw;
    }
    examine(farm.failed(), settings_.farm.deadline);
    const double flop_per_tile = job.work.flop / job.plan.tile_count(job.work);
    for (std::size_t i = 0; i < job.devices.size(); ++i) {
      const auto& share = report.shares[i];
      if (share.tiles == 0 || !is_gpu(job.devices[i])) continue;
      measurements_.add(
          job.devices[i], kernel.kind(),
          {flop_per_tile * static_cast<double>(share.tiles) / share.busy_seconds, farm.start_seconds(i)});
    }
    return report;
  }

  const std::shared_ptr<dispatch::DevicePool> pool_;
  const GpuEngineSettings settings_;
  mutable Measurements measurements_;
};

}  // namespace

GpuEngineSettings default_settings() {
  GpuEngineSettings settings;
  settings.farm.deadline = default_deadline();
#ifdef ISOLUME_GPU_EMULATED
  settings.rules.unknown_flop_per_second = 1e7;
#endif
  return settings;
}

std::unique_ptr<orbitals::Engine> make_gpu_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                  const GpuEngineSettings& settings) {
  return std::make_unique<GpuEngine>(std::move(pool), settings);
}

}  // namespace isolume::gpu
