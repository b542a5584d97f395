#pragma once

#include <cstdint>
#include <vector>

#include "core/electrostatics/sums/places.h"
#include "core/electrostatics/sums/sources.h"
#include "core/grid/grid.h"
#include "gpu/electrostatics/pair_points.h"
#include "gpu/electrostatics/pairs/cutoff_kernels.h"

/// Conversions from the host's data to those of kernels.
namespace isolume::gpu {

inline std::vector<pair_kernels::Charge> pack_charges(const electrostatics::Sources& sources) {
  std::vector<pair_kernels::Charge> packed;
  packed.reserve(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    packed.push_back({sources.x[i], sources.y[i], sources.z[i], sources.charge[i]});
  return packed;
}

inline std::vector<std::uint32_t> pack_starts(const electrostatics::Bins& bins) {
  return {bins.starts().begin(), bins.starts().end()};
}

/// x, y and z of each.
inline std::vector<double> pack_places(const electrostatics::Places& places) {
  std::vector<double> packed;
  packed.reserve(3 * places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    packed.push_back(places.x[i]);
    packed.push_back(places.y[i]);
    packed.push_back(places.z[i]);
  }
  return packed;
}

/// Without addresses.
inline pair_kernels::sorted_bins::SortedBins pack_bins(const electrostatics::Bins& bins) {
  const auto& low = bins.low();
  const auto& counts = bins.counts();
  return {nullptr, nullptr, {low.x(), low.y(), low.z()}, bins.side(), {counts[0], counts[1], counts[2]}};
}

/// All planes.
inline pair_kernels::GridSlab pack_grid(const grid::Grid& grid) {
  const double angstrom = grid::shown_per_unit(grid.unit);
  pair_kernels::GridSlab slab{};
  for (int axis = 0; axis < 3; ++axis) {
    slab.origin[axis] = grid.origin[axis] * angstrom;
    slab.step[axis] = grid.step(axis, axis) * angstrom;
    slab.size[axis] = grid.dimensions[static_cast<std::size_t>(axis)];
  }
  slab.count = slab.size[2];
  return slab;
}

}  // namespace isolume::gpu
