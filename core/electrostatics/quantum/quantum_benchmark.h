#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/electrostatics/quantum/quantum_potential.h"

namespace isolume::electrostatics {

struct QuantumBenchmark {
  std::size_t nuclei = 0, gaussians = 0, points = 0;
  int threads = 0;
  std::string computed_by = {}, kernel = {};  ///< as in the last report
  benchmarks::Timing timing = {};
  double seconds = 0;  ///< median
  double points_per_second = 0;
  double operations_per_second = 0;  ///< estimated (operations_on)
};
nlohmann::ordered_json to_json(const QuantumBenchmark& result);

/// Times the sums of quantum_potential_on.
QuantumBenchmark benchmark_quantum_potential(const gaussians::WavefunctionPotential& wavefunction,
                                             const grid::Grid& grid, const QuantumOptions& options,
                                             const benchmarks::RepeatOptions& repeats = {0, 3},
                                             const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
