#pragma once

#include <vector>

#include "core/electrostatics/poisson_boltzmann/grid_equation.h"
#include "core/electrostatics/sums/options.h"
#include "core/grid/grid.h"
#include "core/structures/charges.h"

/// Boundary condition of an equation on a grid: the potential at the points of its faces, in kT/e.
namespace isolume::electrostatics {

/// Calls use(i, j, k) for each point of the faces, always in the same order.
template <class Use>
void for_faces(const Extents& e, const Use& use) {
  for (int k = 0; k < e.nz; ++k) {
    const bool whole = k == 0 || k == e.nz - 1;
    for (int j = 0; j < e.ny; ++j) {
      const bool row = whole || j == 0 || j == e.ny - 1;
      for (int i = 0; i < e.nx; i += row ? 1 : e.nx - 1) use(i, j, k);
    }
  }
}

/// Number of points on the faces.
inline std::size_t face_points(const Extents& e) {
  const auto inside = [](int n) { return static_cast<std::size_t>(n - 2); };
  return e.count() - inside(e.nx) * inside(e.ny) * inside(e.nz);
}

/// The sum of Debye-Hueckel potentials in a medium of one permittivity with this salt, in the order of for_faces.
/// Uses fewer charges and fewer points where the faces are far away: the error is at most 6e-4 of what the nearest
/// charge would contribute without salt, and decreases with the sixth power of the distance.
std::vector<double> debye_hueckel_faces(const grid::Grid& grid, const structures::Charges& charges,
                                        const PotentialOptions& options, double permittivity,
                                        double salt_molar, const jobs::Progress& progress);

/// Focusing: the solution on a larger grid, interpolated trilinearly on the faces.
std::vector<double> faces_within(const grid::Grid& grid, const grid::Grid& larger,
                                 const GridEquation& solution);

void set_faces(const std::vector<double>& values, GridEquation& equation);

}  // namespace isolume::electrostatics
