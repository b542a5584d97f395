#include "core/gaussians/hermite_density.h"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::gaussians {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using molecules::Wavefunction;

/// The basis functions at a place, from their definition.
VectorXd functions_at(const Wavefunction& wavefunction, const Vector3d& place) {
  VectorXd values(static_cast<Eigen::Index>(wavefunction.basis.function_count()));
  Eigen::Index row = 0;
  for (const auto& shell : wavefunction.basis.shells) {
    const Vector3d r =
        place - wavefunction.molecule.atoms[static_cast<std::size_t>(shell.atom)].position_bohr;
    const auto& powers = molecules::cartesian_powers(shell.angular_momentum);
    VectorXd monomials(static_cast<Eigen::Index>(powers.size()));
    for (std::size_t m = 0; m < powers.size(); ++m)
      monomials[static_cast<Eigen::Index>(m)] =
          std::pow(r.x(), powers[m].x) * std::pow(r.y(), powers[m].y) * std::pow(r.z(), powers[m].z);
    double radial = 0;
    for (std::size_t p = 0; p < shell.exponents.size(); ++p)
      radial += shell.coefficients[p] *
                molecules::primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0}) *
                std::exp(-shell.exponents[p] * r.squaredNorm());
    const VectorXd own = radial * (molecules::functions_to_monomials(shell) * monomials);
    values.segment(row, own.size()) = own;
    row += own.size();
  }
  return values;
}

/// (d/dc)^t exp(-p (x - c)^2): a Hermite polynomial.
double derivative(int t, double p, double x) {
  double before = 0, here = std::exp(-p * x * x);
  for (int n = 0; n < t; ++n) {
    const double next = 2 * p * x * here - 2 * p * n * before;
    before = here;
    here = next;
  }
  return here;
}

double density_at(const HermiteDensity& density, const Vector3d& place) {
  double sum = 0;
  for (const auto& each : density.gaussians) {
    const Vector3d r = place - each.centre_bohr;
    const auto& triples = triple_index(each.order).triples();
    for (std::size_t i = 0; i < triples.size(); ++i)
      sum += density.coefficients[each.first + i] * derivative(triples[i][0], each.exponent, r.x()) *
             derivative(triples[i][1], each.exponent, r.y()) *
             derivative(triples[i][2], each.exponent, r.z());
  }
  return sum;
}

class OfShells : public testing::TestWithParam<bool> {};

TEST_P(OfShells, IsTheSquareOfOrbitals) {
  const auto made = test::all_shells(GetParam());
  const MatrixXd coefficients = test::random_coefficients(made.basis, 3, 5);
  const VectorXd weights{{2, 0.7, -1}};
  const auto density = hermite_density(made.molecule, made.basis, coefficients, weights, 0);
  std::mt19937 generator(3);
  std::normal_distribution<double> normal(0, 1.5);
  for (int i = 0; i < 40; ++i) {
    const Vector3d place(normal(generator), normal(generator), normal(generator));
    const VectorXd psi = coefficients.transpose() * functions_at(made, place);
    const double expected = psi.cwiseAbs2().dot(weights);
    const double size = psi.cwiseAbs2().dot(weights.cwiseAbs());
    EXPECT_NEAR(density_at(density, place), expected, 1e-10 * size + 1e-12) << i;
  }
}
INSTANTIATE_TEST_SUITE_P(SphericalAndCartesian, OfShells, testing::Bool());

TEST(HermiteDensity, CountsTheElectronsOfANormalisedFunction) {
  for (int l = 0; l <= molecules::max_angular_momentum; ++l) {
    Wavefunction made;
    made.molecule = test::atoms_at({{0.3, -0.2, 0.5}});
    made.basis.shells = {test::shell(0, l, true, {0.8}, {1})};
    MatrixXd coefficients = MatrixXd::Zero(2 * l + 1, 1);
    coefficients(2 * l, 0) = 1;
    EXPECT_NEAR(hermite_density(made.molecule, made.basis, coefficients, VectorXd{{2}}, 0).integral(), 2,
                1e-12)
        << l;
  }
}

TEST(HermiteDensity, LeavesOutWhatDoesNotMatter) {
  const auto made = test::carbon_chain();
  const MatrixXd coefficients = test::random_coefficients(made.basis, 2, 1);
  const VectorXd weights{{2, 2}};
  const auto whole = hermite_density(made.molecule, made.basis, coefficients, weights, 1e-12);
  const auto part = hermite_density(made.molecule, made.basis, coefficients, weights, 1e-3);
  EXPECT_LT(part.gaussians.size(), 0.9 * static_cast<double>(whole.gaussians.size()));
  EXPECT_GT(part.left_out, 0);
  EXPECT_LT(part.left_out, 1e-3);
  EXPECT_EQ(part.gaussians.front().first, 0U);
}

TEST(HermiteDensity, RefusesWhatDoesNotFit) {
  const auto made = test::all_shells(false);
  const MatrixXd coefficients = test::random_coefficients(made.basis, 2, 1);
  EXPECT_THROW(hermite_density(made.molecule, made.basis, coefficients, VectorXd{{1}}, 0), Error);
  EXPECT_THROW(hermite_density(made.molecule, made.basis, coefficients.topRows(3), VectorXd{{1, 1}}, 0),
               Error);
  auto few = made.molecule;
  few.atoms.resize(2);
  EXPECT_THROW(hermite_density(few, made.basis, coefficients, VectorXd{{1, 1}}, 0), Error);
}

TEST(HermiteDensity, CanBeCancelled) {
  std::stop_source stop;
  stop.request_stop();
  const auto made = test::carbon_chain();
  EXPECT_THROW(hermite_density(made.molecule, made.basis, test::random_coefficients(made.basis, 2, 1),
                               VectorXd{{1, 1}}, 0, jobs::Progress(stop.get_token(), {})),
               Cancelled);
}

}  // namespace
}  // namespace isolume::gaussians
