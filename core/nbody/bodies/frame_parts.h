#pragma once

#include "core/simulation/simulation.h"

namespace isolume::nbody {

/// Parts of a frame that can be requested (simulation::Wanted).
enum FramePart : simulation::Wanted {
  frame_positions = 1 << 0,
  frame_speeds = 1 << 1,
  frame_potentials = 1 << 2,
  frame_diagnostics = 1 << 3,
  /// Forces on a sample of bodies compared with exact sums: costs as much as these sums over all bodies.
  frame_force_error = 1 << 4,
  frame_velocities = 1 << 5,
  /// Diagnostics without Lagrangian radii, which would need all bodies to be sorted.
  frame_totals = 1 << 6,
};

}  // namespace isolume::nbody
