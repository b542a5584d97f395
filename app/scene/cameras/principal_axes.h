#pragma once

#include <vector>

#include <Eigen/Core>

namespace isolume::scene {

/// Orthonormal columns: the directions of the smallest, the middle and the largest extent of a cloud of
/// points. The largest component of each is positive, so that the same points give the same axes. For fewer
/// than 2 points: z, y, x.
Eigen::Matrix3d principal_axes(const std::vector<Eigen::Vector3d>& points);

}  // namespace isolume::scene
