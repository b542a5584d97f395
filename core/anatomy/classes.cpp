#include "core/anatomy/classes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "core/anatomy/parts.h"
#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

constexpr std::size_t bin_count = 1024;
/// Part of the range.
constexpr double least_deviation = 1.0 / 200;

struct Histogram {
  std::vector<double> weights = std::vector<double>(bin_count);  ///< their sum is 1

  static double value(std::size_t bin) { return (static_cast<double>(bin) + 0.5) / bin_count; }
};

/// A class of values that are mapped from their range to 0 to 1.
struct Gaussian {
  double mean = 0, deviation = least_deviation, weight = 0;

  /// From sums of weights, of weights times values, and of weights times their squares.
  void fit(double weights, double sum, double squares) {
    weight = weights;
    if (weights == 0) return;
    mean = sum / weights;
    deviation = std::max(std::sqrt(std::max(squares / weights - mean * mean, 0.0)), least_deviation);
  }
  double density(double value) const {
    const double along = (value - mean) / deviation;
    return weight / deviation * std::exp(-0.5 * along * along);
  }
};

/// Means of the least squares: first the most frequent value, then what is farthest from all, by its frequency; then each the mean of
/// the values nearest to it.
std::vector<Gaussian> first_guess(const Histogram& histogram, std::size_t count) {
  std::vector<Gaussian> classes;
  const auto nearest = [&](double value) {
    return std::ranges::min_element(classes, {},
                                    [&](const Gaussian& each) { return std::abs(each.mean - value); });
  };
  while (classes.size() < count) {
    double best = -1, mean = 0;
    for (std::size_t bin = 0; bin < bin_count; ++bin) {
      const double value = Histogram::value(bin);
      const double apart = classes.empty() ? 1 : std::abs(nearest(value)->mean - value);
      if (histogram.weights[bin] * apart * apart <= best) continue;
      best = histogram.weights[bin] * apart * apart;
      mean = value;
    }
    classes.push_back({.mean = mean});
  }
  constexpr int passes = 50;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<double> weights(count), sums(count), squares(count);
    for (std::size_t bin = 0; bin < bin_count; ++bin) {
      const double value = Histogram::value(bin);
      const auto at = static_cast<std::size_t>(nearest(value) - classes.begin());
      weights[at] += histogram.weights[bin];
      sums[at] += histogram.weights[bin] * value;
      squares[at] += histogram.weights[bin] * value * value;
    }
    for (std::size_t i = 0; i < count; ++i) classes[i].fit(weights[i], sums[i], squares[i]);
  }
  return classes;
}

void maximise(const Histogram& histogram, std::vector<Gaussian>& classes) {
  constexpr int passes = 100;
  const std::size_t count = classes.size();
  std::vector<double> densities(count);
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<double> weights(count), sums(count), squares(count);
    for (std::size_t bin = 0; bin < bin_count; ++bin) {
      const double value = Histogram::value(bin);
      double all = 0;
      for (std::size_t i = 0; i < count; ++i) all += densities[i] = classes[i].density(value);
      if (!(all > 0)) continue;
      for (std::size_t i = 0; i < count; ++i) {
        const double part = histogram.weights[bin] * densities[i] / all;
        weights[i] += part;
        sums[i] += part * value;
        squares[i] += part * value * value;
      }
    }
    for (std::size_t i = 0; i < count; ++i) classes[i].fit(weights[i], sums[i], squares[i]);
  }
}

}  // namespace

Classes classify(std::span<const float> values, int count) {
  if (count < 2) throw Error(fmt::format("At least 2 classes are needed, not {}.", count));
  if (!std::ranges::all_of(values, [](float each) { return std::isfinite(each); })) {
    throw Error(
        "An image has values that are not finite (NaN or infinite). Replace them before it is divided "
        "into classes.");
  }
  const auto [low, high] = std::ranges::minmax(values);
  if (low == high) {
    throw Error(
        fmt::format("An image has the value {} everywhere: it has no classes. Choose another one.", low));
  }
  const double first = static_cast<double>(low), range = static_cast<double>(high) - first;
  const auto mapped = [first, range](float value) { return (static_cast<double>(value) - first) / range; };
  Histogram histogram;
  for (const float each : values) {
    const auto bin = static_cast<std::size_t>(mapped(each) * bin_count);
    ++histogram.weights[std::min(bin, bin_count - 1)];
  }
  for (double& each : histogram.weights) each /= static_cast<double>(values.size());
  std::vector<Gaussian> classes = first_guess(histogram, static_cast<std::size_t>(count));
  maximise(histogram, classes);
  std::ranges::stable_sort(classes, {}, &Gaussian::mean);
  Classes result;
  for (const Gaussian& each : classes) {
    result.means.push_back(first + range * each.mean);
    result.deviations.push_back(range * each.deviation);
    result.weights.push_back(each.weight);
    result.posteriors.emplace_back(values.size());
  }
  for_parts(values.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    std::vector<double> densities(classes.size());
    for (std::size_t at = begin; at < end; ++at) {
      const double value = mapped(values[at]);
      double all = 0;
      for (std::size_t i = 0; i < classes.size(); ++i) all += densities[i] = classes[i].density(value);
      // Far from all Gaussians, where densities are 0, the nearest one has the voxel.
      if (!(all > 0)) {
        std::ranges::fill(densities, 0.0);
        const auto nearest = std::ranges::min_element(classes, {}, [value](const Gaussian& each) {
          return each.weight > 0 ? std::abs(each.mean - value) / each.deviation
                                 : std::numeric_limits<double>::infinity();
        });
        densities[static_cast<std::size_t>(nearest - classes.begin())] = all = 1;
      }
      for (std::size_t i = 0; i < classes.size(); ++i)
        result.posteriors[i][at] = static_cast<float>(densities[i] / all);
    }
  });
  return result;
}

std::vector<std::size_t> joined_classes(const Classes& first, const Classes& second) {
  const std::size_t count = first.posteriors.size();
  std::vector<double> common(count * count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < count; ++j) {
      common[i * count + j] = sum_of(first.posteriors[i].size(), [&](std::size_t at) {
        return static_cast<double>(first.posteriors[i][at]) * static_cast<double>(second.posteriors[j][at]);
      });
    }
  }
  std::vector<std::size_t> order(count), best;
  std::iota(order.begin(), order.end(), std::size_t{0});
  double greatest = -1;
  do {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += common[i * count + order[i]];
    if (sum <= greatest) continue;
    greatest = sum;
    best = order;
  } while (std::ranges::next_permutation(order).found);
  return best;
}

ClassPair class_pair(std::span<const float> fixed, std::span<const float> moving, int count) {
  Classes of_fixed = classify(fixed, count), of_moving = classify(moving, count);
  ClassPair pair;
  for (const std::size_t each : joined_classes(of_fixed, of_moving))
    pair.moving.push_back(std::move(of_moving.posteriors[each]));
  pair.fixed = std::move(of_fixed.posteriors);
  return pair;
}

}  // namespace isolume::anatomy
