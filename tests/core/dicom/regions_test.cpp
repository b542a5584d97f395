#include "core/dicom/contours/regions.h"

#include <gtest/gtest.h>

#include "core/contours/outlines.h"
#include "tests/core/contours/shapes.h"

namespace isolume::dicom {
namespace {

using contours::Polyline;
using contours::testing::circle;
using contours::testing::rectangle;

double area(const Polyline& outline) {
  return std::abs(contours::signed_area_px2(outline));
}

TEST(Keyholes, AreaIsWhatIsLeft) {
  const auto joined = join_holes({rectangle(0, 0, 20, 10), {rectangle(2, 2, 5, 6), rectangle(9, 3, 12, 8)}});
  EXPECT_DOUBLE_EQ(area(joined), 200 - 12 - 15);
}

TEST(Keyholes, HolesComeBackWhereverTheOutlineBegins) {
  auto joined = join_holes({circle({10, 10}, 9, 50), {circle({6, 10}, 2, 12), circle({14, 11}, 3, 15)}});
  for (std::size_t turn = 0; turn < joined.size(); ++turn) {
    std::ranges::rotate(joined, joined.begin() + 1);
    const auto region = separate_holes(joined);
    ASSERT_EQ(region.holes.size(), 2U) << turn;
    EXPECT_EQ(region.outline.size(), 50U);
    EXPECT_NEAR(area(region.outline), area(circle({10, 10}, 9, 50)), 1e-9);
    EXPECT_EQ(region.holes[0].size() + region.holes[1].size(), 27U);
  }
}

TEST(Keyholes, ChannelsMayHavePointsOfTheirOwn) {
  const Polyline joined{{0, 0}, {0, 5}, {1, 5}, {2, 5},  {4, 7},   {4, 3},
                        {2, 5}, {1, 5}, {0, 5}, {0, 10}, {10, 10}, {10, 0}};
  const auto region = separate_holes(joined);
  ASSERT_EQ(region.holes.size(), 1U);
  EXPECT_DOUBLE_EQ(area(region.outline), 100);
  EXPECT_DOUBLE_EQ(area(region.holes[0]), 4);
}

TEST(Keyholes, IslandsOnABridgeStayAsTheyAre) {
  const Polyline joined{{0, 0},  {4, 0}, {4, 2}, {8, 2}, {8, 0}, {12, 0},
                        {12, 4}, {8, 4}, {8, 2}, {4, 2}, {4, 4}, {0, 4}};
  const auto region = separate_holes(joined);
  EXPECT_TRUE(region.holes.empty());
  EXPECT_EQ(region.outline, joined);
}

TEST(Keyholes, AnOutlineWithoutOnesIsLeftAlone) {
  const auto outline = circle({3, 4}, 5, 30);
  const auto region = separate_holes(outline);
  EXPECT_TRUE(region.holes.empty());
  EXPECT_EQ(region.outline, outline);
}

}  // namespace
}  // namespace isolume::dicom
