#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include <Eigen/Geometry>

#include "core/base/remarks.h"
#include "core/grid/field.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/volumes/counts.h"

namespace isolume::anatomy {

/// Where an image is compared: the voxels of a label map that are not 0.
struct Mask {
  std::filesystem::path path;
  grid::Grid grid;
  FieldValues inside;  ///< 1 inside, 0 outside
  Remarks remarks;
};
/// Throws as read_labels, and InputError for a map that is 0 everywhere.
Mask read_mask(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// 1 where a position p of the grid has map * p in the mask, by the nearest voxel; 0 elsewhere.
FieldValues inside_on(const Mask& mask, const grid::Grid& grid,
                      const Eigen::Affine3d& map = Eigen::Affine3d::Identity());
/// The same on the grid of the image that the mask belongs to. Throws Error naming both files if lengths of both are in
/// different units, one is a slice and the other a volume, or no voxel of the image lies in the mask.
FieldValues inside_image(const Mask& mask, const grid::Grid& image, const std::string& image_name);

/// Which voxels of two images on one grid are compared, by 1 and 0; empty: all of them.
struct Masks {
  std::span<const float> fixed, moving;

  bool empty() const { return fixed.empty() && moving.empty(); }
};

/// The masks of two images, each on its own grid; null: the whole image is compared.
struct MaskPair {
  std::shared_ptr<const Mask> fixed, moving;
  bool operator==(const MaskPair&) const = default;
};
/// Both masks on the fixed image's grid, the moving one's by a linear map as inside_on(). Throws as inside_image().
struct PlacedMasks {
  FieldValues fixed, moving;  ///< empty: there is none

  Masks view() const { return {.fixed = fixed, .moving = moving}; }
};
PlacedMasks placed_on(const MaskPair& masks, const grid::Grid& fixed, const std::string& fixed_name,
                      const Eigen::Affine3d& map);

/// The values inside, and outside a smooth continuation of them, so that what lies there has no part in values between voxels,
/// gradients and coarser resolutions. Without a mask: the values.
FieldValues continued(std::span<const float> values, std::span<const float> inside,
                      const volumes::Counts& counts);

}  // namespace isolume::anatomy
