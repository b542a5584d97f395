#include "gpu/orbitals/in_reach.h"
#include "gpu/orbitals/products/product_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::products {
namespace {

constexpr int warps = block_tiles;
constexpr int threads = 32 * warps;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr int most_powers = most_degree + 1;
constexpr int group = 32 / tile_edge;  ///< products whose factors along x are made together
constexpr int columns = 2;             ///< points (y, z) of a thread, half a tile apart along z
static_assert(32 * columns == tile_edge * tile_edge);

struct Shared {
  int near[threads];  ///< chunks
  int counts[warps];
  alignas(16) float along_x[warps][group][most_powers][tile_edge];
};

using Sums = float[columns][tile_edge];

__device__ int lane() {
  return static_cast<int>(threadIdx.x % 32);
}

/// Lists those of the next `threads` chunks that reach the block, in their order; returns their number.
__device__ int list_chunks(const Level& level, const Box& block, int first, Shared& shared) {
  const int warp = static_cast<int>(threadIdx.x / 32);
  const int chunk = first + static_cast<int>(threadIdx.x);
  const bool near = chunk < level.chunk_count && reaches(level.step, block, level.chunks[chunk]);
  const unsigned which = __ballot_sync(all_lanes, near);
  if (lane() == 0) shared.counts[warp] = __popc(which);
  __syncthreads();
  int before = 0;
  int all = 0;
  for (int w = 0; w < warps; ++w) {
    if (w < warp) before += shared.counts[w];
    all += shared.counts[w];
  }
  if (near) shared.near[before + __popc(which & ((1u << lane()) - 1))] = chunk;
  __syncthreads();
  return all;
}

/// Adds a product to the thread's points, whose positions along y and z relative to its centre are given, by its
/// factors along x. `known_degree` lets the compiler unroll the frequent ones; -1: any.
template <int known_degree>
__device__ void add_product(const float* coefficients, const float (*along_x)[tile_edge], int any_degree,
                            float exponent, float y, const float (&z)[columns], Sums& sums) {
  const int degree = known_degree >= 0 ? known_degree : any_degree;
  float gaussian[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) gaussian[c] = exp2f(-exponent * fmaf(y, y, z[c] * z[c]));
#pragma unroll(known_degree >= 0 ? known_degree + 1 : 1)
  for (int i = 0; i <= degree; ++i) {
    float plane[columns] = {};
    float power = 1;
#pragma unroll(known_degree >= 0 ? known_degree + 1 : 1)
    for (int j = 0; i + j <= degree; ++j) {
      const int highest = degree - i - j;
      float along_z[columns];
#pragma unroll
      for (int c = 0; c < columns; ++c) along_z[c] = coefficients[highest];
#pragma unroll(known_degree >= 0 ? known_degree + 1 : 1)
      for (int k = highest - 1; k >= 0; --k) {
#pragma unroll
        for (int c = 0; c < columns; ++c) along_z[c] = fmaf(along_z[c], z[c], coefficients[k]);
      }
#pragma unroll
      for (int c = 0; c < columns; ++c) plane[c] = fmaf(power, along_z[c], plane[c]);
      power *= y;
      coefficients += highest + 1;
    }
#pragma unroll
    for (int c = 0; c < columns; ++c) plane[c] *= gaussian[c];
#pragma unroll
    for (int x = 0; x < tile_edge; x += 4) {
      const float4 four = *reinterpret_cast<const float4*>(&along_x[i][x]);
#pragma unroll
      for (int c = 0; c < columns; ++c) {
        sums[c][x] = fmaf(four.x, plane[c], sums[c][x]);
        sums[c][x + 1] = fmaf(four.y, plane[c], sums[c][x + 1]);
        sums[c][x + 2] = fmaf(four.z, plane[c], sums[c][x + 2]);
        sums[c][x + 3] = fmaf(four.w, plane[c], sums[c][x + 3]);
      }
    }
  }
}

/// The first point of a warp's tile.
struct Corner {
  int x;
  int y;
  int z;
};

/// The position of a point relative to the product's centre.
__device__ float from_centre(const Level& level, const Product& product, int axis, int point) {
  return fmaf(static_cast<float>(point - product.nearest[axis]), level.step[axis], product.offset[axis]);
}

__device__ void add_one(const Level& level, const Product& product, Corner corner,
                        const float (*along_x)[tile_edge], Sums& sums) {
  const float y = from_centre(level, product, 1, corner.y + lane() % tile_edge);
  float z[columns];
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    z[c] = from_centre(level, product, 2, corner.z + lane() / tile_edge + c * (tile_edge / columns));
  }
  const float* coefficients = level.coefficients + product.coefficient;
  switch (product.degree) {
    case 0:
      add_product<0>(coefficients, along_x, 0, product.exponent, y, z, sums);
      break;
    case 1:
      add_product<1>(coefficients, along_x, 1, product.exponent, y, z, sums);
      break;
    case 2:
      add_product<2>(coefficients, along_x, 2, product.exponent, y, z, sums);
      break;
    case 3:
      add_product<3>(coefficients, along_x, 3, product.exponent, y, z, sums);
      break;
    case 4:
      add_product<4>(coefficients, along_x, 4, product.exponent, y, z, sums);
      break;
    default:
      add_product<-1>(coefficients, along_x, product.degree, product.exponent, y, z, sums);
  }
}

