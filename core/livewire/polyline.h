#pragma once

#include <cmath>

#include "core/contours/contour.h"
#include "core/livewire/cost_grid.h"

namespace isolume::livewire {

inline double length_px(const contours::Polyline& line) {
  double sum = 0;
  for (std::size_t i = 1; i < line.size(); ++i) sum += (line[i] - line[i - 1]).norm();
  return sum;
}

/// The pixel that holds a place.
inline Pixel pixel_of(const Eigen::Vector2d& place) {
  return {static_cast<int>(std::lround(place.x())), static_cast<int>(std::lround(place.y()))};
}

}  // namespace isolume::livewire
