#include <algorithm>
#include <cmath>

#include "core/livewire/tracer.h"

namespace isolume::livewire {

Eigen::Vector2d snap_to_edge(const Features& features, const Eigen::Vector2d& place, double radius_px) {
  const Eigen::Vector2d last(features.width - 1, features.height - 1);
  const Eigen::Vector2d centre = place.cwiseMax(Eigen::Vector2d::Zero()).cwiseMin(last);
  const Eigen::Vector2d low = (centre.array() - radius_px).ceil().max(0.0);
  const Eigen::Vector2d high = (centre.array() + radius_px).floor().min(last.array());
  Eigen::Vector2d best = centre.array().round();
  float strongest = 0;
  double nearest = 0;
  for (int y = static_cast<int>(low.y()); y <= static_cast<int>(high.y()); ++y) {
    for (int x = static_cast<int>(low.x()); x <= static_cast<int>(high.x()); ++x) {
      const Eigen::Vector2d pixel(x, y);
      const double distance = (pixel - centre).norm();
      const float strength =
          features.gradient[static_cast<std::size_t>(y) * static_cast<std::size_t>(features.width) +
                            static_cast<std::size_t>(x)];
      if (distance > radius_px || !(strength >= strongest) || strength == 0) continue;
      if (strength == strongest && distance >= nearest) continue;
      strongest = strength;
      nearest = distance;
      best = pixel;
    }
  }
  return best;
}

}  // namespace isolume::livewire
