#pragma once

#include <memory>

#include "core/nbody/engines/resident_bodies.h"
#include "gpu/runtime/multi_device/sum_runner.h"

namespace isolume::gpu {

/// Bodies that stay on the GPUs that compute their forces, with a copy of all of them on each: a GPU moves
/// all, computes the forces on its part, and gets the others' forces from them. Forces are bit-identical to
/// the solvers' (gpu_solver.h), on any number of GPUs. The direct sum or Barnes-Hut, by options.solver.
/// Throws Error for invalid devices.
std::unique_ptr<nbody::ResidentBodies> make_resident_bodies(std::shared_ptr<const SumRunner> runner,
                                                            const nbody::ForceOptions& options);

}  // namespace isolume::gpu
