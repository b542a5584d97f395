#pragma once

/// What every engine must do, against the reference engine (Algorithm 1, double precision). Included by one
/// source of each test program, which instantiates EngineOnGrid and AnyEngine with its engines.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "core/orbitals/engine.h"
#include "core/orbitals/reference_engine.h"
#include "tests/core/orbitals/made_up_wavefunction.h"

namespace isolume::orbitals::test_body {

using test::box_grid;

inline grid::Grid rotated_grid() {
  grid::Grid made;
  made.dimensions = {13, 10, 9};
  made.origin = {-2.5, -2, -2};
  made.step << 0.35, -0.1, 0.02, 0.12, 0.4, -0.05, 0.0, 0.08, 0.45;
  return made;
}

/// Largest error over the field, as a part of `scale`.
template <class Values>
double relative_error(const Values& values, const Eigen::VectorXd& expected, double scale) {
  double worst = 0;
  for (Eigen::Index i = 0; i < expected.size(); ++i) {
    const double error = std::abs(static_cast<double>(values[i]) - expected[i]);
    if (!(error <= worst)) worst = std::isfinite(error) ? error : 1e30;
  }
  return worst / scale;
}

/// The largest magnitude of the columns over all space: a grid may be a single point, or lie on a node.
inline Eigen::VectorXd largest_magnitudes(const molecules::Wavefunction& wavefunction,
                                          const Eigen::MatrixXd& coefficients) {
  const auto around = box_grid({17, 15, 13}, {0.45, 0.45, 0.45}, {-3.6, -2.7, -2.7});
  return reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid_points(around))
      .cwiseAbs()
      .colwise()
      .maxCoeff();
}

struct EngineCase {
  std::string name;
  /// Null where the machine does not have what it needs; the case is then skipped.
  std::function<std::unique_ptr<Engine>()> make;
  EngineOptions options;
};
inline void PrintTo(const EngineCase& each, std::ostream* out) {
  *out << each.name;
}

struct GridCase {
  std::string name;
  bool spherical;
  grid::Grid grid;
};
inline void PrintTo(const GridCase& each, std::ostream* out) {
  *out << each.name;
}

class EngineOnGrid : public testing::TestWithParam<std::tuple<EngineCase, GridCase>> {
 protected:
  void SetUp() override {
    engine_ = std::get<0>(GetParam()).make();
    if (engine_ == nullptr) GTEST_SKIP() << "This machine has no device for it.";
  }
  const EngineOptions& options() const { return std::get<0>(GetParam()).options; }
  const GridCase& place() const { return std::get<1>(GetParam()); }

  std::unique_ptr<Engine> engine_;
};

inline std::string engine_and_grid(const testing::TestParamInfo<std::tuple<EngineCase, GridCase>>& each) {
  return std::get<0>(each.param).name + "_" + std::get<1>(each.param).name;
}

TEST_P(EngineOnGrid, AmplitudesAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(place().spherical);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 3, 1);
  const Eigen::MatrixXd expected = reference_amplitudes(wavefunction.molecule, wavefunction.basis,
                                                        coefficients, grid_points(place().grid));
  const auto fields =
      engine_
          ->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, place().grid, options(), {})
          .values;
  const Eigen::VectorXd scales = largest_magnitudes(wavefunction, coefficients);
  ASSERT_EQ(fields.size(), 3U);
  for (int k = 0; k < 3; ++k) {
    ASSERT_EQ(fields[k].size(), place().grid.point_count());
    EXPECT_LT(relative_error(fields[k], expected.col(k), scales[k]), 1e-6) << "column " << k;
  }
}

TEST_P(EngineOnGrid, DensitiesAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(place().spherical);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 4, 2);
  const Eigen::Vector4d weights(2, 1, 0.5, -1);
  const Eigen::MatrixXd amplitudes = reference_amplitudes(wavefunction.molecule, wavefunction.basis,
                                                          coefficients, grid_points(place().grid));
  const auto field = engine_
                         ->density(wavefunction.molecule, wavefunction.basis, coefficients, weights,
                                   place().grid, options(), {})
                         .values;
  const double scale = largest_magnitudes(wavefunction, coefficients).cwiseAbs2().dot(weights.cwiseAbs());
  EXPECT_LT(relative_error(field, amplitudes.cwiseAbs2() * weights, scale), 1e-6);
}

class AnyEngine : public testing::TestWithParam<EngineCase> {
 protected:
  void SetUp() override {
    engine_ = GetParam().make();
    if (engine_ == nullptr) GTEST_SKIP() << "This machine has no device for it.";
  }
  std::unique_ptr<Engine> engine_;
};

inline std::string engine_name(const testing::TestParamInfo<EngineCase>& each) {
  return each.param.name;
}

