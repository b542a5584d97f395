#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/nbody/engines/run_options.h"
#include "core/nbody/forces/pairwise.h"

namespace isolume::nbody {

/// For each body, how many times dt is halved to give its step.
using Rungs = std::vector<std::uint8_t>;
constexpr int deepest_rung = 20;

/// Bodies at one time, with the forces on them.
struct MovingBodies {
  Bodies bodies;
  PairwiseForces forces;  ///< with jerks for Hermite
  Rungs rungs = {};       ///< empty: chosen from the forces
};

/// Work of a step.
struct StepWork {
  std::int64_t substeps = 0;  ///< times at which forces were computed
  std::int64_t forces = 0;    ///< forces on single bodies
};

/// Computes forces on the bodies with these indices (ascending); the other entries are undefined.
using ForcesOn = std::function<PairwiseForces(const Bodies& bodies, std::span<const std::uint32_t> active)>;

/// Called before each force computation, with all bodies at their predicted positions and the elapsed fraction of the
/// step. An exception thrown from it ends the step and leaves MovingBodies undefined.
using WatchStep = std::function<void(const Bodies& bodies, double part)>;

/// Advances bodies by `dt`, which may be negative, with individual steps: dt halved up to 20 times, beginning and
/// ending at multiples of their length. A body may shorten its step after each one, and lengthen it where the longer
/// one begins. At the end all bodies are at the same time, and their forces are those that `forces_on` gives for all
/// of them there. The result does not depend on the number of threads.
///
/// Leapfrog: kick, drift, kick of each body (Quinn et al., astro-ph/9710043 (1997)). Hermite: all bodies are
/// predicted, those that are due evaluated, corrected and evaluated again (Makino, Aarseth, PASJ 44, 141 (1992)).
///
/// Throws Error where a body needs a step that is too short, and what `forces_on` throws.
StepWork take_block_step(MovingBodies& moving, const RunOptions& options, double dt,
                         const ForcesOn& forces_on, const WatchStep& watch = nullptr);

}  // namespace isolume::nbody
