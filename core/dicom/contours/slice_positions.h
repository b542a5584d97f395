#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/images/document.h"

namespace isolume::dicom {

/// True positions of the slices of an image. Its volume has one spacing throughout; missing or unequally spaced
/// slices deviate from its grid, and objects that refer to them must use the true positions.
class SlicePositions {
 public:
  explicit SlicePositions(const images::Document& image);

  /// Position of a point of a slice, given in pixels.
  Eigen::Vector3d position_mm(images::SliceId slice, const Eigen::Vector2d& place) const;
  /// The inverse; for slices across k the foot of the perpendicular.
  Eigen::Vector2d place_at(images::SliceId slice, const Eigen::Vector3d& position_mm) const;

  /// Centre of the first pixel of slice k.
  const Eigen::Vector3d& operator[](int k) const { return positions_[static_cast<std::size_t>(k)]; }
  /// Signed distance from slice 0, along the normal.
  double height_mm(const Eigen::Vector3d& position_mm) const {
    return normal_.dot(position_mm - positions_[0]);
  }
  double height_mm(int k) const { return heights_[static_cast<std::size_t>(k)]; }
  /// The slice nearest to a height, if that is within half the distance to the next slice on that side; half the
  /// usual distance at the ends and in gaps with missing slices.
  std::optional<int> slice_at(double height_mm) const;
  /// Whether the distances of neighbours equal the volume's spacing to 1 %.
  bool are_equally_spaced() const;
  /// Between neighbours, along the normal: less than the volume's spacing along k if the gantry was tilted.
  double usual_distance_mm() const { return usual_mm_; }
  /// The largest distance of a slice from its position on the volume's grid.
  double farthest_from_grid_mm() const;

 private:
  /// Fractional index along k, at which integers are slices.
  double index_at(double height_mm) const;
  Eigen::Vector3d position_at(double index) const;

  const images::Geometry& geometry_;
  Eigen::Vector3d normal_;
  double usual_mm_;  ///< between neighbours
  std::vector<Eigen::Vector3d> positions_;
  std::vector<double> heights_;
};

/// For file formats with a single spacing (label maps): throws Error if a slice is farther from its position on the
/// volume's grid than a tenth of the spacing.
void require_regular_grid(const images::Document& image, const std::filesystem::path& output);

}  // namespace isolume::dicom
