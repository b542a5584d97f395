#pragma once

#include <span>
#include <string>
#include <string_view>
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

/// Single charges of the other sign, as many as make up for a solute's charge in e, rounded.
std::vector<double> counter_ions(double solute_charge);

/// Ions of one charge, as many as make up for a solute's charge in e as well as they can. Throws Error where they have its
/// sign, and for more than a million.
std::vector<double> neutralising_ions(double solute_charge, double ion_charge);

/// How many formula units of a salt its concentration in mol/l means in the box of a lattice, rounded.
std::size_t salt_units(double molar, const lattice::Lattice& lattice);

/// Adds ions behind other atoms, each a residue of its own with this name, which is its atom's, too.
structures::Charges with_ions(structures::Charges charges, const std::vector<PlacedIon>& ions,
                              const std::vector<std::string>& names);

/// Of the ions that there are most of in cells: NA, CL and MG for 1, -1 and 2 e; empty for other charges.
std::string_view usual_ion(double charge);

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
