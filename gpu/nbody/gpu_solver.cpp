#include "gpu/nbody/gpu_solver.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/device_choice.h"
#include "core/nbody/forces/exact_force.h"
#include "core/nbody/forces/octree.h"
#include "gpu/nbody/direct/direct_job.h"
#include "gpu/nbody/fmm/fmm_job.h"
#include "gpu/nbody/resident/resident_on_gpus.h"
#include "gpu/nbody/tree/opening.h"
#include "gpu/nbody/tree/walk_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/runtime/multi_device/sum_runner.h"

namespace isolume::gpu {
namespace {

using nbody::Bodies;
using nbody::ForceOptions;
using nbody::Forces;
using nbody::SolverKind;
using nbody::SortedBodies;

/// Of all bodies, in their order along the curve.
class Fields {
 public:
  explicit Fields(const SumJob& job) : values_(static_cast<std::size_t>(job.fields())) {
    for (auto& field : values_) field.resize(static_cast<std::size_t>(job.items()));
  }
  std::vector<float*> pointers() {
    std::vector<float*> all;
    for (auto& field : values_) all.push_back(field.data());
    return all;
  }
  double at(std::size_t field, std::size_t body) const { return static_cast<double>(values_[field][body]); }
  std::uint32_t bits_at(std::size_t field, std::size_t body) const {
    return std::bit_cast<std::uint32_t>(values_[field][body]);
  }

 private:
  std::vector<nbody::Paged<float>> values_;
};

/// Values of the scaled units.
struct Units {
  double length, mass;
};

/// Converts to the order and the units of the input. `original`: the numbers of bodies, by their positions in
/// the fields. Values out of range of single precision are NaN: they are recomputed in double precision.
template <class Original>
void store_forces(const Fields& fields, const Original& original, const Units& units, const Bodies& bodies,
                  const ForceOptions& options, Forces& forces) {
  const double potential_unit = units.mass / units.length;
  const double unit = potential_unit / units.length;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, bodies.size(), 1 << 12), [&](const auto& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const std::size_t body = original(i);
      forces.ax[body] = unit * fields.at(0, i);
      forces.ay[body] = unit * fields.at(1, i);
      forces.az[body] = unit * fields.at(2, i);
      forces.potential[body] = potential_unit * fields.at(3, i);
      const bool held = std::isfinite(forces.ax[body]) && std::isfinite(forces.ay[body]) &&
                        std::isfinite(forces.az[body]) && std::isfinite(forces.potential[body]);
      if (held) continue;
      const nbody::ExactForce exact =
          nbody::exact_force(bodies, body, options.softening, options.softening_kind);
      forces.ax[body] = exact.acceleration.x();
      forces.ay[body] = exact.acceleration.y();
      forces.az[body] = exact.acceleration.z();
      forces.potential[body] = exact.potential;
    }
  });
  nbody::check_finite(forces);
}

class GpuSolver : public nbody::Solver {
 public:
  explicit GpuSolver(std::shared_ptr<const SumRunner> runner) : runner_(std::move(runner)) {}

  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress) const final {
    check(bodies);
    check(options);
    if (bodies.size() > most_bodies) {
      throw Error(
          fmt::format("GPUs sum forces of {} bodies at most; these are {}. Choose the engine \"cpu\".",
                      most_bodies, bodies.size()));
    }
    Forces forces = nbody::no_forces(bodies.size());
    if (bodies.size() == 0) return forces;
    tbb::task_arena arena(options.threads > 0 ? options.threads : dispatch::processor_threads());
    arena.execute([&] { add(bodies, options, forces, progress); });
    return forces;
  }

 protected:
  virtual void add(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                   const jobs::Progress& progress) const = 0;

  /// `method`: for users, "direct sum".
  dispatch::Report run(const SumJob& job, Fields& fields, const ForceOptions& options,
                       std::string_view method, const jobs::Progress& progress) const {
    const ChosenDevices gpus = choose_gpus(runner_->pool(), options.devices);
    dispatch::Report report = runner_->run(job, fields.pointers(), gpus, {}, progress);
    report.job = fmt::format("{} bodies", job.items());
    report.who += fmt::format(", {}", method);
    report.kernel.clear();  // the method implies it
    return report;
  }

 private:
  /// Items of a job are counted in int.
  static constexpr std::size_t most_bodies = std::numeric_limits<int>::max() / 2;

  std::shared_ptr<const SumRunner> runner_;
};

