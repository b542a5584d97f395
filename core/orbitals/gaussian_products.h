#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::orbitals {

/// A polynomial in the position relative to `centre`, times exp(-exponent |r - centre|^2).
struct GaussianProduct {
  Eigen::Vector3d centre;
  double exponent = 0;
  int degree = 0;
  std::size_t first = 0;  ///< of its coefficients
};

/// A quadratic field sum_k w_k psi_k^2 as a sum of products of primitive Gaussians: by the Gaussian product theorem, two
/// primitives with exponents a and b at A and B are a polynomial times one Gaussian with exponent a + b at
/// (aA + bB) / (a + b). All angular parts of a pair of primitive groups (primitive_groups.h) are one polynomial, weighted
/// with the density matrix.
struct GaussianProducts {
  std::vector<GaussianProduct> products;  ///< ordered by pairs of atoms
  /// Of each product polynomial_size(degree) numbers, those of x^i y^j z^k by increasing i, then j, then k.
  std::vector<double> coefficients;
};

/// Products whose exponential prefactor is below e^-50 are omitted. Runs on the threads of the current arena; the result
/// does not depend on their number. Throws Error as check_shapes() does, and Cancelled.
GaussianProducts gaussian_products(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                   const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                   const jobs::Progress& progress);

/// About how many of them are not negligible, or more than `most`.
double product_count(const molecules::Molecule& molecule, const molecules::BasisSet& basis, double most);

}  // namespace isolume::orbitals
