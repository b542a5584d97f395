#include "gpu/nbody/opening.h"

#include <cmath>

namespace isolume::gpu {
namespace {

/// By which forces are estimated, where an error is to be a part of them.
constexpr double estimate_angle = 1.2;

/// What one cell may contribute to a force, relative, for 99 of 100 forces to be as exact as was asked for: measured
/// in double precision of one and two Plummer spheres, a cube, a disc in its halo and an encounter of two, of 20,000
/// to 1,000,000 bodies, from 1e-6 to 1e-2, of which the encounter is the worst. Where less is allowed, more cells
/// contribute.
double share_of(double error) {
  return 0.6 * error * std::pow(error / 1e-3, 0.38);
}

}  // namespace

Opening opening_of(const nbody::ForceOptions& options) {
  if (options.error > 0) return {estimate_angle, share_of(options.error_of_sums())};
  return {options.opening_angle};
}

}  // namespace isolume::gpu
