#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <Eigen/Geometry>

#include "core/nbody/cell_moments.h"
#include "core/nbody/octree.h"

namespace isolume::nbody {

/// Of the two ways to say how far a cell must be, as distance = opening x a factor of the place's.
enum class Criterion {
  /// opening = side / angle + how far the centre of mass is from the middle (Barnes, ASP Conf. Ser. 10 (1995)).
  angle,
  /// The first moments that are left out exert at most some M r^3 / d^5, with r the cell's radius: below
  /// the wanted error of the force a where d = (M r^3)^(1/5) x (error a)^(-1/5).
  error
};

/// What is read of a cell to decide whether it acts as a whole. Parts of a cell follow each other.
struct alignas(64) Stop {
  Eigen::Vector3d centre_of_mass;
  float radius;   ///< it acts on nothing that is nearer
  float opening;  ///< a distance: a cell that is nearer (times the place's factor) does not act as a whole
  float mass;
  float spread = 1;            ///< an expansion is nearest at so many times the usual distance
  std::uint32_t first, parts;  ///< without parts: a leaf
  std::uint32_t cell = 0;      ///< in the octree
  std::uint32_t begin, end;    ///< its bodies; none where it is always a whole
  CellMoments moments;

  std::uint32_t count() const { return end - begin; }
};

/// For each cell, the first one for all bodies; their openings are not set.
Paged<Stop> stops_of(const Octree& tree);
void set_openings(const Octree& tree, Criterion criterion, double angle, Paged<Stop>& stops);

/// Bodies that a cell acts on together, or a cell of them.
struct Place {
  Eigen::AlignedBox3d box;
  Eigen::Vector3d at;
  double radius;
  double factor;   ///< of openings
  double allowed;  ///< what a Taylor expansion may leave out of accelerations; 0: not looked at
  double reach;    ///< nearer cells do not act as wholes, since close pairs are corrected body by body
};

/// `allowed`: in what a cell may by its factor.
inline Place place_of(const Eigen::AlignedBox3d& box, double factor, double allowed, double reach) {
  const double of_factor = allowed > 0 ? allowed * std::pow(factor, -5) : 0;
  return {box, box.center(), box.diagonal().norm() / 2, factor, of_factor, reach};
}

inline double squared_reach(const Stop& stop, const Place& on) {
  const double opening = static_cast<double>(stop.opening) * on.factor;
  const double reach = std::max({opening, static_cast<double>(stop.radius), on.reach});
  return reach * reach;
}
/// Of all that are in the box, that of the nearest.
inline bool acts_on_bodies_as_a_whole(const Stop& stop, const Place& on) {
  return on.box.squaredExteriorDistance(stop.centre_of_mass) > squared_reach(stop, on);
}
/// `distance`: in radii of both together. What is left out is some M / d^2 (radii / d)^(order + 1).
inline bool acts_on_place_as_a_whole(const Stop& stop, const Place& on, double distance) {
  const double squared = (stop.centre_of_mass - on.at).squaredNorm();
  const double radii = on.radius + static_cast<double>(stop.radius), radii_squared = radii * radii;
  const double far = distance * static_cast<double>(stop.spread);
  if (squared <= far * far * radii_squared) return false;
  if (on.allowed == 0) return true;
  const double ratio = radii_squared / squared;
  return static_cast<double>(stop.mass) * (ratio * ratio * ratio) < on.allowed * squared;
}
/// A cell of bodies hands on to its parts what is too large for it to act on them one by one.
inline bool is_for_parts_of(const Place& on, const Stop& stop) {
  return static_cast<double>(stop.radius) >= 2 * on.radius;
}

}  // namespace isolume::nbody
