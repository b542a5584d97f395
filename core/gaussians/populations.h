#pragma once

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::gaussians {

/// Charges of atoms in e: each one's nucleus less the electrons counted at its functions, spins together. With S the overlap
/// and D the density matrix of a set of orbitals with their occupations:
/// - Mulliken's, of which function mu has (D S)_mu,mu (J. Chem. Phys. 23, 1833 (1955));
/// - Loewdin's, of which it has (S^1/2 D S^1/2)_mu,mu (J. Chem. Phys. 18, 365 (1950)).
/// Loewdin's depend on the norms of the functions, which are 1, and with Cartesian functions on how the molecule is turned. Both
/// sum to the charge of the molecule. Throw Error where shapes do not match or the overlap has no root, ResourceError,
/// Cancelled.
Eigen::VectorXd mulliken_charges(const molecules::Wavefunction& wavefunction,
                                 const molecules::OrbitalSet& set, const jobs::Progress& progress = {});
Eigen::VectorXd loewdin_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                                const jobs::Progress& progress = {});

}  // namespace isolume::gaussians
