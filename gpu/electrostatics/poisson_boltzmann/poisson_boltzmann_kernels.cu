#include <algorithm>

#include "core/electrostatics/poisson_boltzmann/level.h"
#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_kernels.h"
#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::equation_kernels {
namespace {

constexpr unsigned threads = 256;
/// One block relaxes a level of at most this many points repeatedly, in less time than launches take.
constexpr std::uint32_t points_of_a_block = 4096;
constexpr unsigned most_threads_of_coarsest = 512;

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

template <bool zero>
__device__ __forceinline__ void relax_point(const LevelArrays& level, Inside at) {
  const Neighbours near = neighbours_of<zero>(level, level.z, at);
  level.z[at.own] = (level.r[at.own] + near.sum) / (near.links + level.d[at.own]);
}

template <bool zero>
__global__ void __launch_bounds__(threads) relax_colour(LevelArrays level, std::uint32_t colour) {
  Inside at;
  const std::uint32_t place = blockIdx.x * threads + threadIdx.x;
  if (place < places_of_colour(level) && find_of_colour(level, colour, place, at))
    relax_point<zero>(level, at);
}

template <bool zero>
__device__ void relax_in_block(const LevelArrays& level, std::uint32_t colour) {
  Inside at;
  for (std::uint32_t place = threadIdx.x; place < places_of_colour(level); place += blockDim.x)
    if (find_of_colour(level, colour, place, at)) relax_point<zero>(level, at);
  __syncthreads();
}

__global__ void __launch_bounds__(most_threads_of_coarsest) solve_in_block(LevelArrays level, int sweeps) {
  for (int i = 0; i < sweeps; ++i) {
    if (i == 0) {
      relax_in_block<true>(level, 0);
    } else {
      relax_in_block<false>(level, 0);
    }
    relax_in_block<false>(level, 1);
  }
  for (int i = 0; i < sweeps; ++i) {
    relax_in_block<false>(level, 1);
    relax_in_block<false>(level, 0);
  }
}

/// An inner point of the coarse level; false after the last one.
struct Coarse {
  std::uint32_t i, j, k;
};
__device__ __forceinline__ bool find_coarse(const LevelArrays& coarse, std::uint32_t place, Coarse& found) {
  const std::uint32_t nx = coarse.nx - 2, ny = coarse.ny - 2;
  found = {place % nx + 1, place / nx % ny + 1, place / nx / ny + 1};
  return found.k < coarse.nz - 1;
}

__device__ __forceinline__ float residual_at(const LevelArrays& level, std::uint32_t i, std::uint32_t row) {
  Inside at;
  find_inside(level, row, i & 1, i / 2, at);
  const Neighbours near = neighbours_of(level, level.z, at);
  return level.r[at.own] + near.sum - (near.links + level.d[at.own]) * level.z[at.own];
}

template <bool residuals>
__global__ void __launch_bounds__(threads) restrict_point(LevelArrays fine, LevelArrays coarse) {
  Coarse to;
  if (!find_coarse(coarse, blockIdx.x * threads + threadIdx.x, to)) return;
  float sum = 0;
  for (int dk = -1; dk <= 1; ++dk) {
    for (int dj = -1; dj <= 1; ++dj) {
      const std::uint32_t row = row_of(fine, 2 * to.j + dj, 2 * to.k + dk);
      const float weight = (dk == 0 ? 1.0f : 0.5f) * (dj == 0 ? 1.0f : 0.5f);
      if (!residuals) {
        const std::uint32_t even = row + to.i, odd = row + half_of(fine) + to.i;
        sum += weight * (fine.r[even] + 0.5f * (fine.r[odd - 1] + fine.r[odd]));
      } else if (((dj + dk) & 1) == 0) {  // in a row, either even or odd points have the parity
        sum += weight * residual_at(fine, 2 * to.i, row);
      } else {
        sum += 0.5f * weight * (residual_at(fine, 2 * to.i - 1, row) + residual_at(fine, 2 * to.i + 1, row));
      }
    }
  }
  coarse.r[row_of(coarse, to.j, to.k) + in_row(coarse, to.i)] = sum;
}

template <bool add>
__global__ void __launch_bounds__(threads)
    prolong_colour(LevelArrays coarse, std::uint32_t colour, LevelArrays fine) {
  const std::uint32_t place = blockIdx.x * threads + threadIdx.x;
  if (place >= places_of_colour(fine)) return;
  const std::uint32_t width = fine.nx / 2, rows = place / width, m = place % width;
  const std::uint32_t j = rows % (fine.ny - 2) + 1, k = rows / (fine.ny - 2) + 1;
  const std::uint32_t parity = (colour + j + k) & 1;
  Inside at;
  if (!find_inside(fine, row_of(fine, j, k), parity, m, at)) return;
  // Gathers from one, two or four coarse rows.
  const std::uint32_t row = row_of(coarse, j / 2, k / 2), up = j % 2 == 0 ? 0 : coarse.nx,
                      above = k % 2 == 0 ? 0 : plane_of(coarse);
  const auto mean = [&](std::uint32_t i) {
    const float* const a = coarse.z + row + in_row(coarse, i);
    return 0.25f * ((a[0] + a[up]) + (a[above] + a[above + up]));
  };
  const float value = parity == 0 ? mean(m) : 0.5f * (mean(m) + mean(m + 1));
  fine.z[at.own] = add ? fine.z[at.own] + value : value;
}

/// Weights of links across, see grid_transfer.h: 1, 2, 1.
__device__ __forceinline__ float across(int offset) {
  return offset == 0 ? 0.5f : 0.25f;
}
constexpr float beside = 4;
/// Two links in series.
__device__ __forceinline__ float in_a_row(float a, float b) {
  return a * b / (a + b);
}

__device__ float link_along_x(const LevelArrays& fine, Coarse at) {
  float sum = 0;
  for (int dk = -1; dk <= 1; ++dk) {
    for (int dj = -1; dj <= 1; ++dj) {
      const float* const row = fine.gx + row_of(fine, 2 * at.j + dj, 2 * at.k + dk) + at.i;
      sum += beside * across(dj) * across(dk) * in_a_row(row[0], row[half_of(fine)]);
    }
  }
  return sum;
}

/// Along y or z: `next` leads from a row to the next one along the axis, `side` to the next one across.
__device__ float link_along(const float* g, const LevelArrays& fine, Coarse at, std::uint32_t next,
                            std::uint32_t side) {
  const float* const row = g + row_of(fine, 2 * at.j, 2 * at.k) - side;
  float sum = 0;
  for (int d = -1; d <= 1; ++d) {
    for (int di = -1; di <= 1; ++di) {
      const float* const a = row + side * static_cast<std::uint32_t>(d + 1) + in_row(fine, 2 * at.i + di);
      sum += beside * across(d) * across(di) * in_a_row(a[0], a[next]);
    }
  }
  return sum;
}

__device__ float ions_at(const LevelArrays& fine, Coarse at) {
  float sum = 0;
  for (int dk = -1; dk <= 1; ++dk) {
    for (int dj = -1; dj <= 1; ++dj) {
      for (int di = -1; di <= 1; ++di) {
        const float d = fine.d[row_of(fine, 2 * at.j + dj, 2 * at.k + dk) + in_row(fine, 2 * at.i + di)];
        sum += 8 * across(di) * across(dj) * across(dk) * d;
      }
    }
  }
  return sum;
}

template <bool links>
__global__ void __launch_bounds__(threads) coarsen_point(LevelArrays fine, LevelArrays coarse) {
  const std::uint32_t place = blockIdx.x * threads + threadIdx.x, nx = coarse.nx, ny = coarse.ny;
  if (place >= nx * ny * coarse.nz) return;
  const Coarse at{place % nx, place / nx % ny, place / nx / ny};
  const std::uint32_t to = row_of(coarse, at.j, at.k) + in_row(coarse, at.i);
  const bool inside_i =
      at.i > 0 && at.i<nx - 1, inside_j = at.j> 0 && at.j<ny - 1, inside_k = at.k> 0 && at.k < coarse.nz - 1;
  coarse.d[to] = inside_i && inside_j && inside_k ? ions_at(fine, at) : 0.0f;
  if (!links) return;
  coarse.gx[to] = at.i < nx - 1 && inside_j && inside_k ? link_along_x(fine, at) : 0.0f;
  coarse.gy[to] =
      inside_i && at.j < ny - 1 && inside_k ? link_along(fine.gy, fine, at, fine.nx, plane_of(fine)) : 0.0f;
  coarse.gz[to] = inside_i && inside_j && at.k < coarse.nz - 1
                      ? link_along(fine.gz, fine, at, plane_of(fine), fine.nx)
                      : 0.0f;
}

/// Like electrostatics::clamped_sinh; an error below the last digit of 1 is negligible in a residual.
template <class Real>
__device__ __forceinline__ Real sinh_of(Real u) {
  const Real most = static_cast<Real>(electrostatics::most_potential_of_ions), magnitude = fabs(u);
  const Real within = magnitude < most ? magnitude : most;
  const Real e = exp(within), inverse = 1 / e;
  const Real half = static_cast<Real>(0.5);
  const Real value = half * (e - inverse) + half * (e + inverse) * (magnitude - within);
  return u < 0 ? -value : value;
}
template <class Real>
__device__ __forceinline__ Real cosh_of(Real u) {
  const Real most = static_cast<Real>(electrostatics::most_potential_of_ions), magnitude = fabs(u);
  const Real e = exp(magnitude < most ? magnitude : most);
  return static_cast<Real>(0.5) * (e + 1 / e);
}

/// Links times the difference to the neighbours, less the ionic term.
template <class Real>
__device__ __forceinline__ Real left_at(const LevelArrays& level, const Real* u, Real ion_strength,
                                        Inside at) {
  const std::uint32_t nx = level.nx, plane = plane_of(level);
  const Real here = u[at.own];
  const auto flow = [&](float g, std::uint32_t from) { return static_cast<Real>(g) * (u[from] - here); };
  Real sum = flow(level.gx[at.left], at.left);
  sum += flow(level.gx[at.own], at.left + 1);
  sum += flow(level.gy[at.own - nx], at.own - nx);
  sum += flow(level.gy[at.own], at.own + nx);
  sum += flow(level.gz[at.own - plane], at.own - plane);
  sum += flow(level.gz[at.own], at.own + plane);
  const float d = level.d[at.own];
  if (!(ion_strength > 0)) return sum - static_cast<Real>(d) * here;
  return d > 0 ? sum - ion_strength * sinh_of(here) : sum;
}

template <class Real>
__global__ void __launch_bounds__(threads) residual_of(LevelArrays level, const Real* u, Real ion_strength) {
  Inside at;
  const std::uint32_t place = blockIdx.x * threads + threadIdx.x;
  if (place >= places_inside(level) || !find_place(level, place, at)) return;
  level.r[at.own] = static_cast<float>(left_at(level, u, ion_strength, at));
}

/// At a charge, it and the other terms are almost equal: they are subtracted before rounding.
template <class Real>
__global__ void __launch_bounds__(threads)
    residual_of_charges(LevelArrays level, const Real* u, Real ion_strength, const PointCharge* charges,
                        std::uint32_t count) {
  const std::uint32_t number = blockIdx.x * threads + threadIdx.x;
  if (number >= count) return;
  const PointCharge charge = charges[number];
  const std::uint32_t half = half_of(level);
  const Inside at{charge.at, charge.at % level.nx < half ? charge.at + half - 1 : charge.at - half};
  level.r[at.own] = static_cast<float>(static_cast<Real>(charge.value) + left_at(level, u, ion_strength, at));
}

/// Stores the block's sum at the block's number.
__device__ void store_part(double value, double* parts) {
  __shared__ double sums[threads];
  __syncthreads();  // the previous one has been read
  reduce_block(sums, value, [](double& sum, double other) { sum += other; });
  if (threadIdx.x == 0) parts[blockIdx.x] = sums[0];
}
/// The stride with which all blocks together iterate over the points.
__device__ __forceinline__ std::uint32_t stride_of_all() {
  return gridDim.x * threads;
}

/// Adds the partial sums; unused parts are 0.
__global__ void __launch_bounds__(threads) reduce_parts(const double* parts, double* out) {
  double sum = 0;
  for (unsigned i = threadIdx.x; i < most_parts; i += threads) sum += parts[blockIdx.x * most_parts + i];
  store_part(sum, out);
}

__global__ void __launch_bounds__(threads)
    dot_parts(const float* a, const float* b, std::uint32_t count, double* parts) {
  double sum = 0;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += stride_of_all())
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  store_part(sum, parts);
}

