#pragma once

#include "core/nbody/distributed/own_bodies.h"
#include "core/nbody/sampled_error.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Throws Error for options that several ranks do not offer, and what check(ForceOptions) does.
void check_on_ranks(const ForceOptions& options);

/// What the bodies of all ranks exert on this one's, on its processor: by the direct sum, for which each rank has the
/// places of all bodies, or by Barnes and Hut's, for which it has trees of its own bodies and of what those need of
/// the other ranks' (EssentialTree). Decides of cells as on one rank, so that errors are of the same size; results are
/// not the same bit by bit, since cells that a border cuts are two. options.threads 0: Ranks::threads(). Sets what the
/// work was. Seconds and pairs are this rank's; of the exchange they are in `tree`.
Forces forces_on_ranks(const Ranks& ranks, OwnBodies& own, const ForceOptions& options,
                       const jobs::Progress& progress = {});

/// As sampled_errors() of all bodies, the same on all ranks.
SampledErrors sampled_errors(const Ranks& ranks, const OwnBodies& own, const Forces& forces, double softening,
                             std::size_t most_samples, const jobs::Progress& progress = {});

}  // namespace isolume::nbody
