#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace isolume::electrostatics {

/// Balls relative to the centre of one of them, in angstrom.
struct BallsAround {
  std::vector<double> x, y, z, radius;

  std::size_t size() const { return x.size(); }
  void clear();
  void add(const Eigen::Vector3d& at, double of_radius);
  /// Pads to whole vectors of any instruction set, with balls of radius 0.
  void fill_up();
};

/// The points centre + radius (cos(t) e1 + sin(t) e2).
struct Circle {
  Eigen::Vector3d centre, e1, e2;
  double radius;
};

/// The parts of a circle that are covered by balls (which must be padded): begin and end, as
/// ExposedCircle::number_of. Balls that cover nothing are left out. Returns the number of parts; there must be room
/// for `balls.size()`. If one ball covers the whole circle: `covers_all`.
inline constexpr std::size_t covers_all = SIZE_MAX;
std::size_t circle_cuts(const BallsAround& balls, const Circle& circle, double* from, double* to);

}  // namespace isolume::electrostatics