class GpuDirectSolver final : public GpuSolver {
 public:
  using GpuSolver::GpuSolver;
  std::string_view name() const override { return "direct"; }

 protected:
  void add(const Bodies& bodies, const ForceOptions& options, Forces& forces,
           const jobs::Progress& progress) const override {
    const auto start = std::chrono::steady_clock::now();
    // In this order groups are compact, so that single precision resolves their bodies.
    const SortedBodies sorted = nbody::sort_bodies(bodies);
    forces.seconds.sort = seconds_since(start);
    const auto sorted_at = std::chrono::steady_clock::now();
    const auto job = make_direct_job(sorted, options);
    Fields fields(*job);
    forces.report = run(*job, fields, options, "direct sum", progress);
    store_forces(
        fields, [&](std::size_t i) { return sorted.original[i]; }, {sorted.length, sorted.mass_sum}, bodies,
        options, forces);
    forces.body_pairs = static_cast<std::uint64_t>(bodies.size()) * bodies.size();
    forces.seconds.sums = seconds_since(sorted_at);
  }
};

/// Leaves have at most as many bodies as a warp has lanes.
constexpr std::uint32_t bodies_per_leaf = 32;
/// Memory per body while a tree is built: original and sorted bodies, keys and orders with memory to sort
/// them, cells and their sums.
constexpr std::size_t bytes_to_make_a_tree = 200;

class GpuTreeSolver final : public GpuSolver {
 public:
  using GpuSolver::GpuSolver;
  std::string_view name() const override { return "barnes-hut"; }

 protected:
  void add(const Bodies& bodies, const ForceOptions& options, Forces& forces,
           const jobs::Progress& progress) const override {
    const auto start = std::chrono::steady_clock::now();
    const BodiesToSort given(bodies);
    const auto make = [&](const Stream& stream, const WaitLimits& limits) {
      const auto uploaded = upload_vector<nbody_kernels::WalkBody>(given.points, stream, limits);
      return build_tree(given.scale, uploaded, opening_of(options).angle, stream, limits);
    };
    const std::size_t count = bodies.size();
    const Walked walked = walk({count, count * bytes_to_make_a_tree, "each GPU makes the tree", make},
                               options, {given.scale.length, given.scale.mass_sum}, bodies, forces, progress);
    forces.seconds.tree = walked.tree_seconds;
    forces.seconds.sums = seconds_since(start) - walked.tree_seconds;
    if (walked.too_dense) walk_cpu_tree(bodies, options, forces, progress);
  }

 private:
  struct Walked {
    bool too_dense;
    double tree_seconds;
  };

