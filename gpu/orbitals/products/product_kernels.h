#pragma once

#include <cstddef>

#include "gpu/orbitals/reach.h"
#include "gpu/runtime/streams/stream_name.h"

/// Quadratic fields as sums of products of Gaussians (core/orbitals/product_levels.h).
///
/// A block of threads computes four *tiles* of 8 x 8 x 8 points, a warp each. Together the warps list the chunks of
/// products that reach the block; each then adds the products that reach its own tile, in the order of the list, which
/// does not depend on the slab:
///   poly(x, y, z) exp(-a r^2) = sum_i A_i(x) B_i(y, z),   A_i = x^i exp(-a x^2).
/// The A of four products at a time are in shared memory; each thread has the B of two points (y, z) in registers, and
/// the sums of their 16 points. Coarse grids are summed once for each device; their values are interpolated to a
/// slab along z, then y, then x.
///
/// Bound: C60's density in 6-31G* on 172 x 173 x 169 points, screened to 1e-7, is 3.2 GFLOP for 40,000 products on the
/// field's own grid, 4.6 for 18,000 on three coarse grids and 1.2 for their interpolation; 2.0 of the first two
/// would be left if tiles were no larger than spheres. These 9.0 GFLOP take 0.13 ms at 67 TFLOP/s FP32 of an H100. The
/// products are 6 MB, coarse grids 18 MB, the field 20 MB; with all passes of the interpolation, 0.3 GB are read and
/// written, 0.09 ms at 3.35 TB/s. Local columns (local_kernels.h) take 107 GFLOP.
namespace isolume::gpu::products {

inline constexpr int tile_edge = 8;
inline constexpr int block_tiles = 4;  ///< neighbours along x
inline constexpr int most_degree = 10;

struct alignas(16) Product {
  int nearest[3];  ///< the point nearest to its centre, which may lie beyond the grid,
  int degree;
  float offset[3];  ///< and that point's position from the centre
  float exponent;   ///< of 2
  unsigned coefficient;
  unsigned unused[3];
};

/// The products of one grid; addresses of a device's memory.
struct Level {
  const TermReach* reach;   ///< chunk_count * chunk_terms
  const Product* products;  ///< the same number
  const Chunk* chunks;
  const float* coefficients;
  int chunk_count;
  int count[3];
  float step[3];
};
/// Writes planes first_z .. first_z+count_z-1, which begin at `out`; values below `least` as that. All functions queue
/// their kernels.
void sum_products(const Level& level, int first_z, int count_z, float least, float* out,
                  const Stream& stream);

/// Interpolation of one axis: point n is sum_t weights[phase][t] c[first_tap + t], where n * under / over is the first
/// tap and n * under % over the phase.
struct Axis {
  const float* weights;
  int over;
  int under;
  int taps;
};
/// `outer` arrays, each of `rows_from` rows of `inner` values, from which `points` rows are made: those of the points
/// first .. first+points-1.
struct Rows {
  int outer;
  int inner;
  int rows_from;
  int first;
  int points;
};
/// Sets or adds to the results; sums below `least` are written as that.
void interpolate(const Axis& axis, const Rows& rows, const float* from, bool add, float least, float* to,
                 const Stream& stream);

}  // namespace isolume::gpu::products
