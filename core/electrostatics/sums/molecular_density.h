#pragma once

#include <cstddef>
#include <vector>

#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// A sum of Gaussians, exp(b (1 - r^2 / radius^2)) for each atom that has a radius, with b = 2.35 (Blinn, ACM Trans.
/// Graph. 1, 235 (1982)); dimensionless. The isosurface of value 1 is a molecule's smooth surface: the van der Waals
/// sphere of a lone atom, and slightly outside the spheres where atoms touch. Gaussians below 1e-4 are left out.
///
/// Computed by the CPU at the points of a grid along x, y and z; the result does not depend on the number of
/// threads. Throws Cancelled.
void fill_density(const grid::Grid& grid, const structures::Charges& charges, float* values,
                  const jobs::Progress& progress);

inline constexpr double density_sharpness = 2.35;  ///< b
inline constexpr double least_density = 1e-4;
/// Distance in units of an atom's radius at which its Gaussian falls to least_density.
double density_reach();
/// Estimated number of atom-point pairs within reach on a grid.
double density_pairs(const grid::Grid& grid, const structures::Charges& charges);

/// The density layer by layer, planes across the last axis. The charges must outlive it.
class DensityLayers {
 public:
  DensityLayers(const grid::Grid& grid, const structures::Charges& charges);
  /// Fills one layer within the array of all values.
  void fill(int layer, float* values) const;

 private:
  grid::Grid grid_;
  const structures::Charges& charges_;
  std::vector<std::vector<std::size_t>> atoms_;  ///< that reach a layer
};

}  // namespace isolume::electrostatics
