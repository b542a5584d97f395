#pragma once

#include <span>
#include <vector>

#include "core/electrostatics/sums/options.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

class SolventSurfaces;

/// Reads maps near the boundary of solute and solvent. There the normal derivative of a solution of the
/// Poisson-Boltzmann equation jumps by the ratio of the two permittivities, and trilinear interpolation is wrong by up
/// to the change of the potential within a grid step, by more or less as the boundary lies between the grid points.
/// Across the boundary the flux, permittivity times gradient, is continuous: the potential is linear in the depth
/// divided by the permittivity. In cells that the boundary crosses, this part of the potential is fitted and
/// interpolated by the exact depth, and the rest by weights times permittivities.
class BoundaryValues {
 public:
  /// `options`: of the maps. With other methods, and with the spline surface, whose permittivity is smooth, values are
  /// interpolated trilinearly. `known`: cache of the surfaces of these charges, which is used and updated. Throws
  /// ResourceError, Cancelled.
  BoundaryValues(const grid::Grid& grid, const structures::Charges& charges, const PotentialOptions& options,
                 SolventSurfaces& known, const jobs::Progress& progress = {});

  /// Values at many places in angstrom, three floats each; NaN outside of the map, which is on that grid.
  std::vector<float> at(const grid::ScalarField& potential, std::span<const float> places) const;

 private:
  std::vector<float>
      depth_;         ///< of the grid points below the boundary, up to two steps; empty: there is none
  double ratio_ = 1;  ///< permittivity of the solute divided by the solvent's
};

}  // namespace isolume::electrostatics
