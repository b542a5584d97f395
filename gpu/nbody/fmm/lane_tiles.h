#pragma once

#include "gpu/nbody/fmm/fmm_kernels.h"
#include "gpu/runtime/kernel.h"

/// Device code: expansions in shared memory, one for each lane of a block of one warp.
namespace isolume::gpu::fmm_kernels {

inline constexpr std::uint32_t lanes = 32;
/// Number k of lane l is at k * row + l: both rows and columns are without bank conflicts.
inline constexpr std::uint32_t row = lanes + 1;

constexpr std::size_t tile_bytes(std::uint32_t rows) {
  return std::size_t{rows} * row * sizeof(float);
}

/// The cell of one of the slab's local expansions.
__device__ inline std::uint32_t cell_of_field(const Tree& tree, const Slab& slab, std::uint32_t number) {
  if (number >= slab.ancestors) return slab.first_cell + (number - slab.ancestors);
  std::uint32_t cell = slab.last_ancestor;
  while (tree.cells[cell].level > number) cell = tree.cells[cell].parent;
  return cell;
}
/// The reverse.
__device__ inline std::uint32_t field_number(const Tree& tree, const Slab& slab, std::uint32_t cell) {
  return cell >= slab.first_cell ? slab.ancestors + (cell - slab.first_cell) : tree.cells[cell].level;
}

/// Fills the columns of `count` lanes from `from`, `rows` numbers for each lane, and the others with 0. All
/// lanes must call it.
__device__ inline void load_columns(const float* from, std::uint32_t rows, std::uint32_t count, float* tile) {
  const std::uint32_t lane = threadIdx.x;
  for (std::uint32_t column = 0; column < lanes; ++column) {
    const auto* const values = reinterpret_cast<const float*>(
        __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(from), static_cast<int>(column)));
    for (std::uint32_t i = lane; i < rows; i += lanes)
      tile[i * row + column] = column < count ? values[i] : 0.0f;
  }
  __syncthreads();
}

/// Adds the columns of `count` lanes to what is at `to`, `rows` numbers for each lane.
__device__ inline void add_columns(const float* tile, std::uint32_t rows, std::uint32_t count, float* to) {
  const std::uint32_t lane = threadIdx.x;
  __syncthreads();
  for (std::uint32_t column = 0; column < count; ++column) {
    auto* const values = reinterpret_cast<float*>(
        __shfl_sync(0xffffffffu, reinterpret_cast<unsigned long long>(to), static_cast<int>(column)));
    for (std::uint32_t i = lane; i < rows; i += lanes) values[i] += tile[i * row + column];
  }
}

/// Sums of rows over all batches of lanes; each lane has every 32nd row.
template <std::uint32_t most_rows>
class RowSums {
 public:
  /// All lanes must call it, with the same tile.
  __device__ void add(const float* tile, std::uint32_t rows) {
    __syncthreads();
#pragma unroll
    for (std::uint32_t i = 0; i < each; ++i) {
      const std::uint32_t number = i * lanes + threadIdx.x;
      if (number >= rows) continue;
      float sum = 0;
      for (std::uint32_t lane = 0; lane < lanes; ++lane) sum += tile[number * row + lane];
      sums_[i] += static_cast<double>(sum);
    }
    __syncthreads();
  }
  __device__ void store(std::uint32_t rows, float* to) const {
#pragma unroll
    for (std::uint32_t i = 0; i < each; ++i) {
      const std::uint32_t number = i * lanes + threadIdx.x;
      if (number < rows) to[number] = to_float(sums_[i]);
    }
  }

 private:
  static constexpr std::uint32_t each = (most_rows + lanes - 1) / lanes;
  double sums_[each] = {};
};

}  // namespace isolume::gpu::fmm_kernels
