#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#include "gpu/volumes/volume_kernels.h"

namespace isolume::gpu::volume_kernels {
namespace {

constexpr unsigned threads = 256;
constexpr int columns_x = 32, columns_y = 8;
static_assert(columns_x * columns_y == threads);

constexpr int parts(int count, int size) {
  return (count + size - 1) / size;
}
dim3 blocks_of(Extents n) {
  return dim3(static_cast<unsigned>(parts(n.nx, columns_x)), static_cast<unsigned>(parts(n.ny, columns_y)),
              static_cast<unsigned>(parts(n.nz, planes_at_once)));
}

/// The thread's column, and the planes of its block.
struct Column {
  int x, y, first, last;

  __device__ __forceinline__ explicit Column(Extents n)
      : x(static_cast<int>(blockIdx.x * columns_x + threadIdx.x % columns_x)),
        y(static_cast<int>(blockIdx.y * columns_y + threadIdx.x / columns_x)),
        first(static_cast<int>(blockIdx.z) * planes_at_once),
        last(min(first + planes_at_once, n.nz)) {}
  __device__ __forceinline__ bool is_inside(Extents n) const { return x < n.nx && y < n.ny; }
};
__device__ __forceinline__ int index_of(Extents n, int x, int y, int z) {
  return (z * n.ny + y) * n.nx + x;
}
__device__ __forceinline__ unsigned block_number() {
  return (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
}

__device__ __forceinline__ float between(float a, float b, float part) {
  return fmaf(part, b - a, a);
}

/// The cell along an axis that a position lies in, and the fraction from its first to its second point.
struct Cell {
  int first;
  float fraction;

  __device__ __forceinline__ Cell(float place, int points) {
    place = fminf(fmaxf(place, 0.0F), static_cast<float>(points - 1));
    first = min(static_cast<int>(place), max(points - 2, 0));
    fraction = place - static_cast<float>(first);
  }
};

__global__ void __launch_bounds__(threads)
    warp_by(const float* __restrict__ volume, Extents n, ConstVectors u, float* __restrict__ warped) {
  const Column column(n);
  if (!column.is_inside(n)) return;
  const int along_y = n.ny > 1 ? n.nx : 0, along_z = n.nz > 1 ? n.nx * n.ny : 0;
#pragma unroll
  for (int k = 0; k < planes_at_once; ++k) {
    const int z = column.first + k;
    if (z >= column.last) return;
    const int at = index_of(n, column.x, column.y, z);
    const Cell cx(static_cast<float>(column.x) + u.x[at], n.nx),
        cy(static_cast<float>(column.y) + u.y[at], n.ny), cz(static_cast<float>(z) + u.z[at], n.nz);
    const float* const from = volume + index_of(n, cx.first, cy.first, cz.first);
    const auto row = [&](const float* first) { return between(first[0], first[1], cx.fraction); };
    const float low = between(row(from), row(from + along_y), cy.fraction);
    const float high = between(row(from + along_z), row(from + along_z + along_y), cy.fraction);
    warped[at] = between(low, high, cz.fraction);
  }
}

/// 1 / (spacing of two neighbours), for points inside and at the border.
struct Factors {
  float3 inside, border;
};
Factors factors_of(float3 spacing) {
  const auto inverse = [](float h) { return h > 0 ? 1 / h : 0.0F; };
  const float3 border{inverse(spacing.x), inverse(spacing.y), inverse(spacing.z)};
  return {{0.5F * border.x, 0.5F * border.y, 0.5F * border.z}, border};
}
__device__ __forceinline__ float factor_at(int index, int count, float inside, float border) {
  return index > 0 && index + 1 < count ? inside : border;
}

/// weight (fixed - warped), or, without `fixed`, the weight alone, times the gradient of `warped`.
template <bool is_mismatch>
__global__ void __launch_bounds__(threads)
    force_of(const float* __restrict__ warped, const float* __restrict__ fixed,
             const float* __restrict__ weights, Extents n, Factors factors, Extents padded, Vectors force,
             double* __restrict__ sums) {
  const Column column(padded);
  const int plane = n.nx * n.ny;
  float sum = 0;
  if (column.is_inside(padded)) {
    const bool is_inside = column.is_inside(n);
    const int before_x = column.x > 0 ? 1 : 0, after_x = column.x + 1 < n.nx ? 1 : 0;
    const int before_y = column.y > 0 ? n.nx : 0, after_y = column.y + 1 < n.ny ? n.nx : 0;
    const float factor_x = factor_at(column.x, n.nx, factors.inside.x, factors.border.x);
    const float factor_y = factor_at(column.y, n.ny, factors.inside.y, factors.border.y);
    float before = 0, here = 0;
    if (is_inside && column.first < n.nz) {
      const float* const from = warped + index_of(n, column.x, column.y, column.first);
      here = *from;
      before = column.first > 0 ? from[-plane] : here;
    }
#pragma unroll
    for (int k = 0; k < planes_at_once; ++k) {
      const int z = column.first + k;
      if (z >= column.last) break;
      const int to = index_of(padded, column.x, column.y, z);
      if (!is_inside || z >= n.nz) {
        force.x[to] = 0;
        force.y[to] = 0;
        force.z[to] = 0;
        continue;
      }
      const int at = index_of(n, column.x, column.y, z);
      const float* const from = warped + at;
      const float after = z + 1 < n.nz ? from[plane] : here;
      float weighted = weights != nullptr ? weights[at] : 1.0F;
      if constexpr (is_mismatch) {
        const float difference = fixed[at] - here;
        weighted *= difference;
        sum += weighted * difference;
      }
      force.x[to] = weighted * (factor_x * (from[after_x] - from[-before_x]));
      force.y[to] = weighted * (factor_y * (from[after_y] - from[-before_y]));
      force.z[to] = weighted * (factor_at(z, n.nz, factors.inside.z, factors.border.z) * (after - before));
      before = here;
      here = after;
    }
  }
  if constexpr (is_mismatch) {
    __shared__ double of_threads[threads];
    reduce_block(of_threads, static_cast<double>(sum), [](double& all, double other) { all += other; });
    if (threadIdx.x == 0) sums[block_number()] = of_threads[0];
  }
}

/// Points of a thread of a kernel that sums over all points.
constexpr unsigned points_a_thread = 4;
__device__ __forceinline__ std::size_t own_index() {
  return static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
}
__device__ __forceinline__ float weight_at(const float* weights, std::size_t at) {
  return weights != nullptr ? weights[at] : 1.0F;
}

__global__ void __launch_bounds__(threads)
    multiply_fixed_by(const float* __restrict__ fixed, const float* __restrict__ weights, std::size_t count,
                      float* __restrict__ f, float* __restrict__ ff) {
  const std::size_t at = own_index();
  if (at >= count) return;
  f[at] = weight_at(weights, at) * fixed[at];
  ff[at] = f[at] * fixed[at];
}

__global__ void __launch_bounds__(threads)
    divide_by(float* __restrict__ mean_weight, float least, std::size_t count, float* __restrict__ f,
              float* __restrict__ ff) {
  const std::size_t at = own_index();
  if (at >= count) return;
  const float weight = fmaxf(mean_weight[at], least);
  mean_weight[at] = weight;
  f[at] /= weight;
  ff[at] /= weight;
}

__global__ void __launch_bounds__(threads)
    multiply_warped_by(const float* __restrict__ fixed, const float* __restrict__ warped,
                       const float* __restrict__ weights, std::size_t count, WarpedMeans products) {
  const std::size_t at = own_index();
  if (at >= count) return;
  const float value = warped[at], weighted = weight_at(weights, at) * value;
  products.w[at] = weighted;
  products.ww[at] = weighted * value;
  products.fw[at] = weighted * fixed[at];
}

__global__ void __launch_bounds__(threads)
    correlate_by(Windows windows, std::size_t count, WarpedMeans means, double* __restrict__ sums) {
  __shared__ double of_threads[threads];
  float sum = 0;
  for (unsigned k = 0; k < points_a_thread; ++k) {
    const std::size_t at =
        (static_cast<std::size_t>(blockIdx.x) * points_a_thread + k) * threads + threadIdx.x;
    if (at >= count) break;
    const float own = weight_at(windows.weights, at), there = weight_at(windows.mean_weight, at);
    const float f = windows.f[at], w = means.w[at] / there, ww = means.ww[at] / there,
                fw = means.fw[at] / there;
    const float p = fmaxf(windows.ff[at] - f * f, 0.0F) + windows.least_variance;
    const float q = fmaxf(ww - w * w, 0.0F) + windows.least_variance;
    const float k_fw = fw - f * w, square = k_fw * k_fw / (p * q), part = own / there;
    const float a = part * 2 * k_fw / (p * q), b = part * square / q;
    means.ww[at] = a;
    means.fw[at] = b;
    means.w[at] = 2 * b * w - a * f;
    sum += own * (1 - square);
  }
  reduce_block(of_threads, static_cast<double>(sum), [](double& all, double other) { all += other; });
  if (threadIdx.x == 0) sums[blockIdx.x] = of_threads[0];
}

__global__ void __launch_bounds__(threads)
    weigh_correlation(const float* __restrict__ fixed, const float* __restrict__ warped,
                      const float* __restrict__ weights, std::size_t count, WarpedMeans smoothed,
                      float* __restrict__ result) {
  const std::size_t at = own_index();
  if (at >= count) return;
  result[at] = weight_at(weights, at) *
               (0.5F * (smoothed.w[at] + fixed[at] * smoothed.ww[at]) - warped[at] * smoothed.fw[at]);
}

struct AllSymbols {
  Symbols axes[3];
};
/// The inverse of a + b s s^T is (1 - b s s^T / (a + b |s|^2)) / a (Sherman and Morrison).
__global__ void __launch_bounds__(threads)
    solve_modes_of(float2* __restrict__ modes, Extents n, std::size_t count, AllSymbols symbols, float l2,
                   float b, float scale) {
  const std::size_t at = static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
  if (at >= count) return;
  const auto half = static_cast<unsigned>(n.nx / 2 + 1), ny = static_cast<unsigned>(n.ny);
  const auto row = static_cast<unsigned>(at / half);
  const auto x = static_cast<unsigned>(at - static_cast<std::size_t>(row) * half);
  const unsigned z = row / ny, y = row - z * ny;
  const Symbols *const ax = &symbols.axes[0], *const ay = &symbols.axes[1], *const az = &symbols.axes[2];
  const float a = 1 + l2 * (ay->laplacian[y] + az->laplacian[z]) + l2 * ax->laplacian[x];
  float2 v[3] = {modes[at], modes[at + count], modes[at + 2 * count]};
  if (b != 0) {
    const float s[3] = {ax->slope[x], ay->slope[y], az->slope[z]};
    const float part = b / (a + b * (s[0] * s[0] + s[1] * s[1] + s[2] * s[2]));
    const float2 divergence{part * (s[0] * v[0].x + s[1] * v[1].x + s[2] * v[2].x),
                            part * (s[0] * v[0].y + s[1] * v[1].y + s[2] * v[2].y)};
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      v[axis].x -= divergence.x * s[axis];
      v[axis].y -= divergence.y * s[axis];
    }
  }
  const float factor = scale / a;
  modes[at] = {factor * v[0].x, factor * v[0].y};
  modes[at + count] = {factor * v[1].x, factor * v[1].y};
  modes[at + 2 * count] = {factor * v[2].x, factor * v[2].y};
}

__global__ void __launch_bounds__(threads)
    largest_square_of(ConstVectors v, Extents n, Extents padded, float3 factor, float* __restrict__ squares) {
  __shared__ float of_threads[threads];
  const Column column(n);
  float largest = 0;
  if (column.is_inside(n)) {
#pragma unroll
    for (int k = 0; k < planes_at_once; ++k) {
      const int z = column.first + k;
      if (z >= column.last) break;
      const int at = index_of(padded, column.x, column.y, z);
      const float x = factor.x * v.x[at], y = factor.y * v.y[at], length_z = factor.z * v.z[at];
      largest = fmaxf(largest, fmaf(length_z, length_z, fmaf(y, y, x * x)));
    }
  }
  reduce_block(of_threads, largest, [](float& all, float other) { all = fmaxf(all, other); });
  if (threadIdx.x == 0) squares[block_number()] = of_threads[0];
}

/// The difference along an axis from the point before to the point after, over the voxels between them.
struct Difference {
  int before, after;
  float factor;

