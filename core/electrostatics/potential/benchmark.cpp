#include "core/electrostatics/potential/benchmark.h"

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/philox.h"
#include "core/benchmark/machine_peak.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"

namespace isolume::electrostatics {
namespace {

constexpr double atoms_per_cubic_angstrom = 0.1;

double side_of(std::size_t charges) {
  return std::cbrt(static_cast<double>(charges) / atoms_per_cubic_angstrom);
}

/// Average number of charges that act on a grid point.
double charges_a_point(const structures::Charges& charges, const grid::Grid& grid,
                       const PotentialOptions& options) {
  if (options.method != Method::cutoff) return static_cast<double>(charges.size());
  constexpr std::size_t samples = 1000;
  const std::size_t points = grid.point_count();
  std::size_t found = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    const std::size_t at = sample * 2654435761 % points;
    const auto nx = static_cast<std::size_t>(grid.dimensions[0]),
               ny = static_cast<std::size_t>(grid.dimensions[1]);
    const Eigen::Vector3d place = grid.position(
        static_cast<double>(at % nx), static_cast<double>(at / nx % ny), static_cast<double>(at / nx / ny));
    for (std::size_t i = 0; i < charges.size(); ++i)
      found += (charges.place(i) - place).squaredNorm() < options.cutoff_angstrom * options.cutoff_angstrom;
  }
  return static_cast<double>(found) / samples;
}

grid::Grid grid_of_equation(const structures::Charges& charges, double spacing_angstrom) {
  constexpr double margin = 8;
  const auto box = box_of(charges);
  return grid::cover_box(box.low - Eigen::Vector3d::Constant(margin),
                         box.high + Eigen::Vector3d::Constant(margin), spacing_angstrom,
                         grid::LengthUnit::angstrom);
}

/// Statistics of times measured alongside those of time_repeats: the first, cold run is kept separate.
benchmarks::Timing beside(std::vector<double> times_ms) {
  const double first = times_ms.front();
  if (times_ms.size() > 1) times_ms.erase(times_ms.begin());
  auto timing = benchmarks::timing_of(std::move(times_ms));
  timing.first_ms = first;
  return timing;
}

}  // namespace

bool sums_all_pairs(Method method) {
  return method != Method::fmm && method != Method::multilevel && method != Method::pme;
}

structures::Charges benchmark_charges(std::size_t count) {
  const double side = side_of(count);
  structures::Charges charges;
  for (std::size_t i = 0; i < count; ++i) {
    Random random(1, i);
    charges.x.push_back(side * random.uniform());
    charges.y.push_back(side * random.uniform());
    charges.z.push_back(side * random.uniform());
    charges.charge.push_back(i % 2 == 0 ? 0.4 : -0.4);
    charges.radius.push_back(1.5);
  }
  return charges;
}

grid::Grid benchmark_grid(std::size_t charges, double spacing_angstrom) {
  return grid::cover_box(Eigen::Vector3d::Zero(), Eigen::Vector3d::Constant(side_of(charges)),
                         spacing_angstrom, grid::LengthUnit::angstrom);
}

BenchmarkResult benchmark_equation(const structures::Charges& charges, const grid::Grid& grid,
                                   PotentialOptions options, const benchmarks::RepeatOptions& repeats,
                                   const jobs::Progress& progress) {
  options.focusing = 1;
  options.solute_dielectric = 2;
  BenchmarkResult result{.method = options.method, .atoms = charges.size(), .points = grid.point_count()};
  result.threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  const auto solve = [&](PoissonBoltzmann& equation, bool keep, std::vector<double>& alone_ms, int& cycles) {
    progress.check();
    const auto found = equation.solve(options, {.estimate_error = false, .keep = keep}, progress);
    result.unknowns = found.unknowns;
    result.computed_by = found.report.who;
    result.kernel = found.report.kernel;
    alone_ms.push_back(1e3 * found.seconds.solution);
    cycles = found.solve.cycles;
  };
  std::vector<double> alone, alone_after_slider;
  result.timing = benchmarks::time_repeats(repeats, [&] {
    const auto start = std::chrono::steady_clock::now();
    PoissonBoltzmann equation(charges, grid);
    solve(equation, false, alone, result.cycles);
    return milliseconds_since(start);
  });
  result.equation = beside(std::move(alone));
  result.seconds = result.timing.median_ms / 1000;
  constexpr double equations = 2;
  result.unknowns_per_second = equations * static_cast<double>(result.unknowns) / result.seconds;
  constexpr double moved = 1.1;
  const double salt = options.salt_molar;
  PoissonBoltzmann kept(charges, grid);
  kept.solve(options, {.estimate_error = false, .keep = true}, progress);
  result.after_slider = benchmarks::time_repeats(repeats, [&] {
    options.salt_molar = options.salt_molar == salt ? moved * salt : salt;
    const auto start = std::chrono::steady_clock::now();
    solve(kept, true, alone_after_slider, result.cycles_after_slider);
    return milliseconds_since(start);
  });
  result.equation_after_slider = beside(std::move(alone_after_slider));
  return result;
}