  Walked walk(WalkJob::Tree tree, const ForceOptions& options, const Units& units, const Bodies& bodies,
              Forces& forces, const jobs::Progress& progress) const {
    const WalkJob job(std::move(tree), opening_of(options).share,
                      nbody_kernels::softening_of(options, units.length));
    Fields fields(job);
    forces.report = run(job, fields, options, "Barnes-Hut", progress);
    if (job.too_dense()) return {true, job.tree_seconds()};
    const auto original = [&](std::size_t i) { return fields.bits_at(6, i); };
    store_forces(fields, original, units, bodies, options, forces);
    double body_pairs = 0, cell_pairs = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      body_pairs += fields.at(4, i);
      cell_pairs += fields.at(5, i);
    }
    forces.body_pairs = static_cast<std::uint64_t>(body_pairs);
    forces.cell_pairs = static_cast<std::uint64_t>(cell_pairs);
    return {false, job.tree_seconds()};
  }

  /// It divides cells further than keys of 63 bits allow.
  void walk_cpu_tree(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                     const jobs::Progress& progress) const {
    const nbody::Octree octree = nbody::build_octree(bodies, bodies_per_leaf, forces.seconds, progress);
    const auto start = std::chrono::steady_clock::now();
    const TreeToUpload tree(octree, opening_of(options).angle);
    const auto make = [&](const Stream& stream, const WaitLimits& limits) {
      return upload_tree(tree, stream, limits);
    };
    const std::size_t bytes = bodies.size() * (sizeof(nbody_kernels::WalkBody) + sizeof(std::uint32_t)) +
                              tree.cells.size() * sizeof(nbody_kernels::WalkCell) +
                              tree.groups.size() * (sizeof(nbody_kernels::WalkGroup) + sizeof(std::uint32_t));
    walk({bodies.size(), bytes, "the CPU made the tree, as bodies are too close together for that of a GPU",
          make},
         options, {octree.bodies.length, octree.bodies.mass_sum}, bodies, forces, progress);
    forces.seconds.sums += seconds_since(start);
  }
};

class GpuFmmSolver final : public GpuSolver {
 public:
  using GpuSolver::GpuSolver;
  std::string_view name() const override { return "fmm"; }

 protected:
  void add(const Bodies& bodies, const ForceOptions& options, Forces& forces,
           const jobs::Progress& progress) const override {
    const auto setup = fmm_setup(bodies, options, progress.part(0, 0.5));
    const auto start = std::chrono::steady_clock::now();
    const FmmJob job(*setup, progress.part(0.5, 0.7));
    Fields fields(job);
    forces.report = run(job, fields, options, "fast multipole method", progress.part(0.7, 1));
    store_forces(
        fields, [&](std::size_t i) { return setup->tree.original[i]; },
        {setup->frame.length, setup->frame.charge}, bodies, options, forces);
    forces.body_pairs = job.body_pairs();
    forces.cell_pairs = job.cell_pairs();
    forces.order = setup->order;
    forces.seconds = {setup->seconds.order, setup->seconds.moments,
                      setup->seconds.estimate + seconds_since(start)};
  }
};

/// The CPU computes the forces on fewer bodies than this in the time in which a GPU starts: about 0.1 ms for
/// copies, launches and waiting.
constexpr std::size_t worth_a_gpu = 2048;

class GpuEngine final : public nbody::Engine {
 public:
  GpuEngine(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings)
      : runner_(std::make_shared<const SumRunner>(
            std::move(pool), settings, "Take fewer bodies, other devices, or the engine \"cpu\".")) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(runner_->pool()); }
  std::unique_ptr<nbody::Solver> solver(SolverKind kind) const override {
    if (kind == SolverKind::direct) return std::make_unique<GpuDirectSolver>(runner_);
    if (kind == SolverKind::barnes_hut) return std::make_unique<GpuTreeSolver>(runner_);
    if (kind == SolverKind::fmm) return std::make_unique<GpuFmmSolver>(runner_);
    return nullptr;
  }
  std::string why_not(const ForceOptions& options) const override {
    return options.solver == SolverKind::fmm ? why_not_by_fmm(options) : std::string();
  }
  std::unique_ptr<nbody::ResidentBodies> resident(const ForceOptions& options) const override {
    if (options.solver == SolverKind::fmm) return nullptr;  // the host makes its tree
    return make_resident_bodies(runner_, options);
  }
  std::string leaves_to_others(std::size_t bodies) const override {
    if (dispatch::usable_gpus(runner_->pool()).empty()) return "every GPU is set aside";
    if (bodies < worth_a_gpu) return fmt::format("a GPU would not shorten the sums of {} bodies", bodies);
    return {};
  }

 private:
  std::shared_ptr<const SumRunner> runner_;
};

}  // namespace

std::unique_ptr<nbody::Engine> make_gpu_nbody_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                     const EngineSettings& settings) {
  return std::make_unique<GpuEngine>(std::move(pool), settings);
}

}  // namespace isolume::gpu
