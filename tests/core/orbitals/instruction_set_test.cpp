// Every instruction set that the engine is compiled for, and that this machine can run.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/orbitals/engine.h"
#include "core/orbitals/product_field.h"
#include "core/orbitals/reference_engine.h"
#include "core/orbitals/separable_kernels.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

class OnInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one
};

TEST_P(OnInstructionSet, FieldsAgreeWithTheReference) {
  if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
  hwy::GetChosenTarget().Update(GetParam());
  const auto wavefunction = test::all_shells(true);
  const auto& [molecule, basis, sets] = wavefunction;
  const Eigen::MatrixXd coefficients = test::random_coefficients(basis, 3, 9);
  const Eigen::Vector3d weights(2, 1, 1);
  grid::Grid grid = grid::centred({0, 0.5, 0}, {37, 21, 11}, 0.3);
  const Eigen::MatrixXd expected = reference_amplitudes(molecule, basis, coefficients, grid_points(grid));
  const Eigen::VectorXd expected_density = expected.cwiseAbs2() * weights;
  const auto engine = make_cpu_engine();
  const auto fields = engine->amplitudes(molecule, basis, coefficients, grid, {}, {}).values;
  const auto density = engine->density(molecule, basis, coefficients, weights, grid, {}, {}).values;
  const auto points = engine->amplitudes_at(molecule, basis, coefficients, grid_points(grid), {}, {}).values;
  const auto density_at =
      engine->density_at(molecule, basis, coefficients, weights, grid_points(grid), {}, {}).values;
  for (Eigen::Index n = 0; n < expected.rows(); ++n) {
    for (int k = 0; k < 3; ++k) {
      const double tolerance = 1e-6 * expected.col(k).cwiseAbs().maxCoeff();
      ASSERT_NEAR(fields[k][n], expected(n, k), tolerance);
      ASSERT_NEAR(points(n, k), expected(n, k), tolerance);
    }
    ASSERT_NEAR(density[n], expected_density[n], 1e-6 * expected_density.maxCoeff());
    ASSERT_NEAR(density_at[n], expected_density[n], 1e-6 * expected_density.maxCoeff());
  }
}

TEST_P(OnInstructionSet, ProductsAgreeWithTheReference) {
  if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
  hwy::GetChosenTarget().Update(GetParam());
  const auto wavefunction = test::all_shells(true);
  const auto& [molecule, basis, sets] = wavefunction;
  const Eigen::MatrixXd coefficients = test::random_coefficients(basis, 3, 9);
  const Eigen::VectorXd weights = Eigen::Vector3d(2, 1, 1);
  const auto grid = test::box_grid({75, 43, 37}, {0.11, 0.13, 0.12}, {-4, -3, -2});
  const ProductField field({molecule, basis, coefficients, &weights, &grid, nullptr, 1e-7}, 1, {});
  EXPECT_GT(field.coarse_grids(), 0);
  FieldValues density(grid.point_count());
  products::Scratch scratch;
  for (int piece = 0; piece < field.piece_count(); ++piece) field.density(piece, density.data(), scratch, {});
  const Eigen::VectorXd expected =
      reference_amplitudes(molecule, basis, coefficients, grid_points(grid)).cwiseAbs2() * weights;
  for (Eigen::Index n = 0; n < expected.size(); ++n)
    ASSERT_NEAR(density[static_cast<std::size_t>(n)], expected[n], 2e-6 * expected.maxCoeff());
}

#if HWY_ARCH_X86
INSTANTIATE_TEST_SUITE_P(All, OnInstructionSet, testing::Values(HWY_SCALAR, HWY_SSE4, HWY_AVX2, HWY_AVX3),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });
#else
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OnInstructionSet);
#endif

/// A caller's own arithmetic must not change because it asked for a field.
TEST(DenormalsAsZero, LeaveTheCallersArithmeticAlone) {
  volatile float tiny = 1e-38F;
  { const separable::DenormalsAsZero while_it_lives; }
  EXPECT_GT(tiny * 0.01F, 0.0F);
}

}  // namespace
}  // namespace isolume::orbitals
