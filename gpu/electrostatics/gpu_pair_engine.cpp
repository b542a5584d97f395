#include "gpu/electrostatics/gpu_pair_engine.h"

#include <algorithm>
#include <future>
#include <limits>
#include <optional>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/device_choice.h"
#include "core/electrostatics/sums/molecular_density.h"
#include "core/electrostatics/sums/pair_field.h"
#include "core/grid/scalar_field.h"
#include "gpu/electrostatics/make_sum_runner.h"
#include "gpu/electrostatics/mesh/mesh_job.h"
#include "gpu/electrostatics/mesh/mesh_runner.h"
#include "gpu/electrostatics/pairs/density_job.h"
#include "gpu/electrostatics/pairs/kernel_choice.h"
#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_engine.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

using dispatch::ComputeOptions;
using electrostatics::Bins;
using electrostatics::PairProblem;
using electrostatics::Places;

/// The sums of the CPU, concurrent with those of the GPUs, on a grid.
class HostPart {
 public:
  HostPart(const grid::Grid& grid, const Bins& bins, const PairProblem& problem, int threads,
           const jobs::Progress& progress)
      : values_(grid.point_count()), done_(std::async(std::launch::async, [&, threads] {
          tbb::task_arena arena(threads > 0 ? threads : dispatch::processor_threads());
          arena.execute([&] { sum(grid, bins, problem, progress); });
        })) {}

  /// Waits, and rethrows errors.
  void add_to(float* values) {
    done_.get();
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, values_.size(), 1 << 14),
                           [&](const auto& part) {
                             for (std::size_t i = part.begin(); i != part.end(); ++i) values[i] += values_[i];
                           });
  }

 private:
  void sum(const grid::Grid& grid, const Bins& bins, const PairProblem& problem,
           const jobs::Progress& progress) {
    constexpr int block = electrostatics::layers_at_once;
    const int planes = grid.dimensions[2];
    handover::parallel_for(tbb::blocked_range<int>(0, (planes + block - 1) / block),
                           [&](const tbb::blocked_range<int>& part) {
                             for (int i = part.begin(); i != part.end(); ++i) {
                               progress.check();
                               sum_pairs_on_layers(grid, i * block, std::min(block, planes - i * block), bins,
                                                   problem.terms, problem.scale, values_.data(), progress);
                             }
                           });
  }

  FieldValues values_;
  std::future<void> done_;
};

/// Adds the mesh part at the points of some planes.
void add_mesh_to_layers(const grid::Grid& grid, Slab slab, const PairProblem& problem,
                        const std::vector<double>& on_mesh, float* values, const jobs::Progress& progress) {
  grid::Grid layers = grid;
  layers.origin = grid.position(0, 0, slab.first);
  layers.dimensions[2] = slab.count;
  const std::size_t before = grid.point_count() / static_cast<std::size_t>(grid.dimensions[2]) *
                             static_cast<std::size_t>(slab.first);
  add_mesh_potential(*problem.rest, on_mesh, layers, problem.scale, values + before, progress);
}

/// The CPU computes fewer pairs than this in the time in which a GPU starts: about 0.1 ms for copies,
/// launches and waiting.
constexpr double worth_a_gpu = 3e6;
/// Items of a job are counted in int, charges in 32 bits.
constexpr std::size_t most_items = std::numeric_limits<int>::max() / 2;

