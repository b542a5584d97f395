#pragma once

#include <vector>

#include "core/electrostatics/options.h"
#include "core/electrostatics/poisson_boltzmann/lattice_equation.h"
#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

/// What an equation on a lattice knows from the start: the potential at the points of its faces, in kT/e.
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

/// How many points that are.
inline std::size_t face_points(const Extents& e) {
  const auto inside = [](int n) { return static_cast<std::size_t>(n - 2); };
  return e.count() - inside(e.nx) * inside(e.ny) * inside(e.nz);
}

/// The sum of Debye-Hueckel potentials in a medium of one permittivity with this salt, in the order of for_faces. By few
/// charges and at few points where the faces are far away: what a charge adds is off by 6e-4 at most of what it would add without
/// salt if it is the nearest one, and by less the farther it is, with the sixth power.
std::vector<double> debye_hueckel_faces(const lattice::Lattice& lattice, const structures::Charges& charges,
                                        const PotentialOptions& options, double permittivity,
                                        double salt_molar, const jobs::Progress& progress);

/// What a solution on a larger lattice has there, interpolated trilinearly.
std::vector<double> faces_within(const lattice::Lattice& lattice, const lattice::Lattice& larger,
                                 const LatticeEquation& solution);

void set_faces(const std::vector<double>& values, LatticeEquation& equation);

}  // namespace isolume::electrostatics
