#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/nbody/forces/solver.h"

namespace isolume::nbody::testing {

/// Of a body of mass 1: attraction towards it, and potential.
struct RadialForce {
  double attraction, potential;
};

/// The potential is W2(r / h) / h, with h 2.8 softening lengths and W2 as in equation 4 of Springel, MNRAS 364, 1105
/// (2005), and the attraction its derivative, term by term.
inline RadialForce spline_by_hand(double r, double softening) {
  const double h = 2.8 * softening, u = r / h;
  double w2, slope;
  if (u < 0.5) {
    w2 = 16.0 / 3 * std::pow(u, 2) - 48.0 / 5 * std::pow(u, 4) + 32.0 / 5 * std::pow(u, 5) - 14.0 / 5;
    slope = 32.0 / 3 * u - 192.0 / 5 * std::pow(u, 3) + 32 * std::pow(u, 4);
  } else if (u < 1) {
    w2 = 1 / (15 * u) + 32.0 / 3 * std::pow(u, 2) - 16 * std::pow(u, 3) + 48.0 / 5 * std::pow(u, 4) -
         32.0 / 15 * std::pow(u, 5) - 16.0 / 5;
    slope = -1 / (15 * u * u) + 64.0 / 3 * u - 48 * std::pow(u, 2) + 192.0 / 5 * std::pow(u, 3) -
            32.0 / 3 * std::pow(u, 4);
  } else {
    w2 = -1 / u;
    slope = 1 / (u * u);
  }
  return {slope / (h * h), w2 / h};
}

/// Forces with spline softening, every pair in double precision, and what all others exert on each body, regardless of
/// direction.
struct SplineForces {
  Forces forces;
  std::vector<double> magnitudes;
};
inline SplineForces spline_forces_by_hand(const Bodies& bodies, double softening) {
  SplineForces found{no_forces(bodies.size()), std::vector<double>(bodies.size())};
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      if (j == i) continue;
      const double x = bodies.x[j] - bodies.x[i], y = bodies.y[j] - bodies.y[i],
                   z = bodies.z[j] - bodies.z[i], r = std::hypot(x, y, z);
      const auto [attraction, potential] = spline_by_hand(r, softening);
      found.forces.potential[i] += bodies.mass[j] * potential;
      if (r == 0) continue;
      const double strength = bodies.mass[j] * attraction;
      found.magnitudes[i] += strength;
      found.forces.ax[i] += strength * x / r;
      found.forces.ay[i] += strength * y / r;
      found.forces.az[i] += strength * z / r;
    }
  }
  return found;
}

/// Of each force, relative to what all others exert, in ascending order.
inline std::vector<double> errors(const Forces& found, const SplineForces& expected) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.ax.size(); ++i) {
    const double error = std::hypot(found.ax[i] - expected.forces.ax[i], found.ay[i] - expected.forces.ay[i],
                                    found.az[i] - expected.forces.az[i]);
    errors.push_back(error == 0 ? 0 : error / expected.magnitudes[i]);
  }
  std::ranges::sort(errors);
  return errors;
}

}  // namespace isolume::nbody::testing
