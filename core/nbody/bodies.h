#pragma once

#include <cstddef>
#include <vector>

namespace isolume::nbody {

/// Point masses, all arrays of one length; velocities may be missing (empty). In units in which the constant
/// of gravitation is 1.
struct Bodies {
  std::vector<double> mass;
  std::vector<double> x, y, z;
  std::vector<double> vx, vy, vz;

  std::size_t size() const { return mass.size(); }
};

/// Where there need not be a body; all arrays of one length.
struct Places {
  std::vector<double> x, y, z;

  std::size_t size() const { return x.size(); }
};

/// The bodies, and after them one without mass at each place.
Bodies with_places(Bodies bodies, const Places& places);

/// Throws Error where arrays differ in length, a number is not finite or beyond 1e150, or a mass is negative,
/// naming the body (from 1 on).
void check(const Bodies& bodies);
void check(const Places& places);

}  // namespace isolume::nbody
