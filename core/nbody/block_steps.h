#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/nbody/pairwise.h"

namespace isolume::nbody {

/// How often each body's step is dt halved.
using Rungs = std::vector<std::uint8_t>;
constexpr int deepest_rung = 20;

/// Bodies at one moment, with what acts on them.
struct MovingBodies {
  Bodies bodies;
  PairwiseForces forces;  ///< with jerks for Hermite
  Rungs rungs = {};       ///< empty: as the forces ask for
};

/// What a step took.
struct StepWork {
  std::int64_t substeps = 0;  ///< moments at which forces were computed
  std::int64_t forces = 0;    ///< on single bodies
};

/// On the bodies with these numbers (rising); the other sums mean nothing.
using ForcesOn = std::function<PairwiseForces(const Bodies& bodies, std::span<const std::uint32_t> active)>;

/// Called at each moment at which forces are computed, before that: with all bodies where they are expected, and which part of
/// the step is over. What it throws ends the step, and MovingBodies mean nothing then.
using WatchStep = std::function<void(const Bodies& bodies, double part)>;

/// Takes bodies on by `dt`, which may be negative, each in steps of its own: dt halved up to 20 times, beginning and
/// ending at multiples of their length. A body may shorten its step after each one, and lengthen it where the longer
/// one begins. At the end all are at the same moment, and their forces are those that `forces_on` gives for all of
/// them there. What follows does not depend on the number of threads.
///
/// Leapfrog: kick, drift, kick of each body (Quinn et al., astro-ph/9710043 (1997)). Hermite: all are predicted, those
/// that are due evaluated, corrected and evaluated again (Makino, Aarseth, PASJ 44, 141 (1992)).
///
/// Throws Error where a body needs a step that is too short, and what `forces_on` throws.
StepWork take_block_step(MovingBodies& moving, const RunOptions& options, double dt,
                         const ForcesOn& forces_on, const WatchStep& watch = nullptr);

}  // namespace isolume::nbody