BenchmarkResult benchmark_potential(std::size_t count, double spacing_angstrom, PotentialOptions options,
                                    const benchmarks::RepeatOptions& repeats,
                                    const jobs::Progress& progress) {
  const structures::Charges charges = benchmark_charges(count);
  if (is_poisson_boltzmann(options.method)) {
    return benchmark_equation(charges, grid_of_equation(charges, spacing_angstrom), options, repeats,
                              progress);
  }
  const auto grid = benchmark_grid(count, spacing_angstrom);
  if (options.method == Method::pme) options.box = fmt::format("{0},{0},{0}", side_of(count));
  BenchmarkResult result{.method = options.method,
                         .dielectric = options.dielectric,
                         .atoms = count,
                         .points = grid.point_count()};
  const auto run = [&] {
    progress.check();
    const auto start = std::chrono::steady_clock::now();
    const auto potential = potential_on(grid, charges, options, progress);
    result.computed_by = potential.report.who;
    result.kernel = potential.report.kernel;
    result.reason = potential.report.reason;
    return milliseconds_since(start);
  };
  result.threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  result.timing = benchmarks::time_repeats(repeats, run);
  result.seconds = result.timing.median_ms / 1000;
  result.pairs_per_second =
      charges_a_point(charges, grid, options) * static_cast<double>(result.points) / result.seconds;
  result.pair_peak = benchmarks::measure_potential_peak(result.threads);
  const bool takes_roots = options.dielectric == Dielectric::constant;
  if (sums_all_pairs(options.method) && takes_roots && result.kernel.empty())
    result.fraction_of_bound = result.pairs_per_second / result.pair_peak;
  return result;
}

nlohmann::ordered_json to_json(const BenchmarkResult& result) {
  const auto& methods = potential_schema().at("method").description.choices;
  const auto& dielectrics = potential_schema().at("dielectric").description.choices;
  nlohmann::ordered_json json{{"method", methods.at(static_cast<std::size_t>(result.method)).key},
                              {"dielectric", dielectrics.at(static_cast<std::size_t>(result.dielectric)).key},
                              {"atoms", result.atoms},
                              {"points", result.points},
                              {"threads", result.threads},
                              {"seconds", result.seconds},
                              {"timing", benchmarks::to_json(result.timing)}};
  if (is_poisson_boltzmann(result.method)) {
    json["unknowns"] = result.unknowns;
    json["unknowns_per_second"] = result.unknowns_per_second;
    json["seconds_after_slider"] = result.after_slider.median_ms / 1000;
    json["equation"] = {{"cycles", result.cycles}, {"timing", benchmarks::to_json(result.equation)}};
    json["equation_after_slider"] = {{"cycles", result.cycles_after_slider},
                                     {"timing", benchmarks::to_json(result.equation_after_slider)}};
  }
  json["computed_by"] = result.computed_by;
  json["kernel"] = result.kernel.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(result.kernel);
  if (is_poisson_boltzmann(result.method)) return json;
  json["reason"] = result.reason;
  json["pairs_per_second"] = result.pairs_per_second;
  json["pair_peak_per_second"] = result.pair_peak;
  json["fraction_of_bound"] = result.fraction_of_bound > 0 ? nlohmann::ordered_json(result.fraction_of_bound)
                                                           : nlohmann::ordered_json();
  return json;
}

}  // namespace isolume::electrostatics
