#pragma once

#include "gpu/electrostatics/poisson_boltzmann/multigrid_kernels.h"
#include "gpu/runtime/kernel.h"

/// Device code: the points of a level and their neighbours.
namespace isolume::gpu::equation_kernels {

inline std::uint32_t count_of(const LevelArrays& level) {
  return level.nx * level.ny * level.nz;
}

__device__ __forceinline__ std::uint32_t half_of(const LevelArrays& level) {
  return (level.nx + 1) / 2;
}
__device__ __forceinline__ std::uint32_t plane_of(const LevelArrays& level) {
  return level.nx * level.ny;
}
__device__ __forceinline__ std::uint32_t row_of(const LevelArrays& level, std::uint32_t j, std::uint32_t k) {
  return level.nx * (j + level.ny * k);
}
__device__ __forceinline__ std::uint32_t in_row(const LevelArrays& level, std::uint32_t i) {
  return (i & 1) != 0 ? half_of(level) + i / 2 : i / 2;
}

/// An inner point: its position and that of its left neighbour; the right one follows.
struct Inside {
  std::uint32_t own, left;
};
/// Finds number m of the points of a row whose i is even (0) or odd, if it is inside.
__device__ __forceinline__ bool find_inside(const LevelArrays& level, std::uint32_t row, std::uint32_t parity,
                                            std::uint32_t m, Inside& found) {
  const std::uint32_t half = half_of(level);
  found = parity == 0 ? Inside{row + m, row + half + m - 1} : Inside{row + half + m, row + m};
  return parity == 0 ? m >= 1 && m < level.nx / 2 : m < (level.nx - 1) / 2;
}

/// The number of positions for points of one colour, and the point at a position.
__host__ __device__ inline std::uint32_t places_of_colour(const LevelArrays& level) {
  return level.nx / 2 * (level.ny - 2) * (level.nz - 2);
}
__device__ __forceinline__ bool find_of_colour(const LevelArrays& level, std::uint32_t colour,
                                               std::uint32_t place, Inside& found) {
  const std::uint32_t width = level.nx / 2, rows = place / width;
  const std::uint32_t j = rows % (level.ny - 2) + 1, k = rows / (level.ny - 2) + 1;
  return find_inside(level, row_of(level, j, k), (colour + j + k) & 1, place % width, found);
}
/// The same for points of both colours, in rows.
__host__ __device__ inline std::uint32_t places_inside(const LevelArrays& level) {
  return level.nx * (level.ny - 2) * (level.nz - 2);
}
__device__ __forceinline__ bool find_place(const LevelArrays& level, std::uint32_t place, Inside& found) {
  const std::uint32_t at = place % level.nx, rows = place / level.nx, half = half_of(level);
  const std::uint32_t row = row_of(level, rows % (level.ny - 2) + 1, rows / (level.ny - 2) + 1);
  return at < half ? find_inside(level, row, 0, at, found) : find_inside(level, row, 1, at - half, found);
}

/// The sums of links times neighbours, and of links.
struct Neighbours {
  float sum, links;
};
template <bool zero = false>
__device__ __forceinline__ Neighbours neighbours_of(const LevelArrays& level, const float* z, Inside at) {
  const std::uint32_t nx = level.nx, plane = plane_of(level);
  const float west = level.gx[at.left], east = level.gx[at.own];
  const float south = level.gy[at.own - nx], north = level.gy[at.own];
  const float below = level.gz[at.own - plane], above = level.gz[at.own];
  Neighbours near{0, ((west + east) + (south + north)) + (below + above)};
  if (!zero) {
    near.sum = west * z[at.left];
    near.sum = fmaf(east, z[at.left + 1], near.sum);
    near.sum = fmaf(south, z[at.own - nx], near.sum);
    near.sum = fmaf(north, z[at.own + nx], near.sum);
    near.sum = fmaf(below, z[at.own - plane], near.sum);
    near.sum = fmaf(above, z[at.own + plane], near.sum);
  }
  return near;
}

}  // namespace isolume::gpu::equation_kernels
