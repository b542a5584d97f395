#include "core/regions/seeded_image.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::regions {
namespace {

/// Sum of squares of the differences of neighbours that begin in a plane, and their number.
struct Differences {
  double squares = 0;
  std::size_t count = 0;
};

Differences differences_of(const grid::Grid& grid, std::span<const float> values, int z) {
  const auto& n = grid.dimensions;
  const auto width = static_cast<std::size_t>(n[0]), plane = width * static_cast<std::size_t>(n[1]);
  Differences found;
  const auto add = [&](std::size_t at, std::size_t other) {
    const double difference = static_cast<double>(values[at]) - static_cast<double>(values[other]);
    found.squares += difference * difference;
    ++found.count;
  };
  for (int y = 0; y < n[1]; ++y) {
    std::size_t at = static_cast<std::size_t>(z) * plane + static_cast<std::size_t>(y) * width;
    for (int x = 0; x < n[0]; ++x, ++at) {
      if (x + 1 < n[0]) add(at, at + 1);
      if (y + 1 < n[1]) add(at, at + width);
      if (z + 1 < n[2]) add(at, at + plane);
    }
  }
  return found;
}

}  // namespace

int SeededImage::label_count() const {
  return seeds.empty() ? 0 : *std::ranges::max_element(seeds);
}

void require_seeds(const SeededImage& image, int labels) {
  const std::size_t voxels = image.grid.point_count();
  if (image.values.size() != voxels || image.seeds.size() != voxels) {
    throw Error(fmt::format("The image has {}, its seeds have {}. Give seeds on the grid of the image.",
                            counted(image.values.size(), "voxel"), counted(image.seeds.size(), "voxel")));
  }
  const auto others = std::ranges::count_if(image.values, [](float each) { return !std::isfinite(each); });
  if (others > 0) {
    throw Error(fmt::format("{} not finite. Replace such values first.",
                            counted(static_cast<std::size_t>(others), "value is", "values are")));
  }
  std::array<bool, 256> is_used{};
  for (const Label each : image.seeds) is_used[each] = true;
  const auto used = std::count(is_used.begin() + 1, is_used.end(), true);
  if (used == 0) throw Error("There are no seeds. Paint some in each region.");
  if (used < labels) {
    throw Error(fmt::format(
        "All seeds have the same label, and {} are needed. Paint seeds of another one, too.", labels));
  }
}

LinkWeights::LinkWeights(const grid::Grid& grid, std::span<const float> values, double edge) {
  const auto planes = static_cast<std::size_t>(grid.dimensions[2]);
  std::vector<Differences> parts(planes);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, planes), [&](const auto& range) {
    for (std::size_t z = range.begin(); z != range.end(); ++z)
      parts[z] = differences_of(grid, values, static_cast<int>(z));
  });
  Differences all;
  for (const Differences& each : parts) {
    all.squares += each.squares;
    all.count += each.count;
  }
  if (all.squares > 0) {
    sigma_ = edge * std::sqrt(all.squares / static_cast<double>(all.count));
    exponent_ = static_cast<float>(-0.5 / (sigma_ * sigma_));
  }
  // A single slice may have any distance to the next one.
  double least = std::min(grid.spacing(0), grid.spacing(1));
  if (grid.dimensions[2] > 1) least = std::min(least, grid.spacing(2));
  for (std::size_t axis = 0; axis < 3; ++axis)
    factors_[axis] = static_cast<float>(least / grid.spacing(static_cast<int>(axis)));
}

float LinkWeights::operator()(float a, float b, std::size_t axis) const {
  const float difference = a - b;
  return factors_[axis] * std::exp(exponent_ * difference * difference);
}

}  // namespace isolume::regions
