#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::bodies {

/// Osculating Kepler orbits of these bodies, each about the body that binds it most tightly, as closed lines relative to
/// the frame's centre. Unbound bodies have none, and frames without velocities, in a periodic box or with very many bodies
/// have no orbits.
std::vector<std::vector<Eigen::Vector3f>> orbit_lines(const nbody::NBodyFrame& frame,
                                                      std::span<const nbody::NamedBody> named);

}  // namespace isolume::bodies
