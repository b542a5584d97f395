#include "core/volumes/gaussian.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/volumes/resize.h"
#include "core/volumes/warp.h"

namespace isolume::volumes {
namespace {

/// The response to a point, along each axis, against the Gaussian.
TEST(Gaussian, ResponseToAPointIsAGaussian) {
  for (const double sigma : {1.0, 1.7, 4.0, 9.0, 40.0}) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Counts counts{3, 3, 3};
      const int half = static_cast<int>(5 * sigma) + 2;
      counts[axis] = 2 * half + 1;
      const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(counts[0]),
                                               static_cast<std::size_t>(counts[0] * counts[1])};
      FieldValues volume(point_count(counts), 0.F);
      const std::size_t start = strides[(axis + 1) % 3] + strides[(axis + 2) % 3];
      volume[start + static_cast<std::size_t>(half) * strides[axis]] = 1;
      std::array<double, 3> sigmas{};
      sigmas[axis] = sigma;
      smooth_gaussian(volume, counts, sigmas);
      double sum = 0, variance = 0, error = 0;
      const double peak = 1 / (sigma * std::sqrt(2 * std::numbers::pi));
      for (int i = 0; i < counts[axis]; ++i) {
        const auto value = static_cast<double>(volume[start + static_cast<std::size_t>(i) * strides[axis]]);
        sum += value;
        variance += value * (i - half) * (i - half);
        error = std::max(error, std::abs(value / peak - std::exp(-0.5 * std::pow((i - half) / sigma, 2))));
      }
      EXPECT_LT(error, 5e-4) << sigma << " along " << axis;
      EXPECT_NEAR(sum, 1, 4e-4) << sigma;
      EXPECT_NEAR(std::sqrt(variance), sigma, 5e-3 * sigma) << sigma;
      EXPECT_EQ(volume[0], 0) << "other lines";
    }
  }
}

TEST(Gaussian, KeepsConstantsUpToTheBorder) {
  const Counts counts{20, 33, 5};
  FieldValues volume(point_count(counts), 7.F);
  smooth_gaussian(volume, counts, {2, 30, 1});
  for (const float each : volume) ASSERT_NEAR(each, 7, 1e-4);
}

TEST(Resize, HalvesAndDoublesOverTheSameBox) {
  const Counts fine{64, 48, 40}, coarse{32, 24, 20};
  const auto wave = [](double x) { return std::sin(2 * std::numbers::pi * x); };
  const auto fill = [&](const Counts& counts) {
    FieldValues volume(point_count(counts));
    for (std::size_t i = 0; i < volume.size(); ++i) {
      const auto x = static_cast<double>(i % static_cast<std::size_t>(counts[0]));
      volume[i] = static_cast<float>(wave((x + 0.5) / counts[0]));
    }
    return volume;
  };
  const FieldValues small = resized(fill(fine), fine, coarse), expected = fill(coarse);
  ASSERT_EQ(small.size(), expected.size());
  for (std::size_t i = 0; i < small.size(); ++i) ASSERT_NEAR(small[i], expected[i], 0.03);

  VectorField field = zero_field(coarse);
  field.components[0] = expected;
  const VectorField large = resized(field, fine);
  const FieldValues exact = fill(fine);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    ASSERT_NEAR(large.components[0][i], 2 * exact[i], 0.15) << "twice as many voxels";
  }
}

/// Above the highest frequency of the coarse grid nothing may be left that would look like another wave.
TEST(Resize, RemovesWhatTheCoarseGridCannotShow) {
  const Counts fine{64, 8, 8};
  FieldValues stripes(point_count(fine));
  for (std::size_t i = 0; i < stripes.size(); ++i) stripes[i] = i % 3 == 0 ? 2.F : -1.F;
  const FieldValues small = resized(stripes, fine, {32, 8, 8});
  for (std::size_t i = 0; i < small.size(); ++i) {
    const bool is_inside = i % 32 >= 4 && i % 32 < 28;  // the border continues with its own value
    if (is_inside) {
      ASSERT_LT(std::abs(small[i]), 0.1) << i;
    }
  }
}

TEST(Resize, PyramidHalvesDownToTheLeast) {
  const auto levels = pyramid({181, 40, 1}, 4);
  ASSERT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels[0], (Counts{23, 16, 1}));
  EXPECT_EQ(levels[2], (Counts{91, 20, 1}));
  EXPECT_EQ(levels[3], (Counts{181, 40, 1}));
  EXPECT_EQ(pyramid({16, 10, 4}, 5).size(), 1U);
}

}  // namespace
}  // namespace isolume::volumes