__global__ void __launch_bounds__(threads)
    direction_of(const float* z, float beta, float* p, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) p[i] = beta == 0 ? z[i] : z[i] + beta * p[i];
}

__global__ void __launch_bounds__(threads) apply_to(LevelArrays level, const float* p, double* parts) {
  double sum = 0;
  Inside at;
  for (std::uint32_t place = blockIdx.x * threads + threadIdx.x; place < places_inside(level);
       place += stride_of_all()) {
    if (!find_place(level, place, at)) continue;
    const Neighbours near = neighbours_of(level, p, at);
    const float here = p[at.own], value = (near.links + level.d[at.own]) * here - near.sum;
    level.z[at.own] = value;
    sum += static_cast<double>(here) * static_cast<double>(value);
  }
  store_part(sum, parts);
}

template <class Real>
__global__ void __launch_bounds__(threads) step_along(float alpha, const float* p, const float* w, Real* u,
                                                      float* r, std::uint32_t count, double* parts) {
  double sum = 0;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += stride_of_all()) {
    u[i] += static_cast<Real>(alpha) * static_cast<Real>(p[i]);
    const float left = r[i] - alpha * w[i];
    r[i] = left;
    sum += static_cast<double>(left) * static_cast<double>(left);
  }
  store_part(sum, parts);
}

