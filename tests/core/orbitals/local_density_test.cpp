#include "core/orbitals/local_density.h"

#include <cmath>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "core/orbitals/pivoted_cholesky.h"
#include "core/orbitals/reference_engine.h"
#include "core/orbitals/separable_grid.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

struct Case {
  double screening;
  bool both_signs;
};
void PrintTo(const Case& each, std::ostream* out) {
  *out << "screening " << each.screening << (each.both_signs ? ", both signs" : "");
}

class LocalDensityOn : public testing::TestWithParam<Case> {
 protected:
  static void SetUpTestSuite() {
    // Ends of pencils, bundles and blocks that are not full, in every direction.
    grid = test::box_grid({75, 37, 25}, {0.4, 0.3, 0.35}, {-20, -5, -4});
    wavefunction = test::carbon_chain();
    coefficients = test::random_coefficients(wavefunction.basis, 48, 7) * 0.2;
    amplitudes =
        reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid_points(grid));
  }
  static inline grid::Grid grid;
  static inline molecules::Wavefunction wavefunction;
  static inline Eigen::MatrixXd coefficients;
  static inline Eigen::MatrixXd amplitudes;  ///< points x orbitals
};

TEST_P(LocalDensityOn, IsWithinTheStatedErrorEverywhere) {
  const auto [screening, both_signs] = GetParam();
  Eigen::VectorXd weights = Eigen::VectorXd::LinSpaced(48, 2, 0.1);
  if (both_signs) weights.tail(20) *= -1;
  ASSERT_TRUE(LocalDensity::worthwhile(wavefunction.molecule, coefficients, grid));
  const SeparableGrid separable(wavefunction.molecule, wavefunction.basis, coefficients, &weights, grid,
                                screening);
  FieldValues density(grid.point_count());
  SeparableGrid::Scratch scratch;
  for (int piece = 0; piece < separable.piece_count(); ++piece)
    separable.density(piece, density.data(), scratch, {});
  double most_left_out = 0;
  for (Eigen::Index n = 0; n < amplitudes.rows(); ++n) {
    const double magnitude = amplitudes.row(n).cwiseAbs2().dot(weights.cwiseAbs());
    const double error =
        std::abs(density[static_cast<std::size_t>(n)] - amplitudes.row(n).cwiseAbs2().dot(weights));
    const double bound = 2 * screening * std::sqrt(magnitude) + screening * screening;
    ASSERT_LE(error, bound + 2e-6 * magnitude) << "point " << n << " of density " << magnitude;
    most_left_out = std::max(most_left_out, error / (magnitude + 1e-3));
  }
  if (screening >= 1e-3) {
    EXPECT_GT(most_left_out, 1e-5) << "something should have been left out";
  }
}

INSTANTIATE_TEST_SUITE_P(All, LocalDensityOn,
                         testing::Values(Case{1e-2, false}, Case{1e-2, true}, Case{1e-3, false},
                                         Case{1e-3, true}, Case{1e-5, false}, Case{1e-7, false},
                                         Case{1e-7, true}, Case{0, false}));

/// The columns of a block are those that the block needs: their number does not follow that of the orbitals.
TEST(LocalDensity, TwiceTheOrbitalsAreNotTwiceTheWork) {
  const auto wavefunction = test::carbon_chain();
  const auto grid = test::box_grid({160, 32, 32}, {0.2, 0.2, 0.2}, {-16, -3.2, -3.2});
  const auto work = [&](int columns) {
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, columns, 7);
    const Eigen::VectorXd weights = Eigen::VectorXd::Ones(columns);
    const SeparableGrid separable(wavefunction.molecule, wavefunction.basis, coefficients, &weights, grid,
                                  1e-7);
    FieldValues density(grid.point_count());
    SeparableGrid::Scratch scratch;
    for (int piece = 0; piece < separable.piece_count(); ++piece)
      separable.density(piece, density.data(), scratch, {});
    return scratch.operations;
  };
  EXPECT_LT(work(160), 1.3 * work(80));
}

TEST(PivotedCholesky, WhatIsLeftIsBoundedAndEndsAtTheRank) {
  constexpr int size = 70;
  constexpr int rank = 40;
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  Eigen::MatrixXd root(size, rank);
  for (int k = 0; k < rank; ++k) {
    for (int i = 0; i < size; ++i) root(i, k) = normal(generator) * std::exp(-0.2 * k);
  }
  const Eigen::MatrixXd density = root * root.transpose();
  std::vector<int> functions(size);
  std::iota(functions.begin(), functions.end(), 0);
  std::vector<double> bounds(size);
  for (int i = 0; i < size; ++i) bounds[i] = 0.1 + 0.01 * (i % 7);
  PivotedCholesky factor;
  factor.start(density, functions, bounds);
  Eigen::MatrixXd rest = density;
  const auto largest_form = [&] {  // over functions at their bounds, with the signs of a few thousand corners
    double largest = 0;
    for (unsigned corner = 0; corner < 3000; ++corner) {
      Eigen::VectorXd values(size);
      for (int i = 0; i < size; ++i)
        values[i] = ((corner * 2654435761U >> (i % 31)) + i) % 2 ? bounds[i] : -bounds[i];
      largest = std::max(largest, values.dot(rest * values));
    }
    return largest;
  };
  int columns = 0;
  while (factor.extend()) {
    Eigen::VectorXd column(size);
    for (int i = 0; i < size; ++i)
      column[i] = factor.weighted(columns, static_cast<std::size_t>(i)) / bounds[i];
    rest -= column * column.transpose();
    ++columns;
    EXPECT_GE(factor.remainder() + 1e-12, largest_form()) << "after column " << columns;
  }
  EXPECT_GE(columns, rank);
  EXPECT_LE(columns, rank + 2) << "rounding may look like more";
  EXPECT_LT(rest.cwiseAbs().maxCoeff(), 1e-10 * density.cwiseAbs().maxCoeff());
  EXPECT_LT(factor.remainder(), 1e-9);
}

}  // namespace
}  // namespace isolume::orbitals
