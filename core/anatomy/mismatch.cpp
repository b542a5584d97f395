#include "core/anatomy/mismatch.h"

#include <algorithm>
#include <cmath>

#include "core/anatomy/parts.h"
#include "core/volumes/gaussian.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {

FixedImageSums sums_of_fixed(std::span<const float> fixed, std::span<const float> weights, Metric metric) {
  const std::size_t count = fixed.size();
  FixedImageSums sums;
  sums.weights = weights.empty()
                     ? static_cast<double>(count)
                     : sum_of(count, [&](std::size_t i) { return static_cast<double>(weights[i]); });
  if (metric != Metric::correlation) return sums;
  const auto weighted = [weights](std::size_t i, double value) {
    return static_cast<double>(weights.empty() ? 1 : weights[i]) * value;
  };
  const double mean =
      sum_of(count, [&](std::size_t i) { return weighted(i, static_cast<double>(fixed[i])); }) / sums.weights;
  const double squares = sum_of(
      count, [&](std::size_t i) { return weighted(i, std::pow(static_cast<double>(fixed[i]) - mean, 2)); });
  sums.least_variance = 1e-3 * squares / sums.weights;
  return sums;
}

double mean_mismatch(Metric metric, double sum, double all_weights) {
  const double mean = sum / all_weights;
  return metric == Metric::squares ? std::sqrt(mean) : mean;
}

Mismatch::Mismatch(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters)
    : counts_(counts), spacing_(spacing_mm), metric_(parameters.metric), window_(parameters.window) {}

void Mismatch::smooth(FieldValues& values) const {
  volumes::smooth_gaussian(values, counts_, {window_, window_, window_});
}

void Mismatch::smooth_means(FieldValues& values) const {
  smooth(values);
  if (mean_weight_.empty()) return;
  for_parts(values.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) values[i] /= mean_weight_[i];
  });
}

void Mismatch::set_fixed(std::span<const float> fixed, std::span<const float> weights) {
  fixed_ = fixed;
  weights_ = weights;
  const std::size_t count = fixed.size();
  sums_ = sums_of_fixed(fixed, weights, metric_);
  if (metric_ == Metric::squares) return;
  if (metric_ == Metric::mutual_information) return information_.set_fixed(fixed, weights);
  mean_weight_.assign(weights.begin(), weights.end());
  if (!weights.empty()) {
    smooth(mean_weight_);
    // Far from all weights there are no means, and none is used.
    for (float& each : mean_weight_) each = std::max(each, least_window_weight);
  }
  for (FieldValues* each : {&mean_f_, &mean_ff_, &mean_w_, &mean_ww_, &mean_fw_}) each->resize(count);
  for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      mean_f_[i] = weight(i) * fixed[i];
      mean_ff_[i] = weight(i) * fixed[i] * fixed[i];
    }
  });
  smooth_means(mean_f_);
  smooth_means(mean_ff_);
}

double Mismatch::measure(std::span<const float> warped, VectorField* force) {
  if (force != nullptr && metric_ == Metric::squares && weights_.empty())
    return volumes::mismatch_force(warped, fixed_, spacing_, *force);
  if (force != nullptr) {
    mean_w_.resize(warped.size());
    const double sum = measure_weights(warped, mean_w_);
    volumes::weighted_gradient(warped, mean_w_, spacing_, *force);
    return sum;
  }
  if (metric_ == Metric::correlation) return measure_correlation(warped, {});
  if (metric_ == Metric::mutual_information) return measure_information(warped, {});
  return sum_of(warped.size(), [&](std::size_t i) {
    const double difference = static_cast<double>(fixed_[i]) - static_cast<double>(warped[i]);
    return static_cast<double>(weight(i)) * difference * difference;
  });
}

double Mismatch::measure_weights(std::span<const float> warped, std::span<float> weights) {
  if (metric_ == Metric::correlation) return measure_correlation(warped, weights);
  if (metric_ == Metric::mutual_information) return measure_information(warped, weights);
  return sum_of(warped.size(), [&](std::size_t i) {
    const float difference = fixed_[i] - warped[i];
    weights[i] = weight(i) * difference;
    return static_cast<double>(weights[i] * difference);
  });
}

double Mismatch::measure_information(std::span<const float> warped, std::span<float> weights) {
  const double information = information_.measure(warped, weights);
  for_parts(weights.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) weights[i] *= 0.5F;
  });
  return -sums_.weights * information;
}

/// With P and Q the variances of F and W, K their covariance, and G the mean in a window, the derivative of the sum of
/// K^2 / (P Q) by W is F G(a) - 2 W G(b) + G(2 b G(W) - a G(F)), where a = 2 K / (P Q) and b = K^2 / (P Q^2). Weights w make
/// the mean G(w .) / G(w): a and b are multiplied by w / G(w), and the derivative by w.
double Mismatch::measure_correlation(std::span<const float> warped, std::span<float> weights) {
  const std::size_t count = warped.size();
  for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      mean_w_[i] = weight(i) * warped[i];
      mean_ww_[i] = weight(i) * warped[i] * warped[i];
      mean_fw_[i] = weight(i) * fixed_[i] * warped[i];
    }
  });
  for (FieldValues* each : {&mean_w_, &mean_ww_, &mean_fw_}) smooth_means(*each);
  const auto least = static_cast<float>(sums_.least_variance);
  const double sum = sum_of(count, [&](std::size_t i) {
    const float f = mean_f_[i], w = mean_w_[i];
    const float p = std::max(mean_ff_[i] - f * f, 0.F) + least,
                q = std::max(mean_ww_[i] - w * w, 0.F) + least;
    const float k = mean_fw_[i] - f * w, square = k * k / (p * q);
    // What is needed of these means from here on.
    const float part = weights_.empty() ? 1 : weights_[i] / mean_weight_[i];
    const float a = part * 2 * k / (p * q), b = part * square / q;
    mean_ww_[i] = a;
    mean_fw_[i] = b;
    mean_w_[i] = 2 * b * w - a * f;
    return static_cast<double>(weight(i)) * (1 - static_cast<double>(square));
  });
  if (weights.empty()) return sum;
  for (FieldValues* each : {&mean_w_, &mean_ww_, &mean_fw_}) smooth(*each);
  for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      weights[i] = weight(i) * (0.5F * (mean_w_[i] + fixed_[i] * mean_ww_[i]) - warped[i] * mean_fw_[i]);
  });
  return sum;
}

}  // namespace isolume::anatomy
