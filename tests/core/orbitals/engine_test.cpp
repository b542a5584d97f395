// The CPU engine against the reference engine (Algorithm 1, double precision).
#include <limits>

#include "core/orbitals/primitive_groups.h"
#include "tests/core/orbitals/engine_body.h"

namespace isolume::orbitals {
namespace {

using namespace test_body;

const EngineCase cpu{"cpu", make_cpu_engine, {}};

/// An axis that runs backwards is no case for the separable tables.
grid::Grid mirrored_grid() {
  return box_grid({9, 7, 6}, {-0.5, 0.5, 0.6}, {2.1, -1.7, -1.2});
}

INSTANTIATE_TEST_SUITE_P(
    Grids, EngineOnGrid,
    testing::Combine(
        testing::Values(cpu),
        testing::Values(
            GridCase{"cartesian", false, box_grid({37, 25, 19}, {0.25, 0.3, 0.4}, {-4.1, -3.2, -3.6})},
            GridCase{"spherical", true, box_grid({37, 25, 19}, {0.25, 0.3, 0.4}, {-4.1, -3.2, -3.6})},
            GridCase{"one_row", true, box_grid({41, 1, 1}, {0.2, 0.3, 0.4}, {-4, 0.3, 0.1})},
            GridCase{"one_plane", true, box_grid({1, 33, 17}, {0.2, 0.25, 0.4}, {0.2, -4, -3})},
            GridCase{"one_point", false, box_grid({1, 1, 1}, {1, 1, 1}, {0.3, 0.2, -0.4})},
            GridCase{"fine", true, box_grid({50, 9, 9}, {0.01, 0.01, 0.02}, {-0.2, -0.05, -0.08})},
            GridCase{"far_away", true, box_grid({20, 9, 8}, {0.5, 0.5, 0.5}, {40, -5, 60})},
            GridCase{"rotated", true, rotated_grid()}, GridCase{"rotated_cartesian", false, rotated_grid()},
            GridCase{"mirrored", true, mirrored_grid()})),
    engine_and_grid);
INSTANTIATE_TEST_SUITE_P(Cpu, AnyEngine, testing::Values(cpu), engine_name);

/// Exponents from 1e6 to 1e-3, far from the origin: what float tables could lose.
molecules::Wavefunction extreme_exponents() {
  molecules::Wavefunction made;
  made.molecule = test::atoms_at({{1000.25, -500.5, 250.125}});
  for (const double exponent : {1e6, 1e4, 1e2, 1.0, 1e-2, 1e-3}) {
    made.basis.shells.push_back(test::shell(0, 0, false, {exponent}, {1.0}));
    made.basis.shells.push_back(test::shell(0, 1, false, {exponent}, {1.0}));
  }
  return made;
}

TEST(CpuEngine, TightAndDiffuseFunctionsFarFromTheOriginAreExact) {
  const auto wavefunction = extreme_exponents();
  const auto functions = static_cast<Eigen::Index>(wavefunction.basis.function_count());
  const Eigen::MatrixXd one_each = Eigen::MatrixXd::Identity(functions, functions);
  const auto engine = make_cpu_engine();
  for (const double step : {2e-4, 5e-3, 0.05, 0.4, 6.0}) {
    const auto grid =
        box_grid({21, 11, 9}, Eigen::Vector3d::Constant(step),
                 Eigen::Vector3d(1000.25, -500.5, 250.125) - Eigen::Vector3d(10.3, 5.2, 4.1) * step);
    const Eigen::MatrixXd expected =
        reference_amplitudes(wavefunction.molecule, wavefunction.basis, one_each, grid_points(grid));
    const auto fields =
        engine->amplitudes(wavefunction.molecule, wavefunction.basis, one_each, grid, {}, {}).values;
    const Eigen::MatrixXf at_points =
        engine->amplitudes_at(wavefunction.molecule, wavefunction.basis, one_each, grid_points(grid), {}, {})
            .values;
    for (Eigen::Index k = 0; k < functions; ++k) {
      // Functions that vanish on the grid are right when they are small in absolute terms (screening:
      // 1e-7).
      const double scale = std::max(expected.col(k).cwiseAbs().maxCoeff(), 0.1);
      EXPECT_LT(relative_error(fields[k], expected.col(k), scale), 1e-6)
          << "function " << k << ", step " << step;
      EXPECT_LT(relative_error(at_points.col(k), expected.col(k), scale), 1e-6)
          << "function " << k << ", step " << step;
    }
  }
}

/// Sparse coefficients and a coarse tolerance: the stated bound itself, not only rounding.
TEST(CpuEngine, ScreeningKeepsItsBound) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 4);
  const Eigen::Vector3d weights(2, 1, -1);
  const auto grid = box_grid({60, 40, 40}, {0.3, 0.4, 0.4}, {-9, -8, -8});
  const Eigen::MatrixXd expected =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid_points(grid));
  EngineOptions options;
  options.screening = 1e-3;
  const auto engine = make_cpu_engine();
  const auto fields =
      engine->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid, options, {}).values;
  for (int k = 0; k < 3; ++k)
    EXPECT_LT(relative_error(fields[k], expected.col(k), 1), options.screening + 1e-5);
  const auto density =
      engine->density(wavefunction.molecule, wavefunction.basis, coefficients, weights, grid, options, {})
          .values;
  bool something_left_out = false;
  for (Eigen::Index n = 0; n < expected.rows(); ++n) {
    const double value = expected.row(n).cwiseAbs2().dot(weights);
    const double magnitude = expected.row(n).cwiseAbs2().dot(weights.cwiseAbs());
    const double bound = 2 * options.screening * std::sqrt(magnitude) + options.screening * options.screening;
    ASSERT_LE(std::abs(density[n] - value), bound + 1e-6 * magnitude);
    something_left_out |= std::abs(density[n] - value) > 1e-4 * magnitude;
  }
  EXPECT_TRUE(something_left_out) << "a tolerance of 1e-3 should have left out something";
}

