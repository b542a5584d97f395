#include "core/images/window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "tests/core/images/made_volume.h"

namespace isolume::images {
namespace {

double low_of(const Window& window) {
  return window.centre - window.width / 2;
}
double high_of(const Window& window) {
  return window.centre + window.width / 2;
}

/// The percentile by sorting.
double sorted_percentile(const Volume& volume, double fraction) {
  std::vector<double> values;
  for (int k = 0; k < volume.geometry.dimensions[2]; ++k) {
    for (int j = 0; j < volume.geometry.dimensions[1]; ++j) {
      for (int i = 0; i < volume.geometry.dimensions[0]; ++i) {
        if (std::isfinite(volume.value(i, j, k))) values.push_back(volume.value(i, j, k));
      }
    }
  }
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(std::lround(fraction * static_cast<double>(values.size() - 1)))];
}

Geometry some_voxels() {
  Geometry geometry;
  geometry.dimensions = {31, 29, 7};
  return geometry;
}

TEST(Window, PercentilesOfWholeNumbersAreExact) {
  std::mt19937 random(7);
  std::normal_distribution<double> values(-300, 900);
  auto volume = made_volume<std::int16_t>(some_voxels(), [&](int, int, int) { return values(random); });
  for (const double slope : {1.0, 0.5, -2.0}) {
    volume.slope = slope;
    volume.intercept = -1024;
    const Window window = percentile_window(volume, 0.01, 0.99);
    EXPECT_DOUBLE_EQ(low_of(window), sorted_percentile(volume, 0.01));
    EXPECT_DOUBLE_EQ(high_of(window), sorted_percentile(volume, 0.99));
  }
}

TEST(Window, PercentilesOfRealNumbersAreWithinABinAndPassOverWhatIsNoNumber) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> values(-5, 20);
  const auto volume = made_volume<float>(some_voxels(), [&](int i, int j, int) {
    if (i == 3) return std::numeric_limits<double>::quiet_NaN();
    if (j == 3) return std::numeric_limits<double>::infinity();
    return values(random);
  });
  const Window window = percentile_window(volume, 0.02, 0.9);
  EXPECT_NEAR(low_of(window), sorted_percentile(volume, 0.02), 25.0 / 65535);
  EXPECT_NEAR(high_of(window), sorted_percentile(volume, 0.9), 25.0 / 65535);
}

TEST(Window, OneValueEverywhereHasAWindowNevertheless) {
  const auto volume = made_volume<std::uint16_t>(some_voxels(), [](int, int, int) { return 700; });
  EXPECT_DOUBLE_EQ(percentile_window(volume).centre, 700);
  EXPECT_GT(percentile_window(volume).width, 0);
}

TEST(Window, ACancelledHistogramEnds) {
  const auto volume = made_volume<std::uint8_t>(some_voxels(), [](int i, int, int) { return i; });
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(percentile_window(volume, 0.01, 0.99, {stop.get_token(), {}}), Cancelled);
}

TEST(Window, TheFilesOwnComesFirst) {
  Document document;
  document.volume = made_volume<std::int16_t>(some_voxels(), [](int i, int, int) { return i * 10; });
  const Window made = first_window(document);  // a ramp from 0 to 300
  EXPECT_NEAR(low_of(made), 0, 10);
  EXPECT_NEAR(high_of(made), 300, 10);
  document.windows = {{50, 350, ""}, {-600, 1600, "LUNG"}};
  EXPECT_EQ(first_window(document).width, 350);
}

}  // namespace
}  // namespace isolume::images
