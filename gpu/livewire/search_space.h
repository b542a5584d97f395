#pragma once

#include <cstdint>

/// Definitions shared by the kernels of shortest paths: plain values only.
namespace isolume::gpu::livewire_kernels {

/// Distances on the device are below this value, which means "not reached": the sum of a distance and an
/// arc's cost does not overflow, and an unreached pixel does not shorten another distance.
inline constexpr std::uint32_t far_away = 0x7fffffff;

/// The region of a cost grid in which paths are searched. The distance of its pixel (x, y) is at y * pitch +
/// x; rows of distances begin at multiples of 32, so that a warp reads one in one piece.
struct SearchSpace {
  const std::uint16_t* costs;  ///< of the whole grid: CostGrid::node or CostGrid::arcs
  std::uint32_t grid_width;
  std::uint32_t left, top;  ///< the region's first pixel in the grid
  std::uint32_t width, height, pitch;
  bool arcs;  ///< the form of `costs`
  int directions;
  std::uint32_t length[8];
};

}  // namespace isolume::gpu::livewire_kernels