/// Far from an atom, where each value is a millionth of what screening leaves out by default.
TEST(CpuEngine, WithoutScreeningEvenTheSmallestValuesAreThere) {
  molecules::Wavefunction wavefunction;
  wavefunction.molecule = test::atoms_at({{0, 0, 0}});
  wavefunction.basis.shells = {test::shell(0, 0, false, {1.0}, {1.0}), test::shell(0, 2, true, {1.0}, {1.0})};
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 3);
  const auto grid = box_grid({9, 7, 6}, {0.11, 0.12, 0.13}, {4, 3, 3.5});
  const Eigen::MatrixXd expected =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid_points(grid));
  ASSERT_LT(expected.cwiseAbs().maxCoeff(), 1e-12);
  EngineOptions options;
  options.screening = 0;
  const auto engine = make_cpu_engine();
  const auto fields =
      engine->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid, options, {}).values;
  const Eigen::MatrixXf at_points = engine
                                        ->amplitudes_at(wavefunction.molecule, wavefunction.basis,
                                                        coefficients, grid_points(grid), options, {})
                                        .values;
  for (int k = 0; k < 2; ++k) {
    const double scale = expected.col(k).cwiseAbs().maxCoeff();
    EXPECT_LT(relative_error(fields[k], expected.col(k), scale), 1e-5) << "separable tables";
    EXPECT_LT(relative_error(at_points.col(k), expected.col(k), scale), 1e-5) << "scattered points";
  }
}

