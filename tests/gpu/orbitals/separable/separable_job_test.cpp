// What only the separable kernel has: screening, lists of terms, grids along the axes.
#include <cmath>
#include <cstdlib>

#include "core/base/error.h"
#include "gpu/orbitals/separable/separable_layout.h"
#include "tests/gpu/orbitals/on_device.h"

namespace isolume::gpu {
namespace {

using namespace testing;

class SeparableJob : public OnDevice {};

TEST_F(SeparableJob, ScreeningKeepsItsBound) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 4);
  const Eigen::VectorXd weights = Eigen::Vector3d(2, 1, -1);
  const auto grid = box_grid({70, 18, 20}, {0.27, 0.9, 0.8}, {-9, -8, -8});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  problem.screening = 1e-3;
  const Eigen::MatrixXd amplitudes = expected(problem);
  const Eigen::MatrixXf fields = compute(KernelKind::separable, problem, device());
  const double amplitude_error = (fields.cast<double>() - amplitudes).cwiseAbs().maxCoeff();
  EXPECT_LE(amplitude_error, problem.screening + 1e-5);
  EXPECT_GT(amplitude_error, 1e-5) << "a tolerance of 1e-3 should have left out something";

  problem.weights = &weights;
  const Eigen::MatrixXf density = compute(KernelKind::separable, problem, device());
  for (Eigen::Index n = 0; n < amplitudes.rows(); ++n) {
    const double value = amplitudes.row(n).cwiseAbs2().dot(weights);
    const double magnitude = amplitudes.row(n).cwiseAbs2().dot(weights.cwiseAbs());
    const double bound = 2 * problem.screening * std::sqrt(magnitude) + problem.screening * problem.screening;
    ASSERT_LE(std::abs(density(n, 0) - value), bound + 1e-6 * magnitude);
  }
}

/// Many atoms: s and p shells of two exponents on a grid of places.
molecules::Wavefunction many_atoms(double spacing) {
  molecules::Wavefunction made;
  std::vector<Eigen::Vector3d> places;
  for (int n = 0; n < 420; ++n)
    places.emplace_back(spacing * (n % 7), spacing * (n / 7 % 6), spacing * (n / 42));
  made.molecule = test::atoms_at(places);
  for (int atom = 0; atom < 420; ++atom) {
    for (const double exponent : {0.9, 1.7}) {
      for (int l = 0; l < 2; ++l) made.basis.shells.push_back(test::shell(atom, l, false, {exponent}, {1.0}));
    }
  }
  return made;
}

/// 1680 terms that all reach one brick: more than its lists hold at once.
TEST_F(SeparableJob, TermsBeyondAListAreTakenInParts) {
  const auto crowded = many_atoms(0.15);
  const Eigen::MatrixXd coefficients = test::random_coefficients(crowded.basis, 3, 5);
  const Eigen::VectorXd weights = Eigen::Vector3d(2, 1, -1);
  const auto grid = box_grid({5, 4, 3}, {0.5, 0.4, 0.6}, {-0.5, -0.4, 0.1});
  FieldProblem problem{crowded.molecule, crowded.basis, coefficients};
  problem.grid = &grid;
  const auto layout = lay_out_separable(problem);
  ASSERT_EQ(layout.reach.size(), 4 * 420 + 16) << "filled up to whole chunks";
  // Twice the usual tolerance: more than a thousand terms of both signs are added in single precision.
  EXPECT_LT(relative_error(compute(KernelKind::separable, problem, device()), expected(problem),
                           field_scales(problem)),
            2e-6);
  problem.weights = &weights;
  EXPECT_LT(relative_error(compute(KernelKind::separable, problem, device()), expected(problem),
                           field_scales(problem)),
            2e-6);
}

