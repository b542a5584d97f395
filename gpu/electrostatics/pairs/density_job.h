#pragma once

#include <memory>

#include "core/grid/grid.h"
#include "core/structures/charges.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// Sums of atoms' Gaussians (core/electrostatics/sums/molecular_density.h) on a grid along x, y and z: each
/// point gathers them from bins of atoms, so that they are added in a fixed order. Needs at least one atom
/// with a radius.
std::unique_ptr<SumJob> make_density_job(const grid::Grid& grid, const structures::Charges& charges);

}  // namespace isolume::gpu
