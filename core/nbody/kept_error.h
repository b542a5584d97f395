#pragma once

#include <cstddef>
#include <functional>

#include "core/base/remarks.h"
#include "core/nbody/sampled_error.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

/// How far forces keep the error that was asked for.
struct KeptError {
  double asked = 0;       ///< ForceOptions::error; 0: none was asked for
  double factor = 1;      ///< ForceOptions::error_factor with which they were summed
  SampledErrors reached;  ///< of those that were compared with exact ones

  bool is_kept() const { return asked == 0 || reached.p99 <= asked; }
};

/// Whether the options ask a tree code for an error.
bool asks_for_error(const ForceOptions& options);

/// As many bodies as tell whether 99 of 100 forces on so many keep an error, and take little time.
std::size_t bodies_to_compare(std::size_t bodies);

struct ForcesWithinError {
  Forces forces;
  KeptError error;
};
/// Sums forces and compares some of them with exact ones; where they miss the error that the options ask for, sums them again
/// with a smaller ForceOptions::error_factor, until they keep it or it does not help any more. How large the errors of
/// tree codes are depends on how the bodies lie: in cusps within the softening, forces are what is left of far larger
/// ones. With options that ask for no error, they are summed once and not compared.
ForcesWithinError forces_within_error(const ForceOptions& options,
                                      const std::function<Forces(const ForceOptions&)>& sum,
                                      const std::function<SampledErrors(const Forces&)>& compare);

/// A warning where an error is not kept, which says what is reached. `at_end`: of a run that began with it.
Remarks remarks_on(const KeptError& error, SolverKind solver, bool at_end = false);

}  // namespace isolume::nbody
