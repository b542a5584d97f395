#pragma once

#include <memory>

#include "core/lattice/lattice.h"
#include "core/structures/charges.h"
#include "gpu/electrostatics/sum_job.h"

namespace isolume::gpu {

/// Sums of atoms' Gaussians (core/electrostatics/molecular_density.h) on a lattice along x, y and z: each point gathers them from
/// bins of atoms, so that values have one order. One atom with a radius at least.
std::unique_ptr<SumJob> make_density_job(const lattice::Lattice& lattice, const structures::Charges& charges);

}  // namespace isolume::gpu
