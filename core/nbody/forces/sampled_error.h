#pragma once

#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Quantiles of relative force errors.
struct SampledErrors {
  std::size_t samples = 0;
  double median = 0, p90 = 0, p99 = 0;  ///< error that 50, 90 and 99 of 100 bodies stay below
  double p995 = 0;                      ///< error that 995 of 1000 stay below

  /// Forces were summed directly in double precision, as those that they are compared with.
  bool are_exact() const { return p99 == 0; }
};
SampledErrors summary_of(std::vector<double> errors);

/// The bodies to compare, in ascending order: of as many stretches of the list as there are samples, one body each, at
/// random. The same ones in every run. (Bodies at fixed distances could all be of one kind: tables of binaries alternate.)
std::vector<std::size_t> bodies_of_sample(std::size_t bodies, std::size_t most_samples);

/// Compares the forces on a sample of the bodies with direct sums in double precision (Ewald's for a periodic cube),
/// softened according to `options`. Bodies without a force are not counted.
SampledErrors sampled_errors(const Bodies& bodies, const Forces& forces, const ForceOptions& options,
                             std::size_t most_samples, const jobs::Progress& progress = {});
/// The same for forces at positions (Solver::forces_at).
SampledErrors sampled_errors_at(const Places& places, const Bodies& bodies, const Forces& forces,
                                const ForceOptions& options, std::size_t most_samples,
                                const jobs::Progress& progress = {});

}  // namespace isolume::nbody
