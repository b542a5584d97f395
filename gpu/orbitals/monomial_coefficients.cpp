#include "gpu/orbitals/monomial_coefficients.h"

#include "gpu/orbitals/packed_layout.h"

namespace isolume::gpu {

MonomialCoefficients monomial_coefficients(const molecules::BasisSet& basis,
                                           const Eigen::MatrixXd& coefficients) {
  MonomialCoefficients made;
  Eigen::Index rows = 0;
  for (const auto& shell : basis.shells) {
    made.first_row.push_back(rows);
    rows += monomial_count(shell.angular_momentum);
  }
  made.rows.resize(rows, coefficients.cols());
  Eigen::Index function = 0;
  for (std::size_t s = 0; s < basis.shells.size(); ++s) {
    const auto& transform = molecules::functions_to_monomials(basis.shells[s]);
    made.rows.middleRows(made.first_row[s], transform.cols()) =
        transform.transpose() * coefficients.middleRows(function, transform.rows());
    function += transform.rows();
  }
  return made;
}

}  // namespace isolume::gpu
