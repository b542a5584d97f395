#include "core/contours/label_map.h"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/contours/measures.h"
#include "tests/core/contours/shapes.h"

namespace isolume::contours {
namespace {

using testing::box;
using testing::circle;
using testing::closed;
using testing::rectangle;
using testing::volume_of;

double turn(const Eigen::Vector2d& a, const Eigen::Vector2d& b, const Eigen::Vector2d& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// Straight from the rule, point by point and without divisions: exact for coordinates in eighths.
bool belongs(const Polyline& outline, const Eigen::Vector2d& p) {
  bool inside = false;
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const auto &a = outline[i], &b = outline[(i + 1) % outline.size()];
    if ((a.y() > p.y()) != (b.y() > p.y()) && (turn(a, b, p) > 0) == (b.y() > a.y()) && turn(a, b, p) != 0)
      inside = !inside;
  }
  return inside;
}

void expect_rule(const Polyline& outline, int width, int height) {
  const auto labels = rasterise(closed(outline), width, height);
  ASSERT_EQ(labels.values.size(), static_cast<std::size_t>(width * height));
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      ASSERT_EQ(labels.values[static_cast<std::size_t>(y * width + x)] != 0, belongs(outline, {x, y}))
          << x << ", " << y;
    }
  }
}

int count(const SliceLabels& labels, int value = 1) {
  return static_cast<int>(std::ranges::count(labels.values, value));
}

TEST(Rasterise, KeepsTheRuleForWildPolygons) {
  std::mt19937 random(4);
  for (int trial = 0; trial < 400; ++trial) {
    // Few distinct places: many corners on pixel centres, touching and overlapping sides.
    std::uniform_int_distribution<int> place(-24, 120), corners(1, 24);
    const int grid = trial % 2 == 0 ? 8 : 1;
    Polyline outline(static_cast<std::size_t>(corners(random)));
    for (auto& point : outline)
      point = {place(random) / grid * grid / 8.0, place(random) / grid * grid / 8.0};
    expect_rule(closed(outline).outline(), 13, 11);
  }
}

TEST(Rasterise, KeepsTheRuleForWiresAlongPixels) {
  std::mt19937 random(5);
  for (int trial = 0; trial < 100; ++trial) {
    Polyline wire{{6, 6}};
    std::uniform_int_distribution<int> step(-1, 1);
    for (int i = 0; i < 60; ++i) {
      wire.emplace_back(std::clamp(wire.back().x() + step(random), 0.0, 12.0),
                        std::clamp(wire.back().y() + step(random), 0.0, 12.0));
    }
    expect_rule(closed(wire).outline(), 13, 13);
  }
}

TEST(Rasterise, ASquareHasAsManyPixelsAsItsAreaWhereverItLies) {
  EXPECT_EQ(count(rasterise(closed(rectangle(10, 10, 50, 50)), 64, 64)), 1600);  // corners on pixel centres
  for (const double shift : {-0.5, -0.25, 0.0, 0.001, 0.25, 0.5}) {
    EXPECT_EQ(count(rasterise(closed(rectangle(2 + shift, 3 - shift, 6 + shift, 5 - shift)), 10, 10)), 4 * 2)
        << shift;
  }
  EXPECT_EQ(count(rasterise(closed({{2, 2}, {7, 2}}), 10, 10)), 0);  // a line there and back
  EXPECT_EQ(count(rasterise(closed({{4, 4}}), 10, 10)), 0);
  EXPECT_EQ(count(rasterise(closed({}), 10, 10)), 0);
}

TEST(Rasterise, ContoursThatShareSidesShareNoPixelAndLeaveNoneOut) {
  std::mt19937 random(6);
  std::uniform_int_distribution<int> place(1, 29);
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::Vector2d inner(place(random), place(random));  // often on the centre of a pixel of a side
    const Polyline corners = rectangle(0, 0, 30, 30);
    std::vector<int> times(31 * 31);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto part = rasterise(closed({corners[i], corners[(i + 1) % 4], inner}), 31, 31);
      for (std::size_t at = 0; at < times.size(); ++at) times[at] += part.values[at];
    }
    for (std::size_t at = 0; at < times.size(); ++at)
      EXPECT_EQ(times[at], at % 31 < 30 && at / 31 < 30 ? 1 : 0);
  }
}

