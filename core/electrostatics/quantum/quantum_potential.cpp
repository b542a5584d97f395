#include "core/electrostatics/quantum/quantum_potential.h"

#include <cstdint>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/engine_choice.h"
#include "core/dispatch/memory.h"
#include "core/electrostatics/quantum/quantum_engine.h"
#include "core/electrostatics/sums/pair_engine.h"
#include "core/grid/point_number.h"

namespace isolume::electrostatics {
namespace {

void check_options(const QuantumOptions& options) {
  PotentialOptions checked;
  checked.unit = options.unit;
  checked.temperature_kelvin = options.temperature_kelvin;
  checked.threads = options.compute.threads;
  check(checked);
}

/// Eh/e in the output unit: e / bohr, because the constant is for angstrom.
double scale_of(const QuantumOptions& options) {
  return coulomb_constant(options.unit, options.temperature_kelvin) /
         grid::shown_per_unit(grid::LengthUnit::bohr);
}

/// Calls `sum(engine)` for the engine that the options name, and reports who computed it.
template <class Values, class Sum>
void sum_by_engine(Potential<Values>& found, std::size_t points, double operations,
                   const QuantumProblem& problem, const QuantumOptions& options, const Sum& sum) {
  const auto start = std::chrono::steady_clock::now();
  QuantumEngineRegistry cpu_alone;
  if (options.engines == nullptr) cpu_alone.add(make_cpu_quantum_engine());
  const QuantumEngineRegistry& engines = options.engines != nullptr ? *options.engines : cpu_alone;
  found.report = dispatch::by_chosen_engine(engines, operations, options.compute, sum);
  if (!found.report.shares.empty()) {
    found.report.job = fmt::format("potential of {} nuclei and their electrons at {} points",
                                   problem.wavefunction.nuclei().size(), points);
    engines.record(found.report);
  }
  found.report.who += ", exact integrals";
  found.seconds_sums = seconds_since(start);
}

void check_unit(const grid::Grid& grid) {
  if (grid.unit == grid::LengthUnit::millimetre)
    throw Error("A grid in millimetres holds no molecule. Give one in bohr or angstrom.");
}

grid::ScalarField empty_field(const grid::Grid& grid, const QuantumOptions& options) {
  return {.grid = grid,
          .values = FieldValues(grid.point_count()),
          .name = "electrostatic potential",
          .unit = std::string(to_text(options.unit))};
}

}  // namespace

QuantumOptions quantum_options(const PotentialOptions& options) {
  return {options.unit, options.temperature_kelvin, options, options.quantum_engines};
}

gaussians::WavefunctionPotential expand(const molecules::Wavefunction& wavefunction,
                                        const molecules::OrbitalSet& set, const QuantumOptions& options,
                                        const jobs::Progress& progress) {
  check_options(options);
  const int threads = options.compute.threads;
  tbb::task_arena arena(threads > 0 ? threads : dispatch::processor_threads());
  return arena.execute([&] {
    return gaussians::WavefunctionPotential(wavefunction, set,
                                            gaussians::WavefunctionPotential::usual_tolerance, progress);
  });
}

Potential<grid::ScalarField> quantum_potential_on(const grid::Grid& grid,
                                                  const gaussians::WavefunctionPotential& wavefunction,
                                                  const QuantumOptions& options,
                                                  const jobs::Progress& progress) {
  check_unit(grid);
  check_options(options);
  const std::size_t count = grid.point_count();
  const double points = grid::point_number(grid);
  dispatch::require_memory(fmt::format("A potential at {:.4g} points", points), points * sizeof(float),
                           "Take a larger spacing.");
  Potential<grid::ScalarField> found{empty_field(grid, options)};
  const QuantumProblem problem{wavefunction, scale_of(options)};
  sum_by_engine(found, count, operations_on(grid, problem), problem, options,
                [&](const QuantumEngine& engine) {
                  return engine.sum_on(grid, problem, found.values.values.data(), options.compute, progress);
                });
  return found;
}

Parts quantum_parts_of(const grid::Grid& grid, std::size_t bytes) {
  return parts_of_planes(grid, quantum_block_edge, 0, bytes);
}

Potential<int> quantum_potential_in_parts(
    const grid::Grid& grid, const gaussians::WavefunctionPotential& wavefunction,
    const QuantumOptions& options, const Parts& parts,
    const std::function<void(const grid::ScalarField&, const jobs::Progress&)>& use,
    const jobs::Progress& progress, KeptParts* kept) {
  check_unit(grid);
  check_options(options);
  require_cpu(options.compute, "A map in parts");
  dispatch::require_no_more_than_cpu(options.compute);
  const QuantumProblem problem{wavefunction, scale_of(options)};
  const int threads = options.compute.threads;
  tbb::task_arena arena(threads > 0 ? threads : dispatch::processor_threads());
  Potential<int> found{parts.count};
  compute_parts(
      grid, parts, [&](const grid::Grid& its) { return empty_field(its, options); },
      [&](const GridPlanes& planes, float* values, const jobs::Progress& on) {
        const auto start = std::chrono::steady_clock::now();
        arena.execute([&] { sum_quantum_on(grid, planes, problem, values, on); });
        found.seconds_sums += seconds_since(start);
      },
      use, progress, kept);
  found.report.who = make_cpu_quantum_engine()->description(threads) + ", exact integrals";
  return found;
}

Potential<std::vector<double>> quantum_potential_at(const Places& places,
                                                    const gaussians::WavefunctionPotential& wavefunction,
                                                    const QuantumOptions& options,
                                                    const jobs::Progress& progress) {
  check_options(options);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Eigen::Vector3d place(places.x[i], places.y[i], places.z[i]);
    if (!(place.cwiseAbs().maxCoeff() <= 1e3 * structures::most_magnitude)) {
      throw Error(
          fmt::format("Point {}: {}, {}, {} is too far away. Give finite numbers within {:.0e} angstrom.",
                      i + 1, place.x(), place.y(), place.z(), 1e3 * structures::most_magnitude));
    }
  }
  Potential<std::vector<double>> found{std::vector<double>(places.size())};
  const QuantumProblem problem{wavefunction, scale_of(options)};
  const std::vector<std::size_t> order = neighbours_in_order(places);
  std::vector<double> in_order(places.size());
  sum_by_engine(found, places.size(), operations_at(places, order, problem), problem, options,
                [&](const QuantumEngine& engine) {
                  return engine.sum_at(places, order, problem, in_order.data(), options.compute, progress);
                });
  for (std::size_t n = 0; n < order.size(); ++n) found.values[order[n]] = in_order[n];
  return found;
}

}  // namespace isolume::electrostatics
