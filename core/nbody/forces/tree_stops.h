#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Geometry>

#include "core/nbody/forces/cell_moments.h"
#include "core/nbody/forces/octree.h"

namespace isolume::nbody {

/// The two forms of the acceptance criterion: a cell acts as a whole beyond the distance opening x a factor of the
/// target.
enum class Criterion {
  /// opening = side / angle + distance of the centre of mass from the middle (Barnes, ASP Conf. Ser. 10 (1995)).
  angle,
  /// The first neglected moments exert at most about M r^3 / d^5, with r the cell's radius: below the requested error
  /// of the force a where d = (M r^3)^(1/5) x (error a)^(-1/5).
  error
};

/// The data of a cell that the acceptance criterion reads. Children of a cell are consecutive.
struct alignas(64) Stop {
  Eigen::Vector3d centre_of_mass;
  float radius;   ///< the cell acts as a whole only at larger distances
  float opening;  ///< a distance: closer cells (times the target's factor) do not act as a whole
  float mass;
  float spread = 1;            ///< an expansion needs this many times the usual distance
  std::uint32_t first, parts;  ///< children; without any: a leaf
  std::uint32_t cell = 0;      ///< index in the octree
  std::uint32_t begin, end;    ///< its bodies; none if the cell is never opened
  CellMoments moments;

  std::uint32_t count() const { return end - begin; }
};

/// One for each cell, the first one for all bodies; their openings are not set.
Paged<Stop> stops_of(const Octree& tree);
void set_openings(const Octree& tree, Criterion criterion, double angle, Paged<Stop>& stops);

/// A target of interactions: a group of bodies, or a cell of them.
struct Place {
  Eigen::AlignedBox3d box;
  Eigen::Vector3d at;
  double radius;
  double factor;   ///< opening factor
  double allowed;  ///< acceleration error allowed for a Taylor expansion; 0: no limit
  double reach;    ///< closer cells do not act as wholes, since close pairs are corrected body by body
};

/// `allowed`: as a fraction of the error allowed for a cell by its factor.
inline Place place_of(const Eigen::AlignedBox3d& box, double factor, double allowed, double reach) {
  const double of_factor = allowed > 0 ? allowed * std::pow(factor, -5) : 0;
  return {box, box.center(), box.diagonal().norm() / 2, factor, of_factor, reach};
}

inline double squared_reach(const Stop& stop, const Place& on) {
  const double opening = static_cast<double>(stop.opening) * on.factor;
  const double reach = std::max({opening, static_cast<double>(stop.radius), on.reach});
  return reach * reach;
}
/// Applies the criterion to the nearest point of the box.
inline bool acts_on_bodies_as_a_whole(const Stop& stop, const Place& on) {
  return on.box.squaredExteriorDistance(stop.centre_of_mass) > squared_reach(stop, on);
}
/// `distance`: in units of the two radii together. The neglected terms are about M / d^2 (radii / d)^(order + 1).
inline bool acts_on_place_as_a_whole(const Stop& stop, const Place& on, double distance) {
  const double squared = (stop.centre_of_mass - on.at).squaredNorm();
  const double radii = on.radius + static_cast<double>(stop.radius), radii_squared = radii * radii;
  const double far = distance * static_cast<double>(stop.spread);
  if (squared <= far * far * radii_squared) return false;
  if (on.allowed == 0) return true;
  const double ratio = radii_squared / squared;
  return static_cast<double>(stop.mass) * (ratio * ratio * ratio) < on.allowed * squared;
}
/// Whether a source is so large that the target's parts should deal with it rather than its bodies one by one.
inline bool is_for_parts_of(const Place& on, const Stop& stop) {
  return static_cast<double>(stop.radius) >= 2 * on.radius;
}

}  // namespace isolume::nbody
