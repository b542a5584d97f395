#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "core/molecules/wavefunction.h"

namespace isolume::orbitals {

/// All primitives of one atom that share an exponent: a polynomial in the position relative to the atom, times one
/// Gaussian. An SP shell, or s, p and d shells of equal exponent, are one group.
struct PrimitiveGroup {
  int atom = 0;
  double exponent = 0;
  int degree = 0;          ///< of the polynomial
  Eigen::Index first = 0;  ///< its first row in `GroupedPrimitives::polynomials`
};

/// Row of x^i y^j z^k within a group's polynomial of this degree: by increasing i, then j + k, then k. The rows of
/// one power of x are contiguous, and the (y, z) monomials of a higher power of x are the first ones of a lower
/// power.
int polynomial_row(int degree, int i, int j, int k);
/// Number of monomials of a polynomial of this degree in three variables, and in (y, z) alone.
constexpr int polynomial_size(int degree) {
  return (degree + 1) * (degree + 2) * (degree + 3) / 6;
}
constexpr int plane_polynomial_size(int degree) {
  return (degree + 1) * (degree + 2) / 2;
}

/// The functions of a basis set as sums over primitive groups: contraction coefficients, norms and the transformation
/// from spherical functions to monomials are folded into one polynomial per group and function.
struct GroupedFunctions {
  std::vector<PrimitiveGroup> groups;                        ///< the groups of one atom stand together
  Eigen::SparseMatrix<double, Eigen::RowMajor> polynomials;  ///< rows of all groups x functions
};
/// Throws Error for a shell on an atom that does not exist.
GroupedFunctions group_functions(const molecules::Molecule& molecule, const molecules::BasisSet& basis);

/// K fields of a basis set as sums over primitive groups: contraction coefficients, norms and the transformation from
/// spherical functions to monomials are all folded, in double precision, into one polynomial per group and field.
struct GroupedPrimitives {
  std::vector<PrimitiveGroup> groups;  ///< the groups of one atom stand together
  Eigen::MatrixXd polynomials;         ///< rows of all groups x K
};
GroupedPrimitives group_primitives(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                   const Eigen::MatrixXd& coefficients);

/// Throws Error when shells and coefficients do not match (a row count, an atom that does not exist);
/// group_primitives calls it first.
void check_shapes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                  const Eigen::MatrixXd& coefficients);

/// Maximum weight of each row of coefficients: its largest magnitude among the columns, or, for the quadratic field
/// with these weights, sqrt(sum_k |w_k| c_k^2).
Eigen::VectorXd row_norms(const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights);

/// An upper bound on a polynomial times a Gaussian: sum_n by_power[n] r^n exp(-a r^2).
struct RadialBound {
  double exponent = 0;
  std::array<double, molecules::max_angular_momentum + 1> by_power{};

  /// Adds |coefficient x^i y^j z^k|, using max |x^i y^j z^k| = r^n sqrt(i^i j^j k^k / n^n).
  void add(double magnitude, int i, int j, int k);
  /// No value farther than `distance` from the atom is larger than this.
  double beyond(double distance) const;
  /// A distance beyond which no value exceeds `tolerance`; negative if none does anywhere, infinite for a tolerance
  /// of 0, unless all values are 0.
  double radius(double tolerance) const;
};

}  // namespace isolume::orbitals
