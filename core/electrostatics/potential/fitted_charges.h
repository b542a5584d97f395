#pragma once

#include <Eigen/Core>

#include "core/electrostatics/potential/potential.h"
#include "core/gaussians/wavefunction_potential.h"

namespace isolume::electrostatics {

/// Merz-Singh-Kollman points around a molecule (J. Comput. Chem. 5, 129 (1984); 11, 431 (1990)): on spheres of 1.4,
/// 1.6, 1.8 and 2 times each atom's van der Waals radius (molecules::element), evenly distributed, `density` per
/// square angstrom, without those inside the sphere of another atom. Centres without a nucleus have none. The same
/// for the same molecule.
Places shells_around(const molecules::Molecule& molecule, double density);

struct FittedCharges {
  Eigen::VectorXd charges;       ///< in e
  std::size_t points = 0;        ///< number of points of the fit
  double rms_hartree_per_e = 0;  ///< of the residual
  double relative_rms = 0;       ///< rms divided by that of the potential
};

/// Least-squares fit of charges at the nuclei to this potential (Eh/e) at these points, under the constraint that
/// they sum to `total_charge`. Without restraints: charges of buried atoms are badly determined. Throws Error where
/// there are fewer points than nuclei, or nuclei that coincide.
FittedCharges fit_charges(const molecules::Molecule& molecule, const Places& places,
                          const std::vector<double>& potential, double total_charge);

}  // namespace isolume::electrostatics