TEST(Rasterise, HasAsManyPixelsAsTheDiscHasArea) {
  const double radius = 200.3;
  const auto labels = rasterise(closed(circle({256.2, 255.7}, radius, 4000)), 512, 512);
  EXPECT_NEAR(count(labels), std::numbers::pi * radius * radius, 2 * std::numbers::pi * radius * 0.1);
}

TEST(Rasterise, CutsOffWhatLiesBeyondTheImage) {
  EXPECT_EQ(count(rasterise(closed(rectangle(-1e6, -1e6, 1e6, 1e6)), 7, 5)), 35);
  EXPECT_EQ(count(rasterise(closed(rectangle(-50, 2, -20, 4)), 7, 5)), 0);
  EXPECT_EQ(count(rasterise(closed(rectangle(-50.5, 2, 2, 4)), 7, 5)), 4);
  EXPECT_THROW(rasterise(closed({{0, 0}, {1e300, 0}, {0, 3}}), 7, 5), Error);
  EXPECT_THROW(rasterise(closed({{0, 0}, {NAN, 0}, {0, 3}}), 7, 5), Error);
}

TEST(Rasterise, AppliesContoursAndLabelsInTheirOrder) {
  ContourSet set;
  set.put_label({.value = 5, .name = "under"});
  set.put_label({.value = 2, .name = "over"});
  set.add(closed(rectangle(0, 0, 10, 10), {}, 5));
  set.add(closed(rectangle(2, 2, 7, 7), {}, 5, Combination::subtract));
  set.add(closed(rectangle(3, 3, 5, 5), {}, 5));
  set.add(closed(rectangle(8, 0, 10, 2), {}, 2));
  auto left_out = closed(rectangle(0, 0, 10, 10), {}, 2);
  left_out.suggestion = true;
  set.add(left_out);
  left_out.suggestion = left_out.closed = false;
  set.add(left_out);
  auto hidden = closed(rectangle(5, 5, 6, 6), {}, 2);
  hidden.visible = false;
  set.add(hidden);
  const auto labels = rasterise(set, {}, 10, 10);
  EXPECT_EQ(count(labels, 5), 100 - 25 + 4 - 4);
  EXPECT_EQ(count(labels, 2), 4 + 1);
  EXPECT_EQ(labels.values[3 * 10 + 3], 5);
  EXPECT_EQ(labels.values[2 * 10 + 2], 0);
  EXPECT_EQ(labels.values[5 * 10 + 5], 2);
}

TEST(MaskOfLabel, IsNotWhatOtherLabelsLeave) {
  ContourSet set;
  set.add(closed(rectangle(1, 1, 7, 5), {2, 1}, 1));  // 24 pixels
  set.add(closed(rectangle(4, 2, 9, 9), {2, 1}, 2));  // 35, of which 9 in both
  set.add(closed(rectangle(1, 1, 7, 5), {2, 2}, 1));
  set.add(closed(rectangle(1, 1, 7, 5), {2, 2}, 3));  // covers all of it
  const auto geometry = box(10, 10, 4);
  const auto voxels = [&](int label) {
    const auto mask = mask_of_label(set, label, geometry);
    return std::ranges::count(mask.values, 1);
  };
  EXPECT_EQ(voxels(1), 48);
  EXPECT_EQ(voxels(2), 35);
  EXPECT_EQ(voxels(3), 24);
  EXPECT_EQ(voxels(4), 0);
  const auto volume =
      volume_of<std::int16_t>(geometry, images::PixelType::int16, [](int, int, int) { return 3; });
  const auto measures = measure_labels(set, volume);
  EXPECT_EQ(measures[0].volume_mm3, 48);
  EXPECT_EQ(measures[0].intensity.count, 48U);
  EXPECT_EQ(measures[1].volume_mm3, 35);
}

