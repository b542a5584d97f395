#include "core/regions/region_growing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace isolume::regions {
namespace {

/// Welford's recurrence, which loses no digits.
struct Values {
  double count = 0, mean = 0, squares = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;

  void add(double value) {
    const double distance = value - mean;
    mean += distance / ++count;
    squares += distance * (value - mean);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  Interval interval(double tolerance) const {
    if (count == 0) return {};
    const double reach = count > 1 ? tolerance * std::sqrt(squares / (count - 1)) : 0;
    return {std::min(low, mean - reach), std::max(high, mean + reach)};
  }
};

}  // namespace

Grown grow_regions(const SeededImage& image, double tolerance, const jobs::Progress& progress) {
  require_seeds(image, 1);
  std::vector<Values> values(static_cast<std::size_t>(image.label_count()));
  Grown result;
  result.labels.assign(image.seeds.begin(), image.seeds.end());
  std::vector<std::size_t> front, next;
  for (Label label = 1; label <= values.size(); ++label) {
    // Smaller labels first, so that they win where two meet.
    for (std::size_t i = 0; i < image.seeds.size(); ++i) {
      if (image.seeds[i] != label) continue;
      values[label - 1U].add(static_cast<double>(image.values[i]));
      front.push_back(i);
    }
    result.intervals.push_back(values[label - 1U].interval(tolerance));
  }
  const auto& n = image.grid.dimensions;
  const std::array<std::size_t, 3> counts{static_cast<std::size_t>(n[0]), static_cast<std::size_t>(n[1]),
                                          static_cast<std::size_t>(n[2])};
  while (!front.empty()) {
    progress.check();
    next.clear();
    for (const std::size_t at : front) {
      const Label label = result.labels[at];
      const Interval& interval = result.intervals[label - 1U];
      const auto visit = [&](std::size_t other) {
        const auto value = static_cast<double>(image.values[other]);
        if (result.labels[other] != 0 || value < interval.low || value > interval.high) return;
        result.labels[other] = label;
        next.push_back(other);
      };
      std::size_t stride = 1;
      for (const std::size_t count : counts) {
        const std::size_t index = at / stride % count;
        if (index > 0) visit(at - stride);
        if (index + 1 < count) visit(at + stride);
        stride *= count;
      }
    }
    // A front has all voxels of a label before those of the next one, and so has what they add.
    std::swap(front, next);
  }
  return result;
}

}  // namespace isolume::regions
