#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stop_token>

#include <gtest/gtest.h>

#include "core/livewire/costs.h"
#include "core/livewire/on_edge.h"
#include "tests/core/livewire/slices.h"

namespace isolume::livewire {
namespace {

using testing::noise_slice;
using testing::slice_of;

int mirrored(int index, int size) {
  while (size > 1 && (index < 0 || index >= size)) index = index < 0 ? -index : 2 * (size - 1) - index;
  return size == 1 ? 0 : index;
}

/// Sum over all offsets of weight(dx, dy) * value there, in double precision.
double filtered(const images::SliceImage& slice, int x, int y, int radius,
                const std::function<double(int, int)>& weight) {
  double sum = 0;
  for (int dy = -radius; dy <= radius; ++dy) {
    for (int dx = -radius; dx <= radius; ++dx) {
      sum += weight(dx, dy) *
             slice.at(mirrored(x + dx, slice.plane.columns), mirrored(y + dy, slice.plane.rows));
    }
  }
  return sum;
}

TEST(Features, SobelIsTheTextbookMask) {
  const auto slice = noise_slice(37, 23, 1);
  CostParameters parameters;
  parameters.filter = GradientFilter::sobel;
  const Features features = compute_features(slice, parameters);
  const double mask[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
  for (int y = 0; y < 23; ++y) {
    for (int x = 0; x < 37; ++x) {
      const std::size_t at = static_cast<std::size_t>(y * 37 + x);
      const double gx = filtered(slice, x, y, 1, [&](int dx, int dy) { return mask[dy + 1][dx + 1] / 8; });
      const double gy = filtered(slice, x, y, 1, [&](int dx, int dy) { return mask[dx + 1][dy + 1] / 8; });
      ASSERT_NEAR(features.gradient_x[at], gx, 1e-3);
      ASSERT_NEAR(features.gradient_y[at], gy, 1e-3);
      ASSERT_NEAR(features.gradient[at], std::hypot(gx, gy), 1e-3);
    }
  }
}

TEST(Features, GaussianDerivativesAgreeWithTheSumOverAllOffsets) {
  for (const double sigma : {0.8, 2.0}) {
    CostParameters parameters;
    parameters.sigma_px = sigma;
    const int radius = static_cast<int>(std::ceil(4 * sigma));
    const auto gauss = [&](int dx, int dy) { return std::exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)); };
    double mass = 0, slope = 0;
    for (int dy = -radius; dy <= radius; ++dy) {
      for (int dx = -radius; dx <= radius; ++dx) {
        mass += gauss(dx, dy);
        slope += dx * dx * gauss(dx, dy);
      }
    }
    for (const auto& [width, height] : std::vector<std::pair<int, int>>{{29, 31}, {3, 5}, {1, 9}, {1, 1}}) {
      const auto slice = noise_slice(width, height, 2);
      const Features features = compute_features(slice, parameters);
      for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
          const std::size_t at = static_cast<std::size_t>(y * width + x);
          ASSERT_NEAR(
              features.gradient_x[at],
              filtered(slice, x, y, radius, [&](int dx, int dy) { return dx * gauss(dx, dy) / slope; }),
              1e-3);
          ASSERT_NEAR(
              features.gradient_y[at],
              filtered(slice, x, y, radius, [&](int dx, int dy) { return dy * gauss(dx, dy) / slope; }),
              1e-3);
          // The sampled LoG itself is only near to the separable one, whose moments are exact: 2 %.
          const double laplacian = filtered(slice, x, y, radius, [&](int dx, int dy) {
            const double r2 = dx * dx + dy * dy;
            return (r2 / (sigma * sigma) - 2) / (sigma * sigma) * gauss(dx, dy) / mass;
          });
          if (sigma > 1) {
            ASSERT_NEAR(features.laplacian[at], laplacian, 0.02 * 300 / (sigma * sigma));
          }
        }
      }
    }
  }
}

