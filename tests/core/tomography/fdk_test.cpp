// Filtered back projection: the ramp, values of the phantom, a sum in double precision, short scans and displaced
// detectors.
#include "core/tomography/fdk.h"

#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/tomography/analytic.h"
#include "tests/core/tomography/scan.h"

namespace isolume::tomography {
namespace {

FieldValues reconstructed(const Projections& projections, const grid::Grid& grid, const Region& region,
                          const FilterParameters& parameters = {}) {
  FieldValues values(region.size());
  back_project(filter(projections, parameters), grid, region, values);
  return values;
}
FieldValues reconstructed(const Projections& projections, const grid::Grid& grid,
                          const FilterParameters& parameters = {}) {
  return reconstructed(projections, grid, Region::whole(grid), parameters);
}

/// The mean of values at positions where `chosen`.
template <class Choose>
double mean(const FieldValues& values, const grid::Grid& grid, const Choose& chosen) {
  double sum = 0;
  std::size_t count = 0, at = 0;
  for (int z = 0; z < grid.dimensions[2]; ++z) {
    for (int y = 0; y < grid.dimensions[1]; ++y) {
      for (int x = 0; x < grid.dimensions[0]; ++x, ++at) {
        if (!chosen(grid.position(x, y, z))) continue;
        sum += static_cast<double>(values[at]);
        ++count;
      }
    }
  }
  return sum / static_cast<double>(count);
}

double rms(const FieldValues& one, const FieldValues& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    sum += std::pow(static_cast<double>(one[i]) - static_cast<double>(other[i]), 2);
  return std::sqrt(sum / static_cast<double>(one.size()));
}

const Ellipsoid ball{.centre_mm = {12, -8, 5}, .radii_mm = {30, 30, 30}, .attenuation_per_mm = 0.02};

TEST(Ramp, IsTheTransformOfItsSamples) {
  // The ramp itself up to what the finite length cuts off: |f| in 1/pixel.
  const auto factors = ramp_factors(512, {});
  EXPECT_NEAR(factors[256], 0.5, 1e-3);
  EXPECT_NEAR(factors[64], 0.125, 1e-5);
  EXPECT_NEAR(factors[0], 1 / (std::numbers::pi * std::numbers::pi) * 2 / 256 / 2, 2e-5)
      << "what the samples beyond the length would take away: 2 / pi^2 sum over odd n > 256 of 1/n^2";
  const auto hann = ramp_factors(512, {FilterWindow::hann, 0.5});
  EXPECT_NEAR(hann[64], 0.125 * 0.5, 1e-5);
  EXPECT_EQ(hann[130], 0);
  EXPECT_NEAR(ramp_factors(512, {FilterWindow::shepp_logan, 1})[256], 0.5 * 2 / std::numbers::pi, 1e-3);
  EXPECT_NEAR(ramp_factors(512, {FilterWindow::cosine, 1})[128], 0.25 * std::numbers::sqrt2 / 2, 1e-5);
  EXPECT_NEAR(ramp_factors(512, {FilterWindow::hamming, 1})[256], 0.5 * 0.08, 1e-4);
  EXPECT_THROW(ramp_factors(512, {FilterWindow::hann, 0}), Error);
}

TEST(Fdk, ABallHasItsAttenuation) {
  const auto grid = small_grid();
  const FieldValues values = reconstructed(project({&ball, 1}, circular(small_scan(180))), grid);
  const auto inside = [&](double radius) {
    return [radius](const Eigen::Vector3d& at) { return (at - ball.centre_mm).norm() < radius; };
  };
  EXPECT_NEAR(mean(values, grid, inside(24)), 0.02, 2e-4);
  EXPECT_NEAR(mean(values, grid,
                   [](const Eigen::Vector3d& at) {
                     return (at - ball.centre_mm).norm() > 36 && at.head<2>().norm() < 55 &&
                            std::abs(at.z()) < 20;
                   }),
              0, 2e-4);
}

TEST(Fdk, EllipsoidsOfTheHeadHaveTheirAttenuation) {
  const auto phantom = shepp_logan(80);
  const auto grid = small_grid({96, 96, 12}, 2);
  const FieldValues values = reconstructed(
      project(phantom, circular({.columns = 160, .rows = 32, .views = 200, .column_mm = 2.5, .row_mm = 2.5})),
      grid);
  const auto in = [](const Ellipsoid& of, double part) {
    return [&of, part](const Eigen::Vector3d& at) {
      Ellipsoid smaller = of;
      smaller.radii_mm *= part;
      return smaller.contains(at);
    };
  };
  // Brain 0.2, ventricles 0, the large tumour 0.3 times 0.02 per mm, each within 2 % of water.
  EXPECT_NEAR(mean(values, grid, in(phantom[2], 0.6)), 0, 4e-4);
  EXPECT_NEAR(mean(values, grid, in(phantom[3], 0.6)), 0, 4e-4);
  EXPECT_NEAR(mean(values, grid, in(phantom[4], 0.6)), 0.006, 4e-4);
  EXPECT_NEAR(mean(values, grid,
                   [](const Eigen::Vector3d& at) { return (at - Eigen::Vector3d(40, 0, 0)).norm() < 6; }),
              0.004, 4e-4);
}

/// The same sum, in double precision, with the convolution written out.
double brute_force(const Projections& projections, const CircularScan& scan, const Eigen::Vector3d& at) {
  const Geometry& geometry = projections.geometry;
  const double pitch = scan.column_mm * scan.source_to_axis_mm / scan.source_to_detector_mm;
  double sum = 0;
  for (std::size_t i = 0; i < geometry.views.size(); ++i) {
    const View& view = geometry.views[i];
    const Eigen::Vector3d forward = -view.source.normalized();
    const double depth = (at - view.source).dot(forward);
    const Eigen::Vector3d hit =
        view.source + scan.source_to_detector_mm / depth * (at - view.source) - view.origin;
    const double u = hit.dot(view.along.normalized()) / scan.column_mm,
                 v = hit.dot(view.up.normalized()) / scan.row_mm;
    const auto filtered = [&](int column, int row) {
      if (column < 0 || column >= geometry.columns || row < 0 || row >= geometry.rows) return 0.0;
      double convolved = 0;
      for (int k = 0; k < geometry.columns; ++k) {
        const int n = column - k;
        if (n != 0 && n % 2 == 0) continue;
        const double ramp = n == 0 ? 0.25 : -1 / std::pow(std::numbers::pi * n, 2);
        const double cosine = scan.source_to_detector_mm / (view.pixel(k, row) - view.source).norm();
        convolved += ramp * cosine * static_cast<double>(projections.column(static_cast<int>(i), k)[row]);
      }
      return convolved / pitch;
    };
    const int u0 = static_cast<int>(std::floor(u)), v0 = static_cast<int>(std::floor(v));
    const double fu = u - u0, fv = v - v0;
    const double value = (1 - fu) * ((1 - fv) * filtered(u0, v0) + fv * filtered(u0, v0 + 1)) +
                         fu * ((1 - fv) * filtered(u0 + 1, v0) + fv * filtered(u0 + 1, v0 + 1));
    sum += std::pow(scan.source_to_axis_mm / depth, 2) * value;
  }
  return sum * std::numbers::pi / static_cast<double>(geometry.views.size());
}

TEST(Fdk, SlicesAndVolumeAreASumInDoublePrecision) {
  const CircularScan scan = small_scan(24);
  const Projections projections = project(shepp_logan(60), circular(scan));
  // Steps along a column of the detector below 1, below 2, and above.
  for (const double spacing : {1.5, 3.1, 7.0}) {
    const auto grid = small_grid({19, 21, 17}, spacing);
    const FieldValues volume = reconstructed(projections, grid);
    double worst = 0;
    for (int i = 0; i < 60; ++i) {
      const int x = i * 7 % 19, y = i * 5 % 21, z = i * 3 % 17;
      const auto at = static_cast<std::size_t>(x + 19 * (y + 21 * z));
      worst = std::max(worst, std::abs(static_cast<double>(volume[at]) -
                                       brute_force(projections, scan, grid.position(x, y, z))));
    }
    EXPECT_LT(worst, 2e-7) << "of values up to 0.02; spacing " << spacing;
    for (int axis = 0; axis < 3; ++axis) {
      const Region region = Region::slice(grid, axis, 8);
      const FieldValues slice = reconstructed(projections, grid, region);
      double difference = 0;
      std::size_t at = 0;
      for (int z = region.first[2]; z < region.first[2] + region.count[2]; ++z) {
        for (int y = region.first[1]; y < region.first[1] + region.count[1]; ++y) {
          for (int x = region.first[0]; x < region.first[0] + region.count[0]; ++x) {
            difference = std::max(
                difference,
                std::abs(static_cast<double>(slice[at++]) -
                         static_cast<double>(volume[static_cast<std::size_t>(x + 19 * (y + 21 * z))])));
          }
        }
      }
      EXPECT_EQ(at, slice.size());
      EXPECT_LT(difference, 2e-7) << "slice across axis " << axis;
    }
  }
}

TEST(Fdk, ParallelBeamsOverHalfATurnEqualThoseOverAWhole) {
  CircularScan scan{
      .beam = Beam::parallel, .columns = 96, .rows = 24, .views = 120, .column_mm = 2, .row_mm = 2};
  scan.arc_deg = 180;
  const auto grid = small_grid({64, 64, 12}, 2);
  const FieldValues half = reconstructed(project({&ball, 1}, circular(scan)), grid);
  scan.arc_deg = 360;
  scan.views = 240;
  const FieldValues whole = reconstructed(project({&ball, 1}, circular(scan)), grid);
  EXPECT_LT(rms(half, whole), 1e-6);
  EXPECT_NEAR(mean(half, grid, [](const Eigen::Vector3d& at) { return (at - ball.centre_mm).norm() < 24; }),
              0.02, 1e-4);
}

TEST(Fdk, AShortScanEqualsAWholeOne) {
  auto scan = small_scan(360);
  const auto grid = small_grid({64, 64, 1}, 2);
  const FieldValues whole = reconstructed(project({&ball, 1}, circular(scan)), grid);
  // The fan has 2 * atan(67.2 / 600) = 12.8 degrees.
  for (const double arc : {194.0, 250.0}) {
    for (const double sense : {1.0, -1.0}) {
      scan.arc_deg = sense * arc;
      scan.first_deg = 40;
      scan.views = static_cast<int>(arc);
      const auto filtered = filter(project({&ball, 1}, circular(scan)), {});
      EXPECT_TRUE(filtered.remarks.empty()) << filtered.remarks.text();
      FieldValues part(grid.point_count());
      back_project(filtered, grid, Region::whole(grid), part);
      EXPECT_NEAR(
          mean(part, grid, [](const Eigen::Vector3d& at) { return (at - ball.centre_mm).norm() < 24; }), 0.02,
          2e-4);
      EXPECT_LT(rms(part, whole), 5e-4) << "arc " << sense * arc;
    }
  }
  scan.arc_deg = 150;
  EXPECT_FALSE(filter(project({&ball, 1}, circular(scan)), {}).remarks.empty()) << "directions are missing";
}

TEST(Fdk, ADisplacedDetectorSeesTwiceTheWidth) {
  auto scan = small_scan(240);
  scan.columns = 40;
  scan.offset_mm = 55;  // from -15 to 125 mm
  for (const double sign : {1.0, -1.0}) {
    scan.offset_mm = sign * 55;
    const auto grid = small_grid({64, 64, 8}, 2);
    const FieldValues values = reconstructed(project({&ball, 1}, circular(scan)), grid);
    EXPECT_NEAR(
        mean(values, grid, [](const Eigen::Vector3d& at) { return (at - ball.centre_mm).norm() < 24; }), 0.02,
        4e-4);
  }
}

TEST(Fdk, ADisplacedDetectorMayLackAViewButNotAHalfTurn) {
  auto scan = small_scan(240);
  scan.columns = 40;
  scan.offset_mm = 55;
  std::vector<int> all(240);
  std::iota(all.begin(), all.end(), 0);
  all.erase(all.begin() + 100);
  const auto grid = small_grid({64, 64, 8}, 2);
  const Projections whole = project({&ball, 1}, circular(scan));
  const FieldValues values = reconstructed(chosen_views(whole, all), grid);
  EXPECT_NEAR(mean(values, grid, [](const Eigen::Vector3d& at) { return (at - ball.centre_mm).norm() < 24; }),
              0.02, 4e-4);
  const Remarks remarks = filter(chosen_views(whole, short_scan(whole.geometry)), {}).remarks;
  EXPECT_NE(remarks.text().find("needs views of a whole turn"), std::string::npos) << remarks.text();
}

TEST(Fdk, RowsAndRaysAreAcrossTheAxis) {
  auto turned = circular(small_scan(30));
  for (View& view : turned.views) std::swap(view.along, view.up);
  EXPECT_THROW(filter(Projections(turned), {}), Error);
  auto scan = small_scan(30);
  scan.beam = Beam::parallel;
  auto oblique = circular(scan);
  for (View& view : oblique.views) view.source.z() += 0.5;
  EXPECT_THROW(filter(Projections(oblique), {}), Error);
}

TEST(Fdk, TheAxisIsShiftedBack) {
  auto scan = small_scan(120);
  const auto grid = small_grid({44, 44, 8}, 2);
  const FieldValues straight = reconstructed(project({&ball, 1}, circular(scan)), grid);
  // Moved by whole pixels, the detector has the same pixels.
  scan.offset_mm = -2 * scan.column_mm;
  Projections moved = project({&ball, 1}, circular(scan));
  scan.offset_mm = 0;
  moved.geometry = circular(scan);
  EXPECT_GT(rms(reconstructed(moved, grid), straight), 5e-4);
  moved.geometry = with_axis_shifted(moved.geometry, 2);
  EXPECT_LT(rms(reconstructed(moved, grid), straight), 1e-5);
}

TEST(Fdk, ViewsInAnyOrderAndAtUnequalAnglesHaveTheirShares) {
  const Geometry even = circular(small_scan(180));
  std::vector<int> some;
  for (int i = 0; i < 180; ++i) {
    if (i < 90 || i % 2 == 0) some.push_back((i * 77) % 180);
  }
  std::vector<int> chosen;
  for (int i = 0; i < 180; ++i) {
    if (i < 90 || i % 2 == 0) chosen.push_back(i);
  }
  std::ranges::rotate(chosen, chosen.begin() + 31);
  const auto grid = small_grid({64, 64, 8}, 2);
  const FieldValues values = reconstructed(project({&ball, 1}, with_views(even, chosen)), grid);
  EXPECT_NEAR(mean(values, grid, [](const Eigen::Vector3d& at) { return (at - ball.centre_mm).norm() < 24; }),
              0.02, 3e-4);
}

TEST(Fdk, AFanBeamIsOneRow) {
  CircularScan scan = small_scan(180);
  scan.rows = 1;
  const Ellipsoid disc{.radii_mm = {30, 30, 30}, .attenuation_per_mm = 0.02};
  const auto grid = small_grid({64, 64, 1}, 2);
  const FieldValues values = reconstructed(project({&disc, 1}, circular(scan)), grid);
  EXPECT_NEAR(mean(values, grid, [](const Eigen::Vector3d& at) { return at.norm() < 24; }), 0.02, 1e-4);
}

TEST(Fdk, ThePointSpreadIsThatOfTheWindow) {
  // A ball far below a voxel; the full width at half maximum of Ram-Lak's filter is about 1.2 of its pixels, plus
  // those of linear interpolation; Hann's is wider.
  const Ellipsoid point{.radii_mm = {0.8, 0.8, 0.8}, .attenuation_per_mm = 1};
  const auto grid = small_grid({41, 41, 1}, 0.5);
  const Projections projections =
      project({&point, 1}, circular({.columns = 63, .rows = 63, .views = 180, .column_mm = 1, .row_mm = 1}));
  const auto width = [&](const FilterParameters& parameters) {
    const FieldValues values = reconstructed(projections, grid, parameters);
    const auto* row = values.data() + 41 * 20;
    EXPECT_EQ(std::max_element(row, row + 41), row + 20) << "the point stays in its place";
    double x = 20;
    while (row[static_cast<int>(x)] > row[20] / 2) x += 1;
    const double above = row[static_cast<int>(x) - 1], below = row[static_cast<int>(x)];
    return 2 * (x - 1 + (above - row[20] / 2) / (above - below) - 20) * 0.5;
  };
  const double sharp = width({}), smooth = width({FilterWindow::hann, 1}),
               smoother = width({FilterWindow::hann, 0.5});
  EXPECT_GT(sharp, 0.8);
  EXPECT_LT(sharp, 1.9);
  EXPECT_GT(smooth, sharp);
  EXPECT_GT(smoother, 1.5 * smooth);
}

TEST(Fdk, OneThreadGivesTheSameBits) {
  const Projections projections = project(shepp_logan(60), circular(small_scan(31)));
  const auto grid = small_grid({33, 35, 20}, 3);
  const FieldValues two = reconstructed(projections, grid);
  FieldValues one;
  on_one_thread([&] { one = reconstructed(projections, grid); });
  EXPECT_EQ(one, two);
}

TEST(Fdk, GeometriesThatDoNotSuitAreRefused) {
  Projections one(circular(small_scan(1)));
  EXPECT_THROW(filter(one, {}), Error);
  Projections same(circular(small_scan(3)));
  same.geometry.views[1] = same.geometry.views[2] = same.geometry.views[0];
  EXPECT_THROW(filter(same, {}), Error);
  Projections helix(circular(small_scan(30)));
  for (std::size_t i = 0; i < 30; ++i) helix.geometry.views[i].source.z() += 3 * static_cast<double>(i);
  EXPECT_THROW(filter(helix, {}), Error);
  EXPECT_THROW(circular({.arc_deg = 0}), Error);
  EXPECT_THROW(circular({.source_to_axis_mm = 1000, .source_to_detector_mm = 600}), Error);
  EXPECT_THROW(circular({.column_mm = std::nan("")}), Error);
}

}  // namespace
}  // namespace isolume::tomography
