#include "core/regions/seeded_image.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::regions {
namespace {

/// Sum of the squares of differences between neighbours, of those that begin in a row.
double squares_in_row(const grid::Grid& grid, const float* values, int y, int z) {
  const auto& n = grid.dimensions;
  const auto width = static_cast<std::ptrdiff_t>(n[0]), plane = width * n[1];
  const float* row = values + z * plane + y * width;
  double sum = 0;
  const auto add = [&](std::ptrdiff_t stride, std::ptrdiff_t count) {
    for (std::ptrdiff_t x = 0; x < count; ++x) {
      const double difference = static_cast<double>(row[x]) - static_cast<double>(row[x + stride]);
      sum += difference * difference;
    }
  };
  add(1, width - 1);
  if (y + 1 < n[1]) add(width, width);
  if (z + 1 < n[2]) add(plane, width);
  return sum;
}

std::size_t link_count(const std::array<int, 3>& n) {
  const auto x = static_cast<std::size_t>(n[0]), y = static_cast<std::size_t>(n[1]),
             z = static_cast<std::size_t>(n[2]);
  return (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1);
}

}  // namespace

int SeededImage::label_count() const {
  return seeds.empty() ? 0 : *std::ranges::max_element(seeds);
}

void require_finite(std::span<const float> values) {
  const auto others = std::ranges::count_if(values, [](float each) { return !std::isfinite(each); });
  if (others > 0) {
    throw Error(fmt::format("{} not finite. Replace such values first.",
                            counted(static_cast<std::size_t>(others), "value is", "values are")));
  }
}

void require_seeds(const SeededImage& image, int labels) {
  const std::size_t voxels = image.grid.point_count();
  if (image.values.size() != voxels || image.seeds.size() != voxels) {
    throw Error(fmt::format("The image has {}, its seeds have {}. Give seeds on the grid of the image.",
                            counted(image.values.size(), "voxel"), counted(image.seeds.size(), "voxel")));
  }
  require_finite(image.values);
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
  const auto& n = grid.dimensions;
  std::vector<double> rows(static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]));
  handover::parallel_for(tbb::blocked_range<int>(0, n[1] * n[2], 16), [&](const auto& part) {
    for (int row = part.begin(); row != part.end(); ++row)
      rows[static_cast<std::size_t>(row)] = squares_in_row(grid, values.data(), row % n[1], row / n[1]);
  });
  const double squares = std::accumulate(rows.begin(), rows.end(), 0.0);
  if (squares > 0) {
    sigma_ = edge * std::sqrt(squares / static_cast<double>(link_count(n)));
    exponent_ = static_cast<float>(-0.5 / (sigma_ * sigma_));
  }
  // A single slice may have any distance to the next one.
  double least = std::min(grid.spacing(0), grid.spacing(1));
  if (grid.dimensions[2] > 1) least = std::min(least, grid.spacing(2));
  for (std::size_t axis = 0; axis < 3; ++axis)
    factors_[axis] = static_cast<float>(least / grid.spacing(static_cast<int>(axis)));
}

}  // namespace isolume::regions
