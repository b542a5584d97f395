#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/nbody/octree.h"
#include "gpu/nbody/sum_job.h"

namespace isolume::gpu {

/// Every pair. `softening` in the bodies' own unit; at least one body. The bodies must outlive it.
std::unique_ptr<SumJob> make_direct_job(const nbody::SortedBodies& bodies, double softening);

/// Roughly, of so many bodies.
double operations_of_direct_sums(std::size_t bodies);

/// In how many parts the sources are summed, side by side.
std::uint32_t parts_of_sources(std::size_t groups, std::size_t tiles);

}  // namespace isolume::gpu
