#pragma once

#include "core/nbody/distributed/own_bodies.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// SolverKind::best is Barnes-Hut on several ranks.
SolverKind solver_on_ranks(SolverKind wanted);

/// Throws Error for options that are not supported on several ranks, and as check(ForceOptions) does.
void check_on_ranks(const ForceOptions& options);

/// Computes the forces of the bodies of all ranks on this rank's bodies, on its CPU: by the direct sum, for which
/// each rank has the positions of all bodies, or by Barnes-Hut, for which it has the tree of its own bodies and the
/// parts of the other ranks' trees that these need (EssentialTree). The acceptance criterion is the same as on one
/// rank, so that errors have the same size; results are not bitwise identical, since cells at the border between
/// ranks are divided. options.threads 0: Ranks::threads(). Sets the work of each body. Times and pair counts are this
/// rank's; the exchange is counted in `tree`.
Forces forces_on_ranks(const Ranks& ranks, OwnBodies& own, const ForceOptions& options,
                       const jobs::Progress& progress = {});

/// As sampled_errors() for all bodies, the same result on all ranks.
SampledErrors sampled_errors(const Ranks& ranks, const OwnBodies& own, const Forces& forces, double softening,
                             std::size_t most_samples, const jobs::Progress& progress = {});

}  // namespace isolume::nbody
