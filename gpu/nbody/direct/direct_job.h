#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/nbody/forces/octree.h"
#include "core/nbody/forces/solver.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// Direct sum over all pairs, with the softening of the options; at least one body. The bodies must outlive it.
std::unique_ptr<SumJob> make_direct_job(const nbody::SortedBodies& bodies,
                                        const nbody::ForceOptions& options);

/// An estimate for this number of bodies.
double operations_of_direct_sums(std::size_t bodies);

/// Number of parts in which the sources are summed concurrently.
std::uint32_t parts_of_sources(std::size_t groups, std::size_t tiles);

}  // namespace isolume::gpu
