// Projections of the phantom and of volumes, their adjoint, and the iterative methods.
#include "core/tomography/projector.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/tomography/analytic.h"
#include "core/tomography/iterative.h"
#include "tests/core/tomography/scan.h"

namespace isolume::tomography {
namespace {

std::vector<int> all_views(const Geometry& geometry) {
  std::vector<int> all(geometry.views.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

FieldValues random_volume(const volumes::Counts& counts) {
  FieldValues values(volumes::point_count(counts));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(Random(5, i).uniform());
  return values;
}

TEST(Phantom, ALineIntegralIsTheLengthInsideTimesTheAttenuation) {
  const Geometry geometry = circular(small_scan(7));
  const Ellipsoid sphere{.centre_mm = {10, -5, 8}, .radii_mm = {20, 20, 20}, .attenuation_per_mm = 0.03};
  const Projections projections = project({&sphere, 1}, geometry);
  double worst = 0, largest = 0;
  for (int i = 0; i < 7; ++i) {
    const View& view = geometry.views[static_cast<std::size_t>(i)];
    for (int u = 0; u < geometry.columns; ++u) {
      for (int v = 0; v < geometry.rows; ++v) {
        // The chord of a sphere, from the distance of its centre from the ray.
        const Eigen::Vector3d along = (view.pixel(u, v) - view.source).normalized();
        const double distance = (sphere.centre_mm - view.source).cross(along).norm();
        const double chord = distance < 20 ? 2 * std::sqrt(400 - distance * distance) : 0;
        worst = std::max(worst, std::abs(projections.column(i, u)[v] - 0.03 * chord));
        largest = std::max(largest, 0.03 * chord);
      }
    }
  }
  EXPECT_GT(largest, 1.19);
  EXPECT_LT(worst, 2e-6);
}

TEST(Phantom, ATurnedEllipsoidHasItsVolumeAndItsIntegralsInParallelBeams) {
  const Ellipsoid one{
      .centre_mm = {6, 3, -4}, .radii_mm = {30, 15, 20}, .turn_deg = 30, .attenuation_per_mm = 0.01};
  const double content = 0.01 * 4 / 3 * std::numbers::pi * 30 * 15 * 20;
  const auto grid = small_grid();
  const FieldValues values = voxelised({&one, 1}, grid, 4);
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * 8;
  EXPECT_NEAR(sum / content, 1, 1e-3);
  auto scan = small_scan(5);
  scan.beam = Beam::parallel;
  scan.arc_deg = 180;
  scan.column_mm = scan.row_mm = 2;
  const Projections projections = project({&one, 1}, circular(scan));
  for (int i = 0; i < 5; ++i) {
    double mass = 0;
    for (int u = 0; u < scan.columns; ++u) {
      for (int v = 0; v < scan.rows; ++v) mass += static_cast<double>(projections.column(i, u)[v]) * 4;
    }
    EXPECT_NEAR(mass / content, 1, 2e-3) << "view " << i;
  }
  EXPECT_TRUE(
      one.contains({6 + 25 * std::cos(std::numbers::pi / 6), 3 + 25 * std::sin(std::numbers::pi / 6), -4}));
  EXPECT_FALSE(
      one.contains({6 + 25 * std::cos(std::numbers::pi / 6), 3 - 25 * std::sin(std::numbers::pi / 6), -4}));
}

class Beams : public testing::TestWithParam<Beam> {
 protected:
  Beams() {
    auto scan = small_scan(11);
    scan.beam = GetParam();
    if (scan.beam == Beam::parallel) scan.column_mm = scan.row_mm = 2.1;
    geometry = circular(scan);
  }
  Geometry geometry;
};
INSTANTIATE_TEST_SUITE_P(All, Beams, testing::Values(Beam::cone, Beam::parallel));

TEST_P(Beams, ForwardProjectionIsJosephsInDoublePrecision) {
  const auto grid = small_grid({30, 26, 21}, 4);
  const FieldValues values = random_volume(grid.dimensions);
  const Projector projector(geometry, grid);
  Projections result(geometry);
  projector.forward(ColumnVolume(values, grid.dimensions), all_views(geometry), result);
  const auto at = [&](int x, int y, int z) {
    return static_cast<double>(values[static_cast<std::size_t>(x + 30 * (y + 26 * z))]);
  };
  double worst = 0;
  for (int i = 0; i < 11; ++i) {
    for (int u = 1; u < geometry.columns; u += 9) {
      for (int v = 0; v < geometry.rows; v += 3) {
        const double expected =
            joseph_ray(at, grid, geometry, geometry.views[static_cast<std::size_t>(i)], u, v);
        worst = std::max(worst, std::abs(result.column(i, u)[v] - expected));
      }
    }
  }
  EXPECT_LT(worst, 1e-3) << "of integrals of about 60";
}

TEST_P(Beams, TheAdjointIsTheTransposedOperator) {
  // Voxels that are small and large against pixels take other branches.
  for (const double spacing : {0.7, 1.7, 4.0, 9.0, 40.0}) {
    const auto grid = small_grid({29, 31, 23}, spacing);
    const Projector projector(geometry, grid);
    const ColumnVolume x(random_volume(grid.dimensions), grid.dimensions);
    Projections y(geometry), image(geometry);
    for (int i = 0; i < 11; ++i) {
      for (int u = 0; u < geometry.columns; ++u) {
        for (int v = 0; v < geometry.rows; ++v)
          y.column(i, u)[v] =
              static_cast<float>(Random(9, y.column_index(i, u) + static_cast<std::size_t>(v)).uniform());
      }
    }
    ColumnVolume back(grid.dimensions);
    projector.forward(x, all_views(geometry), image);
    projector.adjoint(y, all_views(geometry), back);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < y.values.size(); ++i)
      left += static_cast<double>(image.values[i]) * static_cast<double>(y.values[i]);
    const FieldValues of_x = x.with_x_fastest(), of_back = back.with_x_fastest();
    for (std::size_t i = 0; i < of_x.size(); ++i)
      right += static_cast<double>(of_x[i]) * static_cast<double>(of_back[i]);
    EXPECT_GT(left, 0);
    EXPECT_NEAR(left / right, 1, 2e-6) << spacing;
  }
}

TEST(Projector, OneThreadGivesTheSameBits) {
  const Geometry geometry = circular(small_scan(9));
  const auto grid = small_grid({32, 32, 24}, 4);
  const Projector projector(geometry, grid);
  const ColumnVolume x(random_volume(grid.dimensions), grid.dimensions);
  Projections image(geometry), again(geometry);
  ColumnVolume back(grid.dimensions), back_again(grid.dimensions);
  projector.forward(x, all_views(geometry), image);
  projector.adjoint(image, all_views(geometry), back);
  on_one_thread([&] {
    projector.forward(x, all_views(geometry), again);
    projector.adjoint(image, all_views(geometry), back_again);
  });
  EXPECT_EQ(image.values, again.values);
  EXPECT_EQ(back.with_x_fastest(), back_again.with_x_fastest());
}

TEST(Projector, OtherGeometriesAreRefused) {
  Geometry geometry = circular(small_scan(4));
  geometry.views[2].up = {0, 0.1, 1};
  EXPECT_THROW(Projector(geometry, small_grid()), Error);
  geometry.views[2].up = geometry.views[2].along;
  EXPECT_THROW(require_valid(geometry), Error);
}

TEST(Iterative, SubsetsHaveEachViewOnce) {
  for (const int subsets : {1, 4, 7, 20, 50}) {
    std::vector<int> seen;
    for (const auto& views : ordered_subsets(20, subsets))
      seen.insert(seen.end(), views.begin(), views.end());
    std::ranges::sort(seen);
    std::vector<int> expected(20);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(seen, expected) << subsets;
  }
}

class Iterations : public testing::Test {
 protected:
  /// Residuals of iterations, and the root of the mean squared difference to the volume.
  std::vector<double> run(const IterativeParameters& parameters) {
    residuals.clear();
    errors.clear();
    reconstruct_iteratively(projections, grid, parameters, [this](const Iterate& iterate) {
      residuals.push_back(iterate.residual);
      const FieldValues found = iterate.volume.with_x_fastest();
      double sum = 0;
      for (std::size_t i = 0; i < found.size(); ++i)
        sum += std::pow(static_cast<double>(found[i]) - static_cast<double>(volume[i]), 2);
      errors.push_back(std::sqrt(sum / static_cast<double>(found.size())));
    });
    return residuals;
  }

  grid::Grid grid = small_grid({32, 32, 20}, 4);
  FieldValues volume = voxelised(shepp_logan(60), grid);
  Projections projections = [this] {
    Projections made(circular(small_scan(36)));
    Projector(made.geometry, grid)
        .forward(ColumnVolume(volume, grid.dimensions), all_views(made.geometry), made);
    return made;
  }();
  std::vector<double> residuals, errors;
};

TEST_F(Iterations, TheResidualFallsAndTheVolumeIsFound) {
  run({.method = IterativeMethod::cgls, .iterations = 12});
  ASSERT_EQ(residuals.size(), 12U);
  for (std::size_t i = 1; i < residuals.size(); ++i) EXPECT_LT(residuals[i], residuals[i - 1]) << i;
  EXPECT_LT(residuals.back(), 0.03);
  EXPECT_LT(errors.back(), 0.4 * errors.front());
  // S = 1 is SIRT, whose residual never grows; more subsets are faster.
  run({.iterations = 6, .subsets = 1});
  for (std::size_t i = 1; i < residuals.size(); ++i) EXPECT_LT(residuals[i], residuals[i - 1]) << i;
  const double sirt = errors.back();
  run({.iterations = 6, .subsets = 9});
  EXPECT_LT(errors.back(), 0.6 * sirt);
  EXPECT_LT(residuals.back(), 0.05);
}

TEST_F(Iterations, WrongParametersAreRefused) {
  EXPECT_THROW(run({.iterations = 0}), Error);
  EXPECT_THROW(run({.relaxation = 2}), Error);
}

}  // namespace
}  // namespace isolume::tomography
