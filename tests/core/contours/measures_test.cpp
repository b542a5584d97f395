#include "core/contours/measures.h"

#include <algorithm>
#include <limits>
#include <random>

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/contours/distance_map.h"
#include "core/contours/files.h"
#include "core/contours/label_map.h"
#include "core/contours/polygon.h"
#include "tests/core/contours/shapes.h"

namespace isolume::contours {
namespace {

using std::numbers::pi;
using testing::box;
using testing::circle;
using testing::closed;
using testing::ellipse;
using testing::rectangle;
using testing::volume_of;

/// Oblique, with three different spacings.
images::Geometry oblique() {
  auto geometry = box(40, 50, 60, {0.5, 0.8, 2.5});
  geometry.origin = {-20, 31, 1000};
  geometry.set_directions(
      (Eigen::AngleAxisd(0.4, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(-0.7, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix());
  return geometry;
}

/// Unit vectors that are 70, 60 and 80 degrees apart.
Eigen::Matrix3d sheared() {
  const auto cosine = [](double degrees) { return std::cos(degrees * pi / 180); };
  const Eigen::Matrix3d products{
      {1, cosine(70), cosine(60)}, {cosine(70), 1, cosine(80)}, {cosine(60), cosine(80), 1}};
  return products.llt().matrixU();
}

TEST(Measure, SquareOfPixelsOnAShearedGridIsARhombus) {
  auto geometry = box(40, 50, 60, {0.5, 0.8, 2.5});
  geometry.set_directions(sheared());
  const std::array degrees{80.0, 60.0, 70.0};  // between the two axes of slices across i, j and k
  for (const int axis : {0, 1, 2}) {
    const auto plane = images::slice_plane(geometry, {axis, 7});
    const auto measures = measure(closed({{10, 10}, {30, 10}, {30, 30}, {10, 30}}, {axis, 7}), geometry);
    const double a = 20 * plane.along.norm(), b = 20 * plane.across.norm();
    const double angle = degrees[static_cast<std::size_t>(axis)] * pi / 180;
    EXPECT_NEAR(measures.area_mm2.value(), a * b * std::sin(angle), 1e-9);
    EXPECT_NEAR(measures.length_mm, 2 * (a + b), 1e-9);
    EXPECT_NEAR(measures.feret_max_mm, std::sqrt(a * a + b * b + 2 * a * b * std::cos(angle)), 1e-9);
    EXPECT_LT((measures.centroid_mm - plane.position({20, 20})).norm(), 1e-9);
  }
}

TEST(MeasureLabels, VoxelsOfATiltedGantryAreSmallerThanTheirSpacings) {
  auto geometry = box(12, 12, 6, {2, 2, 5});
  geometry.set_direction(2, Eigen::Vector3d(0, std::sin(20 * pi / 180), std::cos(20 * pi / 180)));
  const auto volume =
      volume_of<std::int16_t>(geometry, images::PixelType::int16, [](int, int, int) { return 1; });
  ContourSet set;
  set.put_label({.value = 1, .name = "block"});
  for (int k = 1; k < 4; ++k) set.add(closed({{2.5, 2.5}, {6.5, 2.5}, {6.5, 7.5}, {2.5, 7.5}}, {2, k}));
  // 4 x 5 x 3 voxels of 2 x 2 x 5 cos(20 degrees) mm.
  EXPECT_NEAR(measure_labels(set, volume)[0].volume_mm3, 60 * 20 * std::cos(20 * pi / 180), 1e-9);
}

TEST(Measure, Disc) {
  const auto measures = measure(closed(circle({30, 20}, 10, 100'000), {2, 3}), box(64, 64, 8, {0.7, 0.7, 3}));
  EXPECT_NEAR(measures.length_mm, 2 * pi * 7, 1e-6);
  EXPECT_NEAR(measures.area_mm2.value(), pi * 49, 1e-6);
  EXPECT_NEAR(measures.feret_max_mm, 14, 1e-6);
  EXPECT_NEAR(measures.feret_min_mm, 14, 1e-6);
  EXPECT_LT((measures.centroid_mm - Eigen::Vector3d(21, 14, 9)).norm(), 1e-9);
  EXPECT_FALSE(measures.intensity.has_value());
}

TEST(Measure, EllipseFromACircleByUnequalSpacing) {
  for (const int axis : {0, 1, 2}) {
    const auto geometry = oblique();
    const auto plane = images::slice_plane(geometry, {axis, 7});
    const auto measures = measure(closed(circle({20, 25}, 12, 100'000), {axis, 7}), geometry);
    const double a = 12 * plane.spacing().maxCoeff(), b = 12 * plane.spacing().minCoeff();
    EXPECT_NEAR(measures.area_mm2.value(), pi * a * b, 1e-6 * a * b);
    EXPECT_NEAR(measures.length_mm, 4 * a * std::comp_ellint_2(std::sqrt(1 - b * b / (a * a))), 1e-6 * a);
    EXPECT_NEAR(measures.feret_max_mm, 2 * a, 1e-6 * a);
    EXPECT_NEAR(measures.feret_min_mm, 2 * b, 1e-6 * a);
    EXPECT_LT((measures.centroid_mm - plane.position({20, 25})).norm(), 1e-9);
  }
}

TEST(Measure, RectangleTurnedInItsSlice) {
  const double angle = 0.3;
  Polyline corners = rectangle(-6, -2, 6, 2);
  for (auto& corner : corners) corner = Eigen::Vector2d(20, 20) + Eigen::Rotation2Dd(angle) * corner;
  const auto measures = measure(closed(corners), box(40, 40, 1, {0.5, 0.5, 1}));
  EXPECT_NEAR(measures.area_mm2.value(), 6 * 2, 1e-9);
  EXPECT_NEAR(measures.length_mm, 2 * (6 + 2), 1e-9);
  EXPECT_NEAR(measures.feret_min_mm, 2, 1e-9);
  EXPECT_NEAR(measures.feret_max_mm, std::hypot(6, 2), 1e-9);
}

// The same star drawn with five crossing lines: five tips around a pentagon, which is outside by the even-odd rule.
TEST(Measure, StarOfCrossingLinesHasTheAreaOfItsTips) {
  Polyline star;
  for (int i = 0; i < 5; ++i) {
    star.emplace_back(30 + 20 * std::cos(4 * pi * i / 5), 30 + 20 * std::sin(4 * pi * i / 5));
  }
  const double inner = 20 * std::cos(2 * pi / 5) / std::cos(pi / 5);
  const double tip = inner * std::sin(pi / 5) * (20 - inner * std::cos(pi / 5));
  const auto measures = measure(closed(star), box(64, 64, 1));
  EXPECT_NEAR(measures.area_mm2.value(), 5 * tip, 1e-9);
  EXPECT_LT((measures.centroid_mm - Eigen::Vector3d(30, 30, 0)).norm(), 1e-9);
  EXPECT_TRUE(crosses_itself(star));
}

// Triangles of 20 x 10 / 2 and 10 x 5 / 2, with centres at two thirds of their heights; the tip they share is a point
// of the outline only in the second one.
TEST(Measure, OutlinesThatCrossHaveTheAreaOfBothLoops) {
  const Polyline crossing{{10, 10}, {25, 25}, {25, 15}, {10, 30}};
  const Polyline through{{10, 10}, {20, 20}, {25, 25}, {25, 15}, {20, 20}, {10, 30}};
  for (const auto& outline : {crossing, through}) {
    const auto measures = measure(closed(outline), box(64, 64, 1));
    EXPECT_NEAR(measures.area_mm2.value(), 100 + 25, 1e-9);
    const double x = 20 + (100 * -20.0 / 3 + 25 * 10.0 / 3) / 125;
    EXPECT_LT((measures.centroid_mm - Eigen::Vector3d(x, 20, 0)).norm(), 1e-9);
    EXPECT_TRUE(crosses_itself(outline));
  }
}

TEST(Measure, OutlinesThatOnlyTouchThemselvesDoNotCross) {
  const Polyline corner{{0, 0}, {2, 0}, {2, 2}, {4, 2}, {4, 4}, {2, 4}, {2, 2}, {0, 2}};
  EXPECT_FALSE(crosses_itself(corner));
  EXPECT_NEAR(measure(closed(corner), box(8, 8, 1)).area_mm2.value(), 8, 1e-12);
  const Polyline there_and_back{{1, 1}, {5, 2}, {7, 6}, {5, 2}};
  EXPECT_FALSE(crosses_itself(there_and_back));
}

TEST(Measure, PixelsThatAreNoNumbersAreCounted) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto volume = volume_of<float>(box(16, 12, 4), images::PixelType::float32, [&](int i, int j, int) {
    return i >= 2 && i < 5 && j >= 2 && j < 5 ? nan : 100;
  });
  const auto contour = closed(rectangle(0.5, 0.5, 8.5, 8.5), {2, 1});  // 64 pixels, 9 of them NaN
  EXPECT_EQ(measure(contour, volume).intensity->count, 55U);
  EXPECT_EQ(measure(contour, volume).intensity->not_finite, 9U);
  ContourSet set;
  set.add(contour);
  EXPECT_EQ(measure_labels(set, volume)[0].intensity.not_finite, 9U);
  EXPECT_EQ(measures_json(set, volume)["labels"][0]["intensity"]["not_finite"], 9);
  const std::string table = measures_csv(set, volume);
  EXPECT_NE(table.find(",max,kind,value,unit,pixels_not_finite\n"), std::string::npos) << table;
  EXPECT_NE(table.find(",55,100,0,100,100,contour,,,9\n"), std::string::npos) << table;
}

// A square of 10 pixels of 0.5 x 0.8 mm within a region of this scale, and one half outside.
TEST(Measure, OutsideTheOnlyRegionThereIsNoScale) {
  images::Geometry geometry = box(40, 50, 1, {0.5, 0.8, 2});
  geometry.regions = {
      {.left = 0, .top = 0, .right = 19, .bottom = 49, .spacing_mm = Eigen::Vector2d(0.5, 0.8)}};
  const images::Volume volume =
      volume_of<std::uint8_t>(geometry, images::PixelType::uint8, [](int, int, int) { return 1; });
  ContourSet set;
  set.put_label({.value = 1, .name = "inside"});
  set.put_label({.value = 2, .name = "beyond"});
  const Contour inside = closed(rectangle(4.5, 4.5, 14.5, 14.5), {2, 0}, 1),
                beyond = closed(rectangle(14.5, 4.5, 24.5, 14.5), {2, 0}, 2);
  set.add(inside);
  set.add(beyond);
  EXPECT_NEAR(measure(inside, geometry).area_mm2.value(), 100 * 0.4, 1e-9);
  EXPECT_FALSE(measure(beyond, geometry).has_scale());
  EXPECT_TRUE(std::isnan(measure(beyond, geometry).area_mm2.value()));
  EXPECT_EQ(contours_without_scale(set, geometry), 1U);
  const auto labels = measure_labels(set, volume);
  EXPECT_NEAR(labels.at(0).volume_mm3, 100 * 0.4 * 2, 1e-9);
  EXPECT_TRUE(std::isnan(labels.at(1).volume_mm3));
  EXPECT_EQ(labels.at(1).intensity.count, 100U);
}

TEST(Measure, StarWithItsHollows) {
  // Five points at radius 10, five hollows at radius 4: ten triangles with 36 degrees at the centre.
  Polyline star;
  for (int i = 0; i < 10; ++i) {
    const double radius = i % 2 == 0 ? 10 : 4;
    star.emplace_back(30 + radius * std::cos(pi * i / 5), 30 + radius * std::sin(pi * i / 5));
  }
  const auto measures = measure(closed(star), box(64, 64, 1));
  EXPECT_NEAR(measures.area_mm2.value(), 10 * 0.5 * 10 * 4 * std::sin(pi / 5), 1e-9);
  EXPECT_NEAR(measures.length_mm, 10 * std::sqrt(100 + 16 - 80 * std::cos(pi / 5)), 1e-9);
  EXPECT_NEAR(measures.feret_max_mm, 20 * std::sin(2 * pi / 5), 1e-9);    // a pentagon's diagonal
  EXPECT_NEAR(measures.feret_min_mm, 10 * (1 + std::cos(pi / 5)), 1e-9);  // and its height
  EXPECT_LT((measures.centroid_mm - Eigen::Vector3d(30, 30, 0)).norm(), 1e-9);
}

TEST(Measure, FeretDiametersAreThoseOfAllPairsAndDirections) {
  std::mt19937 random(8);
  std::uniform_int_distribution<int> coarse(0, 12), count(1, 30);
  for (int trial = 0; trial < 300; ++trial) {
    Polyline points(static_cast<std::size_t>(count(random)));
    for (auto& point : points) point = {coarse(random), coarse(random)};
    const auto measures = measure(closed(points), box(16, 16, 1));
    double longest = 0, least = 1e9;
    for (const auto& a : points) {
      for (const auto& b : points) {
        longest = std::max(longest, (a - b).norm());
        if (a == b) continue;  // the least width lies across a side of the hull: a line through two points
        const Eigen::Vector2d normal = Eigen::Vector2d(a.y() - b.y(), b.x() - a.x()).normalized();
        double low = 1e9, high = -1e9;
        for (const auto& c : points) {
          low = std::min(low, normal.dot(c));
          high = std::max(high, normal.dot(c));
        }
        least = std::min(least, high - low);
      }
    }
    EXPECT_NEAR(measures.feret_max_mm, longest, 1e-9);
    EXPECT_NEAR(measures.feret_min_mm, longest == 0 ? 0 : least, 1e-9);
  }
}

TEST(Measure, OpenLineAndDegenerateOnes) {
  auto line = contour_from_outline({{0, 0}, {3, 4}, {3, 9}}, {1, 2}, false, 1);
  const auto geometry = box(20, 20, 20, {1, 2, 3});
  const auto measures = measure(line, geometry);
  EXPECT_FALSE(measures.area_mm2.has_value());
  const double first = std::hypot(3, 12), second = 15;
  EXPECT_NEAR(measures.length_mm, first + second, 1e-12);
  const Eigen::Vector3d expected((1.5 * first + 3 * second) / (first + second), 4,
                                 (6 * first + 19.5 * second) / (first + second));
  EXPECT_LT((measures.centroid_mm - expected).norm(), 1e-12);

  const auto there_and_back = measure(closed({{1, 1}, {7.3, 1.1}, {4, 1.0476190476190477}}), geometry);
  EXPECT_NEAR(there_and_back.area_mm2.value(), 0, 1e-12);
  EXPECT_NEAR(there_and_back.centroid_mm.x(), 4.15, 1e-6);
  const auto point = measure(closed({{5, 6}}), geometry);
  EXPECT_EQ(point.length_mm, 0);
  EXPECT_EQ(point.centroid_mm, Eigen::Vector3d(5, 12, 0));
  EXPECT_EQ(measure(closed({}), geometry).length_mm, 0);
}

TEST(Measure, IntensitiesInTheVolumesUnit) {
  auto volume = volume_of<std::int16_t>(box(20, 16, 12), images::PixelType::int16,
                                        [](int i, int j, int k) { return 100 * i + 10 * j + k; });
  volume.slope = 2;
  volume.intercept = -1024;
  for (const int axis : {0, 1, 2}) {
    const auto intensity = measure(closed(rectangle(2, 3, 5, 7), {axis, 5}), volume).intensity.value();
    const std::array<int, 3> x{10, 100, 100}, y{1, 1, 10}, z{100, 10, 1};  // what a step adds
    const auto at = static_cast<std::size_t>(axis);
    const double mean = 2 * (3 * x[at] + 4.5 * y[at] + 5 * z[at]) - 1024;
    double squares = 0;
    for (int dx = -1; dx <= 1; ++dx) {
      for (double dy = -1.5; dy <= 1.5; dy += 1) squares += std::pow(2 * (dx * x[at] + dy * y[at]), 2);
    }
    EXPECT_EQ(intensity.count, 12U);
    EXPECT_NEAR(intensity.mean, mean, 1e-9);
    EXPECT_NEAR(intensity.sd, std::sqrt(squares / 11), 1e-9);
    EXPECT_NEAR(intensity.min, mean - 2 * (x[at] + 1.5 * y[at]), 1e-9);
    EXPECT_NEAR(intensity.max, mean + 2 * (x[at] + 1.5 * y[at]), 1e-9);
  }
  EXPECT_EQ(measure(closed(rectangle(2, 3, 5, 7), {2, 12}), volume).intensity.value().count, 0U);
}

TEST(ContourSet, NamesFollowTheirLabelUnlessSomebodyChoseThem) {
  ContourSet set;
  set.put_label({.value = 1, .name = "Label 1"});
  const auto add = [&](std::string name) {
    Contour contour;
    contour.name = std::move(name);
    return set.add(std::move(contour));
  };
  const auto first = add({}), chosen = add("Label 1 left"), second = add({});
  EXPECT_EQ(set.find(second)->name, "Label 1 3");
  const auto before = set;
  set.rename_label(1, "Liver");
  EXPECT_EQ(set.label(1)->name, "Liver");
  EXPECT_EQ(set.find(first)->name, "Liver 1");
  EXPECT_EQ(set.find(second)->name, "Liver 3");
  EXPECT_EQ(set.find(chosen)->name, "Label 1 left");
  EXPECT_EQ(before.find(first)->name, "Label 1 1") << "copies share contours, but no changes";
  EXPECT_EQ(set.next_name(1), "Liver 4");
  EXPECT_THROW(set.rename_label(2, "Spleen"), Error);
}

TEST(ContourSet, AContourHasItsOwnColourOrItsLabels) {
  ContourSet set;
  set.put_label({.value = 1, .name = "Liver", .colour = "#112233"});
  const auto id = set.add({});
  EXPECT_EQ(set.colour_of(*set.find(id)), "#112233");
  Contour own = *set.find(id);
  own.colour = "#445566";
  EXPECT_EQ(set.colour_of(own), "#445566");
  own.colour.clear();
  own.label = 3;  // there is no such label
  EXPECT_EQ(set.colour_of(own), label_colour(2));
}

TEST(MeasureLabels, VolumeOfAStackWithAHole) {
  ContourSet set;
  set.put_label({.value = 1, .name = "Shell"});
  set.put_label({.value = 4, .name = "None"});
  for (int k = 2; k < 6; ++k) {
    set.add(closed(rectangle(1, 1, 11, 9), {2, k}));
    set.add(closed(rectangle(3, 3, 6, 7), {2, k}, 1, Combination::subtract));
  }
  auto geometry = oblique();
  const auto volume = volume_of<float>(geometry, images::PixelType::float32,
                                       [](int, int, int k) { return k == 3 ? NAN : k; });
  const auto all = measure_labels(set, volume);
  ASSERT_EQ(all.size(), 2U);
  const int in_slice = 10 * 8 - 3 * 4;
  EXPECT_EQ(all[0].slices, 4);
  EXPECT_EQ(all[0].contours, 8);
  EXPECT_NEAR(all[0].volume_mm3, 4 * in_slice * 0.5 * 0.8 * 2.5, 1e-9);
  EXPECT_EQ(all[0].intensity.count, static_cast<std::size_t>(3 * in_slice));  // NaN left out
  EXPECT_NEAR(all[0].intensity.mean, (2 + 4 + 5) / 3.0, 1e-12);
  EXPECT_NEAR(all[0].intensity.sd, std::sqrt(in_slice * (25 + 1 + 16) / 9.0 / (3 * in_slice - 1)), 1e-9);
  EXPECT_EQ(all[1].volume_mm3, 0);
  EXPECT_EQ(all[1].intensity.count, 0U);
}

struct Voxel {
  int i, j, k;
};

/// Straight from the definition.
std::vector<double> brute_distances(const std::vector<Voxel>& from, const std::vector<Voxel>& to,
                                    const Eigen::Matrix3d& steps_mm) {
  std::vector<double> all;
  for (const auto& a : from) {
    double least = 1e300;
    for (const auto& b : to) {
      const Eigen::Vector3d apart(a.i - b.i, a.j - b.j, a.k - b.k);
      least = std::min(least, (steps_mm * apart).norm());
    }
    all.push_back(least);
  }
  std::ranges::sort(all);
  return all;
}

std::vector<Voxel> brute_boundary(const images::Volume& map, int label) {
  const auto& size = map.geometry.dimensions;
  const auto is = [&](int i, int j, int k) {
    return i >= 0 && j >= 0 && k >= 0 && i < size[0] && j < size[1] && k < size[2] &&
           map.value(i, j, k) == label;
  };
  std::vector<Voxel> found;
  for (int k = 0; k < size[2]; ++k) {
    for (int j = 0; j < size[1]; ++j) {
      for (int i = 0; i < size[0]; ++i) {
        const bool within = is(i - 1, j, k) && is(i + 1, j, k) && is(i, j - 1, k) && is(i, j + 1, k) &&
                            (size[2] == 1 || (is(i, j, k - 1) && is(i, j, k + 1)));
        if (is(i, j, k) && !within) found.push_back({i, j, k});
      }
    }
  }
  return found;
}

double percentile_95(const std::vector<double>& sorted) {
  const double rank = 0.95 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const double above = sorted[std::min(below + 1, sorted.size() - 1)];
  return sorted[below] + (rank - std::floor(rank)) * (above - sorted[below]);
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void expect_brute_force(const images::Volume& map, int a, const images::Volume& reference, int b) {
  const auto agreement = compare(map, a, reference, b);
  const auto one = brute_boundary(map, a), other = brute_boundary(reference, b);
  const Eigen::Matrix3d steps = map.geometry.directions() * map.geometry.spacing().asDiagonal();
  const auto there = brute_distances(one, other, steps), back = brute_distances(other, one, steps);
  EXPECT_NEAR(agreement.hausdorff_mm, std::max(there.back(), back.back()), 1e-5);
  EXPECT_NEAR(agreement.hausdorff_95_mm, std::max(percentile_95(there), percentile_95(back)), 1e-5);
  EXPECT_NEAR(agreement.mean_distance_mm, (mean_of(there) + mean_of(back)) / 2, 1e-5);
}

TEST(Compare, ShiftedBoxes) {
  const auto cuboid = [](int from) {
    return volume_of<std::uint8_t>(
        box(40, 30, 20, {0.5, 0.8, 3}), images::PixelType::uint8, [=](int i, int j, int k) {
          return i >= from && i < from + 12 && j >= 4 && j < 20 && k >= 5 && k < 15;
        });
  };
  const auto agreement = compare(cuboid(6), 1, cuboid(9), 1);
  EXPECT_NEAR(agreement.dice, 2.0 * 9 / 24, 1e-12);
  EXPECT_NEAR(agreement.jaccard, 9.0 / 15, 1e-12);
  EXPECT_NEAR(agreement.hausdorff_mm, 3 * 0.5, 1e-6);
  expect_brute_force(cuboid(6), 1, cuboid(9), 1);
  const auto same = compare(cuboid(6), 1, cuboid(6), 1);
  EXPECT_EQ(same.dice, 1);
  EXPECT_EQ(same.hausdorff_mm, 0);
  EXPECT_EQ(same.mean_distance_mm, 0);
}

TEST(Compare, ScatteredVoxelsAndBlobsAgainstBruteForce) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> chance(0, 1), place(3, 17);
  for (int trial = 0; trial < 12; ++trial) {
    const bool flat = trial % 3 == 0;
    auto geometry = box(20, 19, flat ? 1 : 14, {1 + chance(random), 0.3 + chance(random), 2.7});
    if (trial % 2 == 0) geometry.set_directions(sheared());
    const auto made = [&](int label) {
      const Eigen::Vector3d centre(place(random), place(random), flat ? 0 : place(random) * 0.7);
      const double radius = 2 + 5 * chance(random);
      return volume_of<std::uint16_t>(geometry, images::PixelType::uint16, [&](int i, int j, int k) {
        const bool blob = (Eigen::Vector3d(i, j, k) - centre).norm() < radius;
        return blob || chance(random) < 0.003 ? label : 0;
      });
    };
    const auto one = made(7), other = made(300);
    expect_brute_force(one, 7, other, 300);
  }
}

TEST(Compare, RefusesOtherPlacesAndEmptyOnes) {
  const auto full =
      volume_of<std::uint8_t>(box(4, 4, 4), images::PixelType::uint8, [](int, int, int) { return 1; });
  auto moved = full;
  moved.geometry.origin.x() = 0.49;
  EXPECT_EQ(compare(full, 1, moved, 1).dice, 1);
  moved.geometry.origin.x() = 0.51;
  EXPECT_THROW(compare(full, 1, moved, 1), Error);
  const auto other =
      volume_of<std::uint8_t>(box(4, 4, 5), images::PixelType::uint8, [](int, int, int) { return 1; });
  EXPECT_THROW(compare(full, 1, other, 1), Error);
  EXPECT_THROW(compare(full, 2, full, 1), Error);
  EXPECT_THROW(compare(full, 1, full, 2), Error);
}

TEST(DistanceMap, IsExactInThreeUnequalDirections) {
  std::mt19937 random(10);
  std::bernoulli_distribution set(0.002);
  const std::array<int, 3> size{37, 23, 19};
  const Eigen::Vector3d spacing_mm(0.4, 1.7, 0.9);
  std::vector<std::uint8_t> mask(37 * 23 * 19);
  std::vector<Voxel> all, chosen;
  std::size_t at = 0;
  for (int k = 0; k < size[2]; ++k) {
    for (int j = 0; j < size[1]; ++j) {
      for (int i = 0; i < size[0]; ++i, ++at) {
        all.push_back({i, j, k});
        mask[at] = set(random) ? 5 : 2;
        if (mask[at] == 5) chosen.push_back({i, j, k});
      }
    }
  }
  ASSERT_FALSE(chosen.empty());
  const auto found = squared_distances_mm2(mask, 4, size, spacing_mm);
  for (at = 0; at < all.size(); ++at) {
    const double expected = brute_distances({all[at]}, chosen, spacing_mm.asDiagonal())[0];
    ASSERT_NEAR(std::sqrt(found[at]), expected, 1e-6 * (1 + expected));
  }
  EXPECT_TRUE(std::isinf(squared_distances_mm2(mask, 8, size, spacing_mm)[0]));
}

TEST(Rulers, MeasureInMmAndDegreesAlongTheGridsOwnAxes) {
  images::Geometry geometry;
  geometry.dimensions = {100, 100, 3};
  geometry.set_spacing({0.5, 2, 3});
  const auto ruler = [](RulerKind kind, Polyline points) {
    return Ruler{.id = 0, .kind = kind, .slice = {2, 1}, .points = std::move(points)};
  };
  EXPECT_NEAR(measure(ruler(RulerKind::distance, {{10, 10}, {16, 12}}), geometry), 5, 1e-12) << "3 and 4 mm";
  EXPECT_NEAR(measure(ruler(RulerKind::angle, {{20, 10}, {10, 10}, {10, 40}}), geometry), 90, 1e-12);
  EXPECT_NEAR(measure(ruler(RulerKind::angle, {{20, 10}, {10, 10}, {14, 11}}), geometry), 45, 1e-12);
  EXPECT_NEAR(measure(ruler(RulerKind::angle, {{20, 10}, {10, 10}, {0, 10}}), geometry), 180, 1e-12);
  EXPECT_TRUE(std::isnan(measure(ruler(RulerKind::angle, {{20, 10}, {20, 10}, {0, 10}}), geometry)));
  // Columns that lean by 30 degrees.
  geometry.set_direction(1, Eigen::Vector3d(std::sin(pi / 6), std::cos(pi / 6), 0));
  EXPECT_NEAR(measure(ruler(RulerKind::angle, {{20, 10}, {10, 10}, {10, 40}}), geometry), 60, 1e-9);
  EXPECT_NEAR(measure(ruler(RulerKind::distance, {{0, 0}, {8, 2}}), geometry), std::sqrt(16 + 16 + 16), 1e-9);
}

}  // namespace
}  // namespace isolume::contours
