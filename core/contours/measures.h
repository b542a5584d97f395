#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/contours/contour.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Intensities of the pixels inside, in the volume's unit; SD of the sample (n - 1).
struct Intensity {
  std::size_t count = 0;
  double mean = 0, sd = 0, min = 0, max = 0;
  std::size_t not_finite =
      0;  ///< further pixels inside that are NaN or infinite, left out of all of the above
};

/// Measures of one contour, from its outline as a polygon. Lengths and areas are NaN where the image has no scale
/// (images::plane_of).
struct Measures {
  double length_mm = 0;  ///< of the outline; the perimeter of a closed one
  /// If closed: by the even-odd rule, regardless of other contours.
  std::optional<double> area_mm2;
  double feret_max_mm = 0;                                ///< greatest distance between two points
  double feret_min_mm = 0;                                ///< smallest width between parallel lines
  Eigen::Vector3d centroid_mm = Eigen::Vector3d::Zero();  ///< of the area, or of the line for open ones
  std::optional<Intensity> intensity;                     ///< closed ones, where there is a volume
  bool has_scale() const { return std::isfinite(length_mm); }
};
Measures measure(const Contour& contour, const images::Geometry& geometry);
Measures measure(const Contour& contour, const images::Volume& volume);

/// Measures of all closed contours of a label along its slices, whatever other labels cover; subtracting contours are
/// taken into account.
struct LabelMeasures {
  int label = 0;
  int slices = 0, contours = 0;
  /// Number of voxels times their volume; NaN where regions have scales of their own or do not hold all contours, or
  /// the slice has no thickness.
  double volume_mm3 = 0;
  Intensity intensity;
};
std::vector<LabelMeasures> measure_labels(const ContourSet& set, const images::Volume& volume,
                                          const jobs::Progress& progress = {});

/// Number of contours that are not measured in mm: the image has regions, and none holds them with one scale.
std::size_t contours_without_scale(const ContourSet& set, const images::Geometry& geometry);

/// Maximum distance between corresponding corners of two grids, in voxels of the other one.
double corners_apart(const images::Geometry& one, const images::Geometry& other);

/// Agreement of two label maps: of the voxels with label `a` in the first and `b` in the second.
struct Agreement {
  double dice = 0, jaccard = 0;
  double hausdorff_mm = 0;     ///< greatest distance from a boundary voxel of one to the nearest of the other
  double hausdorff_95_mm = 0;  ///< 95th percentile in both directions, the larger one
  double mean_distance_mm = 0;  ///< average of the two directions' means
};
/// Throws Error where the geometries differ by more than half a voxel, or where one of the two is empty.
Agreement compare(const images::Volume& map, int a, const images::Volume& reference, int b,
                  const jobs::Progress& progress = {});

/// In mm for a distance, in degrees (0 to 180) for an angle; NaN where the points have no common scale or, for an
/// angle, two of them coincide.
double measure(const Ruler& ruler, const images::Geometry& geometry);

}  // namespace isolume::contours
