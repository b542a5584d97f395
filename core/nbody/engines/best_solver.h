#pragma once

#include <cstddef>

#include "core/nbody/engines/engine.h"
#include "core/nbody/engines/run_options.h"

namespace isolume::nbody {

/// The options with SolverKind::best replaced by the solver that sums the forces on this number of isolated bodies
/// fastest, as measured for tests/bench/results/solvers.md: the direct sum for few bodies; for many on the CPU, without
/// softening and with a requested error, the fast multipole method, which alone keeps errors beyond single precision,
/// too; else Barnes-Hut. Depends on the number of bodies, the error, the softening and the engine only, so that a run
/// can be repeated. `some`: forces are also wanted on some of the bodies, which the fast multipole method does not
/// offer.
ForceOptions with_best_solver(const EngineRegistry& engines, std::size_t bodies, const ForceOptions& options,
                              bool some = false);
/// The same for the steps of a run.
ForceOptions with_best_solver(const EngineRegistry& engines, std::size_t bodies, const RunOptions& options);

/// For whoever shows the parameters of a run of isolated bodies: a solver, an opening angle or an error that the run
/// does not use is not relevant, and the fastest solver is named ("Fastest: Barnes-Hut").
void narrow_to_used(parameters::Description& description, const EngineRegistry& engines, std::size_t bodies,
                    const RunOptions& options);

}  // namespace isolume::nbody
