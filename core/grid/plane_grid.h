#pragma once

#include <cstddef>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace isolume::grid {

/// A regular grid of points in a plane, whose axes may be at any angle: `position(x, y) = corner + x*along + y*across`.
/// Values are ordered by x, then by y.
struct PlaneGrid {
  Eigen::Vector3d corner = Eigen::Vector3d::Zero();
  Eigen::Vector3d along = Eigen::Vector3d::UnitX();   ///< from a point to the next of its row
  Eigen::Vector3d across = Eigen::Vector3d::UnitY();  ///< from a row to the next
  int columns = 0;
  int rows = 0;

  std::size_t size() const { return static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows); }
  Eigen::Vector3d position(const Eigen::Vector2d& place) const {
    return corner + place.x() * along + place.y() * across;
  }
  /// Where the perpendicular from a position meets the plane: the inverse of `position`.
  Eigen::Vector2d place_at(const Eigen::Vector3d& position) const;
  Eigen::Vector2d spacing() const { return {along.norm(), across.norm()}; }
  /// Keeps the directions.
  void set_spacing(const Eigen::Vector2d& spacing) {
    along = along.normalized() * spacing.x();
    across = across.normalized() * spacing.y();
  }
  /// Transforms steps of places to lengths in orthogonal axes of the plane, of which the first is `along`: lengths, angles
  /// and areas are measured after this transformation, as x and y of a sheared grid are not orthogonal.
  Eigen::Matrix2d metric() const;
  double cell_area() const { return along.cross(across).norm(); }

  bool operator==(const PlaneGrid&) const = default;
};

}  // namespace isolume::grid
