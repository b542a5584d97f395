#include "core/contours/painting.h"

#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace isolume::contours {
namespace {

using Eigen::Vector2d;
using std::numbers::pi;

TEST(Brush, CoversADiscACapsuleAndARing) {
  Eigen::Matrix2d to_mm;
  to_mm << 0.5, 0.2, 0, 1.5;  // not square, and leaning
  const Eigen::Matrix2d to_px = to_mm.inverse();
  const auto area_mm2 = [&](const Outline& outline) { return outline.area_px2 * to_mm.determinant(); };
  for (const double radius : {0.4, 3.0, 12.0}) {
    const Outline disc = brush_outline({to_px * Vector2d(10, 12)}, radius, to_mm);
    EXPECT_NEAR(area_mm2(disc) / (pi * radius * radius), 1, 0.02) << radius;
    for (const auto& point : disc.points)
      EXPECT_NEAR((to_mm * point - Vector2d(10, 12)).norm(), radius, 0.03 * radius);
  }
  const Outline capsule = brush_outline({to_px * Vector2d(-5, 3), to_px * Vector2d(25, 3)}, 4, to_mm);
  EXPECT_NEAR(area_mm2(capsule) / (30 * 8 + pi * 16), 1, 0.01);
  Polyline round;
  for (int i = 0; i <= 90; ++i)
    round.push_back(to_px * (20 * Vector2d(std::cos(i * pi / 45), std::sin(i * pi / 45)) + Vector2d(40, 60)));
  const Outline ring = brush_outline(round, 3, to_mm);
  EXPECT_NEAR(area_mm2(ring) / (pi * (23 * 23 - 17 * 17)), 1, 0.01);
  const auto pixels = rasterise(contour_from_outline(ring.points, {2, 0}, true, 1), 200, 80);
  for (int y = 0; y < pixels.height; ++y) {
    for (int x = 0; x < pixels.width; ++x) {
      const double r = (to_mm * Vector2d(x, y) - Vector2d(40, 60)).norm();
      if (std::abs(r - 17) < 0.2 || std::abs(r - 23) < 0.2) continue;
      EXPECT_EQ(pixels.values[static_cast<std::size_t>(y * pixels.width + x)], r > 17 && r < 23 ? 1 : 0)
          << x << ", " << y;
    }
  }
}

TEST(Threshold, TakesBothEndsAndFillsWhatHangsTogether) {
  images::SliceImage image;
  image.plane.columns = 5;
  image.plane.rows = 3;
  for (const float value : {1.F, 5.F, 5.F, 0.F, 6.F, 2.F, 7.F, 0.F, 5.F, 5.F, 0.F, 5.F, 0.F, 8.F, NAN})
    image.values.push_back(value);
  const auto pixels = pixels_within(image, 5, 7);
  EXPECT_EQ(pixels.values, (std::vector<std::uint16_t>{0, 1, 1, 0, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0, 0}));
  EXPECT_EQ(connected_to(pixels, 2, 0).values,
            (std::vector<std::uint16_t>{0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0}));
  EXPECT_EQ(connected_to(pixels, 0, 0).values, std::vector<std::uint16_t>(15));
  EXPECT_EQ(connected_to(pixels, 9, 9).values, std::vector<std::uint16_t>(15));
}

TEST(Threshold, KeepsWhatLiesInItsHoles) {
  const std::vector<std::uint16_t> ring{0, 0, 0, 0, 0, 0,  //
                                        0, 1, 1, 1, 1, 0,  //
                                        0, 1, 0, 0, 1, 0,  //
                                        0, 1, 1, 1, 1, 0};
  SliceMask kept{1, 0, 3, 3, {1, 1, 0, 1, 0, 0, 1, 1, 0}};  // above the ring, on it, and in its hole
  std::vector<std::uint16_t> expected = ring;
  expected[2 * 6 + 2] = 1;
  EXPECT_EQ(with_islands({6, 4, ring}, kept).values, expected);
  std::vector<std::uint16_t> open = ring;
  open[3 * 6 + 3] = 0;  // the hole is open at the slice's border
  EXPECT_EQ(with_islands({6, 4, open}, kept).values, open);
  EXPECT_EQ(with_islands({6, 4, ring}, {}).values, ring);
}

}  // namespace
}  // namespace isolume::contours
