#pragma once

#include <optional>
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
  double worst = 0;            ///< max |C^T S C - 1| within each spin
  std::vector<double> norms;   ///< diagonal of C^T S C
  std::vector<double> images;  ///< Euclidean norms of the columns of S C, which relate rounding to deviations
  double widest_image = 0;     ///< the largest of them
};
Orthonormality orthonormality(const Eigen::MatrixXd& overlap, const OrbitalSet& set,
                              const jobs::Progress& progress = {});

/// Orbitals without which the others are orthonormal: those with a wrong norm, and those that overlap with most
/// others. `limits` gives the accepted |C^T S C - 1| for each orbital; the larger one applies to a pair. Nothing if
/// there would be more than `most`.
std::optional<std::vector<int>> spoilt_orbitals(const Eigen::MatrixXd& overlap, const OrbitalSet& set,
                                                const std::vector<double>& limits, std::size_t most,
                                                const jobs::Progress& progress = {});

}  // namespace isolume::molecules
