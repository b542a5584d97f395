#pragma once

#include <cstddef>
#include <vector>

#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A sum of Gaussians, exp(b (1 - r^2 / radius^2)) of each atom that has a radius, with b = 2.35 (Blinn, ACM Trans. Graph.
/// 1, 235 (1982)); without a unit. Where it is 1 is a molecule's smooth surface: the van der Waals sphere of a lone atom,
/// and a little outside of the spheres where atoms touch. Gaussians below 1e-4 are left out.
///
/// By the CPU, at the points of a lattice along x, y and z, the same on any number of threads. Throws Cancelled.
void fill_density(const lattice::Lattice& lattice, const structures::Charges& charges, float* values,
                  const jobs::Progress& progress);

inline constexpr double density_sharpness = 2.35;  ///< b
inline constexpr double least_density = 1e-4;
/// Of an atom, in its radius: where its Gaussian falls to least_density.
double density_reach();
/// About how many points of a lattice all atoms reach together.
double density_pairs(const lattice::Lattice& lattice, const structures::Charges& charges);

/// The density layer by layer, planes across the last axis. The charges outlive it.
class DensityLayers {
 public:
  DensityLayers(const lattice::Lattice& lattice, const structures::Charges& charges);
  /// One layer, to its place in the values of all.
  void fill(int layer, float* values) const;

 private:
  lattice::Lattice lattice_;
  const structures::Charges& charges_;
  std::vector<std::vector<std::size_t>> atoms_;  ///< that reach a layer
};

}  // namespace isolume::electrostatics