/// Adds the products of a chunk that reach the warp's tile, whose numbers are the bits of `which`.
__device__ void add_chunk(const Level& level, int chunk, unsigned which, Corner corner,
                          float (*along_x)[most_powers][tile_edge], Sums& sums) {
  const Product* products = level.products + static_cast<std::size_t>(chunk) * chunk_terms;
  while (which != 0) {
    unsigned own = which;  // each eighth of lanes has one product
    for (int n = 0; n < lane() / tile_edge; ++n) own &= own - 1;
    __syncwarp();  // the previous factors have been read
    if (own != 0) {
      const Product& product = products[__ffs(static_cast<int>(own)) - 1];
      const float x = from_centre(level, product, 0, corner.x + lane() % tile_edge);
      float value = exp2f(-product.exponent * (x * x));
      for (int power = 0; power <= product.degree; ++power) {
        along_x[lane() / tile_edge][power][lane() % tile_edge] = value;
        value *= x;
      }
    }
    __syncwarp();
    for (int n = 0; n < group && which != 0; ++n, which &= which - 1)
      add_one(level, products[__ffs(static_cast<int>(which)) - 1], corner, along_x[n], sums);
  }
}

/// Adds the products of `count` listed chunks that reach the warp's tile.
__device__ void add_listed(const Level& level, const Box& tile, int count, Corner corner, Shared& shared,
                           Sums& sums) {
  for (int first = 0; first < count; first += 32) {
    const bool near = first + lane() < count &&
                      reaches(level.step, tile, level.chunks[shared.near[min(first + lane(), count - 1)]]);
    unsigned chunks = __ballot_sync(all_lanes, near);
    for (; chunks != 0; chunks &= chunks - 1) {
      const int chunk = shared.near[first + __ffs(static_cast<int>(chunks)) - 1];
      const TermReach& reach = level.reach[static_cast<std::size_t>(chunk) * chunk_terms + lane()];
      const unsigned which = __ballot_sync(all_lanes, reaches(level.step, tile, reach));
      add_chunk(level, chunk, which, corner, shared.along_x[threadIdx.x / 32], sums);
    }
  }
}

