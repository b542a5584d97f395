#include "core/images/geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace isolume::images {

Eigen::Vector3d Geometry::index_at(const Eigen::Vector3d& position_mm) const {
  // Not the transpose: directions in real files are orthonormal to a few digits only.
  return (direction.inverse() * (position_mm - origin_mm)).cwiseQuotient(spacing_mm);
}

double Geometry::voxel_volume_mm3() const {
  return std::abs(direction.determinant()) * spacing_mm.prod();
}

bool Geometry::is_orthogonal() const {
  constexpr double tolerance = 1e-3;
  const Eigen::Matrix3d products = direction.transpose() * direction;
  return (products - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff() < tolerance;
}

Eigen::Matrix2d SlicePlane::to_mm() const {
  Eigen::Matrix2d steps;
  steps << spacing_mm.x(), spacing_mm.y() * x_direction.dot(y_direction),  //
      0, spacing_mm.y() * x_direction.cross(y_direction).norm();
  return steps;
}

Eigen::Vector2d SlicePlane::place_at(const Eigen::Vector3d& position_mm) const {
  const Eigen::Vector3d from_origin = position_mm - origin_mm;
  const Eigen::Vector3d across = (y_direction - x_direction.dot(y_direction) * x_direction).normalized();
  return to_mm().inverse() * Eigen::Vector2d(x_direction.dot(from_origin), across.dot(from_origin));
}

SlicePlane slice_plane(const Geometry& geometry, SliceId slice) {
  const int x = slice.axis == 0 ? 1 : 0;
  const int y = slice.axis == 2 ? 1 : 2;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  first[slice.axis] = slice.index;
  // Not the axis itself: with a tilted gantry it is not perpendicular to the slices.
  const Eigen::Vector3d axis = geometry.direction.col(slice.axis);
  Eigen::Vector3d normal = geometry.direction.col(x).cross(geometry.direction.col(y)).normalized();
  if (normal.dot(axis) < 0) normal = -normal;
  return {.width = geometry.size[static_cast<std::size_t>(x)],
          .height = geometry.size[static_cast<std::size_t>(y)],
          .spacing_mm = {geometry.spacing_mm[x], geometry.spacing_mm[y]},
          .origin_mm = geometry.position_mm(first),
          .x_direction = geometry.direction.col(x),
          .y_direction = geometry.direction.col(y),
          .normal = normal,
          .slice_spacing_mm = geometry.spacing_mm[slice.axis] * normal.dot(axis)};
}

namespace {

/// The smallest one that contains all positions of a picture, as smaller ones lie on top of larger ones; null: none.
const ScaledRegion* region_around(const std::vector<ScaledRegion>& regions,
                                  std::span<const Eigen::Vector2d> places) {
  constexpr double half = 0.5;  // of a pixel, as positions refer to centres
  const auto area = [](const ScaledRegion& region) {
    return static_cast<double>(region.right - region.left + 1) * (region.bottom - region.top + 1);
  };
  const ScaledRegion* found = nullptr;
  for (const ScaledRegion& region : regions) {
    const bool holds_all = std::ranges::all_of(places, [&](const Eigen::Vector2d& place) {
      return place.x() >= region.left - half && place.x() <= region.right + half &&
             place.y() >= region.top - half && place.y() <= region.bottom + half;
    });
    if (holds_all && (found == nullptr || area(region) < area(*found))) found = &region;
  }
  return found;
}

bool has_scale(const ScaledRegion& region, const Eigen::Vector2d& spacing_mm) {
  constexpr double rounding = 1e-4;
  return region.spacing_mm && region.spacing_mm->isApprox(spacing_mm, rounding);
}

}  // namespace

bool Geometry::has_one_scale() const {
  return std::ranges::all_of(
      regions, [&](const ScaledRegion& region) { return has_scale(region, spacing_mm.head<2>()); });
}

std::optional<SlicePlane> plane_of(const Geometry& geometry, SliceId slice,
                                   std::span<const Eigen::Vector2d> places) {
  SlicePlane plane = slice_plane(geometry, slice);
  if (geometry.regions.empty()) return plane;
  if (places.empty()) return std::nullopt;
  // Positions in the pictures, which are the slices across k.
  std::vector<Eigen::Vector2d> in_picture(places.begin(), places.end());
  for (Eigen::Vector2d& place : in_picture) {
    if (slice.axis == 1) place.y() = slice.index;
    if (slice.axis == 0) place = {slice.index, place.x()};
  }
  const ScaledRegion* region = region_around(geometry.regions, in_picture);
  if (region == nullptr || !region->spacing_mm) return std::nullopt;
  const Eigen::Vector2d spacing_mm = *region->spacing_mm;
  const bool has_all = std::ranges::all_of(in_picture, [&](const Eigen::Vector2d& place) {
    return has_scale(*region_around(geometry.regions, {&place, 1}), spacing_mm);
  });
  if (!has_all) return std::nullopt;
  plane.spacing_mm.x() = spacing_mm[slice.axis == 0 ? 1 : 0];
  if (slice.axis == 2) plane.spacing_mm.y() = spacing_mm.y();
  return plane;
}

SliceId slice_at(const Geometry& geometry, int axis, const Eigen::Vector3d& position_mm) {
  return {axis, static_cast<int>(std::lround(geometry.index_at(position_mm)[axis]))};
}

std::string orientation_letters(const Eigen::Vector3d& direction) {
  static constexpr const char* positive = "LPH";
  static constexpr const char* negative = "RAF";
  const double threshold = std::sin(20 * std::numbers::pi / 180);
  std::array<int, 3> order{0, 1, 2};
  std::ranges::sort(order, [&](int a, int b) { return std::abs(direction[a]) > std::abs(direction[b]); });
  std::string letters;
  for (const int axis : order) {
    if (!letters.empty() && std::abs(direction[axis]) <= threshold) break;
    letters += direction[axis] < 0 ? negative[axis] : positive[axis];
  }
  return letters;
}

std::array<int, 3> axes_nearest_to_patient(const Geometry& geometry) {
  std::array<int, 3> order{0, 1, 2}, best = order;
  double best_sum = -1;
  do {
    double sum = 0;
    for (int patient = 0; patient < 3; ++patient) {
      sum += std::abs(geometry.direction(patient, order[static_cast<std::size_t>(patient)]));
    }
    if (sum > best_sum) {
      best_sum = sum;
      best = order;
    }
  } while (std::ranges::next_permutation(order).found);
  return best;
}

}  // namespace isolume::images