/// 53 chunks of terms, most of them far from any brick.
TEST_F(SeparableJob, FarAtomsArePassedOver) {
  const auto spread = many_atoms(5);
  const Eigen::MatrixXd coefficients = test::random_coefficients(spread.basis, 2, 6);
  const auto grid = box_grid({34, 10, 17}, {1, 3, 3}, {-2, -1.5, -1});
  FieldProblem problem{spread.molecule, spread.basis, coefficients};
  problem.grid = &grid;
  const Eigen::MatrixXd right = expected(problem);
  const Eigen::VectorXd scales = right.cwiseAbs().colwise().maxCoeff();
  EXPECT_LT(relative_error(compute(KernelKind::separable, problem, device()), right, scales), 1e-6);
}

/// Lists of all lengths: none, less than half a batch, and many batches.
TEST_F(SeparableJob, LoadingAheadGivesTheSameBits) {
  const auto crowded = many_atoms(0.15);
  const auto spread = many_atoms(5);
  const auto shells = test::all_shells(true);
  struct Case {
    const molecules::Wavefunction& wavefunction;
    grid::Grid grid;
  };
  for (const auto& [wavefunction, grid] :
       {Case{crowded, box_grid({5, 4, 3}, {0.5, 0.4, 0.6}, {-0.5, -0.4, 0.1})},
        Case{spread, box_grid({34, 8, 9}, {1, 3, 3}, {-2, -1.5, -1})},
        Case{shells, box_grid({40, 10, 9}, {0.8, 1.6, 1.8}, {-16, -8, -8})}}) {
    const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 5);
    const Eigen::VectorXd weights = Eigen::Vector2d(2, -1);
    FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
    problem.grid = &grid;
    for (const auto* const each : {static_cast<const Eigen::VectorXd*>(nullptr), &weights}) {
      problem.weights = each;
      EXPECT_EQ(compute(KernelKind::separable_ahead, problem, device()),
                compute(KernelKind::separable, problem, device()));
    }
  }
}

/// The operation count against one that asks every brick about every term.
TEST(SeparableLayout, CountsTheProductsOfEveryBrick) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 6);
  const auto grid = box_grid({70, 30, 20}, {0.27, 0.5, 0.7}, {-9, -7.5, -7});
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  problem.grid = &grid;
  const auto layout = lay_out_separable(problem);
  double multiply_adds = 0;
  for (int z = 8; z < 16; z += separable::brick_z) {
    for (int y = 0; y < 30; y += separable::brick_y) {
      for (int x = 0; x < 70; x += separable::brick_x) {
        const Eigen::Vector3d low(x, y, z);
        const Eigen::Vector3d high(std::min(x + separable::brick_x, 70) - 1,
                                   std::min(y + separable::brick_y, 30) - 1, z + separable::brick_z - 1);
        for (std::size_t t = 0; t < layout.reach.size(); ++t) {
          const auto& reach = layout.reach[t];
          const Eigen::Vector3d place(reach.x, reach.y, reach.z);
          const Eigen::Vector3d gap = (low - place).cwiseMax(place - high).cwiseMax(0);
          if (gap.cwiseProduct(grid.step.diagonal()).squaredNorm() >= reach.radius_squared) continue;
          const int degree = layout.rows[t].degree;
          multiply_adds += 2048 + 8 * (degree + 1) * (degree + 2) / 2 + 64 * (degree + 1);
        }
      }
    }
  }
  EXPECT_NEAR(separable_flop(layout, {8, 8}), 2 * 2 * multiply_adds, 1e-6 * multiply_adds);
}

TEST(SeparableLayout, RefusesWhatIsNotAlongTheAxes) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 1, 6);
  FieldProblem problem{wavefunction.molecule, wavefunction.basis, coefficients};
  const auto rotated = rotated_grid();
  problem.grid = &rotated;
  EXPECT_THROW(lay_out_separable(problem), Error);
  const Eigen::Matrix3Xd points = Eigen::Matrix3Xd::Zero(3, 5);
  problem.grid = nullptr;
  problem.points_bohr = &points;
  EXPECT_THROW(lay_out_separable(problem), Error);
}

}  // namespace
}  // namespace isolume::gpu
