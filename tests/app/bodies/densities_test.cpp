#include "app/bodies/densities.h"

#include <cmath>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

namespace isolume::bodies {
namespace {

TEST(Densities, OfABellAreThoseOfItsFormula) {
  constexpr int bodies = 400000;
  constexpr double width = 2, total = 7;
  std::mt19937 random(5);
  std::normal_distribution<float> place(0, width);
  std::vector<float> positions(3 * bodies), masses(bodies, static_cast<float>(total / bodies));
  for (float& each : positions) each = place(random);
  const auto found = densities(positions, masses);
  ASSERT_EQ(found.size(), masses.size());
  double sum = 0;
  int compared = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) square += std::pow(positions[3 * i + axis] / width, 2);
    EXPECT_GT(found[i], 0);
    if (square > 1) continue;  // where cells hold many bodies
    const double expected =
        total * std::exp(-square / 2) / (std::pow(2 * std::numbers::pi, 1.5) * std::pow(width, 3));
    sum += found[i] / expected;
    EXPECT_NEAR(found[i] / expected, 1, 0.9);
    ++compared;
  }
  EXPECT_GT(compared, bodies / 10);
  EXPECT_NEAR(sum / compared, 1, 0.08);
}

TEST(Densities, AreThereForFewAndCoincidentBodies) {
  EXPECT_TRUE(densities({}, {}).empty());
  for (const float each : densities(std::vector<float>{1, 2, 3}, std::vector<float>{1}))
    EXPECT_TRUE(std::isfinite(each));
  const std::vector<float> same(30, 1.0F), masses(10, 1.0F);
  for (const float each : densities(same, masses)) EXPECT_TRUE(std::isfinite(each)) << each;
}

}  // namespace
}  // namespace isolume::bodies
