#include <algorithm>
#include <cmath>

#include "core/livewire/costs.h"

namespace isolume::livewire {

namespace {

constexpr int bins = 64;
constexpr double smoothing_bins = 2.5;

int bin_of(float value, float low, float high) {
  return static_cast<int>(std::floor((value - low) / (high - low) * bins));
}

std::vector<float> smoothed(const std::vector<float>& counts) {
  std::vector<float> result(counts.size(), 0);
  const int radius = static_cast<int>(std::ceil(3 * smoothing_bins));
  for (int to = 0; to < bins; ++to) {
    for (int from = std::max(0, to - radius); from <= std::min(bins - 1, to + radius); ++from) {
      const double u = (to - from) / smoothing_bins;
      result[static_cast<std::size_t>(to)] +=
          counts[static_cast<std::size_t>(from)] * static_cast<float>(std::exp(-u * u / 2));
    }
  }
  return result;
}

}  // namespace

float Training::Histogram::cost(float value) const {
  if (!(value >= low && value < high)) return 1;
  return 1 - frequency[static_cast<std::size_t>(std::min(bins - 1, bin_of(value, low, high)))];
}

/// Covers the samples and half as much again on either side; values outside never occurred.
Training::Histogram Training::histogram(const std::vector<float>& samples, float least_width) {
  const auto [least, greatest] = std::ranges::minmax(samples);
  const float margin = std::max((greatest - least) / 2, least_width);
  Histogram made{.low = least - margin, .high = greatest + margin, .frequency = {}};
  std::vector<float> counts(bins, 0);
  for (const float sample : samples) {
    const int bin = bin_of(sample, made.low, made.high);
    ++counts[static_cast<std::size_t>(std::clamp(bin, 0, bins - 1))];
  }
  made.frequency = smoothed(counts);
  const float most = std::ranges::max(made.frequency);
  for (float& frequency : made.frequency) frequency /= most;
  return made;
}

void Training::learn(const images::SliceImage& slice, const Features& features,
                     const std::vector<Pixel>& path, int most_recent_px) {
  *this = {};
  const std::size_t wanted = static_cast<std::size_t>(std::max(0, most_recent_px));
  std::vector<float> gradients, lefts, rights;
  const auto is_inside = [&](const Pixel& pixel) {
    return pixel.x >= 0 && pixel.y >= 0 && pixel.x < features.width && pixel.y < features.height;
  };
  for (std::size_t i = path.size() - std::min(path.size(), wanted); i + 1 < path.size(); ++i) {
    const int direction = direction_of({path[i + 1].x - path[i].x, path[i + 1].y - path[i].y});
    if (direction < 0 || !is_inside(path[i]) || !is_inside(path[i + 1])) continue;
    const Sides sides = sides_of_step(slice, path[i], direction);
    if (!std::isfinite(sides.left) || !std::isfinite(sides.right)) continue;
    const std::size_t to =
        static_cast<std::size_t>(path[i + 1].y) * static_cast<std::size_t>(features.width) +
        static_cast<std::size_t>(path[i + 1].x);
    gradients.push_back(features.gradient[to]);
    lefts.push_back(sides.left);
    rights.push_back(sides.right);
  }
  if (gradients.empty()) return;
  // Narrower than a twentieth of the strongest edge would learn noise.
  const float least_width = features.gradient_scale / 20;
  gradient_ = histogram(gradients, least_width);
  left_ = histogram(lefts, least_width);
  right_ = histogram(rights, least_width);
}

float Training::cost(float gradient, float left, float right) const {
  return empty() ? 1 : (gradient_.cost(gradient) + left_.cost(left) + right_.cost(right)) / 3;
}

}  // namespace isolume::livewire
