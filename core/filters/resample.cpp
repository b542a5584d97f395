#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/memory.h"
#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/smooth.h"
#include "core/volumes/warp.h"

namespace isolume::filters {
namespace {

enum class Interpolation { linear, nearest };

struct ResampleParameters {
  double spacing_mm = 1;
  Interpolation interpolation = Interpolation::linear;
};

const Schema<ResampleParameters>& resample_schema() {
  using P = ResampleParameters;
  static const Schema<P> schema({
      field("spacing", &P::spacing_mm, "Spacing")
          .unit("mm")
          .range(0.001, 1000)
          .usual(0.25, 5)
          .help("New distance of voxels along each axis. A single slice keeps its thickness."),
      field("interpolation", &P::interpolation, "Interpolation",
            {{"linear", "Linear"}, {"nearest", "Nearest voxel, for labels"}})
          .help("Linear: a Gaussian first removes what a coarser grid cannot show. Nearest: values stay "
                "whole."),
  });
  return schema;
}

/// The grid of the new spacing about the same centre; it covers the same box to half a voxel.
grid::Grid resampled_grid(const grid::Grid& grid, double spacing_mm) {
  grid::Grid result = grid;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();  // index in the old grid of the first new voxel
  double points = 1;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int number = static_cast<int>(axis);
    if (grid.dimensions[axis] == 1) continue;
    const double ratio = spacing_mm / grid.spacing(number);
    const double count = std::max(1.0, std::round(grid.dimensions[axis] / ratio));
    constexpr double most = 1e6;
    if (count > most) {
      throw Error(fmt::format("spacing: {} mm would give {:.3g} voxels along an axis. Give a larger one.",
                              spacing_mm, count));
    }
    points *= count;
    dispatch::require_memory("The resampled image", points * sizeof(float), "Give a larger spacing.");
    result.dimensions[axis] = static_cast<int>(count);
    result.set_spacing(number, spacing_mm);
    first[number] = 0.5 * (grid.dimensions[axis] - 1) - 0.5 * (count - 1) * ratio;
  }
  result.origin = grid.position(first);
  return result;
}

FieldValues nearest_values(std::span<const float> values, const grid::Grid& from,
                           const volumes::IndexMap& map, const grid::Grid& to,
                           const jobs::Progress& progress) {
  std::array<std::vector<std::size_t>, 3> indices;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto number = static_cast<Eigen::Index>(axis);
    for (int i = 0; i < to.dimensions[axis]; ++i) {
      const double at = std::round(map.matrix(number, number) * i + map.offset[number]);
      indices[axis].push_back(static_cast<std::size_t>(std::clamp(at, 0.0, from.dimensions[axis] - 1.0)));
    }
  }
  const auto width = static_cast<std::size_t>(from.dimensions[0]),
             height = static_cast<std::size_t>(from.dimensions[1]);
  FieldValues result(to.point_count());
  in_parallel(to.dimensions[2], progress, [&](int z) {
    float* next = result.data() + static_cast<std::size_t>(z) * indices[0].size() * indices[1].size();
    for (const std::size_t y : indices[1]) {
      const float* row = values.data() + (indices[2][static_cast<std::size_t>(z)] * height + y) * width;
      for (const std::size_t x : indices[0]) *next++ = row[x];
    }
  });
  return result;
}

Filtered apply_resample(const grid::ScalarField& image, const ResampleParameters& parameters,
                        const jobs::Progress& progress) {
  const grid::Grid& from = image.grid;
  if (from.dimensions[0] < 2) {
    throw Error(
        "resample: the image has one voxel along its first axis, and at least two are needed. Reorder the "
        "axes of a single slice.");
  }
  const grid::Grid to = resampled_grid(from, parameters.spacing_mm);
  volumes::IndexMap map;
  std::array<double, 3> sigma{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const int number = static_cast<int>(axis);
    const double ratio = to.spacing(number) / from.spacing(number);
    map.matrix(number, number) = ratio;
    map.offset[number] = 0.5 * (from.dimensions[axis] - 1) - 0.5 * (to.dimensions[axis] - 1) * ratio;
    if (ratio > 1) sigma[axis] = 0.7 * std::sqrt(ratio * ratio - 1);  // as volumes::resized
  }
  FieldValues values;
  if (parameters.interpolation == Interpolation::nearest) {
    values = nearest_values(image.values, from, map, to, progress);
  } else {
    FieldValues smoothed = copy_in_parallel(image.values.host());
    smooth(smoothed, from.dimensions, sigma, progress.part(0, 0.7));
    progress.check();
    values.resize(to.point_count());
    volumes::resample(smoothed, from.dimensions, map, nullptr, to.dimensions, 0, values);
  }
  Filtered result = like(image, std::move(values));
  result.image.grid = to;
  result.report = {{"voxels", to.dimensions}, {"spacing_mm", spacing_of(to)}};
  return result;
}

}  // namespace

FilterKind resample_filter() {
  return declare("resample", "Resample", "Gives the image voxels of another size, over the same box.",
                 resample_schema(), apply_resample);
}

}  // namespace isolume::filters
