#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "core/electrostatics/mesh_sum.h"
#include "core/electrostatics/options.h"
#include "core/electrostatics/places.h"
#include "core/electrostatics/sources.h"
#include "core/jobs/progress.h"
#include "core/lattice/lattice.h"

namespace isolume::electrostatics {

class EquationEngine;

/// What is summed over pairs: `scale` times what each charge adds by the law.
struct PairProblem {
  const Bins& bins;  ///< of all charges; one bin where the law has no cut-off
  const PairTerms& terms;
  double scale;
  const MeshSum* rest = nullptr;  ///< `scale` times this is added: what pairs within a cut-off leave out
};
/// About how many pairs count at so many points that lie among the charges.
double pairs_of(const PairProblem& problem, std::size_t points);

/// What sums over pairs and what meshes add to them are computed on, and equations on lattices solved: the CPU, GPUs.
class PairEngine {
 public:
  virtual ~PairEngine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Why another engine is the better choice for so many pairs, as a clause; empty where none is.
  virtual std::string leaves_to_others(double /*pairs*/) const { return {}; }

  /// At each point of a lattice along x, y and z: in single precision relative to the middle of small tiles, which are
  /// added up in double. Where values were computed does not change them, but for those of the CPU among a GPU's. The
  /// report's `who` is empty where it is the caller's arena of TBB. Throws Error, ResourceError, Cancelled.
  virtual dispatch::Report sum_on(const lattice::Lattice& lattice, const PairProblem& problem, float* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;
  /// At places, in double precision.
  virtual dispatch::Report sum_at(const Places& places, const PairProblem& problem, double* values,
                                  const dispatch::ComputeOptions& options,
                                  const jobs::Progress& progress) const = 0;

  /// The sum of Gaussians of molecular_density.h at each point of a lattice along x, y and z, but for rounding, and Gaussians about as large as those that
  /// are left out. As sum_on.
  virtual dispatch::Report density_on(const lattice::Lattice& lattice, const structures::Charges& charges,
                                      float* values, const dispatch::ComputeOptions& options,
                                      const jobs::Progress& progress) const = 0;

  /// Of the Poisson-Boltzmann equation (poisson_boltzmann/equation_engine.h); null where it solves none.
  virtual const EquationEngine* equations() const { return nullptr; }
};

using EngineRegistry = dispatch::EngineRegistry<PairEngine>;

std::unique_ptr<PairEngine> make_cpu_engine();
/// options.engines, or `cpu_alone` with the CPU's, where there are none.
const EngineRegistry& engines_of(const PotentialOptions& options, EngineRegistry& cpu_alone);

/// On options.engine of options.engines; reports of several devices go to the registry's, too. "auto" takes the first
/// engine that does not leave so many pairs to others, and the next one where that one fails; the report says why. An
/// engine that was named does it or throws Error.
dispatch::Report sum_by_engine(const lattice::Lattice& lattice, const PairProblem& problem, float* values,
                               const PotentialOptions& options, const jobs::Progress& progress);
dispatch::Report sum_by_engine(const Places& places, const PairProblem& problem, double* values,
                               const PotentialOptions& options, const jobs::Progress& progress);

/// Of Gaussians in the same way, without a kernel that was named for other sums.
dispatch::Report density_by_engine(const lattice::Lattice& lattice, const structures::Charges& charges,
                                   float* values, const PotentialOptions& options,
                                   const jobs::Progress& progress);

/// Throws Error where options.engine is none that computes on the CPU. `what`: cannot be computed elsewhere, as in "A
/// lattice that is turned".
void require_cpu(const dispatch::ComputeOptions& options, std::string_view what);

}  // namespace isolume::electrostatics
