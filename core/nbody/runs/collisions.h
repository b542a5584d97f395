#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/nbody/bodies/bodies.h"
#include "core/nbody/engines/run_options.h"

namespace isolume::nbody {

/// The radius of each body: the known one, or that of a sphere of its mass and the density of the options (in g/cm^3
/// where units are known, else in mass per cubed length), with G = 1.
std::vector<double> radii_of(const std::vector<double>& mass, const std::vector<double>& known,
                             const RunOptions& options, const std::optional<Units>& units);

/// Two bodies that touch, by index.
struct Contact {
  std::size_t one, other;
  double
      part;  ///< fraction of the way from `before` to `now` at which they begin to touch; 0: they touch from the
             ///< start
  bool approaching;  ///< whether they approach each other at first contact
};
/// Pairs of spheres that touch while all bodies move along straight lines from `before` to `now`, the earliest first.
/// Two massless bodies pass through each other. Sweeps along one axis: time grows as n log n plus the number of pairs
/// that overlap on this axis.
std::vector<Contact> contacts_between(const Bodies& before, const Bodies& now,
                                      std::span<const double> radius);

/// Bodies after their collisions.
struct Collided {
  Bodies bodies;
  std::vector<std::size_t> kept;  ///< former indices of the remaining bodies, ascending
  std::vector<double> radius;     ///< of the remaining bodies
  std::int64_t collisions = 0;    ///< bodies that merged with another one, or pairs that bounced
};
/// Bodies that touch become one, with their total mass, momentum and volume, at their centre of mass; it keeps the
/// index of the heaviest.
Collided merged(const Bodies& now, std::span<const double> radius, std::span<const Contact> contacts);
/// Reflects pairs where they begin to touch: the approach velocity along the line of centres is reversed and
/// multiplied by `restitution` (1: elastic). Momentum and the motion of the centre of mass are conserved. Each body
/// bounces once per step; `dt` is the length of the step.
Collided bounced(const Bodies& before, const Bodies& now, std::span<const double> radius,
                 std::span<const Contact> contacts, double restitution, double dt);

}  // namespace isolume::nbody
