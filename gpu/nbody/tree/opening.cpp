#include "gpu/nbody/tree/opening.h"

#include <cmath>

namespace isolume::gpu {
namespace {

/// Opening angle of the estimate of forces, if an error is requested.
constexpr double estimate_angle = 1.2;

/// Allowed relative contribution of one cell's error to a force, such that 99 of 100 forces have the
/// requested accuracy: measured in double precision on one and two Plummer spheres, a cube, a disc in its
/// halo and an encounter of two, of 20,000 to 1,000,000 bodies, from 1e-6 to 1e-2; the encounter is the worst
/// case. For smaller errors more cells contribute.
double share_of(double error) {
  return 0.6 * error * std::pow(error / 1e-3, 0.38);
}

}  // namespace

Opening opening_of(const nbody::ForceOptions& options) {
  if (options.error > 0) return {estimate_angle, share_of(options.error_of_sums())};
  return {options.opening_angle};
}

}  // namespace isolume::gpu
