#pragma once

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::gaussians {

/// Atomic charges in e: the charge of each nucleus less the electrons of its functions, both spins added.
/// With S the overlap matrix and D the density matrix of a set of orbitals with their occupations, function
/// mu has
/// - (D S)_mu,mu electrons by Mulliken (J. Chem. Phys. 23, 1833 (1955));
/// - (S^1/2 D S^1/2)_mu,mu electrons by Loewdin (J. Chem. Phys. 18, 365 (1950)).
/// Loewdin charges depend on the norms of the functions, which are 1, and with Cartesian functions on the
/// orientation of the molecule. Both sum to the charge of the molecule. Throw Error if the shapes do not
/// match or the overlap matrix has no root, ResourceError, Cancelled.
Eigen::VectorXd mulliken_charges(const molecules::Wavefunction& wavefunction,
                                 const molecules::OrbitalSet& set, const jobs::Progress& progress = {});
Eigen::VectorXd loewdin_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                                const jobs::Progress& progress = {});

}  // namespace isolume::gaussians
