#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/nbody/walk_kernels.h"

/// A leapfrog's steps where the bodies lie, in double precision and with the operations of NBodySimulation::leapfrog in their
/// order. Velocities: the x of all bodies, then y, then z; forces: the same and then potentials. Places, velocities and
/// forces are those of the bodies that were given, in their order and unit. All queue their kernels.
///
/// Bounds: a step moves some 300 bytes a body: memory limits.
namespace isolume::gpu::nbody_kernels {

/// Of a part of the bodies.
struct Whereabouts {
  double low[3], high[3];  ///< their box
  std::uint32_t gone;      ///< the first of them that is farther than 1e150 or nowhere; `nobody`
  std::uint32_t rest;      ///< 0
};
inline constexpr std::uint32_t nobody = 0xffffffffu;
/// Into so many parts that many bodies are cut: few enough to be put together on the host.
std::uint32_t parts_of_bodies(std::uint32_t count);

void find_bodies(const WalkBody* bodies, std::uint32_t count, Whereabouts* parts, const Stream& stream);

/// Velocities half a step on, and places a step; `parts` of these.
struct Drift {
  const WalkBody* bodies;
  const double* velocities;
  const double* forces;
  WalkBody* next_bodies;
  double* next_velocities;
  std::uint32_t count;
};
void kick_and_drift(const Drift& drift, double dt, Whereabouts* parts, const Stream& stream);

/// From sums (four fields of scaled units, in the order of `original`, `count` from one to the next) to forces, and, where
/// `half_step` is not 0, on with the velocities.
struct Kick {
  const float* fields;
  const std::uint32_t* original;
  double* velocities;
  double* forces;
  std::uint32_t count;
};
struct ForceUnits {
  double force, potential;  ///< what 1 is in scaled units
};
void take_forces(const Kick& kick, const ForceUnits& units, double half_step, const Stream& stream);

}  // namespace isolume::gpu::nbody_kernels
