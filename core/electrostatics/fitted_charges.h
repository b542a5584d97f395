#pragma once

#include <Eigen/Core>

#include "core/electrostatics/potential.h"
#include "core/gaussians/wavefunction_potential.h"

namespace isolume::electrostatics {

/// Places around a molecule in the manner of Merz, Singh and Kollman (J. Comput. Chem. 5, 129 (1984); 11, 431 (1990)): on spheres
/// of 1.4, 1.6, 1.8 and 2 times each atom's van der Waals radius (molecules::element), evenly spread, `density` to the square
/// angstrom, without those that lie within the sphere of another atom. Atoms without a nucleus have none. The same for the same
/// molecule.
Places shells_around(const molecules::Molecule& molecule, double density);

struct FittedCharges {
  Eigen::VectorXd charges;       ///< in e
  std::size_t points = 0;        ///< in which the potential was fitted
  double rms_hartree_per_e = 0;  ///< of what the charges do not account for
  double relative_rms = 0;       ///< divided by that of the potential
};

/// Charges at the nuclei whose potential differs least, in squares, from this one (Eh/e) at these places, and which sum to
/// `total_charge`. Without restraints: atoms that are buried among others are badly determined. Throws Error where there are
/// fewer places than nuclei, or nuclei at one place.
FittedCharges fit_charges(const molecules::Molecule& molecule, const Places& places,
                          const std::vector<double>& potential, double total_charge);

}  // namespace isolume::electrostatics
