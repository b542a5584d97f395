#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/nbody/engine.h"

namespace isolume::nbody {

/// What is measured; see measure_crossover.
struct CrossoverOptions {
  double error = 1e-3;  ///< of tree codes, as ForceOptions::error; the direct sum is as exact as it is
  std::size_t fewest_bodies = 512, most_bodies = 1 << 18;  ///< powers of two from one to the other
  double longest_seconds = 2;  ///< a solver that took longer is not asked for more bodies
  int threads = 0;
  std::string engine = "auto", devices = "all";
};

/// One solver's times.
struct SolverTimes {
  std::string solver;                                 ///< "direct", "barnes-hut", "fmm"
  std::string computed_by = {};                       ///< of the last one, for people
  std::vector<std::optional<double>> seconds = {};    ///< of one sum of all forces; nothing: not measured
  std::vector<std::optional<double>> p99_error = {};  ///< as SampledErrors
};

/// From so many bodies on, one solver is faster than another throughout what was measured.
struct Crossing {
  std::string faster, slower;
  /// Between measured numbers as the times' logarithms run straight; nothing: it never is.
  std::optional<double> bodies;
  bool always = false;  ///< already with the fewest bodies
};

/// Times of solvers against the number of bodies, on this machine.
struct Crossover {
  double error = 0;
  std::vector<std::size_t> bodies;
  std::vector<SolverTimes> solvers;  ///< direct, barnes-hut, fmm; of one length with `bodies`
  std::vector<Crossing> crossings = {};
};

/// Of benchmark_bodies, smallest first; each time is the median of at least three repeats after a first one. Throws Error
/// for options that make no sense, Cancelled.
Crossover measure_crossover(const CrossoverOptions& options, const EngineRegistry& engines,
                            const jobs::Progress& progress = {});

/// Of two solvers whose times at rising numbers of bodies are these: from where on the second is faster. Numbers that
/// one of them has no time of do not count.
Crossing crossing_of(const std::vector<std::size_t>& bodies, const SolverTimes& first,
                     const SolverTimes& second);

/// A number of bodies to two digits, as it is told to people.
double two_digits(double bodies);
/// A sentence for people: "From about 21000 bodies on, the fast multipole method is faster than Barnes-Hut."
std::string in_words(const Crossing& crossing, const Crossover& of);

nlohmann::ordered_json to_json(const Crossover& crossover);

}  // namespace isolume::nbody
