// Densities from products of primitives, against orbitals squared in double precision.
#include <cmath>
#include <stop_token>

#include "core/base/error.h"
#include "core/orbitals/benchmark.h"
#include "core/orbitals/field_request.h"
#include "core/orbitals/product_field.h"
#include "gpu/orbitals/kernel_choice.h"
#include "gpu/orbitals/products/product_layout.h"
#include "tests/core/molecules/test_files.h"
#include "tests/gpu/orbitals/on_device.h"

namespace isolume::gpu {
namespace {

using namespace testing;

molecules::Wavefunction sample(const char* name) {
  return *molecules::read_document(molecules::testing::sample(name)).wavefunction;
}

/// A wavefunction's field on a part of a grid around it.
struct Sample {
  molecules::Wavefunction wavefunction;
  orbitals::Combination columns;
  grid::Grid grid;
  double screening = 1e-7;

  FieldProblem problem() const {
    FieldProblem made{wavefunction.molecule, wavefunction.basis, columns.coefficients};
    made.weights = &columns.weights;
    made.grid = &grid;
    made.screening = screening;
    return made;
  }
};

Sample field_of(const char* file, const orbitals::FieldRequest& request, const grid::Grid& grid) {
  Sample made{sample(file), {}, grid};
  made.columns = orbitals::combine(made.wavefunction, request);
  return made;
}

/// Every shell from s to h on three atoms, so products to degree 10, with weights of both signs.
Sample all_shells(const grid::Grid& grid) {
  Sample made{test::all_shells(true), {}, grid};
  made.columns = {test::random_coefficients(made.wavefunction.basis, 4, 9), Eigen::Vector4d(2, 1, 0.5, -1),
                  true};
  return made;
}

struct Magnitudes {
  Eigen::VectorXd density;
  Eigen::VectorXd of_products;  ///< sum_kl |w| |psi| |psi| with the signs of all terms left out
};

/// The density in double precision, and what its rounding is relative to: the same sum with the magnitudes of all
/// functions and coefficients.
Magnitudes exact(const FieldProblem& problem) {
  const Eigen::MatrixXd functions =
      Eigen::MatrixXd::Identity(problem.coefficients.rows(), problem.coefficients.rows());
  const Eigen::MatrixXd values = orbitals::reference_amplitudes(problem.molecule, problem.basis, functions,
                                                                orbitals::grid_points(*problem.grid));
  const Eigen::MatrixXd amplitudes = values * problem.coefficients;
  const Eigen::MatrixXd matrix =
      (problem.coefficients * problem.weights->asDiagonal() * problem.coefficients.transpose()).cwiseAbs();
  const Eigen::MatrixXd magnitudes = values.cwiseAbs();
  return {amplitudes.cwiseAbs2() * *problem.weights,
          (magnitudes * matrix).cwiseProduct(magnitudes).rowwise().sum()};
}

/// Checks the stated error: a hundredth of the screening, and rounding.
void expect_within_bound(const FieldProblem& problem, const Eigen::VectorXf& values, double rounding = 2e-6) {
  const auto [density, magnitudes] = exact(problem);
  ASSERT_EQ(values.size(), density.size());
  for (Eigen::Index n = 0; n < density.size(); ++n) {
    ASSERT_LE(std::abs(values[n] - density[n]), problem.screening / 100 + rounding * magnitudes[n])
        << "point " << n << " of density " << density[n] << ", screening " << problem.screening;
  }
}

class ProductJob : public OnDevice {};

struct Case {
  const char* name;
  grid::Grid grid;
  bool coarse;  ///< whether smooth products are interpolated
};

TEST_F(ProductJob, IsWithinTheStatedErrorOnEveryGrid) {
  for (const auto& [name, grid, coarse] :
       {Case{"coarse", box_grid({19, 17, 21}, {0.5, 0.6, 0.4}, {-4, -5, -4}), false},
        Case{"fine", box_grid({45, 31, 31}, {0.11, 0.13, 0.12}, {-2, -2, -1}), true},
        Case{"beyond the atoms", box_grid({45, 31, 31}, {0.11, 0.13, 0.12}, {3, 1, -2}), true},
        Case{"one plane", box_grid({33, 31, 1}, {0.15, 0.15, 0.15}, {-2, -2, 0.3}), false},
        Case{"one row", box_grid({101, 1, 1}, {0.1, 0.1, 0.1}, {-5, 0.2, 0.3}), false},
        Case{"one point", box_grid({1, 1, 1}, {0.1, 0.1, 0.1}, {0.2, 0.3, 0.4}), false}}) {
    SCOPED_TRACE(name);
    const auto made = all_shells(grid);
    EXPECT_EQ(lay_out_products(made.problem(), {}).levels.size() > 1, coarse);
    expect_within_bound(made.problem(), compute(KernelKind::products, made.problem(), device()).col(0));
  }
}

TEST_F(ProductJob, ScreeningLeavesOutNoMoreThanItMay) {
  auto made = all_shells(box_grid({19, 17, 21}, {0.5, 0.6, 0.4}, {-4, -5, -4}));
  made.screening = 1e-1;
  const auto values = compute(KernelKind::products, made.problem(), device());
  expect_within_bound(made.problem(), values.col(0));
  const auto density = exact(made.problem()).density;
  EXPECT_GT((values.col(0).cast<double>() - density).cwiseAbs().maxCoeff(), 1e-5)
      << "a tolerance of 1e-3 should have left out something";
}

TEST_F(ProductJob, TotalDensitiesAreThoseOfTheOrbitals) {
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::density;
  for (const auto& made :
       {field_of("water-ccpvqz.fchk.gz", request, box_grid({21, 25, 19}, {0.3, 0.25, 0.3}, {-3, -3, -2.5})),
        field_of("benzene.fchk.gz", request, box_grid({41, 37, 35}, {0.19, 0.19, 0.19}, {0.3, -1, -2}))}) {
    const auto values = compute(KernelKind::products, made.problem(), device());
    EXPECT_GE(values.minCoeff(), 0) << "squares are never negative";
    expect_within_bound(made.problem(), values.col(0));
  }
}

TEST_F(ProductJob, SpinDensitiesHaveBothSigns) {
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::spin_density;
  const auto made =
      field_of("oxygen-triplet.fchk.gz", request, box_grid({37, 35, 33}, {0.15, 0.15, 0.15}, {-2, -3, -2}));
  const auto values = compute(KernelKind::products, made.problem(), device());
  EXPECT_LT(values.minCoeff(), -1e-3);
  EXPECT_GT(values.maxCoeff(), 1e-2);
  expect_within_bound(made.problem(), values.col(0));
}

TEST_F(ProductJob, DifferencesOfOrbitalsDensitiesHaveBothSigns) {
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::density_difference;
  request.orbital = 21;
  request.other_orbital = 20;
  const auto made =
      field_of("benzene.fchk.gz", request, box_grid({23, 22, 21}, {0.4, 0.45, 0.3}, {-4, -5, -3}));
  const auto values = compute(KernelKind::products, made.problem(), device());
  EXPECT_LT(values.minCoeff(), -1e-3);
  EXPECT_GT(values.maxCoeff(), 1e-3);
  expect_within_bound(made.problem(), values.col(0));
}

/// psi_i psi_j = ((psi_i + psi_j)^2 - (psi_i - psi_j)^2) / 4.
TEST_F(ProductJob, TransitionDensitiesAreProductsOfTwoOrbitals) {
  Sample made{sample("benzene.fchk.gz"), {}, box_grid({39, 40, 33}, {0.2, 0.2, 0.2}, {-1, -2, -3})};
  const auto& all = made.wavefunction.sets.front().coefficients;
  made.columns.coefficients.resize(all.rows(), 2);
  made.columns.coefficients << all.col(20) + all.col(21), all.col(20) - all.col(21);
  made.columns.weights = Eigen::Vector2d(0.25, -0.25);
  const auto values = compute(KernelKind::products, made.problem(), device());
  const Eigen::MatrixXd pair =
      orbitals::reference_amplitudes(made.wavefunction.molecule, made.wavefunction.basis,
                                     all.middleCols(20, 2), orbitals::grid_points(made.grid));
  const Eigen::VectorXd transition = pair.col(0).cwiseProduct(pair.col(1));
  ASSERT_GT(transition.maxCoeff(), 1e-2);
  ASSERT_LT(transition.minCoeff(), -1e-2);
  EXPECT_LT((values.col(0).cast<double>() - transition).cwiseAbs().maxCoeff(), 1e-6 * transition.maxCoeff());
}

TEST_F(ProductJob, AgreesWithTheProcessor) {
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::density;
  const auto made =
      field_of("benzene.fchk.gz", request, box_grid({41, 37, 35}, {0.19, 0.19, 0.19}, {0.3, -1, -2}));
  const auto values = compute(KernelKind::products, made.problem(), device());
  const orbitals::ProductField on_cpu(made.problem(), 1, {});
  ASSERT_GT(on_cpu.coarse_grids(), 0);
  FieldValues right(made.grid.point_count());
  orbitals::products::Scratch scratch;
  for (int piece = 0; piece < on_cpu.piece_count(); ++piece) on_cpu.density(piece, right.data(), scratch, {});
  for (std::size_t n = 0; n < right.size(); ++n)
    ASSERT_NEAR(values(static_cast<Eigen::Index>(n), 0), right[n], 1e-9 + 2e-6 * right[n]) << n;
}

TEST_F(ProductJob, ValuesDoNotDependOnTheSlab) {
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::density;
  const auto fine =
      field_of("benzene.fchk.gz", request, box_grid({25, 23, 37}, {0.14, 0.14, 0.14}, {0.3, -1, -2}));
  EXPECT_EQ(lay_out_products(fine.problem(), {}).levels.size(), 4);
  for (const auto& made : {fine, all_shells(box_grid({11, 9, 37}, {0.5, 0.6, 0.3}, {-2, -3, -4}))}) {
    const auto job = make_kernel_job(KernelKind::products, made.problem());
    const auto whole = compute(*job, made.problem(), device(), {{0, 37}});
    EXPECT_EQ(compute(*job, made.problem(), device(), {{0, 8}, {8, 3}, {11, 0}, {11, 25}, {36, 1}}), whole);
  }
}

/// More chunks than a block lists at once, most of them far from any block.
TEST_F(ProductJob, ManyProductsAreListedInParts) {
  Sample made{test::carbon_chain(), {}, box_grid({70, 12, 11}, {1.1, 0.7, 0.8}, {-38, -4, -4})};
  made.columns = {test::random_coefficients(made.wavefunction.basis, 6, 3) * 0.2,
                  Eigen::VectorXd::LinSpaced(6, 2, 0.1), true};
  ASSERT_GT(lay_out_products(made.problem(), {}).levels.front().chunks.size(), 128)
      << "as many are listed at once";
  expect_within_bound(made.problem(), compute(KernelKind::products, made.problem(), device()).col(0));
}

TEST_F(ProductJob, NothingToComputeIsNothing) {
  auto made = all_shells(box_grid({9, 7, 5}, {0.5, 0.5, 0.5}, {-2, -2, -1}));
  made.columns.weights.setZero();
  EXPECT_EQ(compute(KernelKind::products, made.problem(), device()), Eigen::MatrixXf::Zero(315, 1));
  made.columns.coefficients.resize(made.columns.coefficients.rows(), 0);
  made.columns.weights.resize(0);
  EXPECT_EQ(compute(KernelKind::products, made.problem(), device()), Eigen::MatrixXf::Zero(315, 1));
  made = all_shells(box_grid({0, 7, 5}, {0.5, 0.5, 0.5}, {-2, -2, -1}));
  EXPECT_EQ(compute(KernelKind::products, made.problem(), device()).rows(), 0);
  EXPECT_EQ(make_kernel_job(KernelKind::products, made.problem())->flop({0, 5}), 0);
  const molecules::Wavefunction nothing;
  const Eigen::MatrixXd no_rows(0, 1);
  const Eigen::VectorXd one = Eigen::VectorXd::Ones(1);
  FieldProblem no_atoms{nothing.molecule, nothing.basis, no_rows};
  const auto grid = box_grid({4, 3, 2}, {1, 1, 1}, {0, 0, 0});
  no_atoms.grid = &grid;
  no_atoms.weights = &one;
  EXPECT_EQ(compute(KernelKind::products, no_atoms, device()), Eigen::MatrixXf::Zero(24, 1));
}

TEST(ProductLayout, CountsTheProductsOfEveryTile) {
  const auto made = all_shells(box_grid({45, 43, 37}, {0.11, 0.13, 0.12}, {-2, -3, -2}));
  const auto layout = lay_out_products(made.problem(), {});
  const auto job = make_kernel_job(KernelKind::products, made.problem());
  const auto& fine = layout.levels.front();
  double operations = 0;
  for (int z = 8; z < 24; z += 8) {
    for (int y = 0; y < 43; y += 8) {
      for (int x = 0; x < 45; x += 8) {
        const Eigen::Vector3d low(x, y, z), high(std::min(x + 8, 45) - 1, std::min(y + 8, 43) - 1, z + 7);
        for (std::size_t n = 0; n < fine.reach.size(); ++n) {
          const auto& reach = fine.reach[n];
          const Eigen::Vector3d place(reach.x, reach.y, reach.z);
          const Eigen::Vector3d gap = (low - place).cwiseMax(place - high).cwiseMax(0);
          if (gap.cwiseProduct(made.grid.step.diagonal()).squaredNorm() >= reach.radius_squared) continue;
          const int terms = fine.products[n].degree + 1;
          operations += 1024.0 * terms + 64.0 * (terms * (terms + 1) * (terms + 2) / 3 + 1) + 8;
        }
      }
    }
  }
  ASSERT_GT(operations, 1e6);
  ASSERT_EQ(layout.levels.size(), 2);
  const auto& coarse = layout.levels.back();
  const double width = coarse.axes[0].count, height = coarse.axes[1].count;
  const auto taps = [&](std::size_t axis) { return 2.0 * coarse.stencils[axis].taps; };
  operations += 16 * (taps(2) * width * height + taps(1) * width * 43 + taps(0) * 45 * 43);
  EXPECT_NEAR(job->flop({8, 16}), operations, 1e-6 * operations);
  EXPECT_EQ(job->flop({8, 0}), 0);
  EXPECT_NEAR(job->flop({0, 8}) + job->flop({8, 16}) + job->flop({24, 13}), job->flop({0, 37}), 1);
}

TEST(ProductLayout, RefusesWhatIsNotADensityAlongTheAxes) {
  const auto made = all_shells(box_grid({9, 7, 5}, {0.5, 0.5, 0.5}, {-2, -2, -1}));
  const auto rotated = rotated_grid();
  const Eigen::Matrix3Xd points = Eigen::Matrix3Xd::Zero(3, 5);
  const Eigen::VectorXd weights = Eigen::Vector2d(1, 2);
  const auto with = [&](const auto& change) {
    auto problem = made.problem();
    change(problem);
    return make_kernel_job(KernelKind::products, problem);
  };
  EXPECT_NO_THROW(with([](FieldProblem&) {}));
  EXPECT_THROW(with([](FieldProblem& problem) { problem.weights = nullptr; }), Error);
  EXPECT_THROW(with([](FieldProblem& problem) { problem.screening = 0; }), Error);
  EXPECT_THROW(with([&](FieldProblem& problem) { problem.grid = &rotated; }), Error);
  EXPECT_THROW(with([&](FieldProblem& problem) {
                 problem.grid = nullptr;
                 problem.points_bohr = &points;
               }),
               Error);
  EXPECT_THROW(with([&](FieldProblem& problem) { problem.weights = &weights; }), Error);
}

TEST(ProductLayout, CanBeCancelled) {
  const auto made = all_shells(box_grid({9, 7, 5}, {0.5, 0.5, 0.5}, {-2, -2, -1}));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(make_kernel_job(KernelKind::products, made.problem(), jobs::Progress(stop.get_token(), {})),
               Cancelled);
}

TEST(ProductChoice, IsMadeWhereLocalColumnsWouldBe) {
  orbitals::FieldRequest request;
  request.kind = orbitals::FieldKind::density;
  const auto chosen = [&](const char* file, int points, double scale) {
    auto made = field_of(file, request, {});
    made.grid = orbitals::benchmark_grid(made.wavefunction.molecule, points);
    made.columns.coefficients *= scale;
    return choose_kernel("auto", made.problem()).job->kind();
  };
  EXPECT_EQ(chosen("c60.molden.gz", 0, 1), KernelKind::products);
  EXPECT_EQ(chosen("c60.molden.gz", 64, 1), KernelKind::separable) << "few points";
  EXPECT_EQ(chosen("c60.molden.gz", 0, 5), KernelKind::separable)
      << "as if functions were almost linearly dependent";
  EXPECT_EQ(chosen("benzene.fchk.gz", 0, 1), KernelKind::separable) << "few orbitals";
}

}  // namespace
}  // namespace isolume::gpu
