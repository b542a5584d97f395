#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "core/electrostatics/sums/mesh_sum.h"
#include "core/electrostatics/sums/options.h"
#include "core/electrostatics/sums/places.h"
#include "core/electrostatics/sums/sources.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"

namespace isolume::electrostatics {

class EquationEngine;

/// A pair sum: `scale` times the contribution of each charge by the law.
struct PairProblem {
  const Bins& bins;  ///< of all charges; one bin where the law has no cut-off
  const PairTerms& terms;
  double scale;
  const MeshSum* rest = nullptr;  ///< `scale` times this long-range part is added
};
/// Estimated number of pairs for this many points among the charges.
double pairs_of(const PairProblem& problem, std::size_t points);

/// Computes sums over pairs with the long-range part from meshes, and solves equations on grids: the CPU, GPUs.
class PairEngine {
 public:
  virtual ~PairEngine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Why another engine is the better choice for this many pairs, as a clause; empty if it is not.
  virtual std::string leaves_to_others(double /*pairs*/) const { return {}; }

  /// At each point of a grid along x, y and z: in single precision relative to the centre of small tiles,
  /// accumulated in double. The result does not depend on where values were computed, except between the CPU and a
  /// GPU. The report's `who` is empty where it was the caller's arena of TBB. Throws Error, ResourceError, Cancelled.
  virtual dispatch::Report sum_on(const grid::Grid& grid, const PairProblem& problem, float* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;
  /// At given points, in double precision.
  virtual dispatch::Report sum_at(const Places& places, const PairProblem& problem, double* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;

  /// The sum of Gaussians of molecular_density.h at each point of a grid along x, y and z, up to rounding and to
  /// Gaussians close to the truncation threshold. As sum_on.
  virtual dispatch::Report density_on(const grid::Grid& grid, const structures::Charges& charges,
                                      float* values, const dispatch::ComputeOptions& options,
                                      const jobs::Progress& progress) const = 0;

  /// Solver of the Poisson-Boltzmann equation (poisson_boltzmann/equation_engine.h); null if this engine has none.
  virtual const EquationEngine* equations() const { return nullptr; }
};

using EngineRegistry = dispatch::EngineRegistry<PairEngine>;

std::unique_ptr<PairEngine> make_cpu_engine();
/// options.engines, or `cpu_alone` with the CPU's engine where there are none.
const EngineRegistry& engines_of(const PotentialOptions& options, EngineRegistry& cpu_alone);

/// Uses options.engine of options.engines; reports of several devices go to the registry's, too. "auto" takes the
/// first engine that does not leave this many pairs to others, and the next one where that one fails; the report says
/// why. An engine named explicitly computes the sum or throws Error.
dispatch::Report sum_by_engine(const grid::Grid& grid, const PairProblem& problem, float* values,
                               const PotentialOptions& options, const jobs::Progress& progress);
dispatch::Report sum_by_engine(const Places& places, const PairProblem& problem, double* values,
                               const PotentialOptions& options, const jobs::Progress& progress);

/// The same for Gaussians, ignoring a kernel that was named for other sums.
dispatch::Report density_by_engine(const grid::Grid& grid, const structures::Charges& charges, float* values,
                                   const PotentialOptions& options, const jobs::Progress& progress);

/// Throws Error where options.engine excludes the CPU. `what`: subject of the error text, as in "A grid that is
/// turned".
void require_cpu(const dispatch::ComputeOptions& options, std::string_view what);

}  // namespace isolume::electrostatics
