#pragma once

#include <cstdint>
#include <vector>

#include "core/electrostatics/sums/sources.h"
#include "gpu/electrostatics/pairs/cutoff_kernels.h"

namespace isolume::gpu {

/// Charges in cubic bins of fixed depth, and the excess charges. E04's cut-off potential.
struct FixedBins {
  pair_kernels::fixed_bins::Bins bins{};  ///< without addresses
  std::vector<float> charges;             ///< see Bins::charges
  std::vector<std::uint32_t>
      neighbours;  ///< offsets from the bin of a cube's first point to all bins in range
  electrostatics::Sources held, overflow;
};

/// The size of bins is such that charges fill three quarters of the bins that hold any, between an eighth of
/// the cut-off and the cut-off. `sides`: of a cube of points, in angstrom. Throws Error if there are too many
/// bins or neighbours.
FixedBins fill_fixed_bins(const electrostatics::Sources& sources, double cutoff,
                          const Eigen::Vector3d& sides);

}  // namespace isolume::gpu
