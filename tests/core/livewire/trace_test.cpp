#include "core/livewire/trace.h"

#include <numbers>

#include <gtest/gtest.h>

#include "core/contours/outlines.h"
#include "tests/core/livewire/slices.h"

namespace isolume::livewire {
namespace {

using contours::Contour;
using contours::PieceKind;
using contours::Polyline;

constexpr double disc_x = 60.2, disc_y = 58.7, disc_radius = 35;

/// A disc of 1000 under some noise, on a ground of 0 that rises to 850 beside its right side: the edge is
/// faint there.
images::SliceImage disc_with_a_faint_side() {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 15);
  auto slice = testing::slice_of(140, 120, [&](int x, int y) {
    const double dx = x - disc_x, dy = y - disc_y;
    const double inside = std::clamp(disc_radius - std::hypot(dx, dy) + 0.5, 0.0, 1.0);
    const double ground = 850 * std::exp(-std::pow(std::hypot(dx - disc_radius, dy) / 40, 4));
    return ground + (1000 - ground) * inside + noise(random);
  });
  slice.plane.set_spacing({1, 1});
  return slice;
}

Eigen::Vector2d on_disc(double angle) {
  return {disc_x + disc_radius * std::cos(angle), disc_y + disc_radius * std::sin(angle)};
}

/// Whichever piece crosses the faint side: the first, an inner or the closing one.
TEST(Trace, ThreeSeedsEncloseADiscWithAFaintSide) {
  const auto slice = disc_with_a_faint_side();
  const auto engine = make_cpu_engine();
  for (int first = 0; first < 3; ++first) {
    for (const double sense : {1.0, -1.0}) {
      TraceRequest request;
      for (int i = 0; i < 3; ++i)
        request.seeds.push_back(on_disc(sense * 2 * std::numbers::pi * (first + i + 0.5) / 3));
      const Trace made = trace(slice, request, *engine);
      const double area = std::abs(contours::signed_area_px2(made.contour.outline()));
      EXPECT_NEAR(area, std::numbers::pi * disc_radius * disc_radius, 0.03 * area);
      EXPECT_EQ(warning_about(made.contour), "");
      double cost = 0;
      for (const auto& piece : made.contour.pieces) cost += static_cast<double>(piece.points.size());
      EXPECT_LT(made.cost, cost) << "a cost of 1 a step is no edge at all";
    }
  }
}

Contour closed(const std::vector<Polyline>& pieces) {
  Contour contour;
  contour.closed = true;
  for (const auto& piece : pieces) {
    contour.seeds.push_back(piece.front());
    contour.pieces.push_back({PieceKind::straight, piece});
  }
  return contour;
}

TEST(Trace, WarnsOfAContourThatEnclosesNextToNothing) {
  const Contour back_and_forth = closed({{{10, 10}, {50, 10}}, {{50, 10}, {90, 11}}, {{90, 11}, {10, 10}}});
  EXPECT_NE(warning_about(back_and_forth).find("next to nothing"), std::string::npos);
  Contour open = back_and_forth;
  open.closed = false;
  EXPECT_EQ(warning_about(open), "");
  const Contour thin =
      closed({{{10, 10}, {90, 10}}, {{90, 10}, {90, 13}}, {{90, 13}, {10, 13}}, {{10, 13}, {10, 10}}});
  EXPECT_EQ(warning_about(thin), "") << "a vessel three pixels wide";
}

}  // namespace
}  // namespace isolume::livewire
