#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/tree/walk_kernels.h"

/// Leapfrog steps on the device of the bodies, in double precision and with the operations of
/// NBodySimulation::leapfrog in their order. Velocities: the x of all bodies, then y, then z; forces: the
/// same and then potentials. Positions, velocities and forces have the order and unit of the input. All queue
/// their kernels.
///
/// Bounds: a step moves about 300 bytes per body: memory is the limit.
namespace isolume::gpu::nbody_kernels {

/// Reduction over a part of the bodies.
struct BodyBounds {
  double low[3], high[3];  ///< their box
  std::uint32_t escaped;   ///< the first body farther than 1e150 or not finite; `no_body` if there is none
  std::uint32_t rest;      ///< 0
};
inline constexpr std::uint32_t no_body = 0xffffffffu;
/// Number of parts into which this many bodies are divided: few enough to be combined on the host.
std::uint32_t parts_of_bodies(std::uint32_t count);

void find_bodies(const WalkBody* bodies, std::uint32_t count, BodyBounds* parts, const Stream& stream);

/// Advances velocities by half a step, and positions by a step; computes `parts` reductions.
struct Drift {
  const WalkBody* bodies;
  const double* velocities;
  const double* forces;
  WalkBody* next_bodies;
  double* next_velocities;
  std::uint32_t count;
};
void kick_and_drift(const Drift& drift, double dt, BodyBounds* parts, const Stream& stream);

/// Converts sums (four fields in scaled units, in the order of `original`, `count` apart) to forces and, if
/// `half_step` is not 0, kicks the velocities.
struct Kick {
  const float* fields;
  const std::uint32_t* original;
  double* velocities;
  double* forces;
  std::uint32_t count;
};
struct ForceUnits {
  double force, potential;  ///< values of the scaled units
};
void take_forces(const Kick& kick, const ForceUnits& units, double half_step, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
