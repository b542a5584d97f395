#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/nbody/batch_verbs.h"
#include "core/nbody/engines/benchmark.h"
#include "core/nbody/engines/crossover.h"
#include "core/nbody/runs/step_benchmark.h"
#include "gpu/machine.h"
#include "gpu/nbody/engines.h"
#include "gpu/nbody/force_kernel_times.h"

namespace isolume::batch {
namespace {

/// As the other verbs declare it.
const parameters::Schema<nbody::ForceOptions>& softening_schema() {
  static const parameters::Schema<nbody::ForceOptions> schema(
      {nbody::force_schema().at("softening"), nbody::force_schema().at("softening-kind")});
  return schema;
}

struct BenchArguments {
  std::string solver = "all";
  int bodies = 0;  ///< 0: as many as suit the solver
  double error = 1e-3, opening_angle = 0;
  int threads = 0;
  std::string engine = "auto", devices = "all";
  bool crossover = false, json = false;
  nbody::ForceOptions softened;  ///< gives the softening only
  parameters::StructParameters<nbody::ForceOptions> set{softening_schema(), softened};
};

/// As many as a solver is for, where none are asked for.
std::size_t usual_bodies(nbody::SolverKind solver) {
  return solver == nbody::SolverKind::direct ? 100'000 : 1'000'000;
}

std::vector<nbody::ForceOptions> cases(const BenchArguments& options) {
  std::vector<nbody::ForceOptions> all;
  for (const auto& [name, kind] :
       {std::pair{"best", nbody::SolverKind::best}, std::pair{"direct", nbody::SolverKind::direct},
        std::pair{"barnes-hut", nbody::SolverKind::barnes_hut}, std::pair{"fmm", nbody::SolverKind::fmm}}) {
    // It is one of the others.
    if (options.solver == "all" ? kind == nbody::SolverKind::best : options.solver != name) continue;
    const bool spline = options.softened.softening_kind == nbody::SofteningKind::spline;
    if (options.solver == "all" && spline && kind == nbody::SolverKind::fmm) continue;  // has Plummer's only
    all.push_back(options.softened);
    all.back().solver = kind;
    all.back().error = options.error;
    if (options.opening_angle > 0 && kind != nbody::SolverKind::direct) {
      all.back().error = 0;
      all.back().opening_angle = options.opening_angle;
    }
    all.back().threads = options.threads;
    all.back().engine = options.engine;
    all.back().devices = options.devices;
  }
  return all;
}

void print_for_people(std::ostream& out, const nbody::BenchmarkResult& result) {
  out << fmt::format(
      "{}: {} bodies in {:.4f} s (order {:.4f}, tree {:.4f}, sums {:.4f}) by {}; error of the force: median "
      "{:.1e}, 99 % below {:.1e}; {:.3g} bodies/s, {:.2f} G interactions/s",
      result.solver, result.bodies, result.seconds, result.of_the_last.sort, result.of_the_last.tree,
      result.of_the_last.sums, result.computed_by, result.median_error, result.p99_error,
      result.bodies_per_second, result.interactions_per_second * 1e-9);
  if (result.fraction_of_bound > 0) {
    out << fmt::format(", {:.0f} % of the processor's peak of {:.2f} G pairs/s",
                       100 * result.fraction_of_bound, result.pair_peak * 1e-9);
  }
  out << '\n' << std::flush;
}

void print_for_people(std::ostream& out, const gpu::ForceKernelTimes& times) {
  out << fmt::format("  kernels on {} alone, with bodies and forces in its memory: ", times.device);
  if (times.tree_ms > 0) out << fmt::format("tree {:.2f} ms, ", times.tree_ms);
  out << fmt::format("sums {:.2f} ms\n", times.sums_ms) << std::flush;
}

void print_for_people(std::ostream& out, const nbody::TimedSteps& steps) {
  out << fmt::format(
             "  leapfrog, bodies on {}: step {:.2f} ms, data of its frame {:.2f} ms, {:.3g} steps/s\n",
             steps.stays_on.empty() ? "the host" : steps.stays_on, steps.step.median_ms,
             steps.frame.median_ms, steps.per_second())
      << std::flush;
}

/// A line for each number of bodies, then where the solvers overtake each other.
void print_for_people(std::ostream& out, const nbody::Crossover& found) {
  out << fmt::format(
      "Seconds per evaluation of all forces; barnes-hut and fmm with a relative error of {:g}\n{:>9}",
      found.error, "bodies");
  for (const auto& each : found.solvers) out << fmt::format("{:>12}", each.solver);
  out << '\n';
  for (std::size_t i = 0; i < found.bodies.size(); ++i) {
    out << fmt::format("{:>9}", found.bodies[i]);
    for (const auto& each : found.solvers)
      out << (each.seconds[i] ? fmt::format("{:>12.6f}", *each.seconds[i]) : fmt::format("{:>12}", "-"));
    out << '\n';
  }
  for (const auto& each : found.crossings) out << in_words(each, found) << '\n';
  out << std::flush;
}

void bench_crossover(Context& context, const BenchArguments& options) {
  if (options.opening_angle > 0)
    throw UsageError("--crossover compares solvers at the same --error. Leave out --opening-angle.");
  if (options.solver != "all")
    throw UsageError("--crossover always compares all solvers. Leave out --solver.");
  if (options.softened.softening > 0 || options.softened.softening_kind != nbody::SofteningKind::plummer) {
    throw UsageError(
        "--crossover compares solvers without softening. Leave out --softening and --softening-kind.");
  }
  nbody::CrossoverOptions crossover{.error = options.error,
                                    .threads = options.threads,
                                    .engine = options.engine,
                                    .devices = options.devices};
  if (options.bodies > 0) crossover.most_bodies = static_cast<std::size_t>(options.bodies);
  const auto engines = gpu::make_nbody_engines(gpu::make_device_pool());
  const auto found = nbody::measure_crossover(crossover, engines, context.progress);
  options.json ? print(context.out, nbody::to_json(found)) : print_for_people(context.out, found);
}

void bench(Context& context, const BenchArguments& options) {
  const auto pool = gpu::make_device_pool();
  const auto shared_engines = std::make_shared<const nbody::EngineRegistry>(gpu::make_nbody_engines(pool));
  const nbody::EngineRegistry& engines = *shared_engines;
  // GPUs learn from the first jobs how to share out the next.
  const benchmarks::RepeatOptions repeats{0, engines.engines().size() > 1 && options.engine != "cpu" ? 7 : 3};
  auto rows = nlohmann::ordered_json::array();
  for (const auto& each : cases(options)) {
    const std::size_t bodies =
        options.bodies > 0 ? static_cast<std::size_t>(options.bodies) : usual_bodies(each.solver);
    const auto result = nbody::benchmark_forces(bodies, each, engines, repeats, context.progress);
    if (!options.json) print_for_people(context.out, result);
    rows.push_back(nbody::to_json(result));
    if (result.computed_by.starts_with("CPU")) continue;
    const auto kernels =
        gpu::time_force_kernels(*pool, nbody::benchmark_bodies(bodies), each, repeats, context.progress);
    if (!options.json) print_for_people(context.out, kernels);
    rows.back()["kernels"] = {
        {"device", kernels.device}, {"tree_ms", kernels.tree_ms}, {"sums_ms", kernels.sums_ms}};
    const auto steps = nbody::time_steps(bodies, each, shared_engines, repeats, context.progress);
    if (!options.json) print_for_people(context.out, steps);
    rows.back()["steps"] = nbody::to_json(steps);
  }
  if (options.json) print(context.out, rows);
}

}  // namespace

void add_nbody_bench(CLI::App& bench_command, Context& context) {
  auto options = std::make_shared<BenchArguments>();
  auto& lab = add_verb(bench_command, "nbody",
                       "Time the gravitational forces between the bodies of a Plummer sphere.");
  add_option(
      lab, context, &options->solver,
      commands::choice("solver", "Which solver to time", {"all", "best", "direct", "barnes-hut", "fmm"}));
  add_option(lab, context, &options->bodies,
             commands::integer("bodies",
                               "Number of bodies; 0: 100000 for the direct sum, 1000000 for the others. With "
                               "--crossover the largest number; 0: 262144")
                 .range(0, 1e8));
  add_option(lab, context, &options->error,
             commands::number("error", "Target relative force error (99th percentile) of barnes-hut and fmm")
                 .range(1e-12, 0.1));
  add_option(
      lab, context, &options->opening_angle,
      commands::number("opening-angle",
                       "Opening angle of barnes-hut and fmm, in place of --error; 0: derived from the error")
          .unit("rad")
          .range(0, 2));
  add_option(lab, context, &options->threads,
             commands::integer("threads", "CPU threads, 0 for all of them").range(0, 4096));
  add_option(
      lab, context, &options->engine,
      commands::choice("engine", "What to time; auto takes the best", {"auto", "cpu", "cuda", "emulated"}));
  add_option(lab, context, &options->devices,
             commands::text("devices", "GPUs to use, by number, as in 1,2; all takes those that help"));
  add_parameter_flags(lab, options->set, context);
  add_flag(lab, "crossover", options->crossover,
           "Time all solvers with 512, 1024, ... bodies and report the numbers of bodies above which one "
           "overtakes another");
  add_flag(lab, "json", options->json, "Print JSON");
  on_call(lab, context, [options, &context] {
    options->crossover ? bench_crossover(context, *options) : bench(context, *options);
  });
}

}  // namespace isolume::batch
