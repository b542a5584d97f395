#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

namespace isolume::electrostatics {

/// Balls as seen from the middle of one, in angstrom.
struct BallsAround {
  std::vector<double> x, y, z, radius;

  std::size_t size() const { return x.size(); }
  void clear();
  void add(const Eigen::Vector3d& at, double of_radius);
  /// To whole vectors of any instruction set, by balls of no radius.
  void fill_up();
};

/// The points centre + radius (cos(t) e1 + sin(t) e2).
struct Circle {
  Eigen::Vector3d centre, e1, e2;
  double radius;
};

/// The parts of a circle that balls, which have been filled up, cover: from and to a place, as ExposedCircle::number_of has
/// it. Those that cover nothing are left out. Returns how many; there is room for `balls.size()`. Where one covers all: `covers_all`.
inline constexpr std::size_t covers_all = SIZE_MAX;
std::size_t circle_cuts(const BallsAround& balls, const Circle& circle, double* from, double* to);

}  // namespace isolume::electrostatics
