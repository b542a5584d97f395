#pragma once

#include <Eigen/Core>

#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::orbitals {

/// The reference values before rounding to float: psi_k at points (3 x n, bohr), n x K. Algorithm 1 of "GPU Computing
/// Gems", chapter 1 (Stone et al.): loops over atoms' shells, primitives and angular functions at each point, without
/// screening.
Eigen::MatrixXd reference_amplitudes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                     const Eigen::MatrixXd& coefficients, const Eigen::Matrix3Xd& points_bohr,
                                     const jobs::Progress& progress = {});

/// The points of a grid in the order of a field's values: 3 x point_count.
Eigen::Matrix3Xd grid_points(const grid::Grid& grid);

}  // namespace isolume::orbitals
