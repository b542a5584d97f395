// The CPU engine against the reference engine (Algorithm 1, double precision).
#include "core/orbitals/engine.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stop_token>

#include <gtest/gtest.h>

#include "core/orbitals/reference_engine.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals {
namespace {

lattice::Lattice box_lattice(std::array<int, 3> dimensions, Eigen::Vector3d step, Eigen::Vector3d origin) {
  lattice::Lattice made;
  made.dimensions = dimensions;
  made.origin_bohr = origin;
  made.step_bohr = step.asDiagonal();
  return made;
}

/// Largest error over the field, as a part of `scale`.
template <class Values>
double relative_error(const Values& values, const Eigen::VectorXd& expected, double scale) {
  double worst = 0;
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(values[i]) - expected[i]));
  }
  return worst / scale;
}

/// The largest magnitude of the columns over all space: a lattice may be a single point, or lie on a node.
Eigen::VectorXd largest_magnitudes(const molecules::Wavefunction& wavefunction,
                                   const Eigen::MatrixXd& coefficients) {
  const auto around = box_lattice({17, 15, 13}, {0.45, 0.45, 0.45}, {-3.6, -2.7, -2.7});
  return reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, lattice_points(around))
      .cwiseAbs()
      .colwise()
      .maxCoeff();
}

struct Case {
  const char* name;
  bool spherical;
  lattice::Lattice lattice;
};

class EngineOnLattice : public testing::TestWithParam<Case> {};

TEST_P(EngineOnLattice, AmplitudesAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(GetParam().spherical);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 1);
  const Eigen::MatrixXd expected = reference_amplitudes(wavefunction.molecule, wavefunction.basis,
                                                        coefficients, lattice_points(GetParam().lattice));
  const auto fields = make_cpu_engine()->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients,
                                                    GetParam().lattice, {}, {});
  const Eigen::VectorXd scales = largest_magnitudes(wavefunction, coefficients);
  ASSERT_EQ(fields.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(fields[k].size(), GetParam().lattice.point_count());
    EXPECT_LT(relative_error(fields[k], expected.col(k), scales[k]), 1e-6) << "column " << k;
  }
}

TEST_P(EngineOnLattice, DensitiesAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(GetParam().spherical);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 4, 2);
  const Eigen::Vector4d weights(2, 1, 0.5, -1);
  const Eigen::MatrixXd amplitudes = reference_amplitudes(wavefunction.molecule, wavefunction.basis,
                                                          coefficients, lattice_points(GetParam().lattice));
  const auto field = make_cpu_engine()->density(wavefunction.molecule, wavefunction.basis, coefficients,
                                                weights, GetParam().lattice, {}, {});
  const double scale = largest_magnitudes(wavefunction, coefficients).cwiseAbs2().dot(weights.cwiseAbs());
  EXPECT_LT(relative_error(field, amplitudes.cwiseAbs2() * weights, scale), 1e-6);
}

lattice::Lattice rotated_lattice() {
  lattice::Lattice made;
  made.dimensions = {13, 10, 9};
  made.origin_bohr = {-2.5, -2, -2};
  made.step_bohr << 0.35, -0.1, 0.02, 0.12, 0.4, -0.05, 0.0, 0.08, 0.45;
  return made;
}

/// An axis that runs backwards is no case for the separable tables.
lattice::Lattice mirrored_lattice() {
  return box_lattice({9, 7, 6}, {-0.5, 0.5, 0.6}, {2.1, -1.7, -1.2});
}

