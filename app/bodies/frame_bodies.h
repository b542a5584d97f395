#pragma once

#include "core/nbody/bodies.h"
#include "core/nbody/nbody_simulation.h"

namespace isolume::bodies {

/// Masses and places of a frame, relative to its centre; no velocities.
nbody::Bodies bodies_of(const nbody::NBodyFrame& frame);
/// With velocities, which the frame must have.
nbody::Bodies moving_bodies_of(const nbody::NBodyFrame& frame);

}  // namespace isolume::bodies
