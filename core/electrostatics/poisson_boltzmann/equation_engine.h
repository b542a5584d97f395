#pragma once

#include <cstddef>
#include <string>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/poisson_boltzmann/grid_equation.h"
#include "core/electrostatics/sums/options.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// A back end that solves equations on grids: the CPU, a GPU. See PairEngine::equations.
class EquationEngine {
 public:
  virtual ~EquationEngine() = default;
  /// Why another engine is the better choice for this many points, as a clause; empty if it is not.
  virtual std::string leaves_to_others(std::size_t /*points*/) const { return {}; }

  /// Solves for u, as GridEquation::solve. The report's `who` is empty where it was the caller's arena of TBB.
  /// Throws NotConverged, Error, ResourceError, Cancelled; after exceptions other than NotConverged another engine
  /// can solve the equation, and u is unchanged where the options declare it an approximation.
  virtual dispatch::Computed<SolveReport> solve(GridEquation& equation, const SolveOptions& how,
                                                const dispatch::ComputeOptions& options,
                                                const jobs::Progress& progress) const = 0;
};

/// Uses options.engine of options.engines, like sum_by_engine, but adds nothing to the registry's reports.
dispatch::Computed<SolveReport> solve_by_engine(GridEquation& equation, const SolveOptions& how,
                                                const PotentialOptions& options,
                                                const jobs::Progress& progress);

/// Adds the report of one of a job's equations, each of which counts as a tile.
void add_equation(dispatch::Report& all, const dispatch::Report& one);

/// The CPU engine.
const EquationEngine& cpu_equations();

}  // namespace isolume::electrostatics
