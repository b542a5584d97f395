#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/electrostatics/poisson_boltzmann/level.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surface.h"
#include "core/electrostatics/poisson_boltzmann/surface_distances.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// The same grid, in angstrom.
grid::Grid in_angstrom(grid::Grid grid);

/// Of a grid along x, y and z.
struct Spacing {
  double x, y, z;
  explicit Spacing(const grid::Grid& grid) : x(grid.step(0, 0)), y(grid.step(1, 1)), z(grid.step(2, 2)) {}
  double longest() const { return std::max({x, y, z}); }
};

/// Calls use(i, j, signed distance from the ball's surface, negative inside) for the points of a plane at z =
/// `height` within `reach` of the surface. The grid begins at `origin`.
template <class Use>
void for_near(const Eigen::Vector3d& origin, const Spacing& h, const Extents& e, double height,
              const SolventSurface::Ball& ball, double reach, const Use& use) {
  const double radius = ball.radius + reach, dz = height - ball.centre.z();
  const double rest = radius * radius - dz * dz;
  if (rest < 0) return;
  const auto range = [](double low, double high, int count) {
    return std::array{static_cast<int>(std::clamp(std::ceil(low), 0.0, count - 0.0)),
                      static_cast<int>(std::clamp(std::floor(high), -1.0, count - 1.0))};
  };
  const double y = ball.centre.y() - origin.y(), across = std::sqrt(rest);
  const auto [first_j, last_j] = range((y - across) / h.y, (y + across) / h.y, e.ny);
  for (int j = first_j; j <= last_j; ++j) {
    const double dy = j * h.y - y, left = rest - dy * dy;
    if (left < 0) continue;
    const double x = ball.centre.x() - origin.x(), along = std::sqrt(left);
    const auto [first_i, last_i] = range((x - along) / h.x, (x + along) / h.x, e.nx);
    const double squared = dz * dz + dy * dy;
    for (int i = first_i; i <= last_i; ++i) {
      const double dx = i * h.x - x;
      use(i, j, std::sqrt(squared + dx * dx) - ball.radius);
    }
  }
}

/// Distances in angstrom for a plane's points, row by row.
struct PlaneDistances {
  std::vector<float> balls;    ///< from the nearest ball, negative inside
  std::vector<float> surface;  ///< from the surface, negative inside, down to a limited depth
};

/// Distances from atoms and the surface on a grid in angstrom along x, y and z.
class DistanceMap {
 public:
  /// Larger than any requested distance.
  static constexpr float far_away = 1e9f;

  /// Uses the balls as the surface. Surfaces must outlive this object.
  DistanceMap(const SolventSurface& balls, const grid::Grid& grid);
  /// Uses the solvent-excluded surface, down to `deepest`.
  DistanceMap(const SurfaceDistances& rolled, double deepest, const grid::Grid& grid);

  /// For the points of plane k moved by `shift`. Values are far_away for points more than `reach` outside all balls,
  /// or outside the reach of the probe for the surface. A plane of a fine grid takes seconds: throws Cancelled.
  PlaneDistances at(int k, const Eigen::Vector3d& shift, double reach, const jobs::Progress& progress) const;
  const Spacing& spacing() const { return h_; }
  const Extents& extents() const { return extents_; }

 private:
  const SolventSurface& surface_;
  const SurfaceDistances* rolled_ = nullptr;
  double deepest_ = 0;
  grid::Grid grid_;
  Spacing h_;
  Extents extents_;
};

}  // namespace isolume::electrostatics
