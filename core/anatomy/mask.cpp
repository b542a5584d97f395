#include "core/anatomy/mask.h"

#include <algorithm>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/volumes/gaussian.h"

namespace isolume::anatomy {

Mask read_mask(const std::filesystem::path& path, const jobs::Progress& progress) {
  const Labels labels = read_labels(path, progress);
  Mask mask{.path = path, .grid = labels.grid, .inside = {}, .remarks = labels.remarks};
  mask.inside.reserve(labels.indices.size());
  for (const std::uint32_t index : labels.indices)
    mask.inside.push_back(labels.values[index] != 0 ? 1.F : 0.F);
  if (std::ranges::find(mask.inside, 1.F) == mask.inside.end()) {
    throw InputError(path, 0, "the mask is 0 everywhere: nothing would be compared",
                     "Choose a label map whose voxels inside are not 0.");
  }
  return mask;
}

FieldValues inside_on(const Mask& mask, const grid::Grid& grid, const Eigen::Affine3d& map) {
  grid::Grid places = grid;
  places.origin = map * grid.origin;
  places.step = map.linear() * grid.step;
  const volumes::IndexMap index = index_map(mask.grid, places);
  const volumes::Counts &counts = grid.dimensions, &from = mask.grid.dimensions;
  FieldValues inside(grid.point_count(), 0.F);
  handover::parallel_for(tbb::blocked_range<int>(0, counts[2]), [&](const auto& planes) {
    for (int z = planes.begin(); z != planes.end(); ++z) {
      auto at = static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[0]) *
                static_cast<std::size_t>(counts[1]);
      for (int y = 0; y < counts[1]; ++y) {
        for (int x = 0; x < counts[0]; ++x, ++at) {
          const Eigen::Vector3d nearest =
              (index.matrix * Eigen::Vector3d(x, y, z) + index.offset).array().round();
          const bool is_on_grid = (nearest.array() >= 0).all() && nearest[0] < from[0] &&
                                  nearest[1] < from[1] && nearest[2] < from[2];
          if (!is_on_grid) continue;
          inside[at] = mask.inside[(static_cast<std::size_t>(nearest[2]) * static_cast<std::size_t>(from[1]) +
                                    static_cast<std::size_t>(nearest[1])) *
                                       static_cast<std::size_t>(from[0]) +
                                   static_cast<std::size_t>(nearest[0])];
        }
      }
    }
  });
  return inside;
}

FieldValues inside_image(const Mask& mask, const grid::Grid& image, const std::string& image_name) {
  require_same_kind(mask.grid, mask.path.string(), image, image_name);
  FieldValues inside = inside_on(mask, image);
  if (std::ranges::find(inside, 1.F) == inside.end()) {
    throw Error(
        fmt::format("No voxel of {} lies in the mask {}, by the positions in their headers. Choose the mask "
                    "of this image.",
                    image_name, mask.path.string()));
  }
  return inside;
}

PlacedMasks placed_on(const MaskPair& masks, const grid::Grid& fixed, const std::string& fixed_name,
                      const Eigen::Affine3d& map) {
  return {.fixed = masks.fixed != nullptr ? inside_image(*masks.fixed, fixed, fixed_name) : FieldValues(),
          .moving = masks.moving != nullptr ? inside_on(*masks.moving, fixed, map) : FieldValues()};
}

FieldValues continued(std::span<const float> values, std::span<const float> inside,
                      const volumes::Counts& counts) {
  FieldValues result(values.begin(), values.end());
  if (inside.empty()) return result;
  FieldValues weights(inside.begin(), inside.end());
  double sum = 0, count = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = inside[i] > 0 ? values[i] : 0.F;
    sum += static_cast<double>(result[i]);
    count += static_cast<double>(inside[i]);
  }
  constexpr double width_voxels = 2;
  volumes::smooth_gaussian(result, counts, {width_voxels, width_voxels, width_voxels});
  volumes::smooth_gaussian(weights, counts, {width_voxels, width_voxels, width_voxels});
  // Far from the mask, it becomes the mean.
  constexpr float of_mean = 1e-3F;
  const auto mean = static_cast<float>(sum / count);
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] =
        inside[i] > 0 ? values[i] : (result[i] + of_mean * mean) / (std::max(weights[i], 0.F) + of_mean);
  }
  return result;
}

}  // namespace isolume::anatomy
