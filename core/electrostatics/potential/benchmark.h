#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/electrostatics/potential/potential.h"

namespace isolume::electrostatics {

/// Charges of +-0.4 e with radius 1.5 angstrom at random positions in a cube, with the density of atoms in liquid
/// water (0.1 per cubic angstrom). The same for the same count.
structures::Charges benchmark_charges(std::size_t count);
/// Covers the cube of this many charges, with this spacing.
grid::Grid benchmark_grid(std::size_t charges, double spacing_angstrom);

/// False for fmm, multilevel and pme, which compute distant charges by other means.
bool sums_all_pairs(Method method);

struct BenchmarkResult {
  Method method = Method::direct;
  Dielectric dielectric = Dielectric::constant;
  std::size_t atoms = 0, points = 0;
  int threads = 0;
  std::string computed_by = {}, kernel = {}, reason = {};  ///< as in the last report
  benchmarks::Timing timing = {};
  double seconds = 0;  ///< median
  double pairs_per_second =
      0;  ///< number of charge-point pairs within range; with fmm, multilevel and pme, that of the direct sum
  double pair_peak = 0;  ///< measure_potential_peak
  double fraction_of_bound =
      0;  ///< of the peak; 0 where pairs are not summed by inverse roots, or not on the CPU
  /// For the Poisson-Boltzmann equation: number of grid points, each of which is an unknown in the solution and in
  /// the reference; 0 for other methods. The times include those for the surface and the boundary condition.
  std::size_t unknowns = 0;
  double unknowns_per_second = 0;
  benchmarks::Timing after_slider =
      {};  ///< a new solution after a change of the salt concentration by a tenth, starting from the last one
  /// The part of these spent in the equation of the solution alone, from the coefficients on its grid to the
  /// potential, including transfers if a GPU solves it.
  benchmarks::Timing equation = {}, equation_after_slider = {};
  int cycles = 0, cycles_after_slider = 0;
};
nlohmann::ordered_json to_json(const BenchmarkResult& result);

/// The solution of a Poisson-Boltzmann method and its reference, without focusing, for a solute of permittivity 2.
BenchmarkResult benchmark_equation(const structures::Charges& charges, const grid::Grid& grid,
                                   PotentialOptions options,
                                   const benchmarks::RepeatOptions& repeats = {0, 3},
                                   const jobs::Progress& progress = {});

/// Times the sums of potential_on on benchmark_grid; for a Poisson-Boltzmann method, benchmark_equation on a
/// grid around the cube.
BenchmarkResult benchmark_potential(std::size_t charges, double spacing_angstrom, PotentialOptions options,
                                    const benchmarks::RepeatOptions& repeats = {0, 3},
                                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
