#include "core/gaussians/populations.h"

#include <Eigen/Eigenvalues>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/molecules/overlap.h"

namespace isolume::gaussians {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Throws Error, ResourceError.
void check_population(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                      std::size_t matrices) {
  const std::size_t functions = wavefunction.basis.function_count();
  if (static_cast<std::size_t>(set.coefficients.rows()) != functions ||
      static_cast<std::size_t>(set.coefficients.cols()) != set.orbitals.size()) {
    throw Error(
        fmt::format("The orbital coefficients have {} rows and {} columns, the basis set {} functions, and "
                    "there are {} orbitals.",
                    set.coefficients.rows(), set.coefficients.cols(), functions, set.orbitals.size()));
  }
  dispatch::require_memory(fmt::format("The overlap of {} functions", functions),
                           matrices * functions * functions * sizeof(double), "Take a smaller basis set.");
}

/// Charges of the nuclei less the electrons of their functions.
VectorXd less_electrons(const molecules::Wavefunction& wavefunction, const VectorXd& of_functions) {
  VectorXd charges(static_cast<Eigen::Index>(wavefunction.molecule.atoms.size()));
  for (Eigen::Index a = 0; a < charges.size(); ++a)
    charges[a] = wavefunction.molecule.atoms[static_cast<std::size_t>(a)].nuclear_charge;
  Eigen::Index first = 0;
  for (const auto& shell : wavefunction.basis.shells) {
    charges[shell.atom] -= of_functions.segment(first, shell.function_count()).sum();
    first += shell.function_count();
  }
  return charges;
}

VectorXd occupations_of(const molecules::OrbitalSet& set) {
  molecules::require_occupations(set);
  VectorXd occupations(static_cast<Eigen::Index>(set.orbitals.size()));
  for (std::size_t i = 0; i < set.orbitals.size(); ++i)
    occupations[static_cast<Eigen::Index>(i)] = set.orbitals[i].occupation;
  return occupations;
}

}  // namespace

VectorXd mulliken_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                          const jobs::Progress& progress) {
  check_population(wavefunction, set, 3);
  const MatrixXd overlap =
      molecules::overlap_matrix(wavefunction.molecule, wavefunction.basis, progress.part(0, 0.8));
  progress.check();
  const MatrixXd image = overlap * set.coefficients;
  return less_electrons(wavefunction, set.coefficients.cwiseProduct(image) * occupations_of(set));
}

VectorXd loewdin_charges(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                         const jobs::Progress& progress) {
  check_population(wavefunction, set, 5);
  const MatrixXd overlap =
      molecules::overlap_matrix(wavefunction.molecule, wavefunction.basis, progress.part(0, 0.3));
  progress.check();
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(overlap);
  if (solver.info() != Eigen::Success)
    throw Error("The eigenvalues of the overlap were not found. Ask for Mulliken's charges.");
  progress.check();
  // Rounding makes the smallest eigenvalues negative if functions are linearly dependent.
  const VectorXd roots = solver.eigenvalues().cwiseMax(0).cwiseSqrt();
  const MatrixXd image =
      solver.eigenvectors() * (roots.asDiagonal() * (solver.eigenvectors().transpose() * set.coefficients));
  return less_electrons(wavefunction, image.cwiseAbs2() * occupations_of(set));
}

}  // namespace isolume::gaussians
