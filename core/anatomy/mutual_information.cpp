#include "core/anatomy/mutual_information.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/anatomy/parts.h"

namespace isolume::anatomy {
namespace {

/// Without a thousandth of the weighted values at either end.
std::pair<float, float> range_without_ends(std::span<const float> values, std::span<const float> weights) {
  std::vector<float> some;
  const std::size_t stride = std::max<std::size_t>(1, values.size() / 50000);
  float low = 0, high = 0;
  bool is_first = true;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!weights.empty() && !(weights[i] > 0)) continue;
    low = is_first ? values[i] : std::min(low, values[i]);
    high = is_first ? values[i] : std::max(high, values[i]);
    is_first = false;
    if (i % stride == 0) some.push_back(values[i]);
  }
  std::ranges::sort(some);
  const std::size_t left_out = some.size() / 1000;
  if (some.empty() || some[left_out] == some[some.size() - 1 - left_out])
    return {low, low < high ? high : low + 1};
  return {some[left_out], some[some.size() - 1 - left_out]};
}

std::array<double, 4> spline(double u) {
  const double v = 1 - u;
  return {v * v * v / 6, (3 * u * u * u - 6 * u * u + 4) / 6, (3 * v * v * v - 6 * v * v + 4) / 6,
          u * u * u / 6};
}

std::array<double, 4> spline_slope(double u) {
  const double v = 1 - u;
  return {-v * v / 2, 1.5 * u * u - 2 * u, 2 * v - 1.5 * v * v, u * u / 2};
}

}  // namespace

void MutualInformation::set_fixed(std::span<const float> fixed, std::span<const float> weights) {
  weights_ = weights;
  low_ = high_ = 0;
  const auto [low, high] = range_without_ends(fixed, weights);
  const float scale = static_cast<float>(fixed_bins) / (high - low);
  bins_.resize(fixed.size());
  for_parts(fixed.size(), [&, least = low](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      bins_[i] = static_cast<std::uint8_t>(
          std::clamp((fixed[i] - least) * scale, 0.F, static_cast<float>(fixed_bins) - 0.5F));
    }
  });
}

MutualInformation::Place MutualInformation::place_of(float value) const {
  const double place = static_cast<double>(value - low_) * intervals / static_cast<double>(high_ - low_);
  if (!(place > 0)) return {};
  if (place >= intervals) return {.bin = intervals - 1, .after = 1};
  const int bin = static_cast<int>(place);
  return {.bin = bin, .after = place - bin, .is_inside = true};
}

void MutualInformation::count(std::span<const float> warped) {
  constexpr std::size_t cells = fixed_bins * moving_bins;
  std::vector<std::vector<double>> sums((warped.size() + part_size - 1) / part_size);
  for_parts(warped.size(), [&](std::size_t part, std::size_t begin, std::size_t end) {
    std::vector<double>& to = sums[part];
    to.assign(cells, 0);
    for (std::size_t i = begin; i < end; ++i) {
      const Place place = place_of(warped[i]);
      const auto by = spline(place.after);
      double* const row = to.data() + bins_[i] * moving_bins + place.bin;
      for (std::size_t k = 0; k < 4; ++k) row[k] += static_cast<double>(weight(i)) * by[k];
    }
  });
  joint_.assign(cells, 0);
  for (const std::vector<double>& each : sums) {
    for (std::size_t i = 0; i < cells; ++i) joint_[i] += each[i];
  }
  double all = 0;
  for (const double each : joint_) all += each;
  for (double& each : joint_) each /= all;
}

double MutualInformation::measure(std::span<const float> warped, std::span<float> slopes) {
  if (low_ == high_) std::tie(low_, high_) = range_without_ends(warped, weights_);
  count(warped);
  std::array<double, fixed_bins> of_fixed{};
  std::array<double, moving_bins> of_moving{};
  for (std::size_t f = 0; f < fixed_bins; ++f) {
    for (std::size_t m = 0; m < moving_bins; ++m) {
      of_fixed[f] += joint_[f * moving_bins + m];
      of_moving[m] += joint_[f * moving_bins + m];
    }
  }
  std::vector<double> logarithms(joint_.size());
  double information = 0;
  for (std::size_t f = 0; f < fixed_bins; ++f) {
    for (std::size_t m = 0; m < moving_bins; ++m) {
      const std::size_t at = f * moving_bins + m;
      if (joint_[at] > 0) logarithms[at] = std::log(joint_[at] / (of_fixed[f] * of_moving[m]));
      information += joint_[at] * logarithms[at];
    }
  }
  if (slopes.empty()) return information;
  // The derivatives of both marginals' logarithms add up to nothing.
  const double per_value = intervals / static_cast<double>(high_ - low_);
  for_parts(warped.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const Place place = place_of(warped[i]);
      const auto by = spline_slope(place.after);
      const double* const row = logarithms.data() + bins_[i] * moving_bins + place.bin;
      double slope = 0;
      for (std::size_t k = 0; k < 4; ++k) slope += by[k] * row[k];
      slopes[i] =
          place.is_inside ? static_cast<float>(static_cast<double>(weight(i)) * per_value * slope) : 0.F;
    }
  });
  return information;
}

}  // namespace isolume::anatomy
