// From intensities to line integrals, and noise.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/tomography/detector.h"
#include "tests/core/tomography/scan.h"

namespace isolume::tomography {
namespace {

Projections constant(float value, int views = 3) {
  Projections all(circular(small_scan(views)));
  for (int i = 0; i < views; ++i) {
    for (int u = 0; u < all.geometry.columns; ++u) std::fill_n(all.column(i, u), all.geometry.rows, value);
  }
  return all;
}

TEST(Logarithm, UsesFlatAndDarkFieldsAndCountsWhatHasNone) {
  Projections measured = constant(130);
  const std::size_t pixels = measured.column_index(1, 0);
  std::vector<float> flat(pixels, 1030.F), dark(pixels, 30.F);
  measured.column(1, 5)[7] = 20;
  measured.column(2, 6)[1] = std::numeric_limits<float>::quiet_NaN();
  flat[measured.column_index(0, 9) + 3] = 30;
  const Remarks remarks = take_logarithm(measured, flat, dark);
  EXPECT_NEAR(measured.column(0, 0)[0], std::log(10), 1e-6);
  EXPECT_NEAR(measured.column(1, 5)[7], std::log(10), 1e-6) << "the least intensity above 0";
  EXPECT_EQ(measured.column(2, 6)[1], 0);
  EXPECT_EQ(measured.column(2, 9)[3], 0);
  ASSERT_EQ(remarks.size(), 3U) << remarks.text();
  for (const Remark& remark : remarks) EXPECT_EQ(remark.count, 1U) << remark.text;
  Projections black = constant(0);
  EXPECT_THROW(take_logarithm(black, flat, dark), Error);
  EXPECT_THROW(take_logarithm(black, std::vector<float>(3), {}), Error);
}

TEST(Logarithm, ReplacesValuesThatAreNotFinite) {
  Projections measured = constant(2);
  measured.column(0, 1)[2] = std::numeric_limits<float>::infinity();
  EXPECT_EQ(replace_not_finite(measured)[0].count, 1U);
  EXPECT_EQ(measured.column(0, 1)[2], 0);
  EXPECT_TRUE(replace_not_finite(measured).empty());
}

TEST(Noise, HasPoissonsMeanAndVariance) {
  // Counts of mean 10 (by the distribution itself) and 1000 (by its expansion).
  for (const double photons : {40.0, 4000.0}) {
    const double expected = photons / 4;
    const Projections noisy = with_noise(constant(static_cast<float>(std::log(4)), 20), photons, 3);
    double sum = 0, squares = 0, count = 0;
    for (int i = 0; i < 20; ++i) {
      for (int u = 0; u < noisy.geometry.columns; ++u) {
        for (int v = 0; v < noisy.geometry.rows; ++v) {
          const double found = photons * std::exp(-static_cast<double>(noisy.column(i, u)[v]));
          const double photon_count = found < 0.75 ? 0 : found;  // no photon counts as half a one
          sum += photon_count;
          squares += photon_count * photon_count;
          count += 1;
          ASSERT_NEAR(photon_count, std::round(photon_count), 2e-3);
        }
      }
    }
    const double mean = sum / count, variance = squares / count - mean * mean;
    // Standard errors: sqrt(mean / n), and variance * sqrt(2 / n).
    EXPECT_NEAR(mean, expected, 4 * std::sqrt(expected / count));
    EXPECT_NEAR(variance / expected, 1, 4 * std::sqrt(2 / count) + 0.01);
  }
}

TEST(Noise, IsTheSameForASeedAndVanishesWithTheDose) {
  const Projections clean = constant(1);
  const Projections one = with_noise(clean, 1000, 1);
  EXPECT_EQ(one.values, with_noise(clean, 1000, 1).values);
  EXPECT_NE(one.values, with_noise(clean, 1000, 2).values);
  EXPECT_NEAR(with_noise(clean, 1e12, 1).column(0, 0)[0], 1, 2e-5);
  EXPECT_THROW(with_noise(clean, 0, 1), Error);
}

}  // namespace
}  // namespace isolume::tomography