class GpuPairEngine final : public electrostatics::PairEngine {
 public:
  GpuPairEngine(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings)
      : equations_(make_gpu_equation_engine(pool, settings.run.deadline)),
        runner_(make_sum_runner(std::move(pool), settings)) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(runner_.pool()); }
  std::vector<std::string> kernels() const override { return pair_kernel_names(); }
  std::string leaves_to_others(double pairs) const override {
    if (dispatch::usable_gpus(runner_.pool()).empty()) return "every GPU is set aside";
    if (pairs < worth_a_gpu) return fmt::format("a GPU would not shorten a sum of {:.2g} pairs", pairs);
    return {};
  }

  const electrostatics::EquationEngine* equations() const override { return equations_.get(); }

  dispatch::Report sum_on(const grid::Grid& grid, const PairProblem& problem, float* values,
                          const ComputeOptions& options, const jobs::Progress& progress) const override {
    check_counts(problem, 0);
    if (problem.bins.sorted().size() == 0)
      return electrostatics::make_cpu_engine()->sum_on(grid, problem, values, of_cpu(options), progress);
    const auto devices = choose_devices(runner_.pool(), options);
    auto job = choose_pair_job(options.kernel, grid, problem);
    const auto mesh = on_mesh(problem, devices, progress);
    if (problem.rest) job = with_mesh(std::move(job), grid, problem, mesh.values);
    std::optional<HostPart> host_part;
    if (const Bins* left = job->left_to_host())
      host_part.emplace(grid, *left, problem, options.threads, progress);
    const auto on_host = [&](Slab slab, const jobs::Progress& on) {
      sum_pairs_on_layers(grid, slab.first, slab.count, job->charges(), problem.terms, problem.scale, values,
                          on);
      if (problem.rest) add_mesh_to_layers(grid, slab, problem, mesh.values, values, on);
    };
    auto report = runner_.run(*job, {values}, devices, on_host, progress);
    if (host_part) host_part->add_to(values);
    add_reason(mesh.who, report);
    return report;
  }

  dispatch::Report sum_at(const Places& places, const PairProblem& problem, double* values,
                          const ComputeOptions& options, const jobs::Progress& progress) const override {
    const std::size_t count = places.size();
    check_counts(problem, count);
    if (count == 0) return {};
    if (problem.bins.sorted().size() == 0)
      return electrostatics::make_cpu_engine()->sum_at(places, problem, values, of_cpu(options), progress);
    const auto devices = choose_devices(runner_.pool(), options);
    auto job = choose_pair_job(options.kernel, places, problem);
    const auto mesh = on_mesh(problem, devices, progress);
    if (problem.rest) job = with_mesh(std::move(job), places, problem, mesh.values);
    std::vector<float> nearest(count), rest(count);
    const auto on_host = [&](Slab slab, const jobs::Progress& on) {
      for (int n = slab.first; n < slab.first + slab.count; ++n) {
        on.check();
        const auto i = static_cast<std::size_t>(n);
        const Eigen::Vector3d place(places.x[i], places.y[i], places.z[i]);
        double value = electrostatics::sum_pairs_at(place, problem.bins, problem.terms, problem.scale);
        if (problem.rest)
          value += problem.scale * electrostatics::mesh_potential_at(*problem.rest, mesh.values, place);
        nearest[i] = static_cast<float>(value);
        rest[i] = static_cast<float>(value - static_cast<double>(nearest[i]));
      }
    };
    auto report = runner_.run(*job, {nearest.data(), rest.data()}, devices, on_host, progress);
    add_reason(mesh.who, report);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<double>(nearest[i]) + static_cast<double>(rest[i]);
    return report;
  }

  dispatch::Report density_on(const grid::Grid& grid, const structures::Charges& charges, float* values,
                              const ComputeOptions& options, const jobs::Progress& progress) const override {
    check_count(charges.size());
    if (std::ranges::none_of(charges.radius, [](double radius) { return radius > 0; }))
      return electrostatics::make_cpu_engine()->density_on(grid, charges, values, of_cpu(options), progress);
    const auto devices = choose_devices(runner_.pool(), options);
    const auto job = make_density_job(grid, charges);
    const electrostatics::DensityLayers layers(grid, charges);
    const auto on_host = [&](Slab slab, const jobs::Progress& on) {
      for (int k = slab.first; k < slab.first + slab.count; ++k) {
        on.check();
        layers.fill(k, values);
      }
    };
    return runner_.run(*job, {values}, devices, on_host, progress);
  }

 private:
  static void check_counts(const PairProblem& problem, std::size_t places) {
    check_count(std::max(places, problem.bins.sorted().size()));
  }
  static void check_count(std::size_t most) {
    if (most > most_items) {
      throw Error(
          fmt::format("GPUs sum over {} charges and points at most; these are {}. Choose the engine "
                      "\"cpu\".",
                      most_items, most));
    }
  }
  /// If no charge is near enough, only the mesh part remains, which the CPU computes.
  static ComputeOptions of_cpu(const ComputeOptions& options) {
    ComputeOptions its;
    its.threads = options.threads;
    return its;
  }
  ComputedMesh on_mesh(const PairProblem& problem, const ChosenDevices& devices,
                       const jobs::Progress& progress) const {
    return problem.rest ? compute_mesh(*problem.rest, devices, runner_.settings().run.deadline, progress)
                        : ComputedMesh();
  }
  static void add_reason(const std::string& what, dispatch::Report& report) {
    report.reason += report.reason.empty() || what.empty() ? what : "; " + what;
  }

  std::unique_ptr<electrostatics::EquationEngine> equations_;
  SumRunner runner_;
};

}  // namespace

std::unique_ptr<electrostatics::PairEngine> make_gpu_pair_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                                 const EngineSettings& settings) {
  return std::make_unique<GpuPairEngine>(std::move(pool), settings);
}

}  // namespace isolume::gpu
