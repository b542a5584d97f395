#pragma once

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/nbody/engine.h"

namespace isolume::nbody {

/// Bodies of equal mass, 1 together, at random places of Plummer's sphere of radius 1, of which what is beyond
/// 22 radii is left out; without velocities. The same for the same count, and fewer are the first of more but
/// for their mass.
Bodies benchmark_bodies(std::size_t count);

/// The last of the forces, and how long each took.
struct TimedForces {
  benchmarks::Timing timing = {};
  Forces forces = {};
};
/// Throws what forces_by throws.
TimedForces time_forces(const Bodies& bodies, const ForceOptions& options, const EngineRegistry& engines,
                        const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress = {});

/// One solver, timed. A repeat is all a caller pays for: order, tree and sums.
struct BenchmarkResult {
  std::string solver;
  std::size_t bodies = 0;
  int threads = 0;
  ForceOptions options = {};
  benchmarks::Timing timing = {};
  double seconds = 0;  ///< the median
  ForceSeconds of_the_last = {};
  std::string computed_by = {};  ///< for people: "CPU, Barnes-Hut, 16 threads"
  double median_error = 0, p99_error = 0;
  double interactions_per_second = 0;  ///< bodies or groups of them with bodies or cells
  double pair_peak = 0;                ///< benchmarks::measure_pair_peak; 0: not the CPU
  double bodies_per_second = 0;
  double fraction_of_bound = 0;   ///< of the pair peak; 0: nobody knows it
  std::string why_no_bound = {};  ///< for people, where the fraction is 0
};
nlohmann::ordered_json to_json(const BenchmarkResult& result);

/// Of benchmark_bodies; errors of a thousand of them against every pair in double precision.
BenchmarkResult benchmark_forces(std::size_t bodies, const ForceOptions& options,
                                 const EngineRegistry& engines,
                                 const benchmarks::RepeatOptions& repeats = {0, 3},
                                 const jobs::Progress& progress = {});

}  // namespace isolume::nbody
