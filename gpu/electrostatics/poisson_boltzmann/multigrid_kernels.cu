#include <algorithm>

#include "gpu/electrostatics/poisson_boltzmann/level_points.h"
#include "gpu/electrostatics/poisson_boltzmann/multigrid_kernels.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::equation_kernels {
namespace {

constexpr unsigned threads = 256;
/// One block relaxes a level of at most this many points repeatedly, in less time than launches take.
constexpr std::uint32_t points_of_a_block = 4096;
constexpr unsigned most_threads_of_coarsest = 512;

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
constexpr float parallel_links = 4;
/// Two links in series.
__device__ __forceinline__ float in_a_row(float a, float b) {
  return a * b / (a + b);
}

__device__ float link_along_x(const LevelArrays& fine, Coarse at) {
  float sum = 0;
  for (int dk = -1; dk <= 1; ++dk) {
    for (int dj = -1; dj <= 1; ++dj) {
      const float* const row = fine.gx + row_of(fine, 2 * at.j + dj, 2 * at.k + dk) + at.i;
      sum += parallel_links * across(dj) * across(dk) * in_a_row(row[0], row[half_of(fine)]);
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
      sum += parallel_links * across(d) * across(di) * in_a_row(a[0], a[next]);
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

std::uint32_t count_inside(const LevelArrays& level) {
  return (level.nx - 2) * (level.ny - 2) * (level.nz - 2);
}

}  // namespace

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

}  // namespace isolume::gpu::equation_kernels