TEST(LabelMap, TellsWhatLabelsLose) {
  ContourSet set;
  set.put_label({.value = 1, .name = "Liver"});
  set.put_label({.value = 2, .name = "Lesion"});
  set.add(closed(rectangle(1, 1, 7, 5), {2, 1}, 1));
  set.add(closed(rectangle(4, 2, 9, 9), {2, 1}, 2));
  Remarks remarks;
  const auto map = label_map(set, box(10, 10, 4), {}, &remarks);
  EXPECT_EQ(map.value(5, 3, 1), 2);
  ASSERT_EQ(remarks.size(), 1U);
  EXPECT_EQ(remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(remarks[0].count, 9U);
  EXPECT_EQ(remarks[0].text,
            "A label map has one label per voxel: 9 voxels lie in Liver and in Lesion, and become Lesion.");
  set.remove_label(2);
  Remarks none;
  label_map(set, box(10, 10, 4), {}, &none);
  EXPECT_TRUE(none.empty());
}

TEST(LabelMap, TakesTheLastLabelWhereContoursOfSeveralAxesMeet) {
  ContourSet set;
  set.put_label({.value = 1, .name = "first"});
  set.put_label({.value = 2, .name = "last"});
  set.add(closed(rectangle(1, 1, 7, 4), {2, 2}, 2));  // i 1-6, j 1-3, k 2
  set.add(closed(rectangle(0, 0, 5, 5), {0, 3}, 1));  // i 3, j 0-4, k 0-4
  set.add(closed(rectangle(5, 1, 8, 4), {1, 0}, 1));  // i 5-7, j 0, k 1-3
  set.add(closed(rectangle(5, 1, 7, 3), {1, 6}, 1));  // beyond
  const auto map = label_map(set, box(9, 6, 5));
  ASSERT_EQ(map.type, images::PixelType::uint8);
  for (int k = 0; k < 5; ++k) {
    for (int j = 0; j < 6; ++j) {
      for (int i = 0; i < 9; ++i) {
        const bool last = k == 2 && i >= 1 && i <= 6 && j >= 1 && j <= 3;
        const bool first = (i == 3 && j <= 4) || (j == 0 && i >= 5 && i <= 7 && k >= 1 && k <= 3);
        EXPECT_EQ(map.value(i, j, k), last ? 2 : first ? 1 : 0) << i << " " << j << " " << k;
      }
    }
  }
}

TEST(LabelMap, IsWideEnoughForItsLabels) {
  ContourSet set;
  set.add(closed(rectangle(0, 0, 2, 2), {2, 0}, 65535));
  set.add(closed(rectangle(2, 0, 4, 2), {2, 0}, 255));
  const auto map = label_map(set, box(4, 2, 1));
  ASSERT_EQ(map.type, images::PixelType::uint16);
  EXPECT_EQ(map.value(1, 1, 0), 65535);
  EXPECT_EQ(map.value(2, 0, 0), 255);
}

TEST(LabelMap, StopsWhenCancelled) {
  ContourSet set;
  set.add(closed(rectangle(0, 0, 1, 1)));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(label_map(set, box(4, 4, 4), {stop.get_token(), {}}), Cancelled);
}

void expect_round_trip(const images::Volume& map, int axis) {
  const auto set = contours_of(map, "map.nii", axis);
  const auto again = label_map(set, map.geometry);
  for (int k = 0; k < map.geometry.dimensions[2]; ++k) {
    for (int j = 0; j < map.geometry.dimensions[1]; ++j) {
      for (int i = 0; i < map.geometry.dimensions[0]; ++i)
        ASSERT_EQ(again.value(i, j, k), map.value(i, j, k));
    }
  }
}

TEST(ContoursOf, GivesBackEveryPixelOfNoise) {
  std::mt19937 random(7);
  for (const int most : {1, 2, 5, 300}) {
    std::uniform_int_distribution<int> value(0, most);
    const auto map = volume_of<std::int32_t>(box(17, 14, 9), images::PixelType::int32,
                                             [&](int, int, int) { return value(random); });
    for (const int axis : {0, 1, 2}) expect_round_trip(map, axis);
  }
}

TEST(ContoursOf, FindsHolesAndIslandsInThem) {
  const auto ring = [](int i, int j, int) {
    const int from_rim = std::min({i, j, 10 - i, 10 - j});
    return from_rim < 2 || from_rim >= 4 ? 3 : 0;  // up to the image's rim; an island in the hole
  };
  const auto map = volume_of<std::uint8_t>(box(11, 11, 2), images::PixelType::uint8, ring);
  const auto set = contours_of(map, "map.nii");
  ASSERT_EQ(set.contours().size(), 6U);
  EXPECT_EQ(set.contours()[0]->combination, Combination::add);
  EXPECT_EQ(set.contours()[1]->combination, Combination::subtract);
  EXPECT_EQ(set.contours()[2]->combination, Combination::add);
  EXPECT_EQ(set.contours()[0]->outline().size(), 4U);
  EXPECT_EQ(set.contours()[5]->name, "Label 3 6");
  EXPECT_EQ(set.contours()[5]->slice, (images::SliceId{2, 1}));
  ASSERT_EQ(set.labels().size(), 1U);
  EXPECT_EQ(set.labels()[0].name, "Label 3");
  expect_round_trip(map, 2);
}

images::Volume voxel_of(images::PixelType type, auto pixel, double value) {
  return volume_of<decltype(pixel)>(
      box(3, 3, 2), type, [&](int i, int j, int k) { return i == 1 && j == 2 && k == 1 ? value : 0; });
}

TEST(ContoursOf, RefusesWhatIsNoLabelMapAndNamesFileVoxelAndValue) {
  const auto refusal = [](const images::Volume& map, int axis) -> std::string {
    try {
      contours_of(map, "map.nii", axis);
    } catch (const InputError& error) {
      return error.what();
    }
    return "it was read";
  };
  using enum images::PixelType;
  auto halved = voxel_of(int16, std::int16_t{}, 3);
  halved.slope = 0.5;
  const std::vector<std::pair<images::Volume, std::string>> refused{
      {voxel_of(float32, float{}, 1.5), "1.5"},          {voxel_of(float32, float{}, std::nan("")), "nan"},
      {voxel_of(float64, double{}, HUGE_VAL), "inf"},    {voxel_of(int16, std::int16_t{}, -1), "-1"},
      {voxel_of(int32, std::int32_t{}, 65536), "65536"}, {halved, "1.5"}};
  for (const auto& [map, value] : refused) {
    for (const int axis : {0, 1, 2}) {
      EXPECT_EQ(refusal(map, axis),
                "map.nii: this is not a label map: its value at voxel (1, 2, 1) is " + value +
                    ", and labels are whole numbers from 0 to 65535. Choose a label map, or "
                    "convert its values.");
    }
  }
  auto colours = voxel_of(float32, float{}, 1);
  colours.colours = std::make_shared<const std::uint8_t>();
  EXPECT_TRUE(refusal(colours, 2).starts_with("map.nii: this is not a label map but an image of colours"));
}

/// Some programs store label maps as floats, or scaled.
TEST(ContoursOf, ReadsWholeNumbersOfAnyType) {
  using enum images::PixelType;
  auto scaled = voxel_of(int16, std::int16_t{}, 5);
  scaled.slope = 2;
  scaled.intercept = 0;
  for (const auto& [map, label] : std::vector<std::pair<images::Volume, int>>{
           {voxel_of(float32, float{}, 7), 7}, {voxel_of(float64, double{}, 65535), 65535}, {scaled, 10}}) {
    const auto set = contours_of(map, "map.nii");
    ASSERT_EQ(set.labels().size(), 1U);
    EXPECT_EQ(set.labels()[0].value, label);
    EXPECT_EQ(mask_of_label(set, label, map.geometry).low, (std::array{1, 2, 1}));
    EXPECT_EQ(mask_of_label(set, label, map.geometry).size, (std::array{1, 1, 1}));
  }
}

}  // namespace
}  // namespace isolume::contours
