#pragma once

#include <cstddef>
#include <cstdint>

#include <cuda_runtime.h>

#include "gpu/runtime/streams/stream_name.h"

/// Kernels on volumes in device memory, x fastest: the functions of core/volumes/warp.h with the same definitions, and the
/// solution of the Helmholtz equation in Fourier space. At most 2^31 - 1 points.
///
/// All of them are limited by memory. Bytes that each moves for a point, neighbours and neighbouring samples coming from
/// caches, and the time of 2^21 (128^3) and 2^24 (256^3) points at 4.8 TB/s (computed, not measured):
///
///   warp              20 bytes   9 us    70 us
///   mismatch_force    20         9       70
///   solve_modes       24        11       84
///   largest_square    12         6       42
///   compose_step      36        16      126
///   jacobians         12         5       42
///   weighted_gradient 20         9       70   (16, 7 and 56 without weights)
///   convolve           8         3       28   along each axis
///   correlate         36        16      126   (32, 14 and 112 without weights)
///
/// A block of 256 threads works on 32 x 8 columns; a thread goes through `planes_at_once` points along z, whose neighbours
/// along z it has in registers. Sums and maxima are those of blocks first: their order depends on the size alone.
namespace isolume::gpu::volume_kernels {

struct Extents {
  std::int32_t nx, ny, nz;

  constexpr std::size_t count() const {
    return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny) * static_cast<std::size_t>(nz);
  }
};
/// Components of vectors, in arrays of their own.
struct Vectors {
  float *x, *y, *z;
};
struct ConstVectors {
  const float *x, *y, *z;

  ConstVectors(const float* along_x, const float* along_y, const float* along_z)
      : x(along_x), y(along_y), z(along_z) {}
  ConstVectors(const Vectors& other) : x(other.x), y(other.y), z(other.z) {}
};

inline constexpr int planes_at_once = 4;
/// Blocks of a kernel on that many points: the size of an array of their sums.
std::size_t block_count(Extents extents);

/// warped(p) = volume(p + u(p)), trilinear; outside, the nearest value inside. At least two points along x.
void warp(const float* volume, Extents extents, ConstVectors u, float* warped, const Stream& stream);

/// force = weight (fixed - warped) times the gradient of `warped` by central differences, one-sided at the border, of
/// these spacings (0: no component). The force's arrays have the extents `padded`, which are not smaller; it is 0 outside.
/// `weights`: null: 1. `sums`: for each block of `padded`, of weight (fixed - warped)^2.
void mismatch_force(const float* warped, const float* fixed, const float* weights, Extents extents,
                    float3 spacing, Extents padded, Vectors force, double* sums, const Stream& stream);

/// The gradient of `values` by the same differences, times a weight at each point (null: 1).
void weighted_gradient(const float* values, const float* weights, Extents extents, float3 spacing,
                       Extents padded, Vectors result, const Stream& stream);

/// Convolves along an axis with symmetric weights: weights[d] at the distances d and -d, up to `radius`. Outside, the nearest
/// value inside. `result` is not `values`.
void convolve(const float* values, Extents extents, int axis, const float* weights, int radius, float* result,
              const Stream& stream);

// The correlation of two images in windows (anatomy::Mismatch), whose means are made between these kernels. Weights are null for
// 1; the mean of weights then, too.

/// w F and w F^2.
void multiply_fixed(const float* fixed, const float* weights, std::size_t count, float* f, float* ff,
                    const Stream& stream);
/// The weights of windows are at least `least`; f and ff are divided by them.
void divide_by_weights(float* mean_weight, float least, std::size_t count, float* f, float* ff,
                       const Stream& stream);
/// Means in windows of the warped image W, of W^2 and of F W.
struct WarpedMeans {
  float *w, *ww, *fw;
};
/// w W, w W^2 and w F W.
void multiply_warped(const float* fixed, const float* warped, const float* weights, std::size_t count,
                     WarpedMeans products, const Stream& stream);
struct Windows {
  const float *f, *ff;  ///< means of F and F^2
  const float *weights, *mean_weight;
  float least_variance;
};
/// With P and Q the variances and K the covariance: a = 2 K / (P Q) and b = K^2 / (P Q^2), both times the weight and divided
/// by that of the window. Replaces w by 2 b w - a f, ww by a and fw by b. `sums`: for each of reduction_blocks(count), of
/// weight (1 - K^2 / (P Q)).
void correlate(const Windows& windows, std::size_t count, WarpedMeans means, double* sums,
               const Stream& stream);
std::size_t reduction_blocks(std::size_t count);
/// result = weight ((w + F ww) / 2 - W fw), of the smoothed numbers of correlate().
void correlation_weights(const float* fixed, const float* warped, const float* weights, std::size_t count,
                         WarpedMeans smoothed, float* result, const Stream& stream);

/// Symbols of differences for each wave number along an axis: (2 - 2 cos w) / h^2, and sin w / h.
struct Symbols {
  const float *laplacian, *slope;
};
/// Solves (1 - l2 laplacian - b grad div) v = f for Fourier modes, of which nx / 2 + 1 are stored along x, and multiplies
/// them by `scale`. The three components follow each other.
void solve_modes(float2* modes, Extents extents, const Symbols (&symbols)[3], float l2, float b, float scale,
                 const Stream& stream);

/// For each block of `extents`, the largest square of the vectors' lengths, their components times `factor`; the
/// arrays have the extents `padded`.
void largest_square(ConstVectors v, Extents extents, Extents padded, float3 factor, float* squares,
                    const Stream& stream);

/// result(p) = s v(p) + u(p + s v(p)), with a factor s for each axis, for steps of at most one voxel along each of them. The
/// arrays of v have the extents `padded`.
void compose_step(ConstVectors u, ConstVectors v, float3 scale, Extents extents, Extents padded,
                  Vectors result, const Stream& stream);

/// Determinants of the gradient of p + u(p), by central differences inside and one-sided ones at the border (volumes::
/// jacobian_range). For each block of `extents`: the least one, and how many are not above 0.
void jacobians(ConstVectors u, Extents extents, float* least, float* folded, const Stream& stream);
/// result[0] = the least of `count` numbers, result[1] = the sum of `folded`, which are whole numbers.
void reduce_jacobians(const float* least, const float* folded, std::size_t count, double* result,
                      const Stream& stream);

/// *sum = the sum of `sum_count` sums, *largest = the largest of `square_count` squares (0: unchanged).
void reduce(const double* sums, std::size_t sum_count, const float* squares, std::size_t square_count,
            double* sum, double* largest, const Stream& stream);

}  // namespace isolume::gpu::volume_kernels
