#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/contours/contour.h"
#include "core/livewire/cost_grid.h"

namespace isolume::livewire {

using Polylines = std::vector<contours::Polyline>;

inline double length_px(const contours::Polyline& line) {
  double sum = 0;
  for (std::size_t i = 1; i < line.size(); ++i) sum += (line[i] - line[i - 1]).norm();
  return sum;
}

/// The point of a line (at least two points) nearest to a position: on the segment from point `before` to the next.
struct NearestPoint {
  std::size_t before = 0;
  Eigen::Vector2d point = Eigen::Vector2d::Zero();
  double distance_px = std::numeric_limits<double>::infinity();
};
inline NearestPoint nearest_point(const contours::Polyline& line, const Eigen::Vector2d& place) {
  NearestPoint best;
  for (std::size_t i = 0; i + 1 < line.size(); ++i) {
    const Eigen::Vector2d along = line[i + 1] - line[i];
    const double squared = along.squaredNorm();
    const double t = squared > 0 ? std::clamp((place - line[i]).dot(along) / squared, 0.0, 1.0) : 0;
    const Eigen::Vector2d point = line[i] + t * along;
    const double distance = (place - point).norm();
    if (distance < best.distance_px) best = {i, point, distance};
  }
  return best;
}

/// The pixel that contains a position.
inline Pixel pixel_of(const Eigen::Vector2d& place) {
  return {static_cast<int>(std::lround(place.x())), static_cast<int>(std::lround(place.y()))};
}

}  // namespace isolume::livewire