TEST_P(AnyEngine, PointsAgreeWithTheReference) {
  const auto wavefunction = test::all_shells(true);
  const Eigen::MatrixXd coefficients = test::random_coefficients(wavefunction.basis, 6, 3);
  Eigen::VectorXd weights(6);
  weights << 2, 2, 1, 1, -1, 0.3;
  std::srand(7);
  const Eigen::Matrix3Xd points = 5 * Eigen::Matrix3Xd::Random(3, 333);
  const Eigen::MatrixXd expected =
      reference_amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, points);
  const Eigen::VectorXd scales = largest_magnitudes(wavefunction, coefficients);
  const Eigen::MatrixXf values = engine_
                                     ->amplitudes_at(wavefunction.molecule, wavefunction.basis, coefficients,
                                                     points, GetParam().options, {})
                                     .values;
  ASSERT_EQ(values.rows(), 333);
  ASSERT_EQ(values.cols(), 6);
  for (int k = 0; k < 6; ++k) EXPECT_LT(relative_error(values.col(k), expected.col(k), scales[k]), 1e-6);
  const Eigen::VectorXf density = engine_
                                      ->density_at(wavefunction.molecule, wavefunction.basis, coefficients,
                                                   weights, points, GetParam().options, {})
                                      .values;
  EXPECT_LT(
      relative_error(density, expected.cwiseAbs2() * weights, scales.cwiseAbs2().dot(weights.cwiseAbs())),
      1e-6);
}

TEST_P(AnyEngine, NothingToComputeIsNothing) {
  const auto wavefunction = test::all_shells(false);
  const auto& [molecule, basis, sets] = wavefunction;
  const auto& options = GetParam().options;
  const auto grid = box_grid({4, 3, 2}, {1, 1, 1}, {0, 0, 0});
  const auto functions = static_cast<Eigen::Index>(basis.function_count());
  const Eigen::MatrixXd none(functions, 0);
  EXPECT_TRUE(engine_->amplitudes(molecule, basis, none, grid, options, {}).values.empty());
  EXPECT_EQ(engine_->density(molecule, basis, none, Eigen::VectorXd(), grid, options, {}).values,
            FieldValues(24, 0.0F));
  const Eigen::MatrixXd ones = Eigen::MatrixXd::Ones(functions, 1);
  EXPECT_EQ(engine_->amplitudes_at(molecule, basis, ones, Eigen::Matrix3Xd(3, 0), options, {}).values.rows(),
            0);
  const Eigen::MatrixXd zeros = Eigen::MatrixXd::Zero(functions, 1);
  EXPECT_EQ(engine_->amplitudes(molecule, basis, zeros, grid, options, {}).values.front(),
            FieldValues(24, 0.0F));
  const auto empty = box_grid({0, 3, 2}, {1, 1, 1}, {0, 0, 0});
  EXPECT_TRUE(engine_->amplitudes(molecule, basis, ones, empty, options, {}).values.front().empty());
  EXPECT_THROW(engine_->amplitudes(molecule, basis, Eigen::MatrixXd::Ones(3, 1), grid, options, {}).values,
               Error);
}

TEST_P(AnyEngine, RefusesWhatCannotFitWithNumbers) {
  const auto wavefunction = test::all_shells(false);
  const auto grid = box_grid({100000, 100000, 100000}, {1, 1, 1}, {0, 0, 0});
  const auto coefficients = test::random_coefficients(wavefunction.basis, 1, 8);
  EXPECT_THROW(
      engine_
          ->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid, GetParam().options, {})
          .values,
      ResourceError);
}

TEST_P(AnyEngine, RefusesKernelsAndDevicesThatItDoesNotHave) {
  const auto wavefunction = test::all_shells(false);
  const auto coefficients = test::random_coefficients(wavefunction.basis, 1, 8);
  const auto grid = box_grid({4, 3, 2}, {1, 1, 1}, {0, 0, 0});
  const auto compute = [&](const EngineOptions& options) {
    engine_->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients, grid, options, {});
  };
  auto options = GetParam().options;
  options.kernel = "abacus";
  EXPECT_THROW(compute(options), Error);
  options = GetParam().options;
  options.devices = "99";
  EXPECT_THROW(compute(options), Error);
}

TEST_P(AnyEngine, ACancelledRequestIsThrownOut) {
  const auto wavefunction = test::all_shells(true);
  const auto coefficients = test::random_coefficients(wavefunction.basis, 2, 6);
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(
      engine_
          ->amplitudes(wavefunction.molecule, wavefunction.basis, coefficients,
                       box_grid({20, 20, 30}, {0.3, 0.3, 0.3}, {-3, -3, -4}), GetParam().options, progress)
          .values,
      Cancelled);
}

}  // namespace isolume::orbitals::test_body
