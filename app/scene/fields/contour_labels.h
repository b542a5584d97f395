#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

namespace isolume::scene {

/// Where a contour line can be labelled.
struct ContourPlace {
  double level = 0;
  Eigen::Vector2d place = Eigen::Vector2d::Zero();  ///< column and row
  /// From this line to the nearest one of another level, along the gradient, in the unit of the steps.
  Eigen::Vector2d to_next = Eigen::Vector2d::Zero();
};

/// Values on a plane, row by row; those that are not finite are unknown. `steps`: lengths of a column and a row.
struct PlaneValues {
  std::span<const float> values;
  int columns = 0, rows = 0;
  Eigen::Vector2d steps = Eigen::Vector2d::Ones();
};

/// A few places on the contour lines of each of the ascending levels, far from each other, from the plane's edge
/// and from other lines; best places first.
std::vector<ContourPlace> contour_places(const PlaneValues& plane, std::span<const double> levels);

}  // namespace isolume::scene
