#pragma once

#include "core/nbody/solver.h"

namespace isolume::nbody {

/// Of forces relative to their own size.
struct SampledErrors {
  std::size_t samples = 0;
  double median = 0, p90 = 0, p99 = 0;  ///< that 50, 90 and 99 of 100 bodies stay below
  double p995 = 0;                      ///< that 995 of 1000 do
};
SampledErrors summary_of(std::vector<double> errors);

/// Compares the forces on bodies in even steps through all of them with sums over every pair in double
/// precision (of a periodic cube, Ewald's), softened as `options` say. Bodies on which there is no force do not count.
SampledErrors sampled_errors(const Bodies& bodies, const Forces& forces, const ForceOptions& options,
                             std::size_t most_samples, const jobs::Progress& progress = {});
/// The same of forces at places (Solver::forces_at).
SampledErrors sampled_errors_at(const Places& places, const Bodies& bodies, const Forces& forces,
                                const ForceOptions& options, std::size_t most_samples,
                                const jobs::Progress& progress = {});

}  // namespace isolume::nbody
