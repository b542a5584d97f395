#include "core/tomography/geometry.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include <Eigen/Geometry>
#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/memory.h"

namespace isolume::tomography {
namespace {

/// Calls act(view, numbers of a view) on all threads.
template <class Act>
void for_views(const Geometry& geometry, const Act& act) {
  const std::size_t size =
      static_cast<std::size_t>(geometry.columns) * static_cast<std::size_t>(padded_column(geometry.rows));
  using Views = tbb::blocked_range<int>;
  handover::parallel_for(Views(0, static_cast<int>(geometry.views.size())), [&](const Views& part) {
    for (int view = part.begin(); view != part.end(); ++view) act(view, size);
  });
}

}  // namespace

Geometry circular(const CircularScan& scan) {
  if (scan.columns < 1 || scan.rows < 1 || scan.views < 1)
    throw Error("A scan needs at least one view, and a detector of at least one column and one row.");
  if (!(scan.column_mm > 0 && scan.row_mm > 0 && std::isfinite(scan.column_mm + scan.row_mm)))
    throw Error("The pitch of the detector has to be above 0 mm.");
  if (scan.beam == Beam::cone && !(scan.source_to_axis_mm > 0 && std::isfinite(scan.source_to_detector_mm) &&
                                   scan.source_to_detector_mm > scan.source_to_axis_mm))
    throw Error(fmt::format(
        "The distance from source to detector ({} mm) has to exceed that from source to axis ({} mm). "
        "Check their units.",
        scan.source_to_detector_mm, scan.source_to_axis_mm));
  if (!(std::abs(scan.arc_deg) > 0 && std::abs(scan.arc_deg) <= 3600 && std::isfinite(scan.first_deg)))
    throw Error(fmt::format("The arc has to lie between 0° and 3600°, not at {}°.", scan.arc_deg));
  Geometry geometry{.beam = scan.beam, .columns = scan.columns, .rows = scan.rows, .views = {}};
  const double behind = scan.beam == Beam::cone ? scan.source_to_detector_mm - scan.source_to_axis_mm : 0;
  for (int i = 0; i < scan.views; ++i) {
    const double angle = (scan.first_deg + scan.arc_deg * i / scan.views) * std::numbers::pi / 180;
    const Eigen::Vector3d forward(-std::sin(angle), std::cos(angle), 0),
        sideways(std::cos(angle), std::sin(angle), 0);
    View view;
    view.source = scan.beam == Beam::cone ? Eigen::Vector3d(-scan.source_to_axis_mm * forward) : forward;
    view.along = scan.column_mm * sideways;
    view.up = scan.row_mm * Eigen::Vector3d::UnitZ();
    view.origin = behind * forward + scan.offset_mm * sideways - (scan.columns - 1) / 2.0 * view.along -
                  (scan.rows - 1) / 2.0 * view.up;
    geometry.views.push_back(view);
  }
  return geometry;
}

Geometry with_axis_shifted(Geometry geometry, double pixels) {
  for (View& view : geometry.views) view.origin -= pixels * view.along;
  return geometry;
}

std::vector<int> spread_views(int views, int count) {
  count = std::clamp(count, 1, views);
  std::vector<int> chosen;
  for (int i = 0; i < count; ++i)
    chosen.push_back(static_cast<int>(static_cast<std::int64_t>(i) * views / count));
  return chosen;
}

Geometry with_views(const Geometry& geometry, std::span<const int> chosen) {
  Geometry some{.beam = geometry.beam, .columns = geometry.columns, .rows = geometry.rows, .views = {}};
  for (const int view : chosen) some.views.push_back(geometry.views.at(static_cast<std::size_t>(view)));
  return some;
}

ViewMatrix matrix_of(const View& view, Beam beam) {
  const Eigen::Vector3d normal = view.along.cross(view.up);
  // Vectors that give u and v of a point of the detector.
  const Eigen::Vector3d u_of = view.up.cross(normal) / view.along.dot(view.up.cross(normal));
  const Eigen::Vector3d v_of = normal.cross(view.along) / view.up.dot(normal.cross(view.along));
  ViewMatrix matrix;
  if (beam == Beam::parallel) {
    const double slope = view.source.dot(normal);
    const auto row = [&](const Eigen::Vector3d& of) {
      const Eigen::Vector3d part = of - of.dot(view.source) / slope * normal;
      return Eigen::RowVector4d(part.x(), part.y(), part.z(), -part.dot(view.origin));
    };
    matrix << row(u_of), row(v_of), 0, 0, 0, 1;
    return matrix;
  }
  const Eigen::Vector3d depth = normal / (view.origin - view.source).dot(normal);
  const auto row = [&](const Eigen::Vector3d& of) {
    const Eigen::Vector3d part = of + (view.source - view.origin).dot(of) * depth;
    return Eigen::RowVector4d(part.x(), part.y(), part.z(), -part.dot(view.source));
  };
  matrix << row(u_of), row(v_of), depth.x(), depth.y(), depth.z(), -depth.dot(view.source);
  return matrix;
}

ViewMatrix matrix_of(const View& view, Beam beam, const grid::Grid& grid) {
  Eigen::Matrix4d to_mm = Eigen::Matrix4d::Identity();
  to_mm.topLeftCorner<3, 3>() = grid.step;
  to_mm.topRightCorner<3, 1>() = grid.origin;
  return matrix_of(view, beam) * to_mm;
}

void require_valid(const Geometry& geometry) {
  if (geometry.views.empty()) throw Error("The scan has no view. Add the positions of its projections.");
  if (geometry.columns < 1 || geometry.rows < 1)
    throw Error(fmt::format("A detector of {} x {} pixels has no area.", geometry.columns, geometry.rows));
  for (std::size_t i = 0; i < geometry.views.size(); ++i) {
    const View& view = geometry.views[i];
    const auto refuse = [i](const char* why) { throw Error(fmt::format("View {} {}", i + 1, why)); };
    if (!(view.source.allFinite() && view.origin.allFinite() && view.along.allFinite() &&
          view.up.allFinite()))
      refuse("has a number that is not finite. Correct its geometry.");
    const Eigen::Vector3d normal = view.along.cross(view.up);
    if (!(normal.norm() > 1e-9 * view.along.norm() * view.up.norm()))
      refuse("has a detector without area: its two vectors are parallel or 0. Correct its geometry.");
    const double distance = geometry.beam == Beam::cone
                                ? (view.origin - view.source).dot(normal) / normal.norm()
                                : view.source.dot(normal) / normal.norm();
    if (!(std::abs(distance) > 1e-6))
      refuse(geometry.beam == Beam::cone
                 ? "has its source in the plane of the detector. Correct its geometry."
                 : "has rays that do not meet the detector. Correct its geometry.");
  }
}

bool has_upright_columns(const Geometry& geometry) {
  return std::ranges::all_of(geometry.views, [&](const View& view) {
    const double flat = 1e-6;
    return std::hypot(view.up.x(), view.up.y()) <= flat * view.up.norm() &&
           std::abs(view.along.z()) <= flat * view.along.norm() &&
           (geometry.beam == Beam::cone || std::abs(view.source.z()) <= flat * view.source.norm());
  });
}

Projections::Projections(Geometry of)
    : geometry(std::move(of)), stride(static_cast<std::size_t>(padded_column(geometry.rows))) {
  // Kernels count the numbers of a view in 32 bits.
  const double view_size = static_cast<double>(stride) * geometry.columns;
  if (view_size > std::numeric_limits<std::int32_t>::max())
    throw ResourceError("A detector has more pixels than can be reconstructed. Bin its pixels first.");
  dispatch::require_memory("The projections",
                           view_size * sizeof(float) * static_cast<double>(geometry.views.size()),
                           "Bin their pixels, or use fewer views.");
  try {
    values.resize(column_index(static_cast<int>(geometry.views.size()), 0));
  } catch (const std::bad_alloc&) {
    throw ResourceError("The projections do not fit into memory. Bin their pixels, or use fewer views.");
  }
  for_views(geometry, [this](int view, std::size_t size) { std::fill_n(column(view, 0), size, 0.F); });
}

Projections chosen_views(const Projections& projections, std::span<const int> chosen) {
  Projections some(with_views(projections.geometry, chosen));
  for_views(some.geometry, [&](int view, std::size_t size) {
    std::copy_n(projections.column(chosen[static_cast<std::size_t>(view)], 0), size, some.column(view, 0));
  });
  return some;
}

}  // namespace isolume::tomography
