#pragma once

#include "core/nbody/bodies/bodies.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::bodies {

/// Masses and positions of a frame, relative to its centre; no velocities.
nbody::Bodies bodies_of(const nbody::NBodyFrame& frame);
/// The same with velocities, which the frame must contain.
nbody::Bodies moving_bodies_of(const nbody::NBodyFrame& frame);

}  // namespace isolume::bodies
