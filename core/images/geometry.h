#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/grid/grid.h"
#include "core/grid/plane_grid.h"

namespace isolume::images {

/// A rectangle of pixels with a scale of its own, as in ultrasound images with several regions (PS3.3 C.8.5.5).
struct ScaledRegion {
  int left = 0, top = 0, right = 0, bottom = 0;  ///< the last pixels are included
  std::optional<Eigen::Vector2d> spacing_mm;     ///< none: its axes are not lengths
  bool operator==(const ScaledRegion&) const = default;
};

/// The grid of an image's voxels, in mm in the patient coordinates of DICOM (LPS: x to the left, y to the back, z to the
/// head); readers convert those of other formats (NIfTI and many NRRD files: RAS). Points are the centres of voxels.
struct Geometry : grid::Grid {
  Geometry() {
    dimensions = {1, 1, 1};
    unit = grid::LengthUnit::millimetre;
    frame = grid::Frame::patient;
  }
  /// Whether the file states the orientation of its axes in the patient; otherwise the axes are assumed.
  bool has_sides() const { return frame == grid::Frame::patient; }
  /// Whether the file states the thickness or distance of its slices; a single one of unknown thickness has no
  /// volume.
  bool has_thickness = true;
  /// Regions of slices across k, outside of which there is no scale; empty if the spacing is that of whole slices.
  std::vector<ScaledRegion> regions = {};
  /// Whether all regions have the spacing of the grid.
  bool has_one_scale() const;
};

/// A slice of a volume: the voxels whose index along `axis` (0, 1, 2 for i, j, k) is `index`.
struct SliceId {
  int axis = 2;
  int index = 0;
  auto operator<=>(const SliceId&) const = default;
};

/// A slice as an image, in mm: along and across are the two other axes of the volume in ascending order (axis 2: i and j;
/// axis 1: i and k; axis 0: j and k). Pixel centres are at integers.
struct SlicePlane : grid::PlaneGrid {
  Eigen::Vector3d normal =
      Eigen::Vector3d::UnitZ();  ///< perpendicular, in the direction of increasing slice index
  double slice_spacing_mm = 1;   ///< to the next slice

  /// Signed, along `normal`.
  double distance_mm(const Eigen::Vector3d& position_mm) const { return normal.dot(position_mm - corner); }
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