INSTANTIATE_TEST_SUITE_P(
    Lattices, EngineOnLattice,
    testing::Values(Case{"cartesian", false, box_lattice({37, 25, 19}, {0.25, 0.3, 0.4}, {-4.1, -3.2, -3.6})},
                    Case{"spherical", true, box_lattice({37, 25, 19}, {0.25, 0.3, 0.4}, {-4.1, -3.2, -3.6})},
                    Case{"one_row", true, box_lattice({41, 1, 1}, {0.2, 0.3, 0.4}, {-4, 0.3, 0.1})},
                    Case{"one_plane", true, box_lattice({1, 33, 17}, {0.2, 0.25, 0.4}, {0.2, -4, -3})},
                    Case{"one_point", false, box_lattice({1, 1, 1}, {1, 1, 1}, {0.3, 0.2, -0.4})},
                    Case{"fine", true, box_lattice({50, 9, 9}, {0.01, 0.01, 0.02}, {-0.2, -0.05, -0.08})},
                    Case{"far_away", true, box_lattice({20, 9, 8}, {0.5, 0.5, 0.5}, {40, -5, 60})},
                    Case{"rotated", true, rotated_lattice()},
                    Case{"rotated_cartesian", false, rotated_lattice()},
                    Case{"mirrored", true, mirrored_lattice()}),
    [](const auto& each) { return each.param.name; });

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
    const auto lattice =
        box_lattice({21, 11, 9}, Eigen::Vector3d::Constant(step),
                    Eigen::Vector3d(1000.25, -500.5, 250.125) - Eigen::Vector3d(10.3, 5.2, 4.1) * step);
    const Eigen::MatrixXd expected =
        reference_amplitudes(wavefunction.molecule, wavefunction.basis, one_each, lattice_points(lattice));
    const auto fields =
        engine->amplitudes(wavefunction.molecule, wavefunction.basis, one_each, lattice, {}, {});
    const Eigen::MatrixXf at_points = engine->amplitudes_at(wavefunction.molecule, wavefunction.basis,
                                                            one_each, lattice_points(lattice), {}, {});
    for (Eigen::Index k = 0; k < functions; ++k) {
      // Functions that vanish on the lattice are right when they are small in absolute terms (screening:
      // 1e-7).
      const double scale = std::max(expected.col(k).cwiseAbs().maxCoeff(), 0.1);
      EXPECT_LT(relative_error(fields[k], expected.col(k), scale), 1e-6)
          << "function " << k << ", step " << step;
      EXPECT_LT(relative_error(at_points.col(k), expected.col(k), scale), 1e-6)
          << "function " << k << ", step " << step;
    }
  }
}

TEST(CpuEngine, PointsAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 6, 3);
  Eigen::VectorXd weights(6);
  weights << 2, 2, 1, 1, -1, 0.3;
  std::srand(7);
  const Eigen::Matrix3Xd points = 5 * Eigen::Matrix3Xd::Random(3, 333);
  const Eigen::MatrixXd expected =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, points);
  const Eigen::VectorXd scales = largest_magnitudes(wavefunction, coefficients);
  const auto engine = make_cpu_engine();
  const Eigen::MatrixXf values =
      engine->amplitudes_at(wavefunction.molecule, wavefunction.basis, coefficients, points, {}, {});
  ASSERT_EQ(values.rows(), 333);
  ASSERT_EQ(values.cols(), 6);
  for (int k = 0; k < 6; ++k) EXPECT_LT(relative_error(values.col(k), expected.col(k), scales[k]), 1e-6);
  const Eigen::VectorXf density =
      engine->density_at(wavefunction.molecule, wavefunction.basis, coefficients, weights, points, {}, {});
  EXPECT_LT(
      relative_error(density, expected.cwiseAbs2() * weights, scales.cwiseAbs2().dot(weights.cwiseAbs())),
      1e-6);
}

/// Sparse coefficients and a coarse tolerance: the stated bound itself, not only rounding.
TEST(CpuEngine, ScreeningKeepsItsBound) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 4);
  const Eigen::Vector3d weights(2, 1, -1);
  const auto lattice = box_lattice({60, 40, 40}, {0.3, 0.4, 0.4}, {-9, -8, -8});
  const Eigen::MatrixXd expected =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, lattice_points(lattice));
  EngineOptions options;
  options.screening = 1e-3;
  const auto engine = make_cpu_engine();
  const auto fields =
      engine->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, lattice, options, {});
  for (int k = 0; k < 3; ++k)
    EXPECT_LT(relative_error(fields[k], expected.col(k), 1), options.screening + 1e-5);
  const auto density =
      engine->density(wavefunction.molecule, wavefunction.basis, coefficients, weights, lattice, options, {});
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

