#include "core/electrostatics/quantum/quantum_benchmark.h"

#include "core/base/clock.h"
#include "core/electrostatics/quantum/quantum_sums.h"

namespace isolume::electrostatics {

QuantumBenchmark benchmark_quantum_potential(const gaussians::WavefunctionPotential& wavefunction,
                                             const grid::Grid& grid, const QuantumOptions& options,
                                             const benchmarks::RepeatOptions& repeats,
                                             const jobs::Progress& progress) {
  QuantumBenchmark result{.nuclei = wavefunction.nuclei().size(),
                          .gaussians = wavefunction.gaussian_count(),
                          .points = grid.point_count()};
  const int threads = options.compute.threads;
  result.threads = threads > 0 ? threads : dispatch::processor_threads();
  result.timing = benchmarks::time_repeats(repeats, [&] {
    progress.check();
    const auto start = std::chrono::steady_clock::now();
    const auto potential = quantum_potential_on(grid, wavefunction, options, progress);
    result.computed_by = potential.report.who;
    result.kernel = potential.report.kernel;
    return milliseconds_since(start);
  });
  result.seconds = result.timing.median_ms / 1000;
  result.points_per_second = static_cast<double>(result.points) / result.seconds;
  result.operations_per_second = operations_on(grid, {wavefunction, 1}) / result.seconds;
  return result;
}

nlohmann::ordered_json to_json(const QuantumBenchmark& result) {
  return {
      {"method", "quantum"},
      {"nuclei", result.nuclei},
      {"gaussians", result.gaussians},
      {"points", result.points},
      {"threads", result.threads},
      {"seconds", result.seconds},
      {"timing", benchmarks::to_json(result.timing)},
      {"computed_by", result.computed_by},
      {"kernel", result.kernel.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(result.kernel)},
      {"points_per_second", result.points_per_second},
      {"operations_per_second", result.operations_per_second}};
}

}  // namespace isolume::electrostatics
