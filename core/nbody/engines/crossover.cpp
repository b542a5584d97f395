#include "core/nbody/engines/crossover.h"

#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nbody/engines/benchmark.h"
#include "core/nbody/forces/sampled_error.h"

namespace isolume::nbody {
namespace {

constexpr std::size_t sampled_bodies_of_each = 100;
constexpr std::array all_solvers{SolverKind::direct, SolverKind::barnes_hut, SolverKind::fmm};

/// Name for use within a sentence.
std::string spoken(std::string_view solver) {
  if (solver == "direct") return "the direct sum";
  return solver == "fmm" ? "the fast multipole method" : "Barnes-Hut";
}

ForceOptions force_options(const CrossoverOptions& options, SolverKind kind) {
  ForceOptions force;
  force.solver = kind;
  force.error = kind == SolverKind::direct ? 0 : options.error;
  force.threads = options.threads;
  force.engine = options.engine;
  force.devices = options.devices;
  return force;
}

void check(const CrossoverOptions& options) {
  for (const SolverKind kind : all_solvers) nbody::check(force_options(options, kind));
  if (!(options.error > 0)) throw Error("The solvers are compared at an error. Give one above 0.");
  if (options.fewest_bodies < 2 || options.fewest_bodies > options.most_bodies) {
    throw Error(fmt::format("From {} to {} bodies nothing can be compared. Give 2 or more, fewest first.",
                            options.fewest_bodies, options.most_bodies));
  }
}

/// Enough repeats to reduce the noise of short sums.
benchmarks::RepeatOptions repeats_for(const EngineRegistry& engines, const CrossoverOptions& options) {
  // GPUs learn from the first jobs how to divide the work.
  return {0.05, engines.engines().size() > 1 && options.engine != "cpu" ? 7 : 3};
}

}  // namespace

Crossover measure_crossover(const CrossoverOptions& options, const EngineRegistry& engines,
                            const jobs::Progress& progress) {
  check(options);
  Crossover found{.error = options.error, .bodies = {}, .solvers = {}};
  for (std::size_t count = options.fewest_bodies; count <= options.most_bodies; count *= 2)
    found.bodies.push_back(count);
  for (const SolverKind kind : all_solvers) found.solvers.push_back({.solver = choice_of(kind).key});
  std::array<bool, all_solvers.size()> too_slow{};
  for (std::size_t i = 0; i < found.bodies.size(); ++i) {
    for (std::size_t k = 0; k < all_solvers.size(); ++k) {
      SolverTimes& solver = found.solvers[k];
      solver.seconds.emplace_back();
      solver.p99_error.emplace_back();
      if (too_slow.at(k)) continue;
      // A row takes about twice as long as the previous one.
      const auto part = [&](std::size_t row, std::size_t column) {
        const double of_all = std::exp2(static_cast<double>(found.bodies.size()));
        const double before = std::exp2(static_cast<double>(row));
        return before / of_all * (1 + static_cast<double>(column) / all_solvers.size());
      };
      progress.report(part(i, k), "forces");
      const Bodies bodies = benchmark_bodies(found.bodies[i]);
      const ForceOptions force = force_options(options, all_solvers.at(k));
      const auto [timing, forces] = time_forces(bodies, force, engines, repeats_for(engines, options),
                                                progress.part(part(i, k), part(i, k)));
      solver.seconds.back() = timing.median_ms / 1000;
      solver.p99_error.back() = sampled_errors(bodies, forces, force, sampled_bodies_of_each, progress).p99;
      solver.computed_by = forces.report.who;
      too_slow.at(k) = *solver.seconds.back() > options.longest_seconds;
    }
  }
  for (const auto& [first, second] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
    found.crossings.push_back(crossing_of(found.bodies, found.solvers[static_cast<std::size_t>(first)],
                                          found.solvers[static_cast<std::size_t>(second)]));
  }
  return found;
}

Crossing crossing_of(const std::vector<std::size_t>& bodies, const SolverTimes& first,
                     const SolverTimes& second) {
  Crossing crossing{.faster = second.solver, .slower = first.solver, .bodies = std::nullopt};
  struct Point {
    double log_bodies, lead;  ///< logarithm of the ratio of the times, first to second
  };
  std::vector<Point> points;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!first.seconds[i] || !second.seconds[i]) continue;
    points.push_back(
        {std::log(static_cast<double>(bodies[i])), std::log(*first.seconds[i] / *second.seconds[i])});
  }
  // Searches backwards: noise may make the lines cross more than once, and the second one stays ahead only from the
  // last crossing on.
  std::size_t ahead_from = points.size();
  while (ahead_from > 0 && points[ahead_from - 1].lead > 0) --ahead_from;
  if (ahead_from == points.size()) return crossing;
  if (ahead_from == 0) {
    crossing.always = true;
    crossing.bodies = std::exp(points.front().log_bodies);
    return crossing;
  }
  const Point &before = points[ahead_from - 1], &after = points[ahead_from];
  const double part = -before.lead / (after.lead - before.lead);
  crossing.bodies = std::exp(before.log_bodies + part * (after.log_bodies - before.log_bodies));
  return crossing;
}

double two_digits(double bodies) {
  const double digit = std::pow(10, std::floor(std::log10(bodies)) - 1);
  return std::round(bodies / digit) * digit;
}

std::string in_words(const Crossing& crossing, const Crossover& of) {
  const std::string faster = spoken(crossing.faster), slower = spoken(crossing.slower);
  if (!crossing.bodies) {
    return fmt::format("Up to {} bodies, {} is not faster than {}.", of.bodies.empty() ? 0 : of.bodies.back(),
                       faster, slower);
  }
  if (crossing.always) {
    return fmt::format("Already with {:.0f} bodies, the fewest that were measured, {} is faster than {}.",
                       *crossing.bodies, faster, slower);
  }
  return fmt::format("From about {:.0f} bodies on, {} is faster than {}.", two_digits(*crossing.bodies),
                     faster, slower);
}

nlohmann::ordered_json to_json(const Crossover& crossover) {
  const auto numbers = [](const std::vector<std::optional<double>>& values) {
    auto array = nlohmann::ordered_json::array();
    for (const auto& each : values)
      array.push_back(each ? nlohmann::ordered_json(*each) : nlohmann::ordered_json());
    return array;
  };
  nlohmann::ordered_json json{{"error", crossover.error}, {"bodies", crossover.bodies}};
  for (const auto& each : crossover.solvers) {
    json["solvers"][each.solver] = {{"computed_by", each.computed_by},
                                    {"seconds", numbers(each.seconds)},
                                    {"p99_error", numbers(each.p99_error)}};
  }
  json["crossings"] = nlohmann::ordered_json::array();
  for (const auto& each : crossover.crossings) {
    json["crossings"].push_back(
        {{"faster", each.faster},
         {"slower", each.slower},
         {"bodies", each.bodies ? nlohmann::ordered_json(*each.bodies) : nlohmann::ordered_json()},
         {"words", in_words(each, crossover)}});
  }
  return json;
}

}  // namespace isolume::nbody
