#pragma once

#include "core/multipoles/charge_sums.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

/// The options of sums over masses as charges, for forces with these options.
multipoles::SumOptions sum_options(const ForceOptions& options);

}  // namespace isolume::nbody