/// Stores the points that lie on the grid and in the slab. `aligned`: rows of the results begin at multiples of 16
/// bytes and hold a multiple of four values.
__device__ void store(const Level& level, Corner corner, int first_z, int count_z, float least, bool aligned,
                      const Sums& sums, float* out) {
  const int y = corner.y + lane() % tile_edge;
  if (y >= level.count[1]) return;
#pragma unroll
  for (int c = 0; c < columns; ++c) {
    const int z = corner.z + lane() / tile_edge + c * (tile_edge / columns) - first_z;
    if (z < 0 || z >= count_z) continue;
    float* row = out + (static_cast<std::size_t>(z) * level.count[1] + y) * level.count[0];
#pragma unroll
    for (int x = 0; x < tile_edge; x += 4) {
      float four[4];
#pragma unroll
      for (int n = 0; n < 4; ++n) four[n] = fmaxf(sums[c][x + n], least);
      if (aligned && corner.x + x < level.count[0]) {
        *reinterpret_cast<float4*>(row + corner.x + x) = {four[0], four[1], four[2], four[3]};
      } else {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
          if (corner.x + x + n < level.count[0]) row[corner.x + x + n] = four[n];
        }
      }
    }
  }
}

__global__ void __launch_bounds__(threads, 8)
    add_products(Level level, int blocks_x, int blocks_y, int first_z, int count_z, float least, bool aligned,
                 float* out) {
  __shared__ Shared shared;
  const int at = static_cast<int>(blockIdx.x);
  const int x = at % blocks_x * tile_edge * block_tiles;
  const int y = at / blocks_x % blocks_y * tile_edge;
  const int z = (at / blocks_x / blocks_y + first_z / tile_edge) * tile_edge;
  const Corner corner = {x + static_cast<int>(threadIdx.x / 32) * tile_edge, y, z};
  const bool outside = corner.x >= level.count[0];  // but the whole block lists
  const Box block = box_at({x, y, z}, {tile_edge * block_tiles, tile_edge, tile_edge}, level.count);
  const Box tile = box_at({corner.x, y, z}, {tile_edge, tile_edge, tile_edge}, level.count);
  Sums sums = {};
  for (int first = 0; first < level.chunk_count; first += threads) {
    const int count = list_chunks(level, block, first, shared);
    if (!outside) add_listed(level, tile, count, corner, shared, sums);
  }
  if (!outside) store(level, corner, first_z, count_z, least, aligned, sums, out);
}

/// One thread for each result.
__global__ void add_taps(Axis axis, Rows rows, const float* from, bool add, float least, float* to) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned inner = static_cast<unsigned>(rows.inner);
  const unsigned points = static_cast<unsigned>(rows.points);
  if (at >= inner * points * static_cast<unsigned>(rows.outer)) return;
  const int point = rows.first + static_cast<int>(at / inner % points);
  const int outer = static_cast<int>(at / inner / points);
  const std::size_t first = static_cast<std::size_t>(outer) * rows.rows_from + point * axis.under / axis.over;
  const float* value = from + first * inner + at % inner;
  const float* weights = axis.weights + point * axis.under % axis.over * axis.taps;
  float sum = 0;
  for (int tap = 0; tap < axis.taps; ++tap, value += inner) sum = fmaf(weights[tap], *value, sum);
  to[at] = fmaxf(add ? to[at] + sum : sum, least);
}

unsigned blocks_of(int points, int size) {
  return static_cast<unsigned>((points + size - 1) / size);
}

}  // namespace

void sum_products(const Level& level, int first_z, int count_z, float least, float* out,
                  const Stream& stream) {
  if (count_z <= 0) return;
  const unsigned blocks_x = blocks_of(level.count[0], tile_edge * block_tiles);
  const unsigned blocks_y = blocks_of(level.count[1], tile_edge);
  const int layers = (first_z + count_z - 1) / tile_edge - first_z / tile_edge + 1;
  const bool aligned = level.count[0] % 4 == 0 && reinterpret_cast<std::size_t>(out) % 16 == 0;
  launch(add_products, dim3(blocks_x * blocks_y * static_cast<unsigned>(layers)), dim3(threads), 0, stream,
         level, static_cast<int>(blocks_x), static_cast<int>(blocks_y), first_z, count_z, least, aligned,
         out);
}

void interpolate(const Axis& axis, const Rows& rows, const float* from, bool add, float least, float* to,
                 const Stream& stream) {
  const std::size_t results = static_cast<std::size_t>(rows.outer) * rows.points * rows.inner;
  launch_each(add_taps, results, 256, stream, axis, rows, from, add, least, to);
}

}  // namespace isolume::gpu::products
