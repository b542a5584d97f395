#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/electrostatics/pairs/pair_job.h"

namespace isolume::gpu {

/// "shared" and "constant" sum all charges, "sorted-bins" and "fixed-bins" those within a cut-off.
std::vector<std::string> pair_kernel_names();

/// `wanted`: "auto", which takes "shared" or "sorted-bins", or a name. Throws Error for an unknown name, for
/// a law that the kernel does not support, and at scattered points for kernels that exist for grids only.
std::unique_ptr<PairJob> choose_pair_job(std::string_view wanted, const grid::Grid& grid,
                                         const electrostatics::PairProblem& problem);
std::unique_ptr<PairJob> choose_pair_job(std::string_view wanted, const electrostatics::Places& places,
                                         const electrostatics::PairProblem& problem);

}  // namespace isolume::gpu
