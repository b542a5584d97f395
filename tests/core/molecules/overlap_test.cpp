#include "core/molecules/overlap.h"

#include <array>
#include <cmath>
#include <stop_token>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/molecules/example_wavefunction.h"

namespace isolume::molecules {
namespace {

/// Value of a contracted function with powers (i, j, k), straight from its definition.
double cartesian_value(const Shell& shell, CartesianPowers powers, const Eigen::Vector3d& r) {
  double radial = 0;
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    radial += shell.coefficients[p] * primitive_norm(shell.exponents[p], powers) *
              std::exp(-shell.exponents[p] * r.squaredNorm());
  }
  return radial * std::pow(r.x(), powers.x) * std::pow(r.y(), powers.y) * std::pow(r.z(), powers.z);
}

Molecule two_atoms() {
  Molecule molecule;
  molecule.atoms = {{1, {0.2, -0.3, 0.4}, 1}, {1, {1.0, 0.5, -0.6}, 1}};
  return molecule;
}

TEST(Overlap, cartesian_integrals_agree_with_quadrature) {
  const Molecule molecule = two_atoms();
  for (const auto& [la, lb] :
       std::vector<std::pair<int, int>>{{0, 0}, {1, 0}, {1, 2}, {2, 2}, {3, 1}, {3, 4}, {5, 2}, {5, 5}}) {
    BasisSet basis;
    basis.shells = {{0, la, false, {1.1, 0.7}, {0.5, 0.6}}, {1, lb, false, {0.9}, {1.0}}};
    const Eigen::MatrixXd overlap = overlap_matrix(molecule, basis);
    const auto& rows = cartesian_powers(la);
    const auto& columns = cartesian_powers(lb);
    Eigen::MatrixXd quadrature = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()),
                                                       static_cast<Eigen::Index>(columns.size()));
    const double step = 0.25;
    Eigen::VectorXd left(quadrature.rows()), right(quadrature.cols());
    for (int i = -26; i <= 26; ++i) {
      for (int j = -26; j <= 26; ++j) {
        for (int k = -26; k <= 26; ++k) {
          const Eigen::Vector3d place = Eigen::Vector3d(i, j, k) * step;
          const Eigen::Vector3d ra = place - molecule.atoms[0].position_bohr;
          const Eigen::Vector3d rb = place - molecule.atoms[1].position_bohr;
          if (ra.squaredNorm() > 40 || rb.squaredNorm() > 40) continue;
          for (std::size_t r = 0; r < rows.size(); ++r)
            left[static_cast<Eigen::Index>(r)] = cartesian_value(basis.shells[0], rows[r], ra);
          for (std::size_t c = 0; c < columns.size(); ++c)
            right[static_cast<Eigen::Index>(c)] = cartesian_value(basis.shells[1], columns[c], rb);
          quadrature.noalias() += left * right.transpose();
        }
      }
    }
    quadrature *= step * step * step;
    const Eigen::MatrixXd block = overlap.topRightCorner(quadrature.rows(), quadrature.cols());
    EXPECT_LT((block - quadrature).cwiseAbs().maxCoeff(), 1e-8) << la << ' ' << lb;
    EXPECT_LT((overlap - overlap.transpose()).cwiseAbs().maxCoeff(), 1e-15);
  }
}

TEST(Overlap, of_two_s_gaussians_is_the_closed_form) {
  const Molecule molecule = two_atoms();
  BasisSet basis;
  basis.shells = {{0, 0, false, {0.8}, {1}}, {1, 0, false, {0.8}, {1}}};
  const double distance2 = (molecule.atoms[0].position_bohr - molecule.atoms[1].position_bohr).squaredNorm();
  EXPECT_NEAR(overlap_matrix(molecule, basis)(0, 1), std::exp(-0.4 * distance2), 1e-14);
}

