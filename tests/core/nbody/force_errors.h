#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/nbody/forces/solver.h"

namespace isolume::nbody::testing {

inline double length(double x, double y, double z) {
  return std::hypot(x, y, z);
}

/// What a body without mass would feel, in double precision, as it is defined.
inline Forces by_hand(const Places& places, const Bodies& bodies, double softening) {
  Forces forces = no_forces(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      const double x = bodies.x[j] - places.x[i], y = bodies.y[j] - places.y[i],
                   z = bodies.z[j] - places.z[i];
      const double squared = x * x + y * y + z * z + softening * softening;
      if (squared == 0) continue;
      const double pull = bodies.mass[j] / (squared * std::sqrt(squared));
      forces.ax[i] += pull * x;
      forces.ay[i] += pull * y;
      forces.az[i] += pull * z;
      forces.potential[i] -= bodies.mass[j] / std::sqrt(squared);
    }
  }
  return forces;
}

/// What all bodies exert, direction left out of account: what rounding is measured by.
inline std::vector<double> magnitudes(const Bodies& bodies, double softening) {
  std::vector<double> sums(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (std::size_t j = 0; j < bodies.size(); ++j) {
      const double r =
          length(bodies.x[j] - bodies.x[i], bodies.y[j] - bodies.y[i], bodies.z[j] - bodies.z[i]);
      if (r > 0) sums[i] += bodies.mass[j] * r / std::pow(r * r + softening * softening, 1.5);
    }
  }
  return sums;
}

/// Of each body's force, relative to what all exert.
inline std::vector<double> errors(const Bodies& bodies, const Forces& found, const Forces& expected,
                                  double softening) {
  std::vector<double> errors;
  const auto all = magnitudes(bodies, softening);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double error =
        length(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i], found.az[i] - expected.az[i]);
    errors.push_back(error == 0 ? 0 : error / all[i]);
  }
  std::ranges::sort(errors);
  return errors;
}
/// Relative to the force itself, as people state it.
inline std::vector<double> relative_errors(const Forces& found, const Forces& expected) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.ax.size(); ++i) {
    errors.push_back(
        length(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i], found.az[i] - expected.az[i]) /
        length(expected.ax[i], expected.ay[i], expected.az[i]));
  }
  std::ranges::sort(errors);
  return errors;
}
/// Relative to the potential of all other bodies.
inline double largest_potential_error(const Bodies& bodies, const Forces& found, const Forces& expected) {
  double largest = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double error = std::abs(found.potential[i] - expected.potential[i]);
    if (error > 0) largest = std::max(largest, error / std::abs(expected.potential[i]));
  }
  return largest;
}

}  // namespace isolume::nbody::testing
