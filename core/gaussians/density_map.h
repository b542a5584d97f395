#pragma once

#include "core/gaussians/hermite_density.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

namespace isolume::gaussians {

/// The density in e/bohr^3 at each point of a grid in bohr or angstrom that lies along x, y and z, within
/// `tolerance` of the sum of all its Gaussians. The result is the same on any number of threads. Throws Error
/// for a grid in other directions, ResourceError, Cancelled.
grid::ScalarField density_map(const HermiteDensity& density, const grid::Grid& grid, double tolerance = 1e-7,
                              const jobs::Progress& progress = {});

}  // namespace isolume::gaussians
