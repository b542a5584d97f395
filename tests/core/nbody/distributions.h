#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/nbody/bodies/bodies.h"

namespace isolume::nbody::testing {

inline void add(Bodies& bodies, double mass, double x, double y, double z) {
  bodies.mass.push_back(mass);
  bodies.x.push_back(x);
  bodies.y.push_back(y);
  bodies.z.push_back(z);
}

/// Plummer's sphere of radius 1 and mass 1, by inverting the mass within a radius.
inline Bodies plummer(std::size_t count, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double radius = 1 / std::sqrt(std::pow(0.999 * uniform(random), -2.0 / 3) - 1);
    const double z = 2 * uniform(random) - 1, angle = 2 * std::numbers::pi * uniform(random);
    const double across = radius * std::sqrt(1 - z * z);
    add(bodies, 1.0 / static_cast<double>(count), across * std::cos(angle), across * std::sin(angle),
        radius * z);
  }
  return bodies;
}

inline Bodies moved(Bodies bodies, double by) {
  for (auto* axis : {&bodies.x, &bodies.y, &bodies.z}) {
    for (double& value : *axis) value += by;
  }
  return bodies;
}
inline Bodies scaled(Bodies bodies, double length, double mass) {
  for (auto* axis : {&bodies.x, &bodies.y, &bodies.z}) {
    for (double& value : *axis) value *= length;
  }
  for (double& value : bodies.mass) value *= mass;
  return bodies;
}
inline Bodies joined(Bodies one, const Bodies& other) {
  for (std::size_t i = 0; i < other.size(); ++i) add(one, other.mass[i], other.x[i], other.y[i], other.z[i]);
  return one;
}

/// A Plummer sphere in which every body is a binary: `closeness` of the sphere's size apart, far from the origin. Partners
/// follow each other.
inline Bodies binaries(std::size_t count, double closeness) {
  const Bodies middles = plummer(count, 3);
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = normal(random), y = normal(random), z = normal(random);
    const double half = 0.5 * closeness / std::hypot(x, y, z);
    for (const double sign : {-half, half})
      add(bodies, 0.5 * middles.mass[i], 1000 + middles.x[i] + sign * x, -1000 + middles.y[i] + sign * y,
          500 + middles.z[i] + sign * z);
  }
  return bodies;
}

/// Four bodies on one side of the middle plane of a cube of bodies, and very near each of them on the other side, where an
/// octree divides it, forty that are so close to each other that they act as a whole; the last forty are at one place.
inline Bodies beside_tight_groups() {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Bodies bodies, groups;
  for (const double size : {1e-12, 1e-12, 1e-12, 0.0}) {
    const double y = bodies.size() % 2 == 0 ? -0.5 : 0.5, z = bodies.size() < 2 ? -0.5 : 0.5;
    add(bodies, 1e-3, -5e-6, y, z);
    for (std::size_t i = 0; i < 40; ++i)  // more than a leaf holds
      add(groups, 2e-4, 5e-6 + size * uniform(random), y + size * uniform(random), z);
  }
  for (const double x : {-1, 1}) {  // corners, so that the middle is in the middle
    for (const double y : {-1, 1}) {
      for (const double z : {-1, 1}) add(bodies, 1e-3, x, y, z);
    }
  }
  for (std::size_t i = 0; i < 400; ++i) {
    const double x = uniform(random), y = uniform(random);
    add(bodies, 1e-3, x, y, uniform(random));
  }
  return joined(bodies, groups);
}

inline Bodies on_a_line(std::size_t count) {
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i * i % 1009);
    add(bodies, 1 + static_cast<double>(i % 3), t, 2 * t, -t);
  }
  return bodies;
}
/// Half of them at one place.
inline Bodies coincident(std::size_t count) {
  Bodies bodies = plummer(count);
  for (std::size_t i = 0; i < count; i += 2) bodies.x[i] = bodies.y[i] = bodies.z[i] = 0.25;
  return bodies;
}
inline Bodies partly_without_mass(std::size_t count) {
  Bodies bodies = plummer(count);
  for (std::size_t i = 0; i < count; ++i) bodies.mass[i] *= static_cast<double>(i % 2);
  return bodies;
}

/// Within a Plummer sphere, beside it and far away.
inline Places scattered(std::size_t count) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Places places;
  for (std::size_t i = 0; i < count; ++i) {
    const double scale = i % 3 == 0 ? 0.3 : i % 3 == 1 ? 3 : 100;
    places.x.push_back(scale * normal(random));
    places.y.push_back(scale * normal(random));
    places.z.push_back(scale * normal(random));
  }
  return places;
}

/// So many Plummer spheres within one another's reach, at most five, each a tenth of the size of the one before and as
/// heavy.
inline Bodies clustered(std::size_t count, std::size_t spheres) {
  Bodies bodies;
  double size = 1;
  for (const double x : std::vector{0.0, 0.8, -1.2, 0.85, 2.5}) {
    if (spheres-- == 0) break;
    bodies = joined(bodies, moved(scaled(plummer(count / 5, bodies.size()), size, 0.2), x));
    size /= 10;
  }
  return bodies;
}

inline std::vector<std::pair<std::string, Bodies>> distributions() {
  return {{"no body", {}},
          {"one body", plummer(1)},
          {"two bodies", plummer(2)},
          {"a Plummer sphere", plummer(1500)},
          {"on a line", on_a_line(700)},
          {"half at one place", coincident(900)},
          {"all at one place", scaled(plummer(300), 0, 1)},
          {"half without mass", partly_without_mass(800)},
          {"none with mass", scaled(plummer(100), 1, 0)},
          {"far from the origin", moved(plummer(1000), 1e9)},
          {"in metres and kilograms", scaled(plummer(1000), 1e11, 2e30)},
          {"tiny", scaled(plummer(1000), 1e-30, 1e-20)},
          {"two clumps far apart", joined(plummer(700), moved(plummer(500, 2), 1e8))}};
}

}  // namespace isolume::nbody::testing
