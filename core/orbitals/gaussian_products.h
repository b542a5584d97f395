#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"
#include "core/molecules/wavefunction.h"

namespace isolume::orbitals {

inline constexpr int product_lanes = 8;
using Lanes = std::array<double, product_lanes>;

/// Products of equal degree, one in each lane: a polynomial in the position relative to `centre`, times
/// exp(-exponent |r - centre|^2). The polynomials of lanes from `count` on are 0.
struct ProductBatch {
  int degree = 0;
  int count = 0;
  std::size_t first = 0;  ///< of its coefficients
  std::array<Lanes, 3> centre;
  Lanes exponent;
};

/// Products of one atom's primitives. By the Gaussian product theorem, two primitives with exponents a and b at A and B
/// are a polynomial times one Gaussian with exponent a + b at (aA + bB) / (a + b). All angular parts of a pair of
/// primitive groups (primitive_groups.h) are one polynomial, weighted with the density matrix.
struct GaussianProducts {
  std::vector<ProductBatch> batches;
  /// Of each batch polynomial_size(degree) numbers for each lane, those of x^i y^j z^k by increasing i, then j, then k;
  /// the lanes of each are contiguous.
  std::vector<double, UninitialisedAllocator<double>> coefficients;
};

/// A quadratic field sum_k w_k psi_k^2 as a sum of products of primitive Gaussians: for each atom, those with its own
/// primitives and with those of the atoms after it. Products whose exponential prefactor is below e^-50 are omitted.
/// Runs on the threads of the current arena; the result does not depend on their number. Throws Error as check_shapes()
/// does, and Cancelled.
std::vector<GaussianProducts> gaussian_products(const molecules::Molecule& molecule,
                                                const molecules::BasisSet& basis,
                                                const Eigen::MatrixXd& coefficients,
                                                const Eigen::VectorXd& weights,
                                                const jobs::Progress& progress);

}  // namespace isolume::orbitals
