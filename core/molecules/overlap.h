#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::molecules {

/// Overlap integrals between all basis functions, functions x functions, in the order of `basis`. Analytic
/// (Gaussian product theorem, Obara and Saika, J. Chem. Phys. 84, 3963 (1986)); integrals below about 1e-20
/// are zero. Throws Cancelled.
Eigen::MatrixXd overlap_matrix(const Molecule& molecule, const BasisSet& basis,
                               const jobs::Progress& progress = {});

/// Integral of the square of the first function of a shell: 1 for a normalised contraction.
double self_overlap(const Shell& shell);

/// How far a set of orbitals is from orthonormal.
struct Orthonormality {
  double worst = 0;           ///< max |C^T S C - 1| within each spin
  std::vector<double> norms;  ///< diagonal of C^T S C
  double widest_image = 0;    ///< largest Euclidean norm of a column of S C: turns rounding into deviation
};
Orthonormality orthonormality(const Eigen::MatrixXd& overlap, const OrbitalSet& set,
                              const jobs::Progress& progress = {});

}  // namespace isolume::molecules
