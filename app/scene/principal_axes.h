#pragma once

#include <vector>

#include <Eigen/Core>

namespace isolume::scene {

/// Orthonormal columns: the directions in which a cloud of points reaches least far, further, and furthest.
/// Each has its largest component positive, so that the same points give the same axes. x, y, z reversed for
/// less than 3 points.
Eigen::Matrix3d principal_axes(const std::vector<Eigen::Vector3d>& points);

}  // namespace isolume::scene
