#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace isolume::images {

/// A rectangle of pixels with a scale of its own, as in ultrasound images with several regions (PS3.3 C.8.5.5).
struct ScaledRegion {
  int left = 0, top = 0, right = 0, bottom = 0;  ///< the last pixels are included
  std::optional<Eigen::Vector2d> spacing_mm;     ///< none: its axes are not lengths
  bool operator==(const ScaledRegion&) const = default;
};

/// Position of the voxels of a volume. Positions are in mm in the patient coordinates of DICOM (LPS: x to the left, y
/// to the back, z to the head); readers convert those of other formats (NIfTI and many NRRD files: RAS). Index (i, j,
/// k) is the centre of a voxel; i runs fastest in memory.
struct Geometry {
  std::array<int, 3> size{1, 1, 1};
  Eigen::Vector3d origin_mm = Eigen::Vector3d::Zero();  ///< centre of voxel (0, 0, 0)
  Eigen::Vector3d spacing_mm = Eigen::Vector3d::Ones();
  Eigen::Matrix3d direction =
      Eigen::Matrix3d::Identity();  ///< columns: unit vectors in the directions of increasing i, j, k
  /// Whether the file states the orientation of its axes in the patient; otherwise `direction` is made up.
  bool has_sides = true;
  /// Whether the file states the thickness or distance of its slices; a single one of unknown thickness has no
  /// volume.
  bool has_thickness = true;
  /// Regions of slices across k, outside of which there is no scale; empty if `spacing_mm` is that of whole slices.
  std::vector<ScaledRegion> regions = {};
  /// Whether all regions have the scale `spacing_mm`.
  bool has_one_scale() const;

  std::size_t voxel_count() const {
    return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
           static_cast<std::size_t>(size[2]);
  }
  Eigen::Vector3d position_mm(const Eigen::Vector3d& index) const {
    return origin_mm + direction * spacing_mm.cwiseProduct(index);
  }
  /// Columns: from a voxel to the next along i, j and k.
  Eigen::Matrix3d steps_mm() const { return direction * spacing_mm.asDiagonal(); }
  /// Volume of the parallelepiped between neighbouring voxels: less than the product of the spacings if the axes are
  /// not orthogonal (a tilted gantry, a sheared affine).
  double voxel_volume_mm3() const;
  /// Whether the axes are orthogonal, to the precision of files.
  bool is_orthogonal() const;
  /// The inverse of `position_mm`.
  Eigen::Vector3d index_at(const Eigen::Vector3d& position_mm) const;
};

/// A slice of a volume: the voxels whose index along `axis` (0, 1, 2 for i, j, k) is `index`.
struct SliceId {
  int axis = 2;
  int index = 0;
  auto operator<=>(const SliceId&) const = default;
};

/// A slice as an image: x and y are the two other axes of the volume in ascending order (axis 2: x = i, y = j; axis
/// 1: x = i, y = k; axis 0: x = j, y = k). Pixel centres are at integers.
struct SlicePlane {
  int width = 1, height = 1;
  Eigen::Vector2d spacing_mm = Eigen::Vector2d::Ones();
  Eigen::Vector3d origin_mm = Eigen::Vector3d::Zero();  ///< centre of pixel (0, 0)
  Eigen::Vector3d x_direction = Eigen::Vector3d::UnitX();
  Eigen::Vector3d y_direction = Eigen::Vector3d::UnitY();
  Eigen::Vector3d normal =
      Eigen::Vector3d::UnitZ();  ///< perpendicular, in the direction of increasing slice index
  double slice_spacing_mm = 1;   ///< to the next slice

  Eigen::Vector3d position_mm(const Eigen::Vector2d& place) const {
    return origin_mm + x_direction * (spacing_mm.x() * place.x()) +
           y_direction * (spacing_mm.y() * place.y());
  }
  /// Transforms steps in pixels to mm, in orthogonal axes of the plane of which the first is `x_direction`: lengths,
  /// angles and areas in the plane are measured after this transformation, as x and y of a sheared grid are not
  /// orthogonal.
  Eigen::Matrix2d to_mm() const;
  double pixel_area_mm2() const { return to_mm().determinant(); }
  /// The foot of the perpendicular, in pixels.
  Eigen::Vector2d place_at(const Eigen::Vector3d& position_mm) const;
  /// Signed, along `normal`.
  double distance_mm(const Eigen::Vector3d& position_mm) const { return normal.dot(position_mm - origin_mm); }
};

/// `slice.index` may lie outside the volume.
SlicePlane slice_plane(const Geometry& geometry, SliceId slice);

/// The slice's plane with the common scale of all these positions: nothing if there are regions and none holds them all,
/// if that one's axes are not lengths, or if some lie in a smaller region of another scale.
std::optional<SlicePlane> plane_of(const Geometry& geometry, SliceId slice,
                                   std::span<const Eigen::Vector2d> places);

/// The slice along `axis` nearest to the position; it is within half a spacing if the position is inside the volume.
/// Not clamped: the caller compares with the size.
SliceId slice_at(const Geometry& geometry, int axis, const Eigen::Vector3d& position_mm);

/// "L", "R", "A", "P", "H", "F" for the direction's largest component, two or three letters ("LA") for oblique ones
/// whose other components exceed sin(20 degrees).
std::string orientation_letters(const Eigen::Vector3d& direction);

/// The volume's axis (0, 1, 2) whose direction is nearest to the patient's axis: 2 for axial slices, 1 coronal, 0
/// sagittal. The three results are different, whatever the obliqueness.
std::array<int, 3> axes_nearest_to_patient(const Geometry& geometry);

}  // namespace isolume::images
