// The difference of two images and its derivative, against sums over windows and finite differences in double precision.
#include "core/anatomy/mismatch.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "core/anatomy/fluid.h"
#include "core/volumes/warp.h"

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
  for (const Metric metric : {Metric::squares, Metric::correlation, Metric::mutual_information}) {
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
      const float change = metric == Metric::mutual_information ? 0.002F : 0.02F;  // within a bin
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

/// In double precision, of bins that are counted one after the other.
TEST(Mismatch, MutualInformationIsThatOfASmoothJointHistogram) {
  const FieldValues fixed = pattern(0, 0.3), warped = pattern(0.8, 0.25);
  FieldValues weights;
  for (std::size_t i = 0; i < fixed.size(); ++i) weights.push_back(i % 3 == 0 ? 0.5F : 1.F);
  const auto range = [](FieldValues values) {
    std::ranges::sort(values);
    const std::size_t left_out = values.size() / 1000;
    return std::pair<double, double>{values[left_out], values[values.size() - 1 - left_out]};
  };
  const auto [f_low, f_high] = range(fixed);
  const auto [w_low, w_high] = range(warped);
  const auto b_spline = [](double t) {
    t = std::abs(t);
    return t < 1 ? 2.0 / 3 - t * t + t * t * t / 2 : t < 2 ? std::pow(2 - t, 3) / 6 : 0.0;
  };
  std::map<std::pair<int, int>, double> joint;
  std::map<int, double> of_fixed, of_warped;
  double all = 0;
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    const int f =
        std::clamp(static_cast<int>((static_cast<double>(fixed[i]) - f_low) * 32 / (f_high - f_low)), 0, 31);
    const double place =
        std::clamp((static_cast<double>(warped[i]) - w_low) * 32 / (w_high - w_low), 0.0, 32.0);
    for (int m = -1; m <= 33; ++m) {
      const double share = static_cast<double>(weights[i]) * b_spline(place - m);
      joint[{f, m}] += share;
      of_fixed[f] += share;
      of_warped[m] += share;
      all += share;
    }
  }
  double expected = 0;
  for (const auto& [bins, share] : joint) {
    if (share > 0)
      expected += share / all * std::log(share * all / (of_fixed[bins.first] * of_warped[bins.second]));
  }
  FluidParameters parameters;
  parameters.metric = Metric::mutual_information;
  Mismatch mismatch(patch, patch_spacing, parameters);
  mismatch.set_fixed(fixed, weights);
  EXPECT_NEAR(mismatch.mean(mismatch.measure(warped, nullptr)), -expected, 1e-3 * expected);
}

TEST(Mismatch, RegistrationByMutualInformationFollowsValuesOfAnotherKind) {
  const Counts counts{40, 40, 40};
  FieldValues fixed, plain, remapped;
  for (int z = 0; z < 40; ++z) {
    for (int y = 0; y < 40; ++y) {
      for (int x = 0; x < 40; ++x) {
        const auto value = [&](double shift) {
          return 0.5 + 0.25 * (std::sin(0.45 * (x - shift)) * std::cos(0.4 * y) +
                               0.7 * std::sin(0.5 * z + 0.2 * y));
        };
        const double inside =
            std::exp(-(std::pow(x - 20, 2) + std::pow(y - 20, 2) + std::pow(z - 20, 2)) / 250);
        fixed.push_back(static_cast<float>(value(0)));
        plain.push_back(static_cast<float>(value(1.5 * inside)));
        // Neither brighter nor darker throughout: the middle of the range is darkest.
        remapped.push_back(static_cast<float>(std::pow(value(1.5 * inside) - 0.45, 2)));
      }
    }
  }
  const auto error = [&](const FieldValues& moving, Metric metric) {
    FluidParameters parameters{.smoothness_mm = 4, .metric = metric, .levels = 2, .iterations = 60};
    const auto found =
        register_images(fixed, moving, counts, {1, 1, 1}, parameters, levels_of(counts, parameters));
    EXPECT_EQ(found.folded, 0U);
    FieldValues warped(plain.size());
    volumes::warp(plain, found.displacement, warped);
    double sum = 0;
    for (std::size_t i = 0; i < fixed.size(); ++i)
      sum += std::pow(static_cast<double>(fixed[i]) - static_cast<double>(warped[i]), 2);
    return std::sqrt(sum / static_cast<double>(fixed.size()));
  };
  FluidParameters parameters;
  parameters.iterations = 0;
  const double before =
      register_images(fixed, plain, counts, {1, 1, 1}, parameters, levels_of(counts, parameters))
          .mismatch_before;
  EXPECT_LT(error(remapped, Metric::mutual_information), 0.4 * before);
  EXPECT_GT(error(remapped, Metric::squares), before) << "another metric is misled";
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
