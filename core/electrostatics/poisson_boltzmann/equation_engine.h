#pragma once

#include <cstddef>
#include <string>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/options.h"
#include "core/electrostatics/poisson_boltzmann/lattice_equation.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

/// What equations of lattices are solved on: the CPU, a GPU. PairEngine::equations has it.
class EquationEngine {
 public:
  virtual ~EquationEngine() = default;
  /// Why another engine is the better choice for so many points, as a clause; empty where none is.
  virtual std::string leaves_to_others(std::size_t /*points*/) const { return {}; }

  /// u of the equation, as LatticeEquation::solve has it. The report's `who` is empty where it is the caller's arena of TBB.
  /// Throws NotConverged, Error, ResourceError, Cancelled; what is no NotConverged leaves an equation that another engine
  /// can solve, with u as it was where the options call that an approximation.
  virtual dispatch::Computed<SolveReport> solve(LatticeEquation& equation, const SolveOptions& how,
                                                const dispatch::ComputeOptions& options,
                                                const jobs::Progress& progress) const = 0;
};

/// On options.engine of options.engines, as sum_by_engine, but for the record in the registry.
dispatch::Computed<SolveReport> solve_by_engine(LatticeEquation& equation, const SolveOptions& how,
                                                const PotentialOptions& options,
                                                const jobs::Progress& progress);

/// Adds the report of one of a job's equations, each of which is a tile.
void add_equation(dispatch::Report& all, const dispatch::Report& one);

/// The CPU's.
const EquationEngine& cpu_equations();

}  // namespace isolume::electrostatics
