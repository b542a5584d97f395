#pragma once

#include <span>
#include <vector>

#include "core/electrostatics/options.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// How near ions may come, in angstrom.
struct IonDistances {
  double to_solute = 5;  ///< to the centre of each of its atoms
  double to_ions = 5;
};

struct PlacedIon {
  Eigen::Vector3d place;  ///< in angstrom
  double charge = 0;      ///< in e
  double potential = 0;   ///< there, in options.unit, of the solute and the ions before it
};

/// Ions of these charges, one after the other, each at the point of the lattice where charge times potential is least (of
/// equal ones the first), as VMD's cionize has it; the potential is that of the solute and of the ions before it. An ion acts
/// by what `options` say of a charge of radius 0; those of fmm and multilevel, exactly.
///
/// Throws Error where no room is left, for methods that no charges can be added to (Poisson-Boltzmann, pme), and as
/// potential_on does.
std::vector<PlacedIon> place_ions(const lattice::Lattice& lattice, const structures::Charges& solute,
                                  std::span<const double> charges, const PotentialOptions& options,
                                  const IonDistances& distances, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
