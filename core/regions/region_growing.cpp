#include "core/regions/region_growing.h"

#include <algorithm>
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
  const auto width = static_cast<std::uint32_t>(n[0]), height = static_cast<std::uint32_t>(n[1]),
             depth = static_cast<std::uint32_t>(n[2]);
  const std::size_t plane = std::size_t{width} * height;
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
      // 32-bit divisions take a fraction of the time of others.
      const auto row = static_cast<std::uint32_t>(at / width), x = static_cast<std::uint32_t>(at % width);
      const std::uint32_t y = row % height, z = row / height;
      if (x > 0) visit(at - 1);
      if (x + 1 < width) visit(at + 1);
      if (y > 0) visit(at - width);
      if (y + 1 < height) visit(at + width);
      if (z > 0) visit(at - plane);
      if (z + 1 < depth) visit(at + plane);
    }
    // A front has all voxels of a label before those of the next one, and so has what they add.
    std::swap(front, next);
  }
  return result;
}

}  // namespace isolume::regions
