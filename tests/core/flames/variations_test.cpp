// Every variation against the serial game's own formula, some against numbers worked out here.
#include "core/flames/variations.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/base/philox.h"
#include "core/flames/cloud.h"
#include "tests/core/flames/histograms.h"

namespace isolume::flames {
namespace {

using std::numbers::pi;

TEST(Variations, HaveNamesNumbersAndParametersOfTheLiterature) {
  EXPECT_EQ(variations().size(), 49U);
  for (std::size_t i = 0; i < variations().size(); ++i) {
    EXPECT_EQ(variations()[i].number(), static_cast<int>(i));
    EXPECT_EQ(find_variation(variations()[i].name), variations()[i].variation);
  }
  EXPECT_EQ(info(Variation::julia).number(), 13);
  EXPECT_EQ(info(Variation::exponential).number(), 18);
  EXPECT_EQ(info(Variation::julian).parameters[0].name, "power");
  EXPECT_FALSE(find_variation("glynnsim3").has_value());
}

/// V(x, y) by the engine's vectors, at the slots 0 to 1023.
Cloud::Points applied(const Term& term, float x, float y) {
  Flame flame = gasket();
  flame.functions = {{.terms = {term}}};
  Cloud::Points points{};
  points.x.fill(x);
  points.y.fill(y);
  apply_function(compile(flame, flame.view), 0, points);
  return points;
}

TEST(Variations, HaveTheValuesOfTheirFormulas) {
  // 3-4-5 triangle: r = 0.5, r² = 0.25, sin theta = x/r = 0.6, cos theta = y/r = 0.8.
  constexpr double x = 0.3, y = 0.4, r = 0.5;
  struct Case {
    Variation variation;
    double to_x, to_y;
  };
  const Case cases[] = {
      {Variation::linear, x, y},
      {Variation::sinusoidal, std::sin(0.3), std::sin(0.4)},
      {Variation::spherical, 1.2, 1.6},
      {Variation::swirl, x * std::sin(0.25) - y * std::cos(0.25), x * std::cos(0.25) + y * std::sin(0.25)},
      {Variation::horseshoe, (0.09 - 0.16) / 0.5, 2 * x * y / r},
      {Variation::polar, std::asin(0.6) / pi, -0.5},
      {Variation::hyperbolic, 1.2, 0.4},
      {Variation::exponential, std::exp(-0.7) * std::cos(0.4 * pi), std::exp(-0.7) * std::sin(0.4 * pi)},
      {Variation::power, std::pow(0.5, 0.6) * 0.8, std::pow(0.5, 0.6) * 0.6},
      {Variation::fisheye, 2 * y / 1.5, 2 * x / 1.5},
      {Variation::bubble, 4 * x / 4.25, 4 * y / 4.25},
      {Variation::cross, x / 0.07, y / 0.07},
  };
  for (const auto& each : cases) {
    const auto points = applied(term_of(each.variation, 1), x, y);
    EXPECT_NEAR(points.x[17], each.to_x, 1e-6) << info(each.variation).name;
    EXPECT_NEAR(points.y[17], each.to_y, 1e-6) << info(each.variation).name;
  }
}

/// V13 has two values, theta/2 and theta/2 + pi: not the whole interval between them.
TEST(Variations, JuliaHasTwoValuesWithTheSameProbability) {
  const auto points = applied(term_of(Variation::julia, 1), 0.3F, 0.4F);
  const double half = std::asin(0.6) / 2, root = std::sqrt(0.5);
  int first = 0;
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double sign = points.x[i] > 0 ? 1 : -1;
    first += points.x[i] > 0 ? 1 : 0;
    ASSERT_NEAR(points.x[i], sign * root * std::cos(half), 1e-6);
    ASSERT_NEAR(points.y[i], sign * root * std::sin(half), 1e-6);
  }
  EXPECT_NEAR(first, 512, 5 * 16);  // five standard deviations
}

TEST(Variations, VectorsDrawTheWordsOfPhilox) {
  const auto points = applied(term_of(Variation::square, 1), 0, 0);
  for (const std::uint32_t slot : {0U, 5U, 31U, 32U, 1023U}) {
    const auto words = philox({0, slot, 0, 0}, {1, 0});
    EXPECT_EQ(points.x[slot], static_cast<float>(words[0] >> 8) * 0x1p-24F - 0.5F) << slot;
    EXPECT_EQ(points.y[slot], static_cast<float>(words[1] >> 8) * 0x1p-24F - 0.5F) << slot;
  }
}

TEST(Variations, SinesStayWithinOneForLargeNumbers) {
  for (const float x : {1e3F, 1e5F, 1e7F, 3e9F}) {
    const auto points = applied(term_of(Variation::sinusoidal, 1), x, -x);
    EXPECT_LE(std::abs(points.x[0]), 1.0001F);
    if (x < 1e4F) {
      EXPECT_NEAR(points.x[0], std::sin(static_cast<double>(x)), 1e-4);
    }
  }
}

class EachVariation : public testing::TestWithParam<int> {};

TEST_P(EachVariation, HasTheDistributionOfTheSerialGame) {
  const auto variation = static_cast<Variation>(GetParam());
  Flame flame = gasket();
  flame.view = {.width = 512, .height = 320, .scale = 100};
  flame.functions[1].affine = {0.8, -0.3, 0.3, 0.4, 0.7, 0.2};
  flame.functions[1].terms = {term_of(variation, 0.7)};
  flame.functions[2].terms.push_back(term_of(Variation::linear, 0.3));
  const auto tally = test::played(*make_cpu_engine(), flame, flame.view, {0, 4});
  const auto serial = play_serially(flame, flame.view, 4 * points_per_cloud, 5);
  EXPECT_LT(test::chi_square(tally, serial, 16), 4) << info(variation).name;
  const auto points = static_cast<double>(tally.points);
  EXPECT_NEAR(static_cast<double>(tally.in_view()) / points, static_cast<double>(serial.in_view()) / points,
              3e-3);
}

INSTANTIATE_TEST_SUITE_P(Variations, EachVariation, testing::Range(0, variation_count), [](const auto& each) {
  return std::string(variations()[static_cast<std::size_t>(each.param)].name);
});

}  // namespace
}  // namespace isolume::flames
