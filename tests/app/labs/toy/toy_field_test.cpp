// The field against its formula at places where it can be worked out by hand.
#include "tests/app/labs/toy/toy_field.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace isolume::labs::toy {
namespace {

grid::ScalarField computed(const ToyParameters& toy) {
  const auto source = toy_source(toy);
  return *source->compute(source->grid(), {}).field;
}

TEST(ToyField, PulsesLieWhereTheClockPutsThem) {
  const double other = std::exp(-0.5 * 8 * 8 / (1.6 * 1.6));  // of the other pulse, at 8 mm
  for (const auto& [time, place] :
       {std::pair(0.0, Eigen::Vector3d(4, 0, 0)), std::pair(1.0, Eigen::Vector3d(0, 4, 0)),
        std::pair(2.0, Eigen::Vector3d(-4, 0, 0)), std::pair(4.0, Eigen::Vector3d(4, 0, 0))}) {
    EXPECT_NEAR(toy_value({.time_s = time}, place), 1 - other, 1e-12);
    EXPECT_NEAR(toy_value({.time_s = time}, -place), other - 1, 1e-12);
    EXPECT_NEAR(grid::interpolate(computed({.time_s = time}), place), 1, 0.02);
  }
}

TEST(ToyField, TheHalvesHaveTheIntegralsOfTheirGaussians) {
  auto field = computed({});
  EXPECT_NEAR(grid::integral(field), 0, 1e-4);
  for (float& value : field.values) value = std::max(value, 0.0f);
  // Of each Gaussian, the part on its own side of the plane between them less the part on the other's.
  const double gaussian = std::pow(2 * std::numbers::pi, 1.5) * 1.6 * 1.6 * 1.6;
  EXPECT_NEAR(grid::integral(field), gaussian * std::erf(4 / 1.6 / std::numbers::sqrt2), 1e-3 * gaussian);
}

TEST(ToyField, CancelEndsIt) {
  std::stop_source stop;
  stop.request_stop();
  const auto source = toy_source({});
  EXPECT_THROW(source->compute(source->grid(), jobs::Progress(stop.get_token(), nullptr)), Cancelled);
}

TEST(ToyField, TheKeyTellsApartWhatChangesTheNumbers) {
  const auto key = [](const ToyParameters& toy) { return toy_source(toy)->key(); };
  EXPECT_EQ(key({}), key({}));
  EXPECT_NE(key({}), key({.distance_mm = 7}));
  EXPECT_NE(key({}), key({.width_mm = 1}));
  EXPECT_NE(key({}), key({.time_s = 1}));
  EXPECT_EQ(toy_source({})->series(), toy_source({.time_s = 1})->series());
}

}  // namespace
}  // namespace isolume::labs::toy
