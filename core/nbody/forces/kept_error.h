#pragma once

#include <cstddef>
#include <functional>

#include "core/base/remarks.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// Comparison of the achieved force error with the requested one.
struct KeptError {
  double asked = 0;                      ///< ForceOptions::error; 0: none was requested
  double factor = 1;                     ///< ForceOptions::error_factor used for the sums
  SampledErrors reached;                 ///< of the sampled bodies
  SolverKind solver = SolverKind::best;  ///< of the sums

  bool is_kept() const { return asked == 0 || reached.p99 <= asked; }
};

/// Whether the options request a force error that sums are compared with.
bool asks_for_error(const ForceOptions& options);

/// Sample size sufficient to decide whether 99 of 100 forces on so many bodies keep an error, in little time.
std::size_t bodies_to_compare(std::size_t bodies);

struct ForcesWithinError {
  Forces forces;
  KeptError error;
};
/// Sums forces and compares a sample with exact ones; where they miss the requested error, sums them again with a
/// smaller ForceOptions::error_factor, until they keep it or it no longer helps. The fast multipole method does so in
/// double precision, too. Errors of tree codes depend on the distribution of the bodies: in cusps within the softening
/// length, forces are small differences of far larger ones. With options that request no error, forces are summed once
/// and not compared.
ForcesWithinError forces_within_error(const ForceOptions& options,
                                      const std::function<Forces(const ForceOptions&)>& sum,
                                      const std::function<SampledErrors(const Forces&)>& compare);

/// A warning where the requested error is not kept, with the error achieved. `at_end`: for a run that began with it.
Remarks remarks_on(const KeptError& error, bool at_end = false);

}  // namespace isolume::nbody
