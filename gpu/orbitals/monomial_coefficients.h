#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/molecules/basis_set.h"

namespace isolume::gpu {

/// Orbital coefficients of the monomials of every shell, without the norm N_l, which belongs to the radial
/// part.
struct MonomialCoefficients {
  Eigen::MatrixXd rows;                 ///< monomials x columns, shell after shell
  std::vector<Eigen::Index> first_row;  ///< of each shell
};

/// Converts those of the basis functions (functions x columns), with the transformation of spherical
/// functions.
MonomialCoefficients monomial_coefficients(const molecules::BasisSet& basis,
                                           const Eigen::MatrixXd& coefficients);

}  // namespace isolume::gpu
