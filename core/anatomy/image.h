#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "core/base/remarks.h"
#include "core/grid/field.h"
#include "core/jobs/progress.h"
#include "core/volumes/counts.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {

/// An image as numbers, with the remarks of reading it.
struct Image {
  grid::ScalarField field;
  Remarks remarks;

  const grid::Grid& grid() const { return field.grid; }
  std::span<const float> values() const { return field.values; }
};

/// Any image that images::read_image reads; the first of several times. Values that are not finite become the least finite
/// one. Remarks name both, and what the reader assumed.
Image read_image(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// Values on a grid as an image of its format (images::write_volume).
Remarks write_image(const grid::Grid& grid, FieldValues values, const std::filesystem::path& path);

/// Displacements on a grid, in voxels.
struct DisplacementImage {
  grid::Grid grid;
  volumes::VectorField field;
  Remarks remarks;
};
/// Displacements in mm along the patient's axes (LPS), as NIfTI with five dimensions and the intent "vector" (1007): what
/// ANTs and ITK read and write. A point p of the fixed image lies at p + displacement in the moving one.
void write_displacements(const grid::Grid& grid, const volumes::VectorField& field,
                         const std::filesystem::path& path);
DisplacementImage read_displacements(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Throws Error naming the image if a displacement cannot be defined on its grid: axes that are not orthogonal, lengths
/// that are not in mm, fewer than two voxels along the first or second axis.
void require_registrable(const grid::Grid& grid, const std::string& name);

/// The index of a voxel of `from` at a voxel of `to`, by their positions.
volumes::IndexMap index_map(const grid::Grid& from, const grid::Grid& to);

/// The moving image's values on the fixed image's grid; outside, its least value. Throws Error naming both files if they
/// have no voxel in common, or one of them is a single slice.
struct Resampled {
  FieldValues values;
  Remarks remarks;
};
Resampled resampled(const Image& moving, const std::string& moving_name, const grid::Grid& fixed,
                    const std::string& fixed_name);

/// The image moved by displacements, on their grid: at p its value at p + displacement; outside, its least value.
/// Resampled once from its own voxels. `is_nearest`: the nearest voxel's value, for labels.
FieldValues moved(const Image& image, const DisplacementImage& by, bool is_nearest);

}  // namespace isolume::anatomy
