#include "core/anatomy/mismatch.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/volumes/gaussian.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

/// Parts of a fixed size, whatever the number of threads.
constexpr std::size_t part_size = 1 << 14;

template <class Part>
void for_parts(std::size_t count, const Part& part) {
  using Parts = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Parts(0, (count + part_size - 1) / part_size), [&](const Parts& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      part(i, i * part_size, std::min((i + 1) * part_size, count));
  });
}

/// The sum of what `value` gives for each index, in a fixed order.
template <class Value>
double sum_of(std::size_t count, const Value& value) {
  std::vector<double> sums((count + part_size - 1) / part_size);
  for_parts(count, [&](std::size_t part, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += value(i);
    sums[part] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

Mismatch::Mismatch(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters)
    : counts_(counts), spacing_(spacing_mm), metric_(parameters.metric), window_(parameters.window) {}

void Mismatch::smooth(FieldValues& values) const {
  volumes::smooth_gaussian(values, counts_, {window_, window_, window_});
}

void Mismatch::set_fixed(std::span<const float> fixed) {
  fixed_ = fixed;
  if (metric_ == Metric::squares) return;
  const std::size_t count = fixed.size();
  for (FieldValues* each : {&mean_f_, &mean_ff_, &mean_w_, &mean_ww_, &mean_fw_}) each->resize(count);
  const double mean = sum_of(count, [&](std::size_t i) { return static_cast<double>(fixed[i]); }) /
                      static_cast<double>(count);
  const double squares =
      sum_of(count, [&](std::size_t i) { return std::pow(static_cast<double>(fixed[i]) - mean, 2); });
  least_variance_ = 1e-3 * squares / static_cast<double>(count);
  for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      mean_f_[i] = fixed[i];
      mean_ff_[i] = fixed[i] * fixed[i];
    }
  });
  smooth(mean_f_);
  smooth(mean_ff_);
}

double Mismatch::measure(std::span<const float> warped, VectorField* force) {
  if (metric_ == Metric::correlation) {
    if (force == nullptr) return measure_correlation(warped, {});
    const double sum = measure_correlation(warped, mean_w_);
    volumes::weighted_gradient(warped, mean_w_, spacing_, *force);
    return sum;
  }
  if (force != nullptr) return volumes::mismatch_force(warped, fixed_, spacing_, *force);
  return sum_of(warped.size(), [&](std::size_t i) {
    const double difference = static_cast<double>(fixed_[i]) - static_cast<double>(warped[i]);
    return difference * difference;
  });
}

double Mismatch::measure_weights(std::span<const float> warped, std::span<float> weights) {
  if (metric_ == Metric::correlation) return measure_correlation(warped, weights);
  return sum_of(warped.size(), [&](std::size_t i) {
    const float difference = fixed_[i] - warped[i];
    weights[i] = difference;
    return static_cast<double>(difference * difference);
  });
}

/// With P and Q the variances of F and W, K their covariance, and G the mean in a window, the derivative of the sum of
/// K^2 / (P Q) by W is F G(a) - 2 W G(b) + G(2 b G(W) - a G(F)), where a = 2 K / (P Q) and b = K^2 / (P Q^2).
double Mismatch::measure_correlation(std::span<const float> warped, std::span<float> weights) {
  const std::size_t count = warped.size();
  for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      mean_w_[i] = warped[i];
      mean_ww_[i] = warped[i] * warped[i];
      mean_fw_[i] = fixed_[i] * warped[i];
    }
  });
  for (FieldValues* each : {&mean_w_, &mean_ww_, &mean_fw_}) smooth(*each);
  const auto least = static_cast<float>(least_variance_);
  const double sum = sum_of(count, [&](std::size_t i) {
    const float f = mean_f_[i], w = mean_w_[i];
    const float p = std::max(mean_ff_[i] - f * f, 0.F) + least,
                q = std::max(mean_ww_[i] - w * w, 0.F) + least;
    const float k = mean_fw_[i] - f * w, square = k * k / (p * q);
    // What is needed of these means from here on.
    const float a = 2 * k / (p * q), b = square / q;
    mean_ww_[i] = a;
    mean_fw_[i] = b;
    mean_w_[i] = 2 * b * w - a * f;
    return 1 - static_cast<double>(square);
  });
  if (weights.empty()) return sum;
  for (FieldValues* each : {&mean_w_, &mean_ww_, &mean_fw_}) smooth(*each);
  for_parts(count, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      weights[i] = 0.5F * (mean_w_[i] + fixed_[i] * mean_ww_[i]) - warped[i] * mean_fw_[i];
  });
  return sum;
}

double Mismatch::mean(double sum) const {
  const double mean = sum / static_cast<double>(volumes::point_count(counts_));
  return metric_ == Metric::squares ? std::sqrt(mean) : mean;
}

}  // namespace isolume::anatomy