  __device__ __forceinline__ Difference(int index, int count, int stride)
      : before(index > 0 ? -stride : 0),
        after(index + 1 < count ? stride : 0),
        factor(index > 0 && index + 1 < count ? 0.5F : 1.0F) {}
  __device__ __forceinline__ float operator()(const float* at) const {
    return factor * (at[after] - at[before]);
  }
};

__global__ void __launch_bounds__(threads)
    jacobians_of(ConstVectors u, Extents n, float* __restrict__ least, float* __restrict__ folded) {
  __shared__ float leasts[threads], counts[threads];
  const Column column(n);
  float own_least = FLT_MAX, own_folded = 0;
  if (column.is_inside(n)) {
    const Difference along_x(column.x, n.nx, 1), along_y(column.y, n.ny, n.nx);
    for (int z = column.first; z < column.last; ++z) {
      const Difference along_z(z, n.nz, n.nx * n.ny);
      const int at = index_of(n, column.x, column.y, z);
      const float *const a = u.x + at, *const b = u.y + at, *const c = u.z + at;
      const float axx = 1 + along_x(a), axy = along_y(a), axz = along_z(a);
      const float ayx = along_x(b), ayy = 1 + along_y(b), ayz = along_z(b);
      const float azx = along_x(c), azy = along_y(c), azz = 1 + along_z(c);
      const float determinant =
          axx * (ayy * azz - ayz * azy) - axy * (ayx * azz - ayz * azx) + axz * (ayx * azy - ayy * azx);
      own_least = fminf(own_least, determinant);
      if (!(determinant > 0)) own_folded += 1;
    }
  }
  reduce_block(leasts, own_least, [](float& all, float other) { all = fminf(all, other); });
  reduce_block(counts, own_folded, [](float& all, float other) { all += other; });
  if (threadIdx.x != 0) return;
  least[block_number()] = leasts[0];
  folded[block_number()] = counts[0];
}

__global__ void __launch_bounds__(threads)
    reduce_jacobians_of(const float* __restrict__ least, const float* __restrict__ folded, std::size_t count,
                        double* result) {
  __shared__ double leasts[threads], counts[threads];
  double own_least = static_cast<double>(FLT_MAX), own_folded = 0;
  for (std::size_t i = threadIdx.x; i < count; i += threads) {
    own_least = fmin(own_least, static_cast<double>(least[i]));
    own_folded += static_cast<double>(folded[i]);
  }
  reduce_block(leasts, own_least, [](double& all, double other) { all = fmin(all, other); });
  reduce_block(counts, own_folded, [](double& all, double other) { all += other; });
  if (threadIdx.x != 0) return;
  result[0] = leasts[0];
  result[1] = counts[0];
}

/// The two points along an axis about a position that lies by a step of at most 1 from a point. The fraction comes from
/// the step, and not from the position, which would lose digits.
struct Near {
  int first, second;
  float fraction;