template <class Real>
__global__ void __launch_bounds__(threads) add_to(Real part, const float* z, Real* u, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count) u[i] += part * static_cast<Real>(z[i]);
}

template <class Real>
__global__ void __launch_bounds__(threads)
    linearise_at(float* d, const Real* u, Real ion_strength, std::uint32_t count) {
  const std::uint32_t i = blockIdx.x * threads + threadIdx.x;
  if (i < count && d[i] > 0) d[i] = static_cast<float>(ion_strength * cosh_of(u[i]));
}

template <class Real>
__global__ void __launch_bounds__(threads)
    change_parts(const float* d, const Real* u, const float* change, double ion_strength, double part,
                 std::uint32_t count, double* parts) {
  double work = 0, curvature = 0;
  for (std::uint32_t i = blockIdx.x * threads + threadIdx.x; i < count; i += stride_of_all()) {
    const double ions = d[i], by = change[i];
    if (!(ions > 0) || by == 0) continue;
    work += ion_strength * sinh_of(static_cast<double>(u[i]) + part * by) * by;
    curvature += ions * by * by;
  }
  store_part(work, parts);
  store_part(curvature, parts + most_parts);
}

/// For kernels that leave partial sums.
dim3 parts_for(std::uint32_t count) {
  return dim3(std::min(blocks_for(count, threads), most_parts));
}
std::uint32_t count_of(const LevelArrays& level) {
  return level.nx * level.ny * level.nz;
}
std::uint32_t count_inside(const LevelArrays& level) {
  return (level.nx - 2) * (level.ny - 2) * (level.nz - 2);
}

}  // namespace

