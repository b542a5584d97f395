// The difference of two images and its derivative, against sums over windows and finite differences in double precision.
#include "core/anatomy/mismatch.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/anatomy/fluid.h"

namespace isolume::anatomy {
namespace {

constexpr Counts patch{20, 18, 16};
constexpr Spacing patch_spacing{1, 1.5, 2};

FieldValues pattern(double shift, double contrast) {
  FieldValues values;
  for (int z = 0; z < patch[2]; ++z) {
    for (int y = 0; y < patch[1]; ++y) {
      for (int x = 0; x < patch[0]; ++x)
        values.push_back(
            static_cast<float>(0.5 + contrast * (std::sin(0.7 * (x - shift)) * std::cos(0.5 * y) +
                                                 0.5 * std::sin(0.6 * z + 0.3 * x))));
    }
  }
  return values;
}

FluidParameters correlation() {
  FluidParameters parameters;
  parameters.metric = Metric::correlation;
  parameters.window = 2;
  return parameters;
}

/// One voxel's 1 - c^2 by sums over all voxels; far from the border, where windows are whole.
double brute_force(const FieldValues& f, const FieldValues& w, int x, int y, int z, double least) {
  double weights = 0, mf = 0, mw = 0, mff = 0, mww = 0, mfw = 0;
  std::size_t at = 0;
  for (int k = 0; k < patch[2]; ++k) {
    for (int j = 0; j < patch[1]; ++j) {
      for (int i = 0; i < patch[0]; ++i, ++at) {
        const double squares = std::pow(i - x, 2) + std::pow(j - y, 2) + std::pow(k - z, 2);
        const double weight = std::exp(-squares / 8), a = static_cast<double>(f[at]),
                     b = static_cast<double>(w[at]);
        weights += weight;
        mf += weight * a;
        mw += weight * b;
        mff += weight * a * a;
        mww += weight * b * b;
        mfw += weight * a * b;
      }
    }
  }
  mf /= weights;
  mw /= weights;
  const double p = mff / weights - mf * mf + least, q = mww / weights - mw * mw + least;
  const double k = mfw / weights - mf * mw;
  return 1 - k * k / (p * q);
}

double variance(const FieldValues& values) {
  double sum = 0, squares = 0;
  for (const float each : values) {
    sum += static_cast<double>(each);
    squares += static_cast<double>(each) * static_cast<double>(each);
  }
  const auto count = static_cast<double>(values.size());
  return squares / count - std::pow(sum / count, 2);
}

TEST(Mismatch, CorrelationIsThatOfValuesInAWindow) {
  const FieldValues fixed = pattern(0, 0.3);
  Mismatch mismatch(patch, patch_spacing, correlation());
  mismatch.set_fixed(fixed);
  // A change at one voxel alone, whose window lies inside, shows what the sum holds of it and its neighbours.
  const FieldValues warped = pattern(0.8, 0.2);
  double sum = 0, expected = 0;
  sum = mismatch.measure(warped, nullptr);
  const double least = 1e-3 * variance(fixed);
  for (int z = 0; z < patch[2]; ++z) {
    for (int y = 0; y < patch[1]; ++y) {
      for (int x = 0; x < patch[0]; ++x) expected += brute_force(fixed, warped, x, y, z, least);
    }
  }
  // At the border, the window is continued by the nearest voxel here, and cut off there.
  EXPECT_NEAR(sum, expected, 0.06 * expected);
  EXPECT_NEAR(mismatch.mean(sum), sum / (20 * 18 * 16), 1e-12);
}

TEST(Mismatch, CorrelationIgnoresBrightnessAndContrast) {
  const FieldValues fixed = pattern(0, 0.3);
  Mismatch mismatch(patch, patch_spacing, correlation());
  mismatch.set_fixed(fixed);
  FieldValues inverted;
  for (const float each : fixed) inverted.push_back(2 - 1.7F * each);
  EXPECT_LT(mismatch.mean(mismatch.measure(inverted, nullptr)), 0.02);
  EXPECT_GT(mismatch.mean(mismatch.measure(pattern(2.2, 0.3), nullptr)), 0.3);
}

TEST(Mismatch, ForceIsMinusHalfOfTheDerivativeTimesTheGradient) {
  for (const Metric metric : {Metric::squares, Metric::correlation}) {
    FluidParameters parameters = correlation();
    parameters.metric = metric;
    const FieldValues fixed = pattern(0, 0.3), warped = pattern(0.8, 0.25);
    Mismatch mismatch(patch, patch_spacing, parameters);
    mismatch.set_fixed(fixed);
    VectorField force(patch);
    mismatch.measure(warped, &force);
    const auto at = [](int x, int y, int z) {
      return static_cast<std::size_t>((z * patch[1] + y) * patch[0] + x);
    };
    for (const auto& [x, y, z] : {Counts{10, 9, 8}, Counts{7, 11, 6}, Counts{12, 8, 9}}) {
      FieldValues changed = warped;
      constexpr float change = 0.02F;
      changed[at(x, y, z)] += change;
      const double above = mismatch.measure(changed, nullptr);
      changed[at(x, y, z)] -= 2 * change;
      const double slope = (above - mismatch.measure(changed, nullptr)) / (2 * static_cast<double>(change));
      const Eigen::Vector3d gradient(
          static_cast<double>(warped[at(x + 1, y, z)] - warped[at(x - 1, y, z)]) / (2 * patch_spacing[0]),
          static_cast<double>(warped[at(x, y + 1, z)] - warped[at(x, y - 1, z)]) / (2 * patch_spacing[1]),
          static_cast<double>(warped[at(x, y, z + 1)] - warped[at(x, y, z - 1)]) / (2 * patch_spacing[2]));
      const double scale = 0.03 * std::abs(slope) * gradient.norm() + 1e-4;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(static_cast<double>(force.data(axis)[at(x, y, z)]),
                    -slope / 2 * gradient[static_cast<int>(axis)], scale)
            << name_of(metric) << " " << x << " " << y << " " << z;
      }
    }
  }
}

TEST(Mismatch, RegistrationByCorrelationFollowsWhatIsShadedOrInverted) {
  // A map that is known, of an image whose contrast is inverted and which is brighter to one side.
  const Counts counts{40, 40, 40};
  FieldValues fixed, plain, moving;
  for (int z = 0; z < 40; ++z) {
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 40; ++x) {
        const auto value = [&](double shift) {
          return std::sin(0.45 * (x - shift)) * std::cos(0.4 * y) + 0.7 * std::sin(0.5 * z + 0.2 * y);
        };
        const double inside =
            std::exp(-(std::pow(x - 20, 2) + std::pow(y - 20, 2) + std::pow(z - 20, 2)) / 250);
        fixed.push_back(static_cast<float>(value(0)));
        plain.push_back(static_cast<float>(value(1.5 * inside)));
        moving.push_back(static_cast<float>(3 - value(1.5 * inside) + 0.06 * x));
      }
    }
  }
  FluidParameters parameters{
      .smoothness_mm = 4, .metric = Metric::correlation, .levels = 1, .iterations = 60};
  const auto found =
      register_images(fixed, moving, counts, {1, 1, 1}, parameters, levels_of(counts, parameters));
  EXPECT_LT(found.mismatch_after, 0.5 * found.mismatch_before);
  EXPECT_EQ(found.folded, 0U);
  // The known map moves the centre by 1.5 voxels along x.
  const std::size_t centre = (20 * 40 + 20) * 40 + 20;
  EXPECT_NEAR(static_cast<double>(found.displacement.data(0)[centre]), 1.5, 0.45);
}

}  // namespace
}  // namespace isolume::anatomy
