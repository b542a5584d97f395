#include "core/regions/watershed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/field_values.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/volumes/gaussian.h"

namespace isolume::regions {
namespace {

constexpr std::size_t level_count = std::size_t{std::numeric_limits<std::uint16_t>::max()} + 1;

FieldValues gradient_lengths(const grid::Grid& grid, std::span<const float> values) {
  const auto& n = grid.dimensions;
  const std::array<std::size_t, 3> strides{1, static_cast<std::size_t>(n[0]),
                                           static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1])};
  FieldValues lengths(values.size());
  handover::parallel_for(tbb::blocked_range<int>(0, n[1] * n[2], 8), [&](const auto& part) {
    for (int row = part.begin(); row != part.end(); ++row) {
      std::array<int, 3> at{0, row % n[1], row / n[1]};
      std::size_t i = static_cast<std::size_t>(row) * strides[1];
      for (; at[0] < n[0]; ++at[0], ++i) {
        double sum = 0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const int back = at[axis] > 0 ? 1 : 0, forth = at[axis] + 1 < n[axis] ? 1 : 0;
          if (back + forth == 0) continue;
          const double rise = static_cast<double>(values[i + (forth != 0 ? strides[axis] : 0)]) -
                              static_cast<double>(values[i - (back != 0 ? strides[axis] : 0)]);
          const double slope = rise / ((back + forth) * grid.spacing(static_cast<int>(axis)));
          sum += slope * slope;
        }
        lengths[i] = static_cast<float>(std::sqrt(sum));
      }
    }
  });
  return lengths;
}

template <class Visit>
void for_neighbours(const std::array<int, 3>& n, std::uint32_t voxel, const Visit& visit) {
  const auto width = static_cast<std::uint32_t>(n[0]), height = static_cast<std::uint32_t>(n[1]),
             depth = static_cast<std::uint32_t>(n[2]), plane = width * height;
  const std::uint32_t row = voxel / width, x = voxel % width, y = row % height, z = row / height;
  if (x > 0) visit(voxel - 1);
  if (x + 1 < width) visit(voxel + 1);
  if (y > 0) visit(voxel - width);
  if (y + 1 < height) visit(voxel + width);
  if (z > 0) visit(voxel - plane);
  if (z + 1 < depth) visit(voxel + plane);
}

/// Labels spread from voxels that have one (not 0) in the order of the levels, on each level the first come first.
template <class Number>
void spread(const Relief& relief, std::vector<Number>& labels, const jobs::Progress& progress) {
  std::vector<std::vector<std::uint32_t>> queues(level_count);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] != 0) queues[relief.levels[i]].push_back(static_cast<std::uint32_t>(i));
  }
  std::size_t until_check = 0;
  for (std::size_t level = 0; level < level_count; ++level) {
    auto& queue = queues[level];
    for (std::size_t k = 0; k < queue.size(); ++k) {  // it grows meanwhile
      if (until_check-- == 0) {
        constexpr std::size_t between_checks = 1U << 14U;
        progress.check();
        until_check = between_checks;
      }
      const Number label = labels[queue[k]];
      for_neighbours(relief.grid.dimensions, queue[k], [&](std::uint32_t other) {
        if (labels[other] != 0) return;
        labels[other] = label;
        queues[std::max<std::size_t>(relief.levels[other], level)].push_back(other);
      });
    }
    queue = {};
  }
}

}  // namespace

Relief relief_of(const grid::Grid& grid, std::span<const float> values, double sigma_mm,
                 const jobs::Progress& progress) {
  require_finite(values);
  if (values.size() > std::numeric_limits<std::uint32_t>::max())
    throw ResourceError(
        "The image has more than 2^32 voxels, which the watershed cannot number. Crop or resample it.");
  // The smoothed image, gradients and levels; then numbers and queues of voxels.
  constexpr std::size_t bytes = 2 * sizeof(float) + sizeof(std::uint16_t) + 2 * sizeof(std::uint32_t);
  dispatch::require_memory("The watershed", values.size() * bytes, "Crop or resample the image.");
  FieldValues smoothed(values.begin(), values.end());
  if (sigma_mm > 0) {
    std::array<double, 3> sigma{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      sigma[axis] = grid.dimensions[axis] > 1 ? sigma_mm / grid.spacing(static_cast<int>(axis)) : 0;
    volumes::smooth_gaussian(smoothed, grid.dimensions, sigma);
  }
  progress.check();
  const FieldValues lengths = gradient_lengths(grid, smoothed);
  const float greatest = *std::ranges::max_element(lengths);
  const float scale = greatest > 0 ? static_cast<float>(level_count - 1) / greatest : 0;
  Relief relief{grid, std::vector<std::uint16_t>(values.size())};
  std::ranges::transform(lengths, relief.levels.begin(),
                         [&](float each) { return static_cast<std::uint16_t>(each * scale); });
  return relief;
}

Basins find_basins(const Relief& relief, const jobs::Progress& progress) {
  const auto& levels = relief.levels;
  Basins basins{std::vector<std::uint32_t>(levels.size()), 0};
  std::vector<bool> is_visited(levels.size());
  std::vector<std::uint32_t> flat;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (i % (1U << 16U) == 0) progress.check();
    if (is_visited[i]) continue;
    // All voxels of the level that hang together: a minimum unless one of them has a lower neighbour.
    bool is_minimum = true;
    flat.assign(1, static_cast<std::uint32_t>(i));
    is_visited[i] = true;
    for (std::size_t k = 0; k < flat.size(); ++k) {
      for_neighbours(relief.grid.dimensions, flat[k], [&](std::uint32_t other) {
        if (levels[other] < levels[i]) is_minimum = false;
        if (levels[other] != levels[i] || is_visited[other]) return;
        is_visited[other] = true;
        flat.push_back(other);
      });
    }
    if (!is_minimum) continue;
    ++basins.count;
    for (const std::uint32_t each : flat) basins.numbers[each] = static_cast<std::uint32_t>(basins.count);
  }
  spread(relief, basins.numbers, progress);
  return basins;
}

std::vector<Label> flood(const Relief& relief, const SeededImage& image, const jobs::Progress& progress) {
  require_seeds(image, 2);
  std::vector<Label> labels(image.seeds.begin(), image.seeds.end());
  spread(relief, labels, progress);
  return labels;
}

}  // namespace isolume::regions
