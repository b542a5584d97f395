#pragma once

#include <cstddef>
#include <vector>

namespace isolume::nbody {

/// Point masses, all arrays of one length; velocities may be missing (empty). In units with the gravitational
/// constant G = 1.
struct Bodies {
  std::vector<double> mass;
  std::vector<double> x, y, z;
  std::vector<double> vx, vy, vz;

  std::size_t size() const { return mass.size(); }
};

/// Positions, which need not be those of bodies; all arrays of one length.
struct Places {
  std::vector<double> x, y, z;

  std::size_t size() const { return x.size(); }
};

/// The bodies, followed by one massless body at each position.
Bodies with_places(Bodies bodies, const Places& places);

/// Throws Error where arrays differ in length, a number is not finite or beyond 1e150, or a mass is negative, naming
/// the body (from 1 on).
void check(const Bodies& bodies);
void check(const Places& places);

}  // namespace isolume::nbody
