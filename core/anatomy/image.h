#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>

#include <Eigen/Geometry>

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

/// Any image that images::read_image reads; the first of several times. Values that are not finite become the least
/// finite one. Remarks name both, and what the reader assumed.
Image read_image(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// Values on a grid as an image of its format (images::write_volume).
Remarks write_image(const grid::Grid& grid, FieldValues values, const std::filesystem::path& path);

/// Displacements on a grid, in voxels.
struct DisplacementImage {
  grid::Grid grid;
  volumes::VectorField field;
  Remarks remarks;
};
/// Displacements in mm along the patient's axes (LPS), as ANTs and ITK read and write them (images::write_vectors):
/// NIfTI, NRRD or MetaImage. A point p of the fixed image lies at p + displacement in the moving one.
void write_displacements(const grid::Grid& grid, const volumes::VectorField& field,
                         const std::filesystem::path& path);
DisplacementImage read_displacements(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// Displacements in mm (LPS), a component after the other, in voxels. Throws InputError naming the file if one is not
/// finite, or longer than 10^6 voxels.
DisplacementImage displacements_in_voxels(const grid::Grid& grid, const std::array<FieldValues, 3>& in_mm,
                                          const std::filesystem::path& path, Remarks remarks);

/// Throws Error naming the image if a displacement cannot be defined on its grid: axes that are not orthogonal,
/// lengths that are not in mm, fewer than two voxels along the first or second axis.
void require_registrable(const grid::Grid& grid, const std::string& name);

/// Whether all voxels of two grids of the same counts have the same positions, to the precision of headers.
bool same_positions(const grid::Grid& a, const grid::Grid& b);

/// The index of a voxel of `from` at a voxel of `to`, by their positions.
volumes::IndexMap index_map(const grid::Grid& from, const grid::Grid& to);

/// Throws Error naming both files unless lengths of both are in the same unit and both are volumes, or single slices.
void require_same_kind(const grid::Grid& moving, const std::string& moving_name, const grid::Grid& fixed,
                       const std::string& fixed_name);

/// Values of an image on a grid whose positions p lie at map * p in it; outside, its least value.
struct OnGrid {
  FieldValues values;
  std::size_t inside = 0;  ///< voxels of the grid that lie in the image
};
OnGrid on_grid(const Image& image, const grid::Grid& grid,
               const Eigen::Affine3d& map = Eigen::Affine3d::Identity());

/// The moving image's values on the fixed image's grid, whose positions p lie at map * p in it; outside, its least
/// value. Throws as require_same_kind, and if the images have no voxel in common.
struct Resampled {
  FieldValues values;
  Remarks remarks;
};
Resampled resampled(const Image& moving, const std::string& moving_name, const grid::Grid& fixed,
                    const std::string& fixed_name, const Eigen::Affine3d& map = Eigen::Affine3d::Identity());

/// Throws Error if lengths of an image and of an output have different units.
void require_same_unit(const grid::Grid& image, const grid::Grid& output);
/// Throws Error if no point of an output lies inside the image that it is resampled from.
void require_common_points(std::size_t inside);

/// The image moved by displacements, on their grid: at p its value at p + displacement; outside, its least value.
/// Resampled once from its own voxels. `is_nearest`: the nearest voxel's value. Throws Error as
/// require_common_points().
FieldValues moved(const Image& image, const DisplacementImage& by, bool is_nearest);

}  // namespace isolume::anatomy
