#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/images/document.h"

namespace isolume::dicom {

/// Where the slices of an image really lie. Its volume has one spacing throughout; slices that are missing or
/// unequally spaced lie elsewhere than its grid says, and objects that refer to them must not.
class SlicePositions {
 public:
  explicit SlicePositions(const images::Document& image);

  /// Of a place in the pixels of a slice.
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
  /// The slice nearest to a height, where that is within half the distance to the next slice on that side;
  /// half the usual distance at the ends and in gaps, whose slices are missing.
  std::optional<int> slice_at(double height_mm) const;
  /// Whether neighbours are the volume's spacing apart, to 1 %.
  bool are_equally_spaced() const;
  /// Between neighbours, along the normal: less than the volume's spacing along k where a gantry was tilted.
  double usual_distance_mm() const { return usual_mm_; }
  /// How far at most a slice lies from its place on the volume's grid.
  double farthest_from_grid_mm() const;

 private:
  /// Index along k, whose whole numbers are slices.
  double index_at(double height_mm) const;
  Eigen::Vector3d position_at(double index) const;

  const images::Geometry& geometry_;
  Eigen::Vector3d normal_;
  double usual_mm_;  ///< between neighbours
  std::vector<Eigen::Vector3d> positions_;
  std::vector<double> heights_;
};

/// For files that know one spacing alone (label maps): throws Error where a slice lies farther from its place
/// on the volume's grid than a tenth of the spacing.
void require_regular_grid(const images::Document& image, const std::filesystem::path& output);

}  // namespace isolume::dicom
