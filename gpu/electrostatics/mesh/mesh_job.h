#pragma once

#include <memory>

#include "gpu/electrostatics/pairs/pair_job.h"

namespace isolume::gpu {

/// Adds the problem's mesh part to sums over pairs, on the same grid or at the same points. `values`: at
/// the mesh's points. References must outlive it.
std::unique_ptr<PairJob> with_mesh(std::unique_ptr<PairJob> pairs, const grid::Grid& grid,
                                   const electrostatics::PairProblem& problem,
                                   const std::vector<double>& values);
std::unique_ptr<PairJob> with_mesh(std::unique_ptr<PairJob> pairs, const electrostatics::Places& places,
                                   const electrostatics::PairProblem& problem,
                                   const std::vector<double>& values);

}  // namespace isolume::gpu