TEST(Features, ARampHasItsSlopeAndAParaboloidItsCurvature) {
  for (const auto filter : {GradientFilter::sobel, GradientFilter::gaussian}) {
    CostParameters parameters;
    parameters.filter = filter;
    parameters.sigma_px = 1.7;
    const auto ramp =
        compute_features(slice_of(50, 50, [](int x, int y) { return 3 * x - 4 * y + 1000; }), parameters);
    const auto bowl = compute_features(
        slice_of(50, 50, [](int x, int y) { return 0.5 * x * x + 0.25 * y * y; }), parameters);
    for (int y = 10; y < 40; ++y) {
      for (int x = 10; x < 40; ++x) {
        const std::size_t at = static_cast<std::size_t>(y * 50 + x);
        ASSERT_NEAR(ramp.gradient_x[at], 3, 1e-3);
        ASSERT_NEAR(ramp.gradient_y[at], -4, 1e-3);
        ASSERT_NEAR(ramp.gradient[at], 5, 1e-3);
        ASSERT_NEAR(ramp.laplacian[at], 0, 1e-3);
        ASSERT_NEAR(bowl.gradient_x[at], x, 2e-3);
        ASSERT_NEAR(bowl.gradient_y[at], 0.5 * y, 2e-3);
        ASSERT_NEAR(bowl.laplacian[at], 1.5, 2e-3);
      }
    }
  }
}

TEST(Features, OneBrightPixelDoesNotRuleTheScale) {
  // A step of 100, and a pixel of 1e6.
  const auto slice =
      slice_of(100, 100, [](int x, int y) { return x == 20 && y == 20 ? 1e6 : (x < 50 ? 0 : 100); });
  CostParameters parameters;
  parameters.filter = GradientFilter::sobel;
  const Features features = compute_features(slice, parameters);
  EXPECT_NEAR(features.gradient_scale, 50, 1e-3);
  EXPECT_GT(*std::ranges::max_element(features.gradient), 1e5F);
  EXPECT_EQ(compute_features(slice_of(9, 9, [](int, int) { return 7; }), parameters).gradient_scale, 1);
}

TEST(Features, TheScaleIsTheGradientThatOneInAThousandExceeds) {
  for (const auto& [width, height] :
       std::vector<std::pair<int, int>>{{1, 1}, {9, 7}, {211, 190}, {64, 512}}) {
    const Features features = compute_features(noise_slice(width, height, 12), {});
    auto sorted = std::vector<float>(features.gradient.begin(), features.gradient.end());
    std::ranges::sort(sorted);
    const float expected = sorted[(sorted.size() - 1) * 999 / 1000];
    EXPECT_EQ(features.gradient_scale, expected > 0 ? expected : 1);
  }
}

TEST(Features, NumbersThatAreNoneDoNotSpread) {
  auto slice = noise_slice(40, 40, 3);
  slice.values[820] = std::numeric_limits<float>::quiet_NaN();
  slice.values[900] = std::numeric_limits<float>::infinity();
  const Features features = compute_features(slice, {});
  for (const float value : features.gradient) EXPECT_TRUE(std::isfinite(value));
  for (const float value : features.laplacian) EXPECT_TRUE(std::isfinite(value));
}

TEST(Features, StopWhenCancelled) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(compute_features(noise_slice(64, 64, 1), {}, {stop.get_token(), {}}), Cancelled);
}

TEST(OnEdge, FindsCurvedEdgesWithinPixels) {
  // By how much of each pixel a disc covers, from 15 x 15 points.
  for (const double radius : {6.0, 12.0, 25.0}) {
    const Eigen::Vector2d centre(40.3, 39.8);
    const auto slice = testing::slice_of(80, 80, [&](int x, int y) {
      int inside = 0;
      for (int i = -7; i <= 7; ++i)
        for (int j = -7; j <= 7; ++j)
          inside += (Eigen::Vector2d(x + i / 15.0, y + j / 15.0) - centre).norm() <= radius ? 1 : 0;
      return 1000.0 * inside / 225;
    });
    const Features features = compute_features(slice, {});
    for (int degrees = 0; degrees < 360; degrees += 5) {
      const double angle = degrees * std::numbers::pi / 180;
      const Eigen::Vector2d pixel =
          (centre + radius * Eigen::Vector2d(std::cos(angle), std::sin(angle))).array().round();
      const Eigen::Vector2d found = on_edge(features, pixel);
      EXPECT_NEAR((found - centre).norm(), radius, 0.2) << radius << " px, " << degrees << " degrees";
      EXPECT_LT((found - pixel).cwiseAbs().maxCoeff(), 0.5);
    }
    EXPECT_EQ(on_edge(features, {3, 4}), Eigen::Vector2d(3, 4)) << "no edge";
  }
}

}  // namespace
}  // namespace isolume::livewire
