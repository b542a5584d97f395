#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/grid/grid.h"
#include "core/tomography/column_kernels.h"

namespace isolume::tomography {

enum class Beam { cone, parallel };

/// Where source and detector were for one projection, in mm. A fan beam is a cone beam on a detector of one row.
struct View {
  Eigen::Vector3d source = Eigen::Vector3d::Zero();  ///< of a parallel beam: the direction of its rays
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< centre of the first pixel of the detector
  Eigen::Vector3d along = Eigen::Vector3d::UnitX();  ///< from a pixel to the next of its row (index u)
  Eigen::Vector3d up = Eigen::Vector3d::UnitZ();     ///< from a row to the next (index v)

  Eigen::Vector3d pixel(double u, double v) const { return origin + u * along + v * up; }
  bool operator==(const View&) const = default;
};

/// The views of a scan. The axis of rotation is the z axis.
struct Geometry {
  Beam beam = Beam::cone;
  int columns = 0, rows = 0;  ///< pixels of the detector along u and v
  std::vector<View> views;

  bool operator==(const Geometry&) const = default;
};

/// A source that turns about the z axis, with a flat detector opposite to it. The first ray of the first view runs
/// towards +y.
struct CircularScan {
  Beam beam = Beam::cone;
  int columns = 192, rows = 192, views = 180;
  double column_mm = 1, row_mm = 1;  ///< pitch of the detector
  double source_to_axis_mm = 600, source_to_detector_mm = 1000;
  double first_deg = 0, arc_deg = 360;  ///< views lie at first + arc * i / views
  double offset_mm = 0;                 ///< of the detector along its rows, from the ray through the axis
};
/// Throws Error for numbers that no scan has.
Geometry circular(const CircularScan& scan);

/// The same scan for an axis of rotation that meets the detector `pixels` farther along its rows than stated.
Geometry with_axis_shifted(Geometry geometry, double pixels);
/// `count` of the views, spread over all.
Geometry with_views(const Geometry& geometry, std::span<const int> chosen);
std::vector<int> spread_views(int views, int count);

/// From positions in mm to pixels: (u w, v w, w) = matrix * (x, y, z, 1), where w is the distance from the source
/// along the detector's normal, divided by that of the detector (parallel beams: 1).
using ViewMatrix = Eigen::Matrix<double, 3, 4>;
ViewMatrix matrix_of(const View& view, Beam beam);
/// The same from indices of voxels.
ViewMatrix matrix_of(const View& view, Beam beam, const grid::Grid& grid);

/// Throws Error, which names the view, for numbers that are not finite, detectors without area, sources on the
/// detector.
void require_valid(const Geometry& geometry);
/// Whether the detectors' columns are parallel to the axis of rotation.
bool has_upright_columns(const Geometry& geometry);

/// Line integrals of attenuation, without a unit (attenuation in 1/mm times mm). For each view and column of the
/// detector a column of numbers along v, `stride` numbers after the last one; those after its rows are 0 or memory for
/// kernels.
struct Projections {
  Geometry geometry;
  std::size_t stride = 0;
  FieldValues values;

  Projections() = default;
  /// Values are 0. Throws ResourceError if they do not fit into memory.
  explicit Projections(Geometry of);
  std::size_t column_index(int view, int u) const {
    return (static_cast<std::size_t>(view) * static_cast<std::size_t>(geometry.columns) +
            static_cast<std::size_t>(u)) *
           stride;
  }
  float* column(int view, int u) { return values.data() + column_index(view, u); }
  const float* column(int view, int u) const { return values.data() + column_index(view, u); }
};

/// The same with views of `chosen` alone.
Projections chosen_views(const Projections& projections, std::span<const int> chosen);

}  // namespace isolume::tomography
