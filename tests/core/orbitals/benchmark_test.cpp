#include "core/orbitals/benchmark.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "core/orbitals/reference_engine.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

TEST(BenchmarkGrid, C60HasTheGridOfTheLiterature) {
  molecules::Molecule c60;
  for (int i = 0; i < 60; ++i) {
    c60.atoms.push_back({6, Eigen::Vector3d(std::cos(i), std::sin(i), 0.1 * i), 6.0});
  }
  const auto grid = benchmark_grid(c60);
  EXPECT_EQ(grid.dimensions, (std::array<int, 3>{172, 173, 169}));
  EXPECT_DOUBLE_EQ(grid.step(0, 0) * units::angstrom_per_bohr, 0.075);
  const Eigen::Vector3d centre = grid.position(171 / 2.0, 172 / 2.0, 168 / 2.0);
  EXPECT_NEAR(centre.z(), 0.1 * 59 / 2, 1e-12);
}

TEST(BenchmarkGrid, OthersHaveThreeAngstromAroundTheNuclei) {
  molecules::Molecule pair;
  pair.atoms = {{1, {0, 0, 0}, 1.0}, {1, {0, 0, units::bohr_per_angstrom}, 1.0}};
  EXPECT_EQ(benchmark_grid(pair).dimensions, (std::array<int, 3>{61, 61, 71}));
  const auto cube = benchmark_grid(pair, 80);
  EXPECT_EQ(cube.dimensions, (std::array<int, 3>{80, 80, 80}));
  EXPECT_NEAR(cube.step(2, 2) * 79 * units::angstrom_per_bohr, 7, 1e-6)
      << "the pair's angstrom and 3 at either end";
}

class FieldSampling : public testing::Test {
 protected:
  FieldSampling() {
    grid.dimensions = {11, 7, 9};
    grid.step = 0.5 * Eigen::Matrix3d::Identity();
    grid.origin = {-2.5, -1.5, -2};
    problem.grid = &grid;
    const Eigen::MatrixXd all =
        reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid_points(grid));
    exact.assign(all.col(0).begin(), all.col(0).end());
    field.assign(exact.begin(), exact.end());
  }
  std::size_t greatest() const {
    const auto less = [](float a, float b) { return std::abs(a) < std::abs(b); };
    return static_cast<std::size_t>(std::ranges::max_element(field, less) - field.begin());
  }

  const molecules::Wavefunction wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = Eigen::MatrixXd::Constant(wavefunction.basis.function_count(), 1, 0.1);
  grid::Grid grid;
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  std::vector<double> exact;
  FieldValues field;
};

TEST_F(FieldSampling, TakesTheReferencesValuesAllOverTheGridAndWhereTheFieldIsLargest) {
  const auto samples = sample_field(problem, field, 100);
  EXPECT_LE(samples.points.size(), 100U);
  EXPECT_GT(samples.points.size(), 80U);
  EXPECT_TRUE(std::ranges::count(samples.points, greatest()));
  EXPECT_FLOAT_EQ(static_cast<float>(samples.scale), std::abs(field[greatest()]));
  for (std::size_t i = 0; i < samples.points.size(); ++i) {
    EXPECT_EQ(samples.values[i], exact[samples.points[i]]);
    if (i == 0) continue;
    EXPECT_LT(samples.points[i] - samples.points[i - 1], 2 * field.size() / 80);
  }
  EXPECT_EQ(sample_field(problem, field, 100).points, samples.points);
  EXPECT_GT(sample_field(problem, field, 10'000).points.size(), field.size() / 2);
}

TEST_F(FieldSampling, DensitiesAreSampledToo) {
  const Eigen::VectorXd weights = Eigen::VectorXd::Constant(1, 2.0);
  problem.weights = &weights;
  for (float& value : field) value = 2 * value * value;
  const auto samples = sample_field(problem, field, 50);
  for (std::size_t i = 0; i < samples.points.size(); ++i) {
    EXPECT_DOUBLE_EQ(samples.values[i], 2 * exact[samples.points[i]] * exact[samples.points[i]]);
  }
  EXPECT_LT(relative_error(samples, field), 1e-6);
}

TEST_F(FieldSampling, TheErrorIsTheLargestOverTheGreatestMagnitude) {
  const auto samples = sample_field(problem, field, 100);
  EXPECT_LT(relative_error(samples, field), 1e-7);
  field[samples.points[60]] += static_cast<float>(0.25 * samples.scale);
  EXPECT_NEAR(relative_error(samples, field), 0.25, 1e-6);
  field[samples.points[3]] = std::nanf("");
  EXPECT_TRUE(std::isinf(relative_error(samples, field)));
}

TEST_F(FieldSampling, WhatIsNotOneFieldOnAGridIsRefused) {
  field.pop_back();
  EXPECT_THROW(sample_field(problem, field, 10), Error);
}

}  // namespace
}  // namespace isolume::orbitals
