#include "core/molecules/crystal_cell.h"

#include <cmath>
#include <numbers>

namespace isolume::molecules {

std::optional<Eigen::Matrix3d> cell_of(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!(lengths[axis] > 0 && lengths[axis] <= most_magnitude)) return std::nullopt;
    if (!(angles[axis] > 0 && angles[axis] < 180)) return std::nullopt;
  }
  // A right angle has a cosine of 0 exactly, so that boxes with right angles lie along the axes.
  const auto cosine = [&](int axis) {
    return angles[axis] == 90 ? 0 : std::cos(angles[axis] * std::numbers::pi / 180);
  };
  const double alpha = cosine(0), beta = cosine(1), gamma = cosine(2), sine = std::sqrt(1 - gamma * gamma);
  const double y = (alpha - beta * gamma) / sine, z = 1 - beta * beta - y * y;
  if (!(z > 1e-12)) return std::nullopt;
  Eigen::Matrix3d cell;
  cell.col(0) = lengths[0] * Eigen::Vector3d::UnitX();
  cell.col(1) = lengths[1] * Eigen::Vector3d(gamma, sine, 0);
  cell.col(2) = lengths[2] * Eigen::Vector3d(beta, y, std::sqrt(z));
  return cell;
}

std::optional<Eigen::Matrix3d> crystal_cell(const Eigen::Vector3d& lengths, const Eigen::Vector3d& angles) {
  constexpr double least_edge = 1.5;  // entries without a crystal have a cube of 1 angstrom
  return lengths.minCoeff() < least_edge ? std::nullopt : cell_of(lengths, angles);
}

}  // namespace isolume::molecules