TEST(CpuEngine, ThreadsDoNotChangeABit) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 2, 5);
  const Eigen::Vector2d weights(1, 2);
  for (const auto& lattice : {box_lattice({45, 50, 40}, {0.2, 0.2, 0.2}, {-4, -4, -4}), rotated_lattice()}) {
    const auto engine = make_cpu_engine();
    EngineOptions one;
    one.threads = 1;
    EngineOptions many;
    many.threads = 4;
    dispatch::Report report;
    many.report = &report;
    const auto& [molecule, basis, sets] = wavefunction;
    EXPECT_EQ(engine->amplitudes(molecule, basis, coefficients, lattice, one, {}),
              engine->amplitudes(molecule, basis, coefficients, lattice, many, {}));
    EXPECT_EQ(engine->density(molecule, basis, coefficients, weights, lattice, one, {}),
              engine->density(molecule, basis, coefficients, weights, lattice, many, {}));
    ASSERT_EQ(report.shares.size(), 1U);
    EXPECT_GT(report.shares.front().tiles, 1U);
  }
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
  const auto lattice = box_lattice({120, 120, 120}, {0.1, 0.1, 0.1}, {-6, -6, -6});
  EXPECT_THROW(make_cpu_engine()->density(wavefunction.molecule, wavefunction.basis, coefficients,
                                          Eigen::VectorXd::Ones(8), lattice, {}, progress),
               Cancelled);
  EXPECT_LT(last_fraction, 0.9);
}

TEST(CpuEngine, NothingToComputeIsNothing) {
  const auto wavefunction = test::all_shells(false);
  const auto& [molecule, basis, sets] = wavefunction;
  const auto engine = make_cpu_engine();
  const auto lattice = box_lattice({4, 3, 2}, {1, 1, 1}, {0, 0, 0});
  const auto functions = static_cast<Eigen::Index>(basis.function_count());
  const Eigen::MatrixXd none(functions, 0);
  EXPECT_TRUE(engine->amplitudes(molecule, basis, none, lattice, {}, {}).empty());
  EXPECT_EQ(engine->density(molecule, basis, none, Eigen::VectorXd(), lattice, {}, {}),
            FieldValues(24, 0.0F));
  EXPECT_EQ(engine
                ->amplitudes_at(molecule, basis, Eigen::MatrixXd::Ones(functions, 1), Eigen::Matrix3Xd(3, 0),
                                {}, {})
                .rows(),
            0);
  const auto zero = engine->amplitudes(molecule, basis, Eigen::MatrixXd::Zero(functions, 1), lattice, {}, {});
  EXPECT_EQ(zero.front(), FieldValues(24, 0.0F));
  const auto empty = box_lattice({0, 3, 2}, {1, 1, 1}, {0, 0, 0});
  EXPECT_TRUE(engine->amplitudes(molecule, basis, Eigen::MatrixXd::Ones(functions, 1), empty, {}, {})
                  .front()
                  .empty());
  EXPECT_THROW(engine->amplitudes(molecule, basis, Eigen::MatrixXd::Ones(3, 1), lattice, {}, {}), Error);
}

TEST(CpuEngine, RefusesWhatCannotFitWithNumbers) {
  const auto wavefunction = test::all_shells(false);
  const auto lattice = box_lattice({100000, 100000, 100000}, {1, 1, 1}, {0, 0, 0});
  const auto coefficients = test::random_coefficients(wavefunction.basis, 1, 8);
  EXPECT_THROW(
      make_cpu_engine()->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, lattice, {}, {}),
      ResourceError);
}

}  // namespace
}  // namespace isolume::orbitals
