#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/nbody/engines/engine.h"

namespace isolume::nbody {

/// What to measure; see measure_crossover.
struct CrossoverOptions {
  double error = 1e-3;  ///< for tree codes, as ForceOptions::error; it has no effect on the direct sum
  std::size_t fewest_bodies = 512, most_bodies = 1 << 18;  ///< powers of two within this range
  double longest_seconds = 2;  ///< a solver that took longer is not run with more bodies
  int threads = 0;
  std::string engine = "auto", devices = "all";
};

/// Times of one solver.
struct SolverTimes {
  std::string solver;                                 ///< "direct", "barnes-hut", "fmm"
  std::string computed_by = {};                       ///< of the last measurement, for display
  std::vector<std::optional<double>> seconds = {};    ///< of one sum of all forces; nothing: not measured
  std::vector<std::optional<double>> p99_error = {};  ///< as SampledErrors
};

/// Number of bodies from which one solver is faster than another throughout the measured range.
struct Crossing {
  std::string faster, slower;
  /// Interpolated linearly in the logarithms of the times; nothing: the solver is never faster.
  std::optional<double> bodies;
  bool always = false;  ///< already with the fewest bodies
};

/// Times of solvers against the number of bodies, on this machine.
struct Crossover {
  double error = 0;
  std::vector<std::size_t> bodies;
  std::vector<SolverTimes> solvers;  ///< direct, barnes-hut, fmm; arrays of the same length as `bodies`
  std::vector<Crossing> crossings = {};
};

/// Uses benchmark_bodies, smallest sets first; each time is the median of at least three repeats after a warm-up.
/// Throws Error for invalid options, Cancelled.
Crossover measure_crossover(const CrossoverOptions& options, const EngineRegistry& engines,
                            const jobs::Progress& progress = {});

/// Compares two solvers by their times at increasing numbers of bodies: finds where the second becomes faster.
/// Numbers of bodies without a time of both are ignored.
Crossing crossing_of(const std::vector<std::size_t>& bodies, const SolverTimes& first,
                     const SolverTimes& second);

/// Rounds a number of bodies to two digits, for display.
double two_digits(double bodies);
/// A sentence for display: "From about 21000 bodies on, the fast multipole method is faster than Barnes-Hut."
std::string in_words(const Crossing& crossing, const Crossover& of);

nlohmann::ordered_json to_json(const Crossover& crossover);

}  // namespace isolume::nbody
