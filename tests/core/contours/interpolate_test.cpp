#include "core/contours/interpolate.h"

#include <algorithm>
#include <random>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/contours/outlines.h"
#include "core/contours/signed_distance.h"
#include "tests/core/contours/shapes.h"

namespace isolume::contours {
namespace {

using std::numbers::pi;
using testing::box;
using testing::circle;
using testing::closed;
using testing::ellipse;
using testing::rectangle;

images::Geometry grid() {
  return box(200, 120, 24, {0.5, 0.8, 3});
}

/// A circle in mm on a slice along axis 2 of `grid()`.
Contour disc(Eigen::Vector2d centre_mm, double radius_mm, int slice,
             Combination combination = Combination::add) {
  const Eigen::Vector2d spacing(0.5, 0.8);
  const Eigen::Vector2d one = Eigen::Vector2d::Ones();
  return closed(ellipse(centre_mm.cwiseQuotient(spacing), (radius_mm * one).cwiseQuotient(spacing), 400),
                {2, slice}, 1, combination);
}

std::vector<const Contour*> on_slice(const std::vector<Contour>& contours, int slice) {
  std::vector<const Contour*> found;
  for (const auto& contour : contours) {
    if (contour.slice == images::SliceId{2, slice}) found.push_back(&contour);
  }
  return found;
}

/// Every point of the outline, in mm, makes `level_mm` vanish.
template <class Level>
void expect_on(const Contour& contour, double tolerance_mm, const Level& level_mm) {
  for (const auto& point : contour.outline()) {
    const Eigen::Vector2d place_mm = point.cwiseProduct(Eigen::Vector2d(0.5, 0.8));
    ASSERT_NEAR(level_mm(place_mm), 0, tolerance_mm) << place_mm.transpose();
  }
}

constexpr double tolerance_mm = 0.05;  // linear interpolation between pixels of 0.8 mm

TEST(Interpolate, Cone) {
  const Eigen::Vector2d centre(51.3, 46.9);
  ContourSet set;
  set.add(disc(centre, 8, 2));
  set.add(disc(centre, 28, 12));
  const auto found = interpolate(set, 1, 2, grid());
  ASSERT_EQ(found.size(), 9U);
  for (int k = 3; k < 12; ++k) {
    const auto here = on_slice(found, k);
    ASSERT_EQ(here.size(), 1U);
    const double radius = 8 + 2 * (k - 2);
    expect_on(*here[0], tolerance_mm, [&](const Eigen::Vector2d& p) { return (p - centre).norm() - radius; });
    EXPECT_NEAR(*measure(*here[0], grid()).area_mm2, pi * radius * radius, 0.003 * pi * radius * radius);
    EXPECT_TRUE(here[0]->suggestion);
    EXPECT_TRUE(here[0]->closed);
    EXPECT_EQ(here[0]->label, 1);
  }
}

TEST(Interpolate, AcceptedSlicesOfAConeHaveItsVolume) {
  ContourSet set;
  set.add(disc({50.13, 48.27}, 8, 0));
  set.add(disc({50.13, 48.27}, 28, 20));
  for (auto contour : interpolate(set, 1, 2, grid())) {
    contour.suggestion = false;
    set.add(std::move(contour));
  }
  double sum = 0;  // each slice as a cylinder
  for (int k = 0; k <= 20; ++k) sum += pi * std::pow(8 + k, 2) * 3;
  const auto volume =
      testing::volume_of<std::uint8_t>(grid(), images::PixelType::uint8, [](int, int, int) { return 0; });
  EXPECT_NEAR(measure_labels(set, volume)[0].volume_mm3, sum, 0.002 * sum);
}

TEST(Interpolate, ObliqueVesselKeepsItsWidth) {
  for (const double shift : {3.0, 40.0}) {  // overlapping, and far apart
    const Eigen::Vector2d from(20, 30), along(shift, shift / 2);
    ContourSet set;
    set.add(disc(from, 4, 0));
    set.add(disc(from + along, 4, 8));
    const auto found = interpolate(set, 1, 2, grid());
    ASSERT_EQ(found.size(), 7U);
    for (int k = 1; k < 8; ++k) {
      const Eigen::Vector2d centre = from + along * k / 8;
      expect_on(*on_slice(found, k).at(0), 0.15,  // centroids are those of pixels
                [&](const Eigen::Vector2d& p) { return (p - centre).norm() - 4; });
    }
  }
}

TEST(Interpolate, TrunkWithTwoBranches) {
  const Eigen::Vector2d centre(50, 48), aside(14, 0);
  ContourSet set;
  set.add(disc(centre, 15, 0));
  set.add(disc(centre - aside, 8, 10));
  set.add(disc(centre + aside, 8, 10));
  const auto found = interpolate(set, 1, 2, grid());
  for (int k = 1; k < 10; ++k) {
    const double t = k / 10.0;
    const auto here = on_slice(found, k);
    // The middle is outside from (1 - t) 15 + t (8 - 14) < 0 on.
    ASSERT_EQ(here.size(), t < 15.0 / 21 ? 1U : 2U) << k;
    for (const auto* contour : here) {
      EXPECT_EQ(contour->combination, Combination::add);
      expect_on(*contour, 0.1, [&](const Eigen::Vector2d& p) {
        const double branch = 8 - std::min((p - centre - aside).norm(), (p - centre + aside).norm());
        return (1 - t) * (15 - (p - centre).norm()) + t * branch;
      });
    }
  }
}

TEST(Interpolate, HoleThatCloses) {
  const Eigen::Vector2d centre(50, 48);
  ContourSet set;
  set.add(disc(centre, 20, 0));
  set.add(disc(centre, 10, 0, Combination::subtract));
  set.add(disc(centre, 20, 10));
  const auto found = interpolate(set, 1, 2, grid());
  for (int k = 1; k < 10; ++k) {
    const double t = k / 10.0;
    const auto here = on_slice(found, k);
    ASSERT_EQ(here.size(), k <= 3 ? 2U : 1U);
    expect_on(*here[0], tolerance_mm, [&](const Eigen::Vector2d& p) { return (p - centre).norm() - 20; });
    if (k > 3) continue;
    EXPECT_EQ(here[1]->combination, Combination::subtract);
    // (1 - t) (rho - 10) + t (20 - rho) = 0
    expect_on(*here[1], 0.15,
              [&](const Eigen::Vector2d& p) { return (p - centre).norm() - (10 - 30 * t) / (1 - 2 * t); });
  }
}

TEST(Interpolate, ContoursOfOneRegionAreTakenTogether) {
  // Two halves that overlap make the same body as one rectangle.
  ContourSet halves, whole;
  halves.add(closed(rectangle(20, 20, 62, 60), {2, 0}));
  halves.add(closed(rectangle(58, 20, 100, 60), {2, 0}));
  whole.add(closed(rectangle(20, 20, 100, 60), {2, 0}));
  for (auto* set : {&halves, &whole}) set->add(closed(rectangle(40, 30, 80, 50), {2, 4}));
  const auto one = interpolate(halves, 1, 2, grid()), other = interpolate(whole, 1, 2, grid());
  ASSERT_EQ(one.size(), 3U);
  ASSERT_EQ(other.size(), 3U);
  EXPECT_NEAR(*measure(one[1], grid()).area_mm2, *measure(other[1], grid()).area_mm2, 0.5);
}

TEST(Interpolate, SeparateBodiesGoTheirOwnWays) {
  ContourSet set;
  set.add(disc({20, 20}, 6, 3));
  set.add(disc({75, 70}, 9, 3));
  set.add(disc({60, 20}, 3, 3));  // ends somewhere
  set.add(disc({72, 70}, 9, 7));
  set.add(disc({24, 34}, 6, 7));
  set.add(disc({24, 34}, 6, 9));
  const auto found = interpolate(set, 1, 2, grid());
  ASSERT_EQ(found.size(), 3U * 2 + 1);
  EXPECT_EQ(on_slice(found, 7).size(), 0U);
  std::vector<Eigen::Vector3d> centres;
  for (const auto* contour : on_slice(found, 5)) centres.push_back(measure(*contour, grid()).centroid_mm);
  std::ranges::sort(centres, {}, [](const Eigen::Vector3d& centre) { return centre.x(); });
  EXPECT_LT((centres[0] - Eigen::Vector3d(22, 27, 15)).norm(), 0.2);
  EXPECT_LT((centres[1] - Eigen::Vector3d(73.5, 70, 15)).norm(), 0.2);
}

TEST(Interpolate, NeedsTwoContouredSlices) {
  ContourSet set;
  set.add(disc({50, 48}, 8, 2));
  EXPECT_THROW(interpolate(set, 1, 2, grid()), Error);
  auto other = disc({50, 48}, 8, 6);
  other.suggestion = true;
  set.add(other);
  other.suggestion = other.closed = false;
  set.add(other);
  EXPECT_THROW(interpolate(set, 1, 2, grid()), Error);
  set.add(disc({50, 48}, 8, 3));
  EXPECT_TRUE(interpolate(set, 1, 2, grid()).empty());  // neighbours
}

TEST(Interpolate, StopsWhenCancelled) {
  ContourSet set;
  set.add(disc({50, 48}, 8, 2));
  set.add(disc({50, 48}, 8, 9));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(interpolate(set, 1, 2, grid(), {stop.get_token(), {}}), Cancelled);
}

TEST(SignedDistance, IsThatOfBruteForce) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> x(-10, 110), y(-10, 80);
  const Eigen::Matrix2d to_mm{{0.6, 0.4}, {0, 1.1}};  // sheared
  for (const std::size_t corners : {1U, 2U, 3U, 40U}) {
    Polyline outline(corners);
    for (auto& point : outline) point = {x(random), y(random)};
    const auto found = signed_distances_mm(outline, 101, 70, to_mm);
    const auto inside = rasterise(closed(outline), 101, 70);
    for (std::size_t at = 0; at < found.size(); at += 13) {
      const Eigen::Vector2d place =
          to_mm * Eigen::Vector2d(static_cast<double>(at % 101), static_cast<double>(at / 101));
      double least = 1e300;
      for (std::size_t i = 0; i < corners; ++i) {
        const Eigen::Vector2d a = to_mm * outline[i], b = to_mm * outline[(i + 1) % corners];
        const bool beside = (b - a).dot(place - a) > 0 && (a - b).dot(place - b) > 0;
        const double to_ends = std::min((place - a).norm(), (place - b).norm());
        least = std::min(
            least,
            beside ? std::abs(Eigen::Hyperplane<double, 2>::Through(a, b).signedDistance(place)) : to_ends);
      }
      ASSERT_NEAR(found[at], inside.values[at] != 0 ? least : -least, 1e-5);
    }
  }
}

TEST(ZeroOutlines, SeparateAndJoinAtSaddles) {
  // Two inner pixels that touch at a corner: one body where the middle is inside.
  for (const float outside : {-1.0F, -3.0F}) {
    FieldValues values(16, outside);
    values[5] = values[10] = 2;
    const auto outlines = zero_outlines(values, 4, 4);
    ASSERT_EQ(outlines.size(), outside == -1.0F ? 1U : 2U);
    for (const auto& outline : outlines) EXPECT_GT(outline.area_px2, 0);
  }
  FieldValues ring(25, -1);
  for (const std::size_t at : {6U, 7U, 8U, 11U, 13U, 16U, 17U, 18U}) ring[at] = 1;
  const auto outlines = zero_outlines(ring, 5, 5);
  ASSERT_EQ(outlines.size(), 2U);
  EXPECT_NEAR(outlines[0].area_px2, 9 - 0.5, 1e-6);  // corners cut
  EXPECT_NEAR(outlines[1].area_px2, -0.5, 1e-6);
}

TEST(SeedPoints, AreTheCornersOfASquare) {
  Polyline outline;
  for (int side = 0; side < 4; ++side) {
    for (int i = 0; i < 25; ++i) {
      outline.emplace_back(Eigen::Rotation2Dd(pi / 2 * side) * Eigen::Vector2d(12.5 - i, 12.5));
    }
  }
  EXPECT_EQ(seed_points(outline, true, 0.5), (std::vector<std::size_t>{0, 25, 50, 75}));
  std::ranges::rotate(outline, outline.begin() + 7);
  EXPECT_EQ(seed_points(outline, true, 0.5), (std::vector<std::size_t>{18, 43, 68, 93}));
}

TEST(SeedPoints, AreAsNearAsAskedAndAsManyAsNeeded) {
  const auto outline = circle({0, 0}, 40, 500);
  for (const double tolerance : {0.2, 1.0, 5.0, 1000.0}) {
    const auto seeds = seed_points(outline, true, tolerance);
    EXPECT_GE(seeds.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(seeds));
    double deviation = 0;
    for (std::size_t s = 0; s < seeds.size(); ++s) {
      const std::size_t end = s + 1 < seeds.size() ? seeds[s + 1] : seeds[0] + outline.size();
      const auto line =
          Eigen::Hyperplane<double, 2>::Through(outline[seeds[s]], outline[end % outline.size()]);
      for (std::size_t i = seeds[s]; i < end; ++i) {
        deviation = std::max(deviation, line.absDistance(outline[i % outline.size()]));
      }
    }
    EXPECT_LE(deviation, tolerance);
    // A chord that deviates by d spans 2 acos(1 - d / r); halving overshoots by at most two.
    const double fewest = pi / std::acos(std::max(1 - tolerance / 40, -1.0));
    EXPECT_LE(static_cast<double>(seeds.size()), std::max(3.0, 2 * fewest + 1));
  }
  EXPECT_EQ(seed_points(outline, true, 1000, 12).size(), 12U);
}

TEST(SeedPoints, OfOpenAndSmallOnes) {
  const Polyline line{{0, 0}, {1, 0.01}, {2, 0}, {3, 4}};
  EXPECT_EQ(seed_points(line, false, 0.5, 2), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(seed_points({{1, 1}}, true, 0.5), (std::vector<std::size_t>{0}));
  EXPECT_EQ(seed_points({{1, 1}, {2, 2}}, true, 0.5), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(seed_points({}, true, 0.5).empty());
}

}  // namespace
}  // namespace isolume::contours
