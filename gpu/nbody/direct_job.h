#pragma once

#include <memory>

#include "core/nbody/octree.h"
#include "gpu/nbody/sum_job.h"

namespace isolume::gpu {

/// Every pair. `softening` in the bodies' own unit; at least one body. The bodies must outlive it.
std::unique_ptr<SumJob> make_direct_job(const nbody::SortedBodies& bodies, double softening);

}  // namespace isolume::gpu
