#pragma once

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/nbody/engines/engine.h"

namespace isolume::nbody {

/// Bodies of equal mass, total mass 1, at random positions of a Plummer sphere of radius 1 truncated at 22 radii;
/// without velocities. The same for the same count; a smaller set is a prefix of a larger one, except for the masses.
Bodies benchmark_bodies(std::size_t count);

/// The last forces, and the duration of each sum.
struct TimedForces {
  benchmarks::Timing timing = {};
  Forces forces = {};
};
/// Throws what forces_by throws.
TimedForces time_forces(const Bodies& bodies, const ForceOptions& options, const EngineRegistry& engines,
                        const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress = {});

/// Timing of one solver. A repeat includes everything that a caller pays for: sorting, tree and sums.
struct BenchmarkResult {
  std::string solver;
  std::size_t bodies = 0;
  int threads = 0;
  ForceOptions options = {};
  benchmarks::Timing timing = {};
  double seconds = 0;  ///< median
  ForceSeconds of_the_last = {};
  std::string computed_by = {};  ///< for display: "CPU, Barnes-Hut, 16 threads"
  double median_error = 0, p99_error = 0;
  double interactions_per_second = 0;  ///< body-body and body-cell (or group-cell) interactions
  double pair_peak = 0;                ///< benchmarks::measure_pair_peak; 0: not on the CPU
  double bodies_per_second = 0;
  double fraction_of_bound = 0;   ///< of the pair peak; 0: not known
  std::string why_no_bound = {};  ///< for display, where the fraction is 0
};
nlohmann::ordered_json to_json(const BenchmarkResult& result);

/// Uses benchmark_bodies; errors are those of a thousand bodies against the direct sum in double precision.
BenchmarkResult benchmark_forces(std::size_t bodies, const ForceOptions& options,
                                 const EngineRegistry& engines,
                                 const benchmarks::RepeatOptions& repeats = {0, 3},
                                 const jobs::Progress& progress = {});

}  // namespace isolume::nbody
