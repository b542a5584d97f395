#pragma once

#include <cstdint>

/// What the kernels of shortest paths share: plain values only.
namespace isolume::gpu::livewire_kernels {

/// Distances on the device are below this, which stands for "not reached": so a distance and an arc's cost
/// have a sum without overflow, and no pixel that was not reached makes another one nearer.
inline constexpr std::uint32_t far_away = 0x7fffffff;

/// The region of a cost grid in which paths are looked for. Its pixel (x, y) has its distance at
/// y * pitch + x; rows of distances begin at multiples of 32, so that a warp reads one in one piece.
struct SearchSpace {
  const std::uint16_t* costs;  ///< of the whole grid: CostGrid::node or CostGrid::arcs
  std::uint32_t grid_width;
  std::uint32_t left, top;  ///< the region's first pixel in the grid
  std::uint32_t width, height, pitch;
  bool arcs;  ///< which form `costs` has
  int directions;
  std::uint32_t length[8];
};

}  // namespace isolume::gpu::livewire_kernels
