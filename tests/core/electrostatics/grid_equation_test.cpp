#include "core/electrostatics/poisson_boltzmann/grid_equation.h"

#include <cmath>
#include <numbers>
#include <stop_token>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/poisson_boltzmann/grid_transfer.h"
#include "core/electrostatics/poisson_boltzmann/stencil.h"
#include "tests/core/electrostatics/random_equation.h"

namespace isolume::electrostatics {
namespace {

/// The equation as its contract says, by a dense solver in double precision.
Eigen::VectorXd dense_solution(const GridEquation& equation) {
  const Extents& e = equation.extents();
  const Level& level = equation.coefficients();
  const auto n = static_cast<Eigen::Index>(e.count());
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(n, n);
  Eigen::VectorXd known = Eigen::VectorXd::Zero(n);
  for_all(e, [&](int i, int j, int k) {
    const std::size_t at = e.at(i, j, k);
    const auto row = static_cast<Eigen::Index>(at);
    if (e.on_face(i, j, k)) {
      known[row] = equation.u[at];
      return;
    }
    matrix(row, row) = level.d[at];
    const auto link = [&](float g, std::size_t to) {
      matrix(row, row) += static_cast<double>(g);
      matrix(row, static_cast<Eigen::Index>(to)) -= static_cast<double>(g);
    };
    link(level.gx[at], e.at(i + 1, j, k));
    link(level.gx[e.at(i - 1, j, k)], e.at(i - 1, j, k));
    link(level.gy[at], e.at(i, j + 1, k));
    link(level.gy[e.at(i, j - 1, k)], e.at(i, j - 1, k));
    link(level.gz[at], e.at(i, j, k + 1));
    link(level.gz[e.at(i, j, k - 1)], e.at(i, j, k - 1));
  });
  for (const PointCharge& charge : equation.charges)
    known[static_cast<Eigen::Index>(charge.at)] = charge.value;
  return matrix.partialPivLu().solve(known);
}

TEST(GridEquation, IsSolvedAsByADenseSolver) {
  for (const auto& [nx, ny, nz] : {std::tuple{9, 13, 9}, {13, 9, 17}, {7, 7, 7}, {6, 8, 5}}) {
    GridEquation equation(of(nx, ny, nz));
    fill_at_random(equation, 3);
    const Eigen::VectorXd expected = dense_solution(equation);
    const auto report = equation.solve({.tolerance = 1e-12}, {});
    EXPECT_LE(report.residual, 1e-12);
    for (std::size_t at = 0; at < equation.u.size(); ++at)
      ASSERT_NEAR(equation.u[at], expected[static_cast<Eigen::Index>(at)], 1e-9) << at;
  }
}

/// Wide rows, of which vectors are made: the residual in plain words.
TEST(GridEquation, ResidualOfManyPointsIsSmall) {
  GridEquation equation(of(81, 49, 33));
  fill_at_random(equation, 3);
  equation.solve({.tolerance = 1e-9}, {});
  EXPECT_LT(plain_residual(equation, false), 1e-8);
}

/// No potential of single precision solves the equation that well: what double precision is kept for.
TEST(GridEquation, IsSolvedBeyondSinglePrecision) {
  GridEquation equation(of(65, 65, 65));
  fill_at_random(equation, 3);
  equation.solve({.tolerance = 1e-11}, {});
  EXPECT_LT(equation.relative_residual(false), 1.1e-11);
  for (double& value : equation.u) value = static_cast<double>(static_cast<float>(value));
  EXPECT_GT(equation.relative_residual(false), 1e-8);
}

TEST(GridEquation, TakesFewCyclesOnGridsOfAnySize) {
  for (const int n : {17, 33, 65, 97}) {
    GridEquation equation(of(n, n, n));
    fill_at_random(equation, 3);
    EXPECT_LE(equation.solve({}, {}).cycles, 20) << n;
  }
}

TEST(GridEquation, HasTheSameBitsOnAnyNumberOfThreads) {
  for (const bool nonlinear : {false, true}) {
    std::vector<GridEquation::Potentials> found;
    for (const int threads : {1, 2, 5}) {
      tbb::task_arena arena(threads);
      arena.execute([&] {
        GridEquation equation(of(49, 49, 33));
        fill_at_random(equation, 3);
        equation.solve({.nonlinear = nonlinear}, {});
        found.push_back(equation.u);
      });
    }
    EXPECT_EQ(found[0], found[1]);
    EXPECT_EQ(found[0], found[2]);
  }
}

/// Trilinear interpolation of a linear function is that function, and restriction is its transpose.
TEST(GridTransfer, InterpolatesAndRestrictsByItsTranspose) {
  const Halvings halvings = of(33, 17, 25);
  Level fine(halvings.extents), coarse(halvings.extents.halved());
  Random random(3, 0);
  const auto clear = [](Level& level) {
    for (FieldValues* values : {&level.gx, &level.gy, &level.gz, &level.d, &level.z, &level.r})
      std::fill(values->begin(), values->end(), 0.0f);
  };
  clear(fine);
  clear(coarse);
  const auto at_random = [&](Level& level, FieldValues& values) {
    const Extents& e = level.extents;
    for_all(e, [&](int i, int j, int k) {
      if (!e.on_face(i, j, k)) values[e.at(i, j, k)] = static_cast<float>(random.uniform() - 0.5);
    });
  };
  at_random(coarse, coarse.z);
  at_random(fine, fine.r);
  for (int k = 1; k < fine.extents.nz - 1; ++k) prolong_plane(coarse, Points::all, false, k, fine);
  restrict_planes(fine, Points::all, 1, coarse.extents.nz - 1, coarse);
  double through_fine = 0, through_coarse = 0, size = 0;
  for (std::size_t at = 0; at < fine.z.size(); ++at) {
    through_fine += static_cast<double>(fine.z[at]) * static_cast<double>(fine.r[at]);
    size += std::abs(static_cast<double>(fine.z[at]) * static_cast<double>(fine.r[at]));
  }
  for (std::size_t at = 0; at < coarse.z.size(); ++at)
    through_coarse += static_cast<double>(coarse.z[at]) * static_cast<double>(coarse.r[at]);
  EXPECT_NEAR(through_fine, through_coarse, 1e-6 * size);

  const auto linear = [](int i, int j, int k) { return static_cast<float>(1 + 2 * i - 3 * j + 0.5 * k); };
  for_all(coarse.extents,
          [&](int i, int j, int k) { coarse.z[coarse.extents.at(i, j, k)] = linear(2 * i, 2 * j, 2 * k); });
  for (int k = 1; k < fine.extents.nz - 1; ++k) prolong_plane(coarse, Points::all, false, k, fine);
  for_all(fine.extents, [&](int i, int j, int k) {
    if (!fine.extents.on_face(i, j, k)) {
      ASSERT_NEAR(fine.z[fine.extents.at(i, j, k)], linear(i, j, k), 1e-4);
    }
  });
}

TEST(GridTransfer, CoarseLinksOfAUniformMediumAreThoseOfItsSpacing) {
  const Halvings halvings = of(25, 17, 33);
  Level fine(halvings.extents), coarse(halvings.extents.halved());
  for (auto [g, value] : {std::pair{&fine.gx, 3.0f}, {&fine.gy, 5.0f}, {&fine.gz, 7.0f}, {&fine.d, 0.5f}})
    std::fill(g->begin(), g->end(), value);
  for (int k = 0; k < coarse.extents.nz; ++k) coarsen_plane(fine, k, coarse);
  for (int k = 1; k < coarse.extents.nz - 1; ++k) {
    for (int j = 1; j < coarse.extents.ny - 1; ++j) {
      for (int i = 1; i < coarse.extents.nx - 1; ++i) {
        const std::size_t at = coarse.extents.at(i, j, k);
        ASSERT_FLOAT_EQ(coarse.gx[at], 6);
        ASSERT_FLOAT_EQ(coarse.gy[at], 10);
        ASSERT_FLOAT_EQ(coarse.gz[at], 14);
        ASSERT_FLOAT_EQ(coarse.d[at], 4);
      }
    }
  }
}

TEST(Halvings, GrowAGridLittle) {
  EXPECT_EQ(halvings_of({97, 97, 97}).levels, 6);
  EXPECT_EQ(halvings_of({385, 385, 385}).extents.count(), 385U * 385U * 385U);
  // 600 points a side fit in 9 GB.
  const Halvings large = halvings_of({600, 600, 600});
  EXPECT_LT(GridEquation::bytes_of(large), 9'000'000'000U);
  EXPECT_LE(GridEquation::bytes_of(large), 40 * large.extents.count());
  for (int n = 3; n < 700; n += 3) {
    const auto found = halvings_of({n, n + 5, 2 * n});
    EXPECT_GE(found.extents.nx, n);
    EXPECT_LE(found.extents.nx, n + n / 8 + 1) << n;
    EXPECT_EQ((found.extents.nx - 1) % (1 << (found.levels - 1)), 0);
    EXPECT_EQ((found.extents.nz - 1) % (1 << (found.levels - 1)), 0);
  }
}

/// A charged plane in a salt solution: Gouy, J. Phys. 9, 457 (1910); Chapman, Phil. Mag. 25, 475 (1913):
/// tanh(u / 4) = tanh(u0 / 4) exp(-kappa z).
double worst_of_gouy_chapman(double u0, int n) {
  GridEquation equation(of(9, 9, n));
  const Extents& e = equation.extents();
  Level& level = equation.coefficients();
  const double h = 3.0 / (n - 1);  // in Debye lengths
  const auto exact = [&](int k) { return 4 * std::atanh(std::tanh(u0 / 4) * std::exp(-h * k)); };
  equation.ion_strength = h * h;  // divided by the permittivity and the spacing
  for (FieldValues* g : {&level.gx, &level.gy, &level.gz}) std::fill(g->begin(), g->end(), 1.0f);
  std::fill(level.d.begin(), level.d.end(), static_cast<float>(equation.ion_strength));
  for_all(e, [&](int i, int j, int k) {
    if (e.on_face(i, j, k)) equation.u[e.at(i, j, k)] = exact(k);
  });
  equation.ready();
  const auto report = equation.solve({.tolerance = 1e-9, .nonlinear = true}, {});
  EXPECT_LE(report.residual, 1e-9);
  double worst = 0;
  for (int k = 0; k < n; ++k)
    worst = std::max(worst, std::abs(equation.u[e.at(e.nx / 2, e.ny / 2, k)] - exact(k)));
  return worst;
}

TEST(GridEquation, OfAChargedPlaneInSaltIsGouysAndChapmans) {
  for (const double u0 : {1.0, -4.0, 8.0}) {
    const double coarse = worst_of_gouy_chapman(u0, 97), fine = worst_of_gouy_chapman(u0, 193);
    EXPECT_LT(fine, 1e-2) << u0;
    EXPECT_GT(std::log2(coarse / fine), 1.7) << "of second order, " << u0;
  }
}

/// A plane in the middle of salt solution, whose potential u0 Grahame's equation gives it by its charge, up to `length`
/// Debye lengths away: the worst difference to Gouy and Chapman.
double worst_of_grahame(double u0, int n, double length, int& newton_steps) {
  GridEquation equation(of(9, 9, n));
  const Extents& e = equation.extents();
  Level& level = equation.coefficients();
  const int middle = (n - 1) / 2;
  const double h = length / middle;
  const auto exact = [&](int k) {
    return 4 * std::atanh(std::tanh(u0 / 4) * std::exp(-h * std::abs(k - middle)));
  };
  equation.ion_strength = h * h;
  for (FieldValues* g : {&level.gx, &level.gy, &level.gz}) std::fill(g->begin(), g->end(), 1.0f);
  std::fill(level.d.begin(), level.d.end(), static_cast<float>(equation.ion_strength));
  for_all(e, [&](int i, int j, int k) {
    if (e.on_face(i, j, k)) {
      equation.u[e.at(i, j, k)] = exact(k);
    } else if (k == middle) {
      equation.charges.push_back({e.at(i, j, k), 4 * std::sinh(u0 / 2) * h});
    }
  });
  std::ranges::sort(equation.charges, {}, &PointCharge::at);
  equation.ready();
  const auto report = equation.solve({.tolerance = 1e-9, .nonlinear = true}, {});
  EXPECT_LE(report.residual, 1e-9);
  newton_steps = report.newton_steps;
  double worst = 0;
  for (int k = 0; k < n; ++k)
    worst = std::max(worst, std::abs(equation.u[e.at(e.nx / 2, e.ny / 2, k)] - exact(k)));
  return worst;
}

/// 16 kT/e are 345 elementary charges to the square nanometre in 0.1 M salt. Whole steps of Newton's method begin with what
/// the linear equation gives, 3000 kT/e, and come back by one kT/e each: they take 29.
TEST(GridEquation, OfAPlaneOfHighChargeIsGouysAndChapmansInFewSteps) {
  for (const auto& [u0, length] : {std::pair{-8.0, 3.0}, {12.0, 0.4}, {16.0, 0.055}}) {
    int steps = 0;
    const double coarse = worst_of_grahame(u0, 769, length, steps);
    EXPECT_LE(steps, 12) << u0;
    const double fine = worst_of_grahame(u0, 1537, length, steps);
    EXPECT_LE(steps, 12) << u0;
    EXPECT_LT(fine, 2e-3) << u0;
    EXPECT_GT(std::log2(coarse / fine), 1.7) << "of second order, " << u0;
  }
  for (const double u0 : {12.0, -16.0, 25.0}) {  // of which these grids say little, but are solved as fast
    for (const int n : {97, 385}) {
      int steps = 0;
      EXPECT_GT(worst_of_grahame(u0, n, 3, steps), 0.1);
      EXPECT_LE(steps, 16) << u0 << ", " << n;
    }
  }
}

TEST(GridEquation, OfHugeChargesInSaltConverges) {
  for (const double charge : {1e3, -1e6, 1e12}) {
    GridEquation equation(of(33, 33, 33));
    fill_at_random(equation, 3);
    for (PointCharge& each : equation.charges) each.value *= charge;
    const auto report = equation.solve({.nonlinear = true}, {});
    EXPECT_LE(report.residual, 1e-6) << charge;
    for (const double value : equation.u) ASSERT_TRUE(std::isfinite(value));
  }
}

TEST(GridEquation, OfNothingIsZero) {
  GridEquation equation(of(17, 17, 17));
  fill_at_random(equation, 3);
  equation.charges.clear();
  std::fill(equation.u.begin(), equation.u.end(), 0.0);
  for (const bool nonlinear : {false, true}) {
    equation.solve({.nonlinear = nonlinear}, {});
    for (const double value : equation.u) ASSERT_EQ(value, 0);
  }
}

TEST(GridEquation, IsCancelled) {
  GridEquation equation(of(33, 33, 33));
  fill_at_random(equation, 3);
  std::stop_source stop;
  stop.request_stop();
  for (const bool nonlinear : {false, true})
    EXPECT_THROW(equation.solve({.nonlinear = nonlinear}, jobs::Progress(stop.get_token(), {})), Cancelled);
}

TEST(Sinh, GoesOnAsAStraightLine) {
  EXPECT_DOUBLE_EQ(clamped_sinh(2), std::sinh(2));
  EXPECT_DOUBLE_EQ(clamped_sinh(-2), -std::sinh(2));
  EXPECT_DOUBLE_EQ(clamped_sinh(-32), -(std::sinh(30) + 2 * std::cosh(30)));
  EXPECT_DOUBLE_EQ(clamped_cosh(50), std::cosh(30));
}

}  // namespace
}  // namespace isolume::electrostatics