void reduce_partial_sums(const double* parts, int sums, double* out, const Stream& stream) {
  launch(reduce_parts, dim3(static_cast<unsigned>(sums)), dim3(threads), 0, stream, parts, out);
}

void relax(const LevelArrays& level, int colour, bool neighbours_are_zero, const Stream& stream) {
  launch_each(neighbours_are_zero ? relax_colour<true> : relax_colour<false>, places_of_colour(level),
              threads, stream, level, static_cast<std::uint32_t>(colour));
}

void solve_coarsest(const LevelArrays& level, int sweeps, const Stream& stream) {
  if (count_of(level) <= points_of_a_block) {
    const unsigned wanted = (places_of_colour(level) + 31) / 32 * 32;
    launch(solve_in_block, dim3(1), dim3(std::min(wanted, most_threads_of_coarsest)), 0, stream, level,
           sweeps);
    return;
  }
  for (int i = 0; i < sweeps; ++i) {
    relax(level, 0, i == 0, stream);
    relax(level, 1, false, stream);
  }
  for (int i = 0; i < sweeps; ++i) {
    relax(level, 1, false, stream);
    relax(level, 0, false, stream);
  }
}

void restrict_residual(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream) {
  launch_each(restrict_point<true>, count_inside(coarse), threads, stream, fine, coarse);
}

