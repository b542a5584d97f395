#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/nbody/bodies.h"
#include "core/nbody/run_options.h"

namespace isolume::nbody {

/// The radius of each body: the known one, or that of a sphere of its mass and the density of the options (in g/cm^3 where
/// units are known, else in masses per cubed length), with G = 1.
std::vector<double> radii_of(const std::vector<double>& mass, const std::vector<double>& known,
                             const RunOptions& options, const std::optional<Units>& units);

/// Two bodies that touch, by their numbers.
struct Contact {
  std::size_t one, other;
  double
      part;  ///< of the way from `before` to `now`, at which they begin to touch; 0: they touch from the start
  bool approaching;  ///< while they begin to touch
};
/// Pairs of spheres that touch while all bodies move along straight lines from `before` to `now`, the earliest first. Two
/// without mass pass through each other. Sweeps along one axis: time grows as n log n and with the number of pairs that overlap
/// on this axis.
std::vector<Contact> contacts_between(const Bodies& before, const Bodies& now,
                                      std::span<const double> radius);

/// Bodies after their collisions.
struct Collided {
  Bodies bodies;
  std::vector<std::size_t> kept;  ///< the former numbers of the bodies that are left, rising
  std::vector<double> radius;     ///< of these
  std::int64_t collisions = 0;    ///< bodies that merged with another one, or pairs that bounced
};
/// Bodies that touch become one, with the mass, the momentum, the centre of mass and the volume of all; it keeps the number of
/// the heaviest.
Collided merged(const Bodies& now, std::span<const double> radius, std::span<const Contact> contacts);
/// Pairs are reflected where they begin to touch: the velocity at which they approach along the line of centres is reversed, times
/// `restitution` (1: elastic). Momentum is kept, and the motion of their centre of mass. Each body bounces once a step; `dt` is how
/// long that was.
Collided bounced(const Bodies& before, const Bodies& now, std::span<const double> radius,
                 std::span<const Contact> contacts, double restitution, double dt);

}  // namespace isolume::nbody
