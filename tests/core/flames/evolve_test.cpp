#include "core/flames/evolve.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/flames/variations.h"
#include "tests/core/flames/histograms.h"

namespace isolume::flames {
namespace {

TEST(Evolve, RandomFlamesDependOnTheSeedAloneAndFillTheirView) {
  EXPECT_EQ(random_flame(1), random_flame(1));
  EXPECT_NE(random_flame(1).functions, random_flame(2).functions);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Flame flame = random_flame(seed, 320, 200);
    const auto tally = test::played(*make_cpu_engine(), flame, flame.view, {0, 2});
    EXPECT_GT(static_cast<double>(tally.in_view()), 0.6 * static_cast<double>(tally.points)) << seed;
    const auto lit = std::ranges::count_if(tally.bins, [](const Bin& bin) { return bin.count > 0; });
    EXPECT_GT(lit, 320 * 200 / 50) << seed;
  }
}

TEST(Evolve, InterpolationMeetsBothFlames) {
  const Flame a = random_flame(3), b = random_flame(5, 640, 480);
  EXPECT_EQ(interpolated(a, b, 0), a);
  Flame end = interpolated(a, b, 1);
  EXPECT_EQ(end.view.width, a.view.width);
  EXPECT_EQ(end.functions, b.functions);
  // Close to the ends, the distribution is close to theirs.
  const auto near = [&](double at, const Flame& flame, const View& view) {
    const auto mixed = test::played(*make_cpu_engine(), interpolated(a, b, at), view, {0, 4});
    return test::chi_square(mixed, test::played(*make_cpu_engine(), flame, view, {100, 4}), 40);
  };
  EXPECT_LT(near(1e-6, a, a.view), 3);
  EXPECT_LT(near(1 - 1e-6, b, end.view), 3);
  EXPECT_GT(near(0.5, a, a.view), 10);
}

TEST(Evolve, AffineMapsTurnTheShorterWayAndKeepTheirSize) {
  Flame a = gasket(), b = gasket();
  a.functions[0].affine = turned({0.5, 0, 0.2, 0, 0.5, 0}, std::numbers::pi * 170 / 180);
  b.functions[0].affine = turned({2, 0, 0.4, 0, 0.5, 0}, -std::numbers::pi * 170 / 180);
  const Affine middle = interpolated(a, b, 0.5).functions[0].affine;
  EXPECT_NEAR(middle.a, -1, 1e-12) << "a turn by 180 degrees; sqrt(0.5 * 2) = 1";
  EXPECT_NEAR(middle.e, -0.5, 1e-12);
  EXPECT_NEAR(middle.d, 0, 1e-12);
  EXPECT_NEAR(middle.c, 0.3, 1e-12);
}

TEST(Evolve, MissingFunctionsHaveWeightZeroAndMissingVariationsAmountZero) {
  Flame a = gasket(), b = gasket();
  b.functions.pop_back();
  b.functions[0].terms = {term_of(Variation::swirl, 1)};
  const Flame quarter = interpolated(a, b, 0.25);
  ASSERT_EQ(quarter.functions.size(), 3U);
  EXPECT_NEAR(quarter.functions[2].weight, 0.75, 1e-12);
  ASSERT_EQ(quarter.functions[0].terms.size(), 2U);
  EXPECT_NEAR(quarter.functions[0].terms[0].amount, 0.75, 1e-12);
  EXPECT_NEAR(quarter.functions[0].terms[1].amount, 0.25, 1e-12);
}

TEST(Evolve, PlayedFlamesReturnAfterOneTurn) {
  Flame flame = gasket();
  flame.functions[1].animated = false;
  const Flame quarter = played(flame, 0.25);
  EXPECT_NEAR(quarter.functions[0].affine.b, -0.5, 1e-12);
  EXPECT_NEAR(quarter.functions[0].affine.d, 0.5, 1e-12);
  EXPECT_EQ(quarter.functions[1], flame.functions[1]);
  EXPECT_EQ(quarter.functions[2].affine.f, 0.5) << "translations stay";
  EXPECT_NEAR(played(flame, 1).functions[0].affine.a, 0.5, 1e-12);
}

TEST(Evolve, MutationsGrowWithTheirStrength) {
  const Flame flame = random_flame(3);
  EXPECT_EQ(mutated(flame, 0.3, 9), mutated(flame, 0.3, 9));
  EXPECT_NE(mutated(flame, 0.3, 9), mutated(flame, 0.3, 10));
  const auto moved = [&](double strength) {
    return std::abs(mutated(flame, strength, 9).functions[0].affine.a - flame.functions[0].affine.a);
  };
  EXPECT_EQ(moved(0), 0);
  EXPECT_LT(moved(0.01), moved(0.5));
}

}  // namespace
}  // namespace isolume::flames
