#include "app/scene/cameras/principal_axes.h"

#include <Eigen/Eigenvalues>

namespace isolume::scene {

Eigen::Matrix3d principal_axes(const std::vector<Eigen::Vector3d>& points) {
  if (points.size() < 2) return Eigen::Matrix3d::Identity().rowwise().reverse();
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const auto& point : points) mean += point / static_cast<double>(points.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const auto& point : points) covariance += (point - mean) * (point - mean).transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);  // eigenvalues ascend
  Eigen::Matrix3d axes = solver.eigenvectors();
  for (int column = 0; column < 3; ++column) {
    Eigen::Index largest = 0;
    axes.col(column).cwiseAbs().maxCoeff(&largest);
    if (axes(largest, column) < 0) axes.col(column) *= -1;
  }
  return axes;
}

}  // namespace isolume::scene
