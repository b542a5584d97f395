#include "core/electrostatics/poisson_boltzmann/distance_map.h"

namespace isolume::electrostatics {

using Eigen::Vector3d;

grid::Grid in_angstrom(grid::Grid grid) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  grid.origin *= angstrom;
  grid.step *= angstrom;
  grid.unit = grid::LengthUnit::angstrom;
  return grid;
}

DistanceMap::DistanceMap(const SolventSurface& balls, const grid::Grid& grid)
    : surface_(balls),
      grid_(grid),
      h_(grid),
      extents_{grid.dimensions[0], grid.dimensions[1], grid.dimensions[2]} {}

DistanceMap::DistanceMap(const SurfaceDistances& rolled, double deepest, const grid::Grid& grid)
    : DistanceMap(rolled.surface(), grid) {
  rolled_ = &rolled;
  deepest_ = deepest;
}

PlaneDistances DistanceMap::at(int k, const Vector3d& shift, double reach,
                               const jobs::Progress& progress) const {
  progress.check();  // also for planes that no ball reaches
  const Extents& e = extents_;
  PlaneDistances found{std::vector<float>(e.plane(), far_away), {}};
  std::vector<std::int32_t> closest(e.plane(), -1);
  const Vector3d origin = grid_.origin + shift;
  const double height = origin.z() + k * h_.z, farthest = std::max(reach, surface_.probe());
  for (const auto& ball : surface_.balls_at(height, farthest)) {
    progress.check();
    const auto number = static_cast<std::int32_t>(&ball - surface_.balls().data());
    for_near(origin, h_, e, height, ball, farthest, [&](int i, int j, double from) {
      const std::size_t in_plane = e.row(j, 0) + static_cast<std::size_t>(i);
      if (static_cast<float>(from) < found.balls[in_plane]) {
        found.balls[in_plane] = static_cast<float>(from);
        closest[in_plane] = number;
      }
    });
  }
  found.surface = found.balls;
  if (rolled_ == nullptr) return found;
  for (int j = 0; j < e.ny; ++j) {
    progress.check();
    for (int i = 0; i < e.nx; ++i) {
      const std::size_t in_plane = e.row(j, 0) + static_cast<std::size_t>(i);
      const double from = static_cast<double>(found.balls[in_plane]);
      if (closest[in_plane] < 0 || from >= surface_.probe()) continue;
      const Vector3d place = origin + Vector3d(i * h_.x, j * h_.y, k * h_.z);
      found.surface[in_plane] =
          static_cast<float>(rolled_->at(place, static_cast<std::size_t>(closest[in_plane]), from, deepest_));
    }
  }
  return found;
}

}  // namespace isolume::electrostatics
