#pragma once

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "core/base/remarks.h"
#include "core/contours/contour.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// The way from the voxels of one grid to those of another one at the same positions in the patient: both have the same
/// axes in some order and direction. Within slices, spacings may differ.
class GridTransfer {
 public:
  /// Nothing if the axes differ by more than a tenth of a voxel over the first grid, or if one of the grids has no
  /// positions in the patient.
  static std::optional<GridTransfer> between(const images::Geometry& from, const images::Geometry& to);

  /// The first grid's axis that runs along an axis of the second one.
  int source_axis(int axis) const;
  int target_axis(int axis) const { return axes_[static_cast<std::size_t>(axis)].to; }
  /// Whether slices across an axis of the first grid are as thick as those of the second one, to a tenth of a voxel over
  /// the whole grid.
  bool is_as_thick(int axis) const;
  /// The slice of the second grid in which a slice of the first one lies; nothing unless both have the same thickness and
  /// the same middle, to a tenth of a voxel. It may lie beyond the second grid.
  std::optional<images::SliceId> slice(images::SliceId slice) const;
  /// A point of a slice of the first grid, in pixels of the second one's.
  Eigen::Vector2d place(images::SliceId slice, const Eigen::Vector2d& place) const;
  /// Whether centres of pixels become centres of pixels, and neighbours neighbours.
  bool keeps_pixels() const;

 private:
  /// Along an axis of the first grid.
  struct Axis {
    int to = 0;  ///< of the second one
    double scale = 1, offset = 0;
  };
  std::array<Axis, 3> axes_;
  std::array<int, 3> size_;  ///< of the first grid
};

/// The slice across the last axis at a position in mm, of an image whose slices are not equally spaced and so are not all
/// where its grid has them; nothing where it has none. Null: all are on the grid.
using SliceAt = std::function<std::optional<int>(const Eigen::Vector3d& position_mm)>;

/// Contours and rulers that were drawn on the grid `from`, at the same positions on the grid `to`. Where the file of one
/// of them states no positions, or if they are the same to a tenth of a voxel, voxel by voxel. Contours on slices that
/// `to` does not have are left out, with a remark; others name contours that lie beyond the edges of `to`, and
/// labels that cover no pixel of it. `what`: "contours", for messages about `path`. Throws InputError if grids of different
/// sizes cannot be compared, or if the slices of contours are no slices of the grid.
ContourSet transferred(const ContourSet& set, const images::Geometry& from, const images::Geometry& to,
                       const std::string& what, const std::filesystem::path& path, Remarks& remarks,
                       const SliceAt& slice_at = {});

/// The regions of a label map, as contours on the grid `to`. `names`: those of labels if the map is a layer of several
/// that are named; null: "Label 1" ..., and a remark if there is no contour.
ContourSet contours_on(const images::Geometry& to, const images::Volume& label_map,
                       const std::filesystem::path& path, Remarks& remarks, const jobs::Progress& progress,
                       const SliceAt& slice_at = {}, const std::map<int, std::string>* names = nullptr);

}  // namespace isolume::contours