  __device__ __forceinline__ Near(int index, float step, int count) {
    const int below = step < 0 ? index - 1 : index;
    fraction = step < 0 ? step + 1 : step;
    first = max(below, 0);
    second = min(below + 1, count - 1);
  }
};

__global__ void __launch_bounds__(threads)
    compose_step_of(ConstVectors u, ConstVectors v, float3 scale, Extents n, Extents padded, Vectors result) {
  const Column column(n);
  if (!column.is_inside(n)) return;
  for (int z = column.first; z < column.last; ++z) {
    const int from = index_of(padded, column.x, column.y, z);
    const float step_x = scale.x * v.x[from], step_y = scale.y * v.y[from], step_z = scale.z * v.z[from];
    const Near x(column.x, step_x, n.nx), y(column.y, step_y, n.ny), z_near(z, step_z, n.nz);
    const int rows[4] = {index_of(n, 0, y.first, z_near.first), index_of(n, 0, y.second, z_near.first),
                         index_of(n, 0, y.first, z_near.second), index_of(n, 0, y.second, z_near.second)};
    const auto at = [&](const float* component) {
      const auto along_x = [&](int row) {
        return between(component[row + x.first], component[row + x.second], x.fraction);
      };
      return between(between(along_x(rows[0]), along_x(rows[1]), y.fraction),
                     between(along_x(rows[2]), along_x(rows[3]), y.fraction), z_near.fraction);
    };
    const int to = index_of(n, column.x, column.y, z);
    result.x[to] = step_x + at(u.x);
    result.y[to] = step_y + at(u.y);
    result.z[to] = step_z + at(u.z);
  }
}

__global__ void __launch_bounds__(threads)
    reduce_all(const double* __restrict__ sums, std::size_t sum_count, const float* __restrict__ squares,
               std::size_t square_count, double* sum, double* largest) {
  __shared__ double of_threads[threads];
  double own = 0;
  for (std::size_t i = threadIdx.x; i < sum_count; i += threads) own += sums[i];
  reduce_block(of_threads, own, [](double& all, double other) { all += other; });
  if (threadIdx.x == 0) *sum = of_threads[0];
  if (square_count == 0) return;
  __syncthreads();  // the sum has been read
  float square = 0;
  for (std::size_t i = threadIdx.x; i < square_count; i += threads) square = fmaxf(square, squares[i]);
  reduce_block(of_threads, static_cast<double>(square),
               [](double& all, double other) { all = other > all ? other : all; });
  if (threadIdx.x == 0) *largest = of_threads[0];
}

}  // namespace

std::size_t block_count(Extents extents) {
  const dim3 blocks = blocks_of(extents);
  return std::size_t{blocks.x} * blocks.y * blocks.z;
}

void warp(const float* volume, Extents extents, ConstVectors u, float* warped, const Stream& stream) {
  launch(warp_by, blocks_of(extents), dim3(threads), 0, stream, volume, extents, u, warped);
}

void mismatch_force(const float* warped, const float* fixed, const float* weights, Extents extents,
                    float3 spacing, Extents padded, Vectors force, double* sums, const Stream& stream) {
  launch(force_of<true>, blocks_of(padded), dim3(threads), 0, stream, warped, fixed, weights, extents,
         factors_of(spacing), padded, force, sums);
}

void weighted_gradient(const float* values, const float* weights, Extents extents, float3 spacing,
                       Extents padded, Vectors result, const Stream& stream) {
  launch(force_of<false>, blocks_of(padded), dim3(threads), 0, stream, values, nullptr, weights, extents,
         factors_of(spacing), padded, result, nullptr);
}

void multiply_fixed(const float* fixed, const float* weights, std::size_t count, float* f, float* ff,
                    const Stream& stream) {
  launch_each(multiply_fixed_by, count, threads, stream, fixed, weights, count, f, ff);
}

void divide_by_weights(float* mean_weight, float least, std::size_t count, float* f, float* ff,
                       const Stream& stream) {
  launch_each(divide_by, count, threads, stream, mean_weight, least, count, f, ff);
}

void multiply_warped(const float* fixed, const float* warped, const float* weights, std::size_t count,
                     WarpedMeans products, const Stream& stream) {
  launch_each(multiply_warped_by, count, threads, stream, fixed, warped, weights, count, products);
}

std::size_t reduction_blocks(std::size_t count) {
  return blocks_for(count, points_a_thread * threads);
}

void correlate(const Windows& windows, std::size_t count, WarpedMeans means, double* sums,
               const Stream& stream) {
  launch(correlate_by, dim3(static_cast<unsigned>(reduction_blocks(count))), dim3(threads), 0, stream,
         windows, count, means, sums);
}

void correlation_weights(const float* fixed, const float* warped, const float* weights, std::size_t count,
                         WarpedMeans smoothed, float* result, const Stream& stream) {
  launch_each(weigh_correlation, count, threads, stream, fixed, warped, weights, count, smoothed, result);
}

void solve_modes(float2* modes, Extents extents, const Symbols (&symbols)[3], float l2, float b, float scale,
                 const Stream& stream) {
  const std::size_t count = Extents{extents.nx / 2 + 1, extents.ny, extents.nz}.count();
  launch_each(solve_modes_of, count, threads, stream, modes, extents, count,
              AllSymbols{{symbols[0], symbols[1], symbols[2]}}, l2, b, scale);
}

void largest_square(ConstVectors v, Extents extents, Extents padded, float3 factor, float* squares,
                    const Stream& stream) {
  launch(largest_square_of, blocks_of(extents), dim3(threads), 0, stream, v, extents, padded, factor,
         squares);
}

void compose_step(ConstVectors u, ConstVectors v, float3 scale, Extents extents, Extents padded,
                  Vectors result, const Stream& stream) {
  launch(compose_step_of, blocks_of(extents), dim3(threads), 0, stream, u, v, scale, extents, padded, result);
}

void jacobians(ConstVectors u, Extents extents, float* least, float* folded, const Stream& stream) {
  launch(jacobians_of, blocks_of(extents), dim3(threads), 0, stream, u, extents, least, folded);
}

void reduce_jacobians(const float* least, const float* folded, std::size_t count, double* result,
                      const Stream& stream) {
  launch(reduce_jacobians_of, dim3(1), dim3(threads), 0, stream, least, folded, count, result);
}

void reduce(const double* sums, std::size_t sum_count, const float* squares, std::size_t square_count,
            double* sum, double* largest, const Stream& stream) {
  launch(reduce_all, dim3(1), dim3(threads), 0, stream, sums, sum_count, squares, square_count, sum, largest);
}

}  // namespace isolume::gpu::volume_kernels