TEST(Overlap, spherical_functions_of_one_atom_are_orthonormal) {
  Molecule molecule;
  molecule.atoms = {{1, {3, 4, 5}, 1}};
  BasisSet basis;
  for (int l = 0; l <= max_angular_momentum; ++l) basis.shells.push_back({0, l, true, {0.9}, {1}});
  const Eigen::MatrixXd overlap = overlap_matrix(molecule, basis);
  EXPECT_LT((overlap - Eigen::MatrixXd::Identity(36, 36)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Overlap, turning_the_molecule_turns_spherical_shells_into_themselves) {
  // The overlap of two complete shells has singular values that do not depend on the orientation.
  for (int l = 1; l <= max_angular_momentum; ++l) {
    BasisSet basis;
    basis.shells = {{0, l, true, {0.5}, {1}}, {1, l, true, {0.6}, {1}}};
    Molecule along, across;
    along.atoms = {{1, {0, 0, 0}, 1}, {1, {0, 0, 1.5}, 1}};
    across.atoms = {{1, {0, 0, 0}, 1}, {1, Eigen::Vector3d(1, 2, -2) / 2, 1}};
    const auto size = 2 * l + 1;
    const Eigen::MatrixXd a = overlap_matrix(along, basis).topRightCorner(size, size);
    const Eigen::MatrixXd b = overlap_matrix(across, basis).topRightCorner(size, size);
    EXPECT_NEAR((a * a.transpose()).trace(), (b * b.transpose()).trace(), 1e-12) << l;
    EXPECT_NEAR((a * a.transpose() * a * a.transpose()).trace(),
                (b * b.transpose() * b * b.transpose()).trace(), 1e-12)
        << l;
  }
}

TEST(Overlap, distant_shells_do_not_overlap) {
  Molecule molecule;
  molecule.atoms = {{1, {0, 0, 0}, 1}, {1, {100, 0, 0}, 1}};
  BasisSet basis;
  basis.shells = {{0, 1, false, {0.5}, {1}}, {1, 1, false, {0.5}, {1}}};
  EXPECT_EQ(overlap_matrix(molecule, basis).topRightCorner(3, 3).cwiseAbs().maxCoeff(), 0);
}

TEST(Overlap, self_overlap_is_the_diagonal) {
  Molecule molecule;
  molecule.atoms = {{1, {0, 0, 0}, 1}};
  for (int l = 0; l <= max_angular_momentum; ++l) {
    BasisSet basis;
    basis.shells = {{0, l, l > 1, {4.0, 1.0, 0.2}, {0.3, 0.8, -0.4}}};
    EXPECT_NEAR(overlap_matrix(molecule, basis)(0, 0), self_overlap(basis.shells[0]), 1e-12) << l;
  }
}

TEST(Overlap, orthonormality_finds_norms_and_off_diagonals_within_a_spin) {
  OrbitalSet set;
  set.coefficients = Eigen::MatrixXd::Identity(3, 3);
  set.orbitals = {{Spin::alpha, 1, 0, ""}, {Spin::alpha, 1, 0, ""}, {Spin::beta, 1, 0, ""}};
  Eigen::MatrixXd overlap = Eigen::MatrixXd::Identity(3, 3);
  EXPECT_EQ(orthonormality(overlap, set).worst, 0);
  overlap(0, 2) = overlap(2, 0) = 0.9;  // between the spins: of no concern
  EXPECT_EQ(orthonormality(overlap, set).worst, 0);
  overlap(0, 1) = overlap(1, 0) = 0.25;
  EXPECT_EQ(orthonormality(overlap, set).worst, 0.25);
  overlap(2, 2) = 3;
  EXPECT_EQ(orthonormality(overlap, set).worst, 2);
  EXPECT_EQ(orthonormality(overlap, set).norms, (std::vector<double>{1, 1, 3}));
}

TEST(Overlap, can_be_cancelled) {
  std::stop_source source;
  source.request_stop();
  const jobs::Progress progress(source.get_token(), {});
  const Wavefunction example = testing::example_wavefunction("sp", false);
  EXPECT_THROW(overlap_matrix(example.molecule, example.basis, progress), Cancelled);
  EXPECT_THROW(orthonormality(Eigen::MatrixXd::Identity(16, 16), example.sets.front(), progress), Cancelled);
}

}  // namespace
}  // namespace isolume::molecules
