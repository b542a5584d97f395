#include "core/electrostatics/sums/pair_engine.h"

#include <algorithm>
#include <functional>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/engine_choice.h"
#include "core/electrostatics/poisson_boltzmann/equation_engine.h"
#include "core/electrostatics/sums/molecular_density.h"
#include "core/electrostatics/sums/pair_field.h"

namespace isolume::electrostatics {
namespace {

class CpuPairEngine final : public PairEngine {
 public:
  std::string_view name() const override { return "cpu"; }
  std::string description(int wanted) const override {
    const int threads = wanted > 0 ? wanted : dispatch::processor_threads();
    return fmt::format("CPU, {} thread{}", threads, threads == 1 ? "" : "s");
  }
  dispatch::Report sum_on(const grid::Grid& grid, const PairProblem& problem, float* values,
                          const dispatch::ComputeOptions& options,
                          const jobs::Progress& progress) const override {
    dispatch::require_no_more_than_cpu(options);
    const auto on_mesh = problem.rest ? values_on_mesh(*problem.rest, progress) : std::vector<double>();
    sum_pairs_on(grid, problem.bins, problem.terms, problem.scale, values, progress);
    if (problem.rest) add_mesh_potential(*problem.rest, on_mesh, grid, problem.scale, values, progress);
    return {};
  }
  dispatch::Report sum_at(const Places& places, const PairProblem& problem, double* values,
                          const dispatch::ComputeOptions& options,
                          const jobs::Progress& progress) const override {
    dispatch::require_no_more_than_cpu(options);
    const auto on_mesh = problem.rest ? values_on_mesh(*problem.rest, progress) : std::vector<double>();
    const auto place = [&](std::size_t i) { return Eigen::Vector3d(places.x[i], places.y[i], places.z[i]); };
    const auto store = [&](std::size_t i, double value) {
      values[i] = value;
      if (problem.rest) values[i] += problem.scale * mesh_potential_at(*problem.rest, on_mesh, place(i));
    };
    sum_pairs_at(places.size(), place, problem.bins, problem.terms, problem.scale, store, progress);
    return {};
  }

  dispatch::Report density_on(const grid::Grid& grid, const structures::Charges& charges, float* values,
                              const dispatch::ComputeOptions& options,
                              const jobs::Progress& progress) const override {
    dispatch::require_no_more_than_cpu(options);
    fill_density(grid, charges, values, progress);
    return {};
  }

  const EquationEngine* equations() const override { return &cpu_equations(); }
};

using SumByEngine = std::function<dispatch::Report(const PairEngine& engine)>;

dispatch::Report sum_by(const PairProblem& problem, std::size_t points, const PotentialOptions& options,
                        const SumByEngine& sum) {
  EngineRegistry cpu_alone;
  const EngineRegistry& engines = engines_of(options, cpu_alone);
  auto report = dispatch::by_chosen_engine(engines, pairs_of(problem, points), options, sum);
  if (!report.shares.empty()) {
    report.job = fmt::format("potential of {} charges at {} points", problem.bins.sorted().size(), points);
    engines.record(report);
  }
  return report;
}

}  // namespace

const EngineRegistry& engines_of(const PotentialOptions& options, EngineRegistry& cpu_alone) {
  if (options.engines != nullptr) return *options.engines;
  cpu_alone.add(make_cpu_engine());
  return cpu_alone;
}

double pairs_of(const PairProblem& problem, std::size_t points) {
  const auto charges = static_cast<double>(problem.bins.sorted().size());
  const auto at = static_cast<double>(points);
  const double cutoff = problem.terms.cutoff;
  if (cutoff == 0) return charges * at;
  const auto& counts = problem.bins.counts();
  const double side = problem.bins.side();
  const double volume = side * side * side * counts[0] * counts[1] * counts[2];
  return std::min(1.0, 4 * std::numbers::pi / 3 * cutoff * cutoff * cutoff / volume) * charges * at;
}

std::unique_ptr<PairEngine> make_cpu_engine() {
  return std::make_unique<CpuPairEngine>();
}

dispatch::Report sum_by_engine(const grid::Grid& grid, const PairProblem& problem, float* values,
                               const PotentialOptions& options, const jobs::Progress& progress) {
  return sum_by(problem, grid.point_count(), options, [&](const PairEngine& engine) {
    return engine.sum_on(grid, problem, values, options, progress);
  });
}

dispatch::Report sum_by_engine(const Places& places, const PairProblem& problem, double* values,
                               const PotentialOptions& options, const jobs::Progress& progress) {
  return sum_by(problem, places.size(), options, [&](const PairEngine& engine) {
    return engine.sum_at(places, problem, values, options, progress);
  });
}

dispatch::Report density_by_engine(const grid::Grid& grid, const structures::Charges& charges, float* values,
                                   const PotentialOptions& options, const jobs::Progress& progress) {
  EngineRegistry cpu_alone;
  const EngineRegistry& engines = engines_of(options, cpu_alone);
  dispatch::ComputeOptions how = options;
  how.kernel = "auto";
  auto report = dispatch::by_chosen_engine(
      engines, density_pairs(grid, charges), how,
      [&](const PairEngine& engine) { return engine.density_on(grid, charges, values, how, progress); });
  if (!report.shares.empty()) {
    report.job = fmt::format("surface of {} atoms at {} points", charges.size(), grid.point_count());
    engines.record(report);
  }
  return report;
}

void require_cpu(const dispatch::ComputeOptions& options, std::string_view what) {
  if (options.engine == "auto" || options.engine == "cpu") return;
  throw Error(fmt::format("{} is computed on the CPU alone. Choose the engine \"auto\" or \"cpu\".", what));
}

}  // namespace isolume::electrostatics
