#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/electrostatics/sums/options.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::electrostatics {

/// Minimum distances of ions, in angstrom.
struct IonDistances {
  double to_solute = 5;  ///< to the centre of each of its atoms
  double to_ions = 5;
};

struct PlacedIon {
  Eigen::Vector3d place;  ///< in angstrom
  double charge = 0;      ///< in e
  double potential = 0;   ///< at its position, in options.unit, due to the solute and the previous ions
};

/// Monovalent ions of the opposite sign, as many as neutralise a solute's charge in e, rounded.
std::vector<double> counter_ions(double solute_charge);

/// Ions of one charge, as many as neutralise a solute's charge in e as closely as possible. Throws Error where they
/// have the same sign, and for more than a million.
std::vector<double> neutralising_ions(double solute_charge, double ion_charge);

/// Number of formula units of a salt for this concentration in mol/l in the box of a grid, rounded.
std::size_t salt_units(double molar, const grid::Grid& grid);

/// Appends ions after the other atoms, each as a residue of its own with this name, which is also its atom name.
structures::Charges with_ions(structures::Charges charges, const std::vector<PlacedIon>& ions,
                              const std::vector<std::string>& names);

/// The most common ions in cells: NA, CL and MG for 1, -1 and 2 e; empty for other charges.
std::string_view usual_ion(double charge);

/// Places ions of these charges one after the other, each at the grid point where charge times potential is lowest
/// (the first of equal ones), as VMD's cionize does; the potential is that of the solute and of the ions placed
/// before. An ion acts like a charge of radius 0 with these `options`; with fmm and multilevel, by the direct sum.
///
/// Throws Error where there is no room left, for methods that do not allow charges to be added (Poisson-Boltzmann,
/// pme), and as potential_on does.
std::vector<PlacedIon> place_ions(const grid::Grid& grid, const structures::Charges& solute,
                                  std::span<const double> charges, const PotentialOptions& options,
                                  const IonDistances& distances, const jobs::Progress& progress = {});

}  // namespace isolume::electrostatics
