#include "core/images/geometry.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace isolume::images {

SlicePlane slice_plane(const Geometry& geometry, SliceId slice) {
  const int x = slice.axis == 0 ? 1 : 0;
  const int y = slice.axis == 2 ? 1 : 2;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();
  first[slice.axis] = slice.index;
  // Not the axis itself: with a tilted gantry it is not perpendicular to the slices.
  const Eigen::Vector3d axis = geometry.step.col(slice.axis);
  Eigen::Vector3d normal = geometry.step.col(x).cross(geometry.step.col(y)).normalized();
  if (normal.dot(axis) < 0) normal = -normal;
  SlicePlane plane;
  plane.corner = geometry.position(first);
  plane.along = geometry.step.col(x);
  plane.across = geometry.step.col(y);
  plane.columns = geometry.dimensions[static_cast<std::size_t>(x)];
  plane.rows = geometry.dimensions[static_cast<std::size_t>(y)];
  plane.normal = normal;
  plane.slice_spacing_mm = normal.dot(axis);
  return plane;
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
      regions, [&](const ScaledRegion& region) { return has_scale(region, spacing().head<2>()); });
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
  plane.set_spacing(
      {spacing_mm[slice.axis == 0 ? 1 : 0], slice.axis == 2 ? spacing_mm.y() : plane.across.norm()});
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
  const Eigen::Matrix3d directions = geometry.directions();
  do {
    double sum = 0;
    for (int patient = 0; patient < 3; ++patient) {
      sum += std::abs(directions(patient, order[static_cast<std::size_t>(patient)]));
    }
    if (sum > best_sum) {
      best_sum = sum;
      best = order;
    }
  } while (std::ranges::next_permutation(order).found);
  return best;
}

}  // namespace isolume::images
