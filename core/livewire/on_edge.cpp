#include "core/livewire/on_edge.h"

#include <algorithm>
#include <cmath>

#include "core/livewire/polyline.h"

namespace isolume::livewire {

namespace {

/// Linear interpolation between pixel centres; constant beyond the border.
double value_at(const FieldValues& values, const Features& features, Eigen::Vector2d place) {
  place = place.cwiseMax(Eigen::Vector2d::Zero())
              .cwiseMin(Eigen::Vector2d(features.width - 1, features.height - 1));
  const int left = static_cast<int>(place.x()), top = static_cast<int>(place.y());
  const int right = std::min(left + 1, features.width - 1), bottom = std::min(top + 1, features.height - 1);
  const double x = place.x() - left, y = place.y() - top;
  const auto at = [&](int i, int j) -> double {
    return values[static_cast<std::size_t>(j) * static_cast<std::size_t>(features.width) +
                  static_cast<std::size_t>(i)];
  };
  return (1 - y) * ((1 - x) * at(left, top) + x * at(right, top)) +
         y * ((1 - x) * at(left, bottom) + x * at(right, bottom));
}

}  // namespace

Eigen::Vector2d on_edge(const Features& features, const Eigen::Vector2d& centre) {
  // Fainter edges may be noise; positions closer to the pixel's border could be rounded into the next pixel.
  constexpr double faintest_part = 0.05, farthest_px = 0.499, digits = 1000;
  const auto [x, y] = pixel_of(centre);
  if (x < 0 || y < 0 || x >= features.width || y >= features.height) return centre;
  const auto at =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(features.width) + static_cast<std::size_t>(x);
  const Eigen::Vector2d slope(features.gradient_x[at], features.gradient_y[at]);
  const double steepness = features.gradient[at];
  if (!(steepness > faintest_part * features.gradient_scale) || slope.norm() == 0) return centre;
  const Eigen::Vector2d across = slope.normalized();
  const auto along = [&](const FieldValues& values) {
    return std::pair(value_at(values, features, centre - across),
                     value_at(values, features, centre + across));
  };
  const auto [gradient_before, gradient_after] = along(features.gradient);
  const auto [laplacian_before, laplacian_after] = along(features.laplacian);
  const double sum = features.laplacian[at] + (gradient_after - gradient_before) / 2;
  const double change =
      (laplacian_after - laplacian_before) / 2 + gradient_after - 2 * steepness + gradient_before;
  if (!(change < 0)) return centre;
  Eigen::Vector2d moved = std::clamp(-sum / change, -1.0, 1.0) * across;
  moved *= std::min(1.0, farthest_px / std::max(moved.cwiseAbs().maxCoeff(), 1e-9));
  return centre + Eigen::Vector2d((moved * digits).array().round() / digits);
}

contours::Polyline on_edge(const Features& features, contours::Polyline wire) {
  for (std::size_t i = 1; i + 1 < wire.size(); ++i) wire[i] = on_edge(features, wire[i]);
  return wire;
}

}  // namespace isolume::livewire
