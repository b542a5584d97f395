#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#include "gpu/volumes/volume_kernels.h"

namespace isolume::gpu::volume_kernels {
namespace {

constexpr unsigned threads = 256;
constexpr int lanes = 32, rows_a_block = 8;
/// Results of a thread: 32 points apart along x, next to each other along the other axes.
constexpr int results = 8, results_along_x = 4;
constexpr int columns_a_warp = lanes * results_along_x;

constexpr int parts(int count, int size) {
  return (count + size - 1) / size;
}
__device__ __forceinline__ int clamped(int index, int count) {
  return min(max(index, 0), count - 1);
}

/// A warp convolves a part of a row, from shared memory.
__global__ void __launch_bounds__(threads)
    convolve_along_x(const float* __restrict__ values, Extents n, const float* __restrict__ weights,
                     int radius, float* __restrict__ result) {
  float* const shared = dynamic_shared<float>();
  float* const weight = shared;
  const int length = columns_a_warp + 2 * radius;
  const int warp = static_cast<int>(threadIdx.x) / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
  float* const row = shared + radius + 1 + warp * length;
  for (int d = static_cast<int>(threadIdx.x); d <= radius; d += static_cast<int>(threads))
    weight[d] = weights[d];
  const int first = static_cast<int>(blockIdx.y) * columns_a_warp;
  const int line = static_cast<int>(blockIdx.x) * rows_a_block + warp;  // of all along y and z
  const bool exists = line < n.ny * n.nz;
  const int begin = line * n.nx;
  if (exists) {
    for (int i = lane; i < length; i += lanes) row[i] = values[begin + clamped(first - radius + i, n.nx)];
  }
  __syncthreads();
  if (!exists) return;
  const float* const own = row + radius + lane;
  float sums[results_along_x];
#pragma unroll
  for (int p = 0; p < results_along_x; ++p) sums[p] = weight[0] * own[p * lanes];
  for (int d = 1; d <= radius; ++d) {
    const float w = weight[d];
#pragma unroll
    for (int p = 0; p < results_along_x; ++p)
      sums[p] = fmaf(w, own[p * lanes - d] + own[p * lanes + d], sums[p]);
  }
#pragma unroll
  for (int p = 0; p < results_along_x; ++p) {
    const int x = first + p * lanes + lane;
    if (x < n.nx) result[begin + x] = sums[p];
  }
}

/// A thread convolves eight points that follow each other along y or z: each value is loaded once for all of them, and each
/// weight moves from result to result in registers.
__global__ void __launch_bounds__(threads)
    convolve_across(const float* __restrict__ values, int nx, int other_count, int count, int stride,
                    int other_stride, const float* __restrict__ weights, int radius,
                    float* __restrict__ result) {
  float* const weight = dynamic_shared<float>();  // from -radius to radius, then zeros
  const int length = 2 * radius + 1 + 2 * results;
  for (int i = static_cast<int>(threadIdx.x); i < length; i += static_cast<int>(threads))
    weight[i] = i <= 2 * radius ? weights[abs(i - radius)] : 0.0F;
  __syncthreads();
  const int x = static_cast<int>(blockIdx.x) * lanes + static_cast<int>(threadIdx.x) % lanes;
  const int other = static_cast<int>(blockIdx.y) * rows_a_block + static_cast<int>(threadIdx.x) / lanes;
  if (x >= nx || other >= other_count) return;
  const int first = static_cast<int>(blockIdx.z) * results;
  const int line = other * other_stride + x;
  float sums[results] = {}, latest[results] = {};  // the weights of the latest values
  for (int begin = -radius; begin < results + radius; begin += results) {
#pragma unroll
    for (int i = 0; i < results; ++i) {
      latest[i] = weight[begin + i + radius];
      const float value = values[line + clamped(first + begin + i, count) * stride];
#pragma unroll
      for (int p = 0; p < results; ++p) sums[p] = fmaf(latest[(i - p + results) % results], value, sums[p]);
    }
  }
#pragma unroll
  for (int p = 0; p < results; ++p) {
    if (first + p < count) result[line + (first + p) * stride] = sums[p];
  }
}

}  // namespace

void convolve(const float* values, Extents n, int axis, const float* weights, int radius, float* result,
              const Stream& stream) {
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  const auto blocks = [](int count, int part) { return static_cast<unsigned>(parts(count, part)); };
  if (axis == 0) {
    const std::size_t numbers = size(radius + 1) + size(rows_a_block) * size(columns_a_warp + 2 * radius);
    launch(convolve_along_x, dim3(blocks(n.ny * n.nz, rows_a_block), blocks(n.nx, columns_a_warp)),
           dim3(threads), numbers * sizeof(float), stream, values, n, weights, radius, result);
    return;
  }
  const bool is_y = axis == 1;
  const int count = is_y ? n.ny : n.nz, other_count = is_y ? n.nz : n.ny;
  launch(convolve_across,
         dim3(blocks(n.nx, lanes), blocks(other_count, rows_a_block), blocks(count, results)), dim3(threads),
         size(2 * radius + 1 + 2 * results) * sizeof(float), stream, values, n.nx, other_count, count,
         is_y ? n.nx : n.nx * n.ny, is_y ? n.nx * n.ny : n.nx, weights, radius, result);
}

}  // namespace isolume::gpu::volume_kernels
