#include "core/grid/plane_grid.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

namespace isolume::grid {

Eigen::Vector2d PlaneGrid::place_at(const Eigen::Vector3d& position) const {
  const Eigen::Vector3d first = along.normalized(), from_corner = position - corner;
  const Eigen::Vector3d second = (across - first.dot(across) * first).normalized();
  return metric().inverse() * Eigen::Vector2d(first.dot(from_corner), second.dot(from_corner));
}

Eigen::Matrix2d PlaneGrid::metric() const {
  const Eigen::Vector3d first = along.normalized();
  Eigen::Matrix2d steps;
  steps << along.norm(), first.dot(across),  //
      0, first.cross(across).norm();
  return steps;
}

}  // namespace isolume::grid
