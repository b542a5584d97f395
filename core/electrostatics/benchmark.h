#pragma once

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/electrostatics/potential.h"

namespace isolume::electrostatics {

/// Charges of +-0.4 e of radius 1.5 angstrom at random places of a cube, as dense as the atoms of liquid water (0.1 to
/// the cubic angstrom). The same for the same count.
Charges benchmark_charges(std::size_t count);
/// Over the cube of so many charges, with this spacing.
lattice::Lattice benchmark_lattice(std::size_t charges, double spacing_angstrom);

struct BenchmarkResult {
  Method method = Method::direct;
  std::size_t atoms = 0, points = 0;
  int threads = 0;
  benchmarks::Timing timing = {};
  double seconds = 0;            ///< the median
  double pairs_per_second = 0;   ///< of charges that act on a point; with fmm, as many as the direct sum has
  double pair_peak = 0;          ///< measure_potential_peak
  double fraction_of_bound = 0;  ///< of the peak; 0 for fmm, which does not sum pairs
};
nlohmann::ordered_json to_json(const BenchmarkResult& result);

BenchmarkResult benchmark_potential(std::size_t charges, double spacing_angstrom,
                                    const PotentialOptions& options,
                                    const benchmarks::RepeatOptions& repeats = {0, 3},
                                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