TEST(RadialBound, ReachesAsFarAsItsToleranceAsks) {
  RadialBound bound;
  bound.exponent = 0.7;
  EXPECT_LT(bound.radius(1e-7), 0);
  EXPECT_LT(bound.radius(0), 0) << "all values are 0";
  bound.add(0.4, 0, 0, 0);
  bound.add(-1.3, 1, 0, 2);
  EXPECT_LT(bound.radius(10), 0);
  const double on_sphere = 2 / (3 * std::sqrt(3.0));  // the largest |x z^2| where r is 1
  for (const double tolerance : {1e-1, 1e-7, 1e-30, 1e-310}) {
    const double radius = bound.radius(tolerance);
    // In logarithms: values below 1e-308 lose their digits.
    const double largest = std::log(0.4 + 1.3 * on_sphere * std::pow(radius, 3)) - 0.7 * radius * radius;
    EXPECT_LE(largest, std::log(tolerance) + 1e-9) << tolerance;
    EXPECT_GT(largest, std::log(tolerance) - 2) << tolerance << ": farther than it needs";
  }
  EXPECT_EQ(bound.radius(0), std::numeric_limits<double>::infinity());
}

TEST(CpuEngine, ThreadsDoNotChangeABit) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 5);
  const Eigen::Vector2d weights(1, 2);
  for (const auto& grid : {box_grid({45, 50, 40}, {0.2, 0.2, 0.2}, {-4, -4, -4}), rotated_grid()}) {
    const auto engine = make_cpu_engine();
    EngineOptions one;
    one.threads = 1;
    EngineOptions many;
    many.threads = 4;
    const auto& [molecule, basis, sets] = wavefunction;
    EXPECT_EQ(engine->amplitudes(molecule, basis, coefficients, grid, one, {}).values,
              engine->amplitudes(molecule, basis, coefficients, grid, many, {}).values);
    EXPECT_EQ(engine->density(molecule, basis, coefficients, weights, grid, one, {}).values,
              engine->density(molecule, basis, coefficients, weights, grid, many, {}).values);
  }
}

TEST(CpuEngine, TheReportSaysWhoHowAndWhy) {
  const auto wavefunction = test::all_shells(true);
  const auto& [molecule, basis, sets] = wavefunction;
  const Eigen::MatrixXd coefficients = test::random_coefficients(basis, 2, 5);
  const auto engine = make_cpu_engine();
  EngineOptions options;
  options.threads = 1;
  const auto straight = box_grid({45, 50, 40}, {0.2, 0.2, 0.2}, {-4, -4, -4});
  const auto report = engine->amplitudes(molecule, basis, coefficients, straight, options, {}).report;
  ASSERT_EQ(report.shares.size(), 1U);
  EXPECT_GT(report.tiles(), 0U);
  EXPECT_EQ(report.tiles(), report.timeline.size());
  EXPECT_GT(report.seconds, 0);
  EXPECT_EQ(report.who, engine->description(1));
  EXPECT_EQ(report.by(), engine->description(1) + ", separable kernel");
  EXPECT_EQ(report.how(), "separable kernel: the grid is axis-aligned");
  const auto turned = engine->amplitudes(molecule, basis, coefficients, rotated_grid(), options, {}).report;
  EXPECT_EQ(turned.kernel, "pointwise");
  EXPECT_EQ(turned.reason, "the grid is not axis-aligned");
}

TEST(CpuEngine, CancelsFromWithin) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 8, 6);
  std::stop_source stop;
  double last_fraction = 0;
  const jobs::Progress progress(stop.get_token(), [&](double fraction, std::string_view) {
    last_fraction = fraction;
    if (fraction > 0.2) stop.request_stop();
  });
  const auto grid = box_grid({120, 120, 120}, {0.1, 0.1, 0.1}, {-6, -6, -6});
  EXPECT_THROW(make_cpu_engine()
                   ->density(wavefunction.molecule, wavefunction.basis, coefficients,
                             Eigen::VectorXd::Ones(8), grid, {}, progress)
                   .values,
               Cancelled);
  EXPECT_LT(last_fraction, 0.9);
}

}  // namespace
}  // namespace isolume::orbitals
