#pragma once

#include <cstdint>
#include <vector>

#include "core/electrostatics/sources.h"
#include "gpu/electrostatics/cutoff_kernels.h"

namespace isolume::gpu {

/// Charges in cubic bins of fixed depth, and those that find no room there. E04's cut-off potential.
struct FixedBins {
  pair_kernels::fixed_bins::Bins bins{};  ///< without addresses
  std::vector<float> charges;             ///< as Bins::charges
  std::vector<std::uint32_t>
      neighbours;  ///< offsets from the bin of a cube's first point to all that it sees
  electrostatics::Sources held, overflow;
};

/// Bins are as large as lets charges fill three quarters of those that hold any, but no larger than the cut-off and no
/// smaller than an eighth of it. `sides`: of a cube of points, in angstrom. Throws Error where bins or neighbours are too
/// many.
FixedBins fill_fixed_bins(const electrostatics::Sources& sources, double cutoff,
                          const Eigen::Vector3d& sides);

}  // namespace isolume::gpu
