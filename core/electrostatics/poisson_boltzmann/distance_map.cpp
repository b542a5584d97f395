#include "core/electrostatics/poisson_boltzmann/distance_map.h"

namespace isolume::electrostatics {

using Eigen::Vector3d;

lattice::Lattice in_angstrom(lattice::Lattice lattice) {
  const double angstrom = lattice::shown_per_unit(lattice.unit);
  lattice.origin *= angstrom;
  lattice.step *= angstrom;
  lattice.unit = lattice::LengthUnit::angstrom;
  return lattice;
}

PlaneDistances DistanceMap::at(int k, const Vector3d& shift, double reach, double deepest) const {
  const Extents& e = extents_;
  PlaneDistances found{std::vector<float>(e.plane(), far_away), {}};
  std::vector<std::int32_t> closest(e.plane(), -1);
  const Vector3d origin = lattice_.origin + shift;
  const auto& balls = surface_.balls();
  for (std::size_t n = 0; n < balls.size(); ++n) {
    for_near(origin, h_, e, origin.z() + k * h_.z, balls[n], std::max(reach, surface_.probe()),
             [&](int i, int j, double from) {
               const std::size_t in_plane = e.row(j, 0) + static_cast<std::size_t>(i);
               if (static_cast<float>(from) < found.balls[in_plane]) {
                 found.balls[in_plane] = static_cast<float>(from);
                 closest[in_plane] = static_cast<std::int32_t>(n);
               }
             });
  }
  found.surface = found.balls;
  if (!rolls_) return found;
  for (int j = 0; j < e.ny; ++j) {
    for (int i = 0; i < e.nx; ++i) {
      const std::size_t in_plane = e.row(j, 0) + static_cast<std::size_t>(i);
      const double from = static_cast<double>(found.balls[in_plane]);
      if (closest[in_plane] < 0 || from >= surface_.probe()) continue;
      const Vector3d place = origin + Vector3d(i * h_.x, j * h_.y, k * h_.z);
      found.surface[in_plane] = static_cast<float>(
          surface_.signed_distance(place, static_cast<std::size_t>(closest[in_plane]), from, deepest));
    }
  }
  return found;
}

}  // namespace isolume::electrostatics
