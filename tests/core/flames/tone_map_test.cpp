// Single pixels against the formulas of tone_map.h, by hand.
#include "core/flames/tone_map.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/flames/engine.h"

namespace isolume::flames {
namespace {

/// Two pixels: the first with 100 of 1000 points, of mean colour (1, 0.5, 0).
Tally two_pixels() {
  Tally tally(2, 1);
  tally.points = 1000;
  tally.bins[0] = {100, 25'500, 12'750, 0};
  return tally;
}
constexpr View ten_a_unit{.width = 2, .height = 1, .scale = 10};
/// ln(1 + n / (N A)) with A = 1/100.
const double logarithm = std::log(1 + 100.0 / (1000 * 0.01));

std::array<int, 4> pixel(const Picture& picture, std::size_t at) {
  const auto* p = &picture.rgba[4 * at];
  return {p[0], p[1], p[2], p[3]};
}
int byte(double value) {
  return static_cast<int>(std::lround(255 * std::min(value, 1.0)));
}

TEST(ToneMap, PixelHasTheLogarithmOfItsDensity) {
  const Tone tone{.brightness = 0.2, .gamma = 2, .gamma_threshold = 0, .background = {0, 0, 1}};
  const auto picture = tone_map(two_pixels(), tone, ten_a_unit);
  const double alpha = std::sqrt(268.0 / 256 * 0.2 * logarithm);
  ASSERT_LT(alpha, 1);
  EXPECT_EQ(pixel(picture, 0), (std::array{byte(alpha), byte(alpha / 2), byte(1 - alpha), 255}));
  EXPECT_EQ(pixel(picture, 1), (std::array{0, 0, 255, 255}));
  const auto transparent = tone_map(two_pixels(), tone, ten_a_unit, Background::transparent);
  EXPECT_EQ(pixel(transparent, 0), (std::array{255, 128, 0, byte(alpha)}));
  EXPECT_EQ(pixel(transparent, 1), (std::array{0, 0, 0, 0}));
}

TEST(ToneMap, WithoutVibrancyGammaActsOnEachColour) {
  const Tone tone{.brightness = 0.2, .gamma = 2, .gamma_threshold = 0, .vibrancy = 0};
  const double light = 268.0 / 256 * 0.2 * logarithm;
  EXPECT_EQ(pixel(tone_map(two_pixels(), tone, ten_a_unit), 0),
            (std::array{byte(std::sqrt(light)), byte(std::sqrt(light / 2)), 0, 255}));
}

TEST(ToneMap, BelowTheThresholdTheCurveBecomesALine) {
  const double light = 268.0 / 256 * 0.2 * logarithm, threshold = 2 * light;
  const Tone tone{.brightness = 0.2, .gamma = 2, .gamma_threshold = threshold};
  const double line = light * std::sqrt(threshold) / threshold;
  EXPECT_EQ(pixel(tone_map(two_pixels(), tone, ten_a_unit), 0)[0], byte(0.5 * line + 0.5 * std::sqrt(light)));
}

TEST(ToneMap, BrightnessDoesNotDependOnTheNumberOfPoints) {
  Tally more = two_pixels();
  more.add(two_pixels());
  const Tone tone{.brightness = 0.2, .gamma = 3};
  EXPECT_EQ(tone_map(more, tone, ten_a_unit).rgba, tone_map(two_pixels(), tone, ten_a_unit).rgba);
}

TEST(ToneMap, DensityEstimatorSpreadsSparsePixelsAndKeepsDenseOnes) {
  Tally tally(21, 21);
  tally.points = 10'000'000;
  tally.bins[10 * 21 + 10] = {1, 255, 255, 255};
  const View view{.width = 21, .height = 21, .scale = 100};
  const Tone tone{
      .brightness = 1, .gamma = 1, .gamma_threshold = 0, .estimator_radius = 5, .estimator_curve = 0.5};
  const auto lit = [&](const Tally& of) {
    const auto picture = tone_map(of, tone, view);
    std::size_t count = 0;
    for (std::size_t i = 0; i < of.bins.size(); ++i) count += picture.rgba[4 * i] > 0 ? 1U : 0U;
    return count;
  };
  EXPECT_EQ(lit(tally), 0U) << "one point in 69 pixels is darker than one level";
  tally.bins[10 * 21 + 10] = {4, 4 * 255, 4 * 255, 4 * 255};
  tally.points = 400;
  EXPECT_EQ(lit(tally), 21U) << "radius 5 / sqrt(4): the pixels nearer than 2.5";
  tally.bins[10 * 21 + 10] = {10'000, 2'550'000, 2'550'000, 2'550'000};
  EXPECT_EQ(lit(tally), 1U);
}

}  // namespace
}  // namespace isolume::flames
