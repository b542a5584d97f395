#include "core/nbody/engines/benchmark.h"

#include <cmath>
#include <numbers>

#include "core/base/clock.h"
#include "core/benchmark/machine_peak.h"
#include "core/nbody/forces/sampled_error.h"

namespace isolume::nbody {

namespace {

/// Uniform in [0, 1), determined by the number: Steele, Lea and Flood, OOPSLA 2014 (SplitMix64).
double random_fraction(std::uint64_t number) {
  std::uint64_t bits = (number + 1) * 0x9e3779b97f4a7c15;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111eb;
  return static_cast<double>((bits ^ bits >> 31) >> 11) * 0x1p-53;
}

}  // namespace

Bodies benchmark_bodies(std::size_t count) {
  Bodies bodies;
  bodies.mass.assign(count, 1 / static_cast<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    // Inverts the enclosed mass (1 + 1 / r^2)^(-3/2).
    const double within = 0.997 * (1 - random_fraction(3 * i));
    const double radius = 1 / std::sqrt(std::pow(within, -2.0 / 3) - 1);
    const double height = 2 * random_fraction(3 * i + 1) - 1;
    const double angle = 2 * std::numbers::pi * random_fraction(3 * i + 2);
    const double across = radius * std::sqrt(1 - height * height);
    bodies.x.push_back(across * std::cos(angle));
    bodies.y.push_back(across * std::sin(angle));
    bodies.z.push_back(radius * height);
  }
  return bodies;
}

TimedForces time_forces(const Bodies& bodies, const ForceOptions& options, const EngineRegistry& engines,
                        const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress) {
  TimedForces timed;
  timed.timing = benchmarks::time_repeats(repeats, [&] {
    progress.check();
    const auto start = std::chrono::steady_clock::now();
    timed.forces = forces_by(engines, bodies, options, progress);
    return milliseconds_since(start);
  });
  return timed;
}

BenchmarkResult benchmark_forces(std::size_t count, const ForceOptions& options,
                                 const EngineRegistry& engines, const benchmarks::RepeatOptions& repeats,
                                 const jobs::Progress& progress) {
  const Bodies bodies = benchmark_bodies(count);
  const auto [timing, forces] = time_forces(bodies, options, engines, repeats, progress);
  BenchmarkResult result{.solver = choice_of(options.solver).key, .bodies = count, .options = options};
  result.threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  result.timing = timing;
  result.seconds = result.timing.median_ms / 1000;
  result.of_the_last = forces.seconds;
  result.computed_by = forces.report.who;
  const auto errors = sampled_errors(bodies, forces, options, 1000, progress);
  result.median_error = errors.median;
  result.p99_error = errors.p99;
  result.interactions_per_second =
      static_cast<double>(forces.body_pairs + forces.cell_pairs) / result.seconds;
  result.bodies_per_second = static_cast<double>(count) / result.seconds;
  const bool on_cpu = forces.report.shares.empty();
  if (on_cpu) result.pair_peak = benchmarks::measure_pair_peak(result.threads);
  if (options.solver != SolverKind::direct) {
    result.why_no_bound = "interactions with cells cost more or less than pairs of bodies";
  } else if (options.softening_kind != SofteningKind::plummer) {
    result.why_no_bound = "the peak pair rate is that of Plummer softening";
  } else if (!on_cpu) {
    result.why_no_bound = "the peak pair rate of a GPU is not measured";
  } else {
    result.fraction_of_bound = result.interactions_per_second / result.pair_peak;
  }
  return result;
}

nlohmann::ordered_json to_json(const BenchmarkResult& result) {
  nlohmann::ordered_json json = {{"solver", result.solver},
                                 {"computed_by", result.computed_by},
                                 {"bodies", result.bodies},
                                 {"threads", result.threads},
                                 {"opening_angle", result.options.opening_angle},
                                 {"error", result.options.error},
                                 {"softening", result.options.softening},
                                 {"seconds", result.seconds},
                                 {"seconds_order", result.of_the_last.sort},
                                 {"seconds_tree", result.of_the_last.tree},
                                 {"seconds_sums", result.of_the_last.sums},
                                 {"timing", benchmarks::to_json(result.timing)},
                                 {"median_error", result.median_error},
                                 {"p99_error", result.p99_error},
                                 {"interactions_per_second", result.interactions_per_second},
                                 {"bodies_per_second", result.bodies_per_second}};
  json["pair_peak_per_second"] =
      result.pair_peak > 0 ? nlohmann::ordered_json(result.pair_peak) : nlohmann::ordered_json();
  json["fraction_of_bound"] = result.fraction_of_bound > 0 ? nlohmann::ordered_json(result.fraction_of_bound)
                                                           : nlohmann::ordered_json();
  if (!result.why_no_bound.empty()) json["why_no_fraction_of_bound"] = result.why_no_bound;
  return json;
}

}  // namespace isolume::nbody
