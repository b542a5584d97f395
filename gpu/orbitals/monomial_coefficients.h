#pragma once

#include <vector>

#include <Eigen/Core>

#include "core/molecules/basis_set.h"

namespace isolume::gpu {

/// Orbital coefficients of the monomials of every shell, the norm N_l left to the radial part.
struct MonomialCoefficients {
  Eigen::MatrixXd rows;                 ///< monomials x columns, shell after shell
  std::vector<Eigen::Index> first_row;  ///< of each shell
};

/// From those of the basis functions (functions x columns): spherical functions are folded in.
MonomialCoefficients monomial_coefficients(const molecules::BasisSet& basis,
                                           const Eigen::MatrixXd& coefficients);

}  // namespace isolume::gpu