void restrict_known(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream) {
  launch_each(restrict_point<false>, count_inside(coarse), threads, stream, fine, coarse);
}

void prolong(const LevelArrays& coarse, int colour, bool add, const LevelArrays& fine, const Stream& stream) {
  launch_each(add ? prolong_colour<true> : prolong_colour<false>, places_of_colour(fine), threads, stream,
              coarse, static_cast<std::uint32_t>(colour), fine);
}

void coarsen(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream) {
  launch_each(coarsen_point<true>, count_of(coarse), threads, stream, fine, coarse);
}

void coarsen_ions(const LevelArrays& fine, const LevelArrays& coarse, const Stream& stream) {
  launch_each(coarsen_point<false>, count_of(coarse), threads, stream, fine, coarse);
}

template <class Real>
void residual(const LevelArrays& level, const Real* u, double ion_strength, const PointCharge* charges,
              std::uint32_t count, const Stream& stream) {
  const Real ions = static_cast<Real>(ion_strength);
  launch_each(residual_of<Real>, places_inside(level), threads, stream, level, u, ions);
  if (count == 0) return;
  launch_each(residual_of_charges<Real>, count, threads, stream, level, u, ions, charges, count);
}

void dot(const float* a, const float* b, std::uint32_t count, double* parts, const Stream& stream) {
  launch(dot_parts, parts_for(count), dim3(threads), 0, stream, a, b, count, parts);
}

void direction(const float* z, float beta, float* p, std::uint32_t count, const Stream& stream) {
  launch_each(direction_of, count, threads, stream, z, beta, p, count);
}

void apply(const LevelArrays& level, const float* p, double* parts, const Stream& stream) {
  // As many blocks as for the other sums, so that none of their remaining parts is added again.
  launch(apply_to, parts_for(count_of(level)), dim3(threads), 0, stream, level, p, parts);
}

template <class Real>
void step(float alpha, const float* p, const float* w, Real* u, float* r, std::uint32_t count, double* parts,
          const Stream& stream) {
  launch(step_along<Real>, parts_for(count), dim3(threads), 0, stream, alpha, p, w, u, r, count, parts);
}

template <class Real>
void add(double part, const float* z, Real* u, std::uint32_t count, const Stream& stream) {
  launch_each(add_to<Real>, count, threads, stream, static_cast<Real>(part), z, u, count);
}

template <class Real>
void linearise_ions(const LevelArrays& level, const Real* u, double ion_strength, const Stream& stream) {
  const std::uint32_t count = count_of(level);
  launch_each(linearise_at<Real>, count, threads, stream, level.d, u, static_cast<Real>(ion_strength), count);
}

template <class Real>
void change_of_ions(const LevelArrays& level, const Real* u, const float* change, double ion_strength,
                    double part, double* parts, const Stream& stream) {
  const std::uint32_t count = count_of(level);
  launch(change_parts<Real>, parts_for(count), dim3(threads), 0, stream, level.d, u, change, ion_strength,
         part, count, parts);
}

#define ISOLUME_EQUATION_KERNELS(Real)                                                                 \
  template void residual(const LevelArrays&, const Real*, double, const PointCharge*, std::uint32_t,   \
                         const Stream&);                                                               \
  template void add(double, const float*, Real*, std::uint32_t, const Stream&);                        \
  template void step(float, const float*, const float*, Real*, float*, std::uint32_t, double*,         \
                     const Stream&);                                                                   \
  template void linearise_ions(const LevelArrays&, const Real*, double, const Stream&);                \
  template void change_of_ions(const LevelArrays&, const Real*, const float*, double, double, double*, \
                               const Stream&);
ISOLUME_EQUATION_KERNELS(float)
ISOLUME_EQUATION_KERNELS(double)
#undef ISOLUME_EQUATION_KERNELS

}  // namespace isolume::gpu::equation_kernels
