#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/benchmark/repeats.h"
#include "core/electrostatics/potential.h"

namespace isolume::electrostatics {

/// Charges of +-0.4 e of radius 1.5 angstrom at random places of a cube, as dense as the atoms of liquid water (0.1 to
/// the cubic angstrom). The same for the same count.
structures::Charges benchmark_charges(std::size_t count);
/// Over the cube of so many charges, with this spacing.
lattice::Lattice benchmark_lattice(std::size_t charges, double spacing_angstrom);

/// Not fmm, multilevel and pme, which make up for those that are farther away.
bool sums_all_pairs(Method method);

struct BenchmarkResult {
  Method method = Method::direct;
  Dielectric dielectric = Dielectric::constant;
  std::size_t atoms = 0, points = 0;
  int threads = 0;
  std::string computed_by = {}, kernel = {}, reason = {};  ///< as the last report has it
  benchmarks::Timing timing = {};
  double seconds = 0;  ///< the median
  double pairs_per_second =
      0;  ///< of charges that act on a point; with fmm, multilevel and pme, as many as the direct sum has
  double pair_peak = 0;  ///< measure_potential_peak
  double fraction_of_bound =
      0;  ///< of the peak; 0 for what does not sum pairs by inverse roots, and for what the CPU did not do
  /// Of the Poisson-Boltzmann equation: points of the lattice, each of which is unknown in the solution and in the
  /// reference; 0 of others. All of the time counts, that for surface and faces, too.
  std::size_t unknowns = 0;
  double unknowns_per_second = 0;
  benchmarks::Timing after_slider =
      {};  ///< the solution anew for a tenth more or less salt, from the last one
  /// Of these, the equation of the solution alone, from the links of its lattice to its potential: with the way to a GPU and
  /// back where it is one that solves.
  benchmarks::Timing equation = {}, equation_after_slider = {};
  int cycles = 0, cycles_after_slider = 0;
};
nlohmann::ordered_json to_json(const BenchmarkResult& result);

/// The solution of a Poisson-Boltzmann method and its reference, without focusing, for a solute of permittivity 2.
BenchmarkResult benchmark_equation(const structures::Charges& charges, const lattice::Lattice& lattice,
                                   PotentialOptions options,
                                   const benchmarks::RepeatOptions& repeats = {0, 3},
                                   const jobs::Progress& progress = {});

/// The sums that potential_on does on benchmark_lattice. Of a Poisson-Boltzmann method, benchmark_equation on a lattice
/// around the cube.
BenchmarkResult benchmark_potential(std::size_t charges, double spacing_angstrom, PotentialOptions options,
                                    const benchmarks::RepeatOptions& repeats = {0, 3},
                                    const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
