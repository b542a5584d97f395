#include <algorithm>
#include <type_traits>

#include "gpu/electrostatics/pairs/cutoff_kernels.h"
#include "gpu/electrostatics/pairs/pair_laws.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::pair_kernels {
namespace {

constexpr int region_threads = 128;
constexpr int region_warps = region_threads / 32;
/// Points of a thread, in a row.
constexpr int row_points = region_side * region_side * region_side / region_threads;
/// Number of rounds, with a charge for each thread, that are added up in single precision.
constexpr unsigned rounds_added_singly = 4;

struct Region {
  int low[3];  ///< indices of the first point
  Cube cube;
};

__device__ Region region_of_block(const GridSlab& slab, int first_z) {
  Region region;
  region.low[0] = static_cast<int>(blockIdx.x) * region_side;
  region.low[1] = static_cast<int>(blockIdx.y) * region_side;
  region.low[2] = (first_z + static_cast<int>(blockIdx.z)) * region_side;
  region.cube =
      cube_at(slab, region.low[0], region.low[1], region.low[2], region_side, region_side, region_side);
  return region;
}

__device__ void write_value(const GridSlab& slab, const Region& region, int x, int y, int z, double scale,
                            double sum, float* out) {
  const int i = region.low[0] + x, j = region.low[1] + y, plane = region.low[2] + z - slab.first;
  if (i >= slab.size[0] || j >= slab.size[1] || plane < 0 || plane >= slab.count) return;
  out[(static_cast<std::size_t>(plane) * slab.size[1] + j) * slab.size[0] + i] = to_float(scale * sum);
}

/// Bins along an axis that may hold charges within `reach` of an interval around the middle; empty if the
/// first comes after the last.
__device__ __forceinline__ int2 bins_near(const sorted_bins::SortedBins& bins, int axis, const Cube& cube,
                                          double reach) {
  const double from = cube.middle[axis] - cube.half[axis] - reach - bins.low[axis],
               to = cube.middle[axis] + cube.half[axis] + reach - bins.low[axis];
  const double last = bins.counts[axis] - 1;
  const double first_bin = floor(from / bins.side), last_bin = floor(to / bins.side);
  if (!(last_bin >= 0 && first_bin <= last)) return make_int2(0, -1);
  return make_int2(static_cast<int>(fmax(first_bin, 0.0)), static_cast<int>(fmin(last_bin, last)));
}

/// Squared distance from a layer of bins to the cube.
__device__ __forceinline__ double squared_gap(const sorted_bins::SortedBins& bins, int axis, int bin,
                                              const Cube& cube) {
  const double from = bins.low[axis] + bin * bins.side;
  const double gap = fmax(fmax(from - (cube.middle[axis] + cube.half[axis]),
                               cube.middle[axis] - cube.half[axis] - (from + bins.side)),
                          0.0);
  return gap * gap;
}

/// Runs of consecutive charges.
struct Runs {
  std::uint32_t first[region_threads];
  std::uint32_t before[region_threads + 1];  ///< charges of the earlier runs; the last entry: of all
};

/// Finds the rows of bins along x, from `first_row` on, one for each thread.
__device__ void find_runs(const sorted_bins::SortedBins& bins, const Cube& cube, double reach, int2 in_y,
                          int2 in_z, int first_row, Runs& runs) {
  const int thread = static_cast<int>(threadIdx.x), row = first_row + thread, wide = in_y.y - in_y.x + 1;
  std::uint32_t first = 0, count = 0;
  if (row < wide * (in_z.y - in_z.x + 1)) {
    const int j = in_y.x + row % wide, k = in_z.x + row / wide;
    const double left = reach * reach - squared_gap(bins, 1, j, cube) - squared_gap(bins, 2, k, cube);
    const int2 in_x = left < 0 ? make_int2(0, -1) : bins_near(bins, 0, cube, sqrt(left));
    if (in_x.x <= in_x.y) {
      const std::size_t start = (static_cast<std::size_t>(k) * bins.counts[1] + j) * bins.counts[0];
      first = bins.starts[start + in_x.x];
      count = bins.starts[start + in_x.y + 1] - first;
    }
  }
  runs.first[thread] = first;
  runs.before[thread + 1] = count;
  if (thread == 0) runs.before[0] = 0;
  for (int step = 1; step < region_threads; step *= 2) {
    __syncthreads();
    const std::uint32_t earlier = thread >= step ? runs.before[thread + 1 - step] : 0;
    __syncthreads();
    runs.before[thread + 1] += earlier;
  }
  __syncthreads();
}

/// The number of the charge at position `at` in all runs.
__device__ __forceinline__ std::uint32_t charge_of_runs(const Runs& runs, std::uint32_t at) {
  int low = 0, high = region_threads;  // before[low] <= at < before[high]
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (runs.before[middle] <= at ? low : high) = middle;
  }
  return runs.first[low] + (at - runs.before[low]);
}

/// One charge per thread; `kept` holds those within range of the cube's points, in the order of the threads.
struct Kept {
  float4 charges[region_threads];
  std::uint32_t of_warp[region_warps];
};

/// Returns their number; the charges are available after the next barrier.
__device__ __forceinline__ std::uint32_t keep(const float4& charge, bool sees, Kept& kept) {
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const unsigned seeing = __ballot_sync(0xffffffffU, sees);
  if (lane == 0) kept.of_warp[warp] = static_cast<std::uint32_t>(__popc(seeing));
  __syncthreads();  // and earlier charges have been read
  std::uint32_t before = 0, all = 0;
#pragma unroll
  for (unsigned each = 0; each < region_warps; ++each) {
    if (each == warp) before = all;
    all += kept.of_warp[each];
  }
  if (sees) kept.charges[before + static_cast<std::uint32_t>(__popc(seeing & ((1U << lane) - 1)))] = charge;
  return all;
}

template <class Law>
__global__ void __launch_bounds__(region_threads)
    sum_sorted_bins(sorted_bins::SortedBins bins, GridSlab slab, int first_z, Within within, Law law,
                    float* out) {
  __shared__ Runs runs;
  __shared__ Kept kept;
  const Region region = region_of_block(slab, first_z);
  const Cube& cube = region.cube;
  // A thread has every other plane, so that neighbouring threads write neighbouring addresses.
  const int in_x = static_cast<int>(threadIdx.x) % region_side,
            in_y = static_cast<int>(threadIdx.x) / region_side % region_side,
            in_z = static_cast<int>(threadIdx.x) / (region_side * region_side);
  constexpr int apart = region_side / row_points;
  const float x = place_in_row(slab.step[0], in_x, region_side),
              y = place_in_row(slab.step[1], in_y, region_side);
  float z[row_points], some[row_points] = {};
  double sums[row_points] = {};
#pragma unroll
  for (int k = 0; k < row_points; ++k) z[k] = place_in_row(slab.step[2], in_z + apart * k, region_side);

  const double reach = static_cast<double>(within.cutoff) * (1 + 1e-6);
  const int2 near_y = bins_near(bins, 1, cube, reach), near_z = bins_near(bins, 2, cube, reach);
  const int rows =
      near_y.y < near_y.x || near_z.y < near_z.x ? 0 : (near_y.y - near_y.x + 1) * (near_z.y - near_z.x + 1);
  unsigned round = 0;
  for (int first_row = 0; first_row < rows; first_row += region_threads) {
    __syncthreads();  // earlier runs have been read
    find_runs(bins, cube, reach, near_y, near_z, first_row, runs);
    const std::uint32_t all = runs.before[region_threads];
    for (std::uint32_t start = 0; start < all; start += region_threads, ++round) {
      float4 charge = make_float4(0, 0, 0, 0);
      bool sees = false, touches = false;
      if (start + threadIdx.x < all) {
        charge = relative(bins.charges[charge_of_runs(runs, start + threadIdx.x)], cube);
        const float gap = squared_gap(charge, cube);
        sees = gap < within.cutoff_squared;
        touches = may_touch(gap);
      }
      const std::uint32_t count = keep(charge, sees, kept);
      if (__syncthreads_or(touches)) {
        add_charges<2, true>(kept.charges, count, x, y, z, law, some);
      } else {
        add_charges<2, false>(kept.charges, count, x, y, z, law, some);
      }
      if (round % rounds_added_singly == rounds_added_singly - 1) flush(some, sums);
    }
  }
  flush(some, sums);
#pragma unroll
  for (int k = 0; k < row_points; ++k)
    write_value(slab, region, in_x, in_y, in_z + apart * k, within.scale, sums[k], out);
}

__constant__ std::uint32_t constant_neighbours[fixed_bins::most_neighbours];

constexpr int bins_at_once = region_threads / fixed_bins::depth;

/// The thread's charge of the bin with this number among the neighbours, relative to the middle of the cube;
/// 0 if there is none.
__device__ float4 bring_of_bin(const fixed_bins::Bins& bins, const int* home, const float* home_middle,
                               int number) {
  float4 charge = make_float4(0, 0, 0, 0);
  if (number >= bins.neighbours) return charge;
  const std::uint32_t offset = constant_neighbours[number];
  const int dx = static_cast<int>(offset & 1023) - 512, dy = static_cast<int>(offset >> 10 & 1023) - 512,
            dz = static_cast<int>(offset >> 20) - 512;
  const int i = home[0] + dx, j = home[1] + dy, k = home[2] + dz;
  if (i < 0 || i >= bins.counts[0] || j < 0 || j >= bins.counts[1] || k < 0 || k >= bins.counts[2])
    return charge;
  const std::size_t bin = (static_cast<std::size_t>(k) * bins.counts[1] + j) * bins.counts[0] + i;
  charge = reinterpret_cast<const float4*>(
      bins.charges)[bin * fixed_bins::depth + threadIdx.x % fixed_bins::depth];
  const float side = to_float(bins.side);
  charge.x += fmaf(static_cast<float>(dx), side, home_middle[0]);
  charge.y += fmaf(static_cast<float>(dy), side, home_middle[1]);
  charge.z += fmaf(static_cast<float>(dz), side, home_middle[2]);
  return charge;
}

template <class Law>
__global__ void __launch_bounds__(region_threads)
    sum_fixed_bins(fixed_bins::Bins bins, GridSlab slab, int first_z, Within within, Law law, float* out) {
  __shared__ float4 brought[region_threads];
  const Region region = region_of_block(slab, first_z);
  // E04's block of 8 x 2 x 8 threads: the points of each are 2 apart along y.
  const int in_x = static_cast<int>(threadIdx.x) % region_side,
            in_y = static_cast<int>(threadIdx.x) / region_side % 2,
            in_z = static_cast<int>(threadIdx.x) / (2 * region_side);
  constexpr int apart = region_side / row_points;
  const float x = place_in_row(slab.step[0], in_x, region_side),
              z = place_in_row(slab.step[2], in_z, region_side);
  float y[row_points], some[row_points] = {};
  double sums[row_points] = {};
#pragma unroll
  for (int k = 0; k < row_points; ++k) y[k] = place_in_row(slab.step[1], in_y + apart * k, region_side);

  // The bin of the first point, to which the offsets refer. Far from all bins, its distance does not matter.
  int home[3];
  float home_middle[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double low = region.cube.middle[axis] - region.cube.half[axis] - bins.low[axis];
    const double bin = fmin(fmax(floor(low / bins.side), -1e6), 1e6);
    home[axis] = static_cast<int>(bin);
    home_middle[axis] = to_float(bins.low[axis] + (bin + 0.5) * bins.side - region.cube.middle[axis]);
  }
  unsigned round = 0;
  for (int first = 0; first < bins.neighbours; first += bins_at_once, ++round) {
    __syncthreads();  // earlier charges have been read
    brought[threadIdx.x] =
        bring_of_bin(bins, home, home_middle, first + static_cast<int>(threadIdx.x) / fixed_bins::depth);
    __syncthreads();
    for (int bin = 0; bin < region_threads; bin += fixed_bins::depth) {
      for (int n = bin; n < bin + fixed_bins::depth; ++n) {
        const float4 charge = brought[n];
        if (charge.w == 0) break;
        const float dx = charge.x - x, dz = charge.z - z;
        const float across = fmaf(dx, dx, dz * dz);
        if (across >= within.cutoff_squared) continue;  // then all points of the thread are out of range, too
#pragma unroll
        for (int k = 0; k < row_points; ++k) {
          const float dy = charge.y - y[k];
          const float squared = fmaf(dy, dy, across);
          if (squared < within.cutoff_squared)
            some[k] = fmaf(charge.w, law.template of<true>(squared), some[k]);
        }
      }
    }
    if (round % rounds_added_singly == rounds_added_singly - 1) flush(some, sums);
  }
  flush(some, sums);
#pragma unroll
  for (int k = 0; k < row_points; ++k)
    write_value(slab, region, in_x, in_y + apart * k, in_z, within.scale, sums[k], out);
}

template <int terms>
SplitOf<terms> split_of(const CutoffLaw& law) {
  SplitOf<terms> split{2 * law.inverse_cutoff_squared, {}};
  std::copy_n(law.smooth, law.terms, split.smooth);
  return split;
}

/// For the near part of pairs: selects the kernel with the fewest polynomial terms that suffice. Multilevel
/// summation has 6, Ewald's erfc 11 to 21 for errors of 1e-2 to 1e-12.
template <class Launch>
void by_law(const CutoffLaw& law, const Launch& launch) {
  if (law.grows) {
    launch(CutoffOf<DistanceOf>{law.inverse_cutoff_squared});
  } else if (law.terms == 0) {
    launch(CutoffOf<CoulombOf>{law.inverse_cutoff_squared});
  } else if (law.terms <= 6) {
    launch(split_of<6>(law));
  } else if (law.terms <= 12) {
    launch(split_of<12>(law));
  } else if (law.terms <= 16) {
    launch(split_of<16>(law));
  } else {
    launch(split_of<CutoffLaw::most_terms>(law));
  }
}

}  // namespace

void sorted_bins::sum(const SortedBins& bins, const GridSlab& slab, const CutoffLaw& law, float* out,
                      const Stream& stream) {
  const TileCounts tiles = tiles_of(slab, region_side, region_side, region_side);
  by_law(law, [&](const auto& its) {
    launch(sum_sorted_bins<std::decay_t<decltype(its)>>, dim3(tiles.x, tiles.y, tiles.z),
           dim3(region_threads), 0, stream, bins, slab, tiles.first_z, law.within, its, out);
  });
}

void sorted_bins::sum(const SortedBins& bins, const GridSlab& slab, const GaussianLaw& law, float* out,
                      const Stream& stream) {
  const TileCounts tiles = tiles_of(slab, region_side, region_side, region_side);
  launch(sum_sorted_bins<GaussianOf>, dim3(tiles.x, tiles.y, tiles.z), dim3(region_threads), 0, stream, bins,
         slab, tiles.first_z, Within{law.reach, law.reach * law.reach, 1.0},
         GaussianOf{law.highest, law.least}, out);
}

void fixed_bins::copy_to_constant_memory(const std::uint32_t* offsets, int count, const Stream& stream) {
  require_queued(cudaMemcpyToSymbolAsync(constant_neighbours, offsets,
                                         static_cast<std::size_t>(count) * sizeof(*offsets), 0,
                                         cudaMemcpyDeviceToDevice, queue_of(stream)),
                 "copying into constant memory");
}

void fixed_bins::sum(const Bins& bins, const GridSlab& slab, const CutoffLaw& law, float* out,
                     const Stream& stream) {
  const TileCounts tiles = tiles_of(slab, region_side, region_side, region_side);
  by_law(law, [&](const auto& its) {
    launch(sum_fixed_bins<std::decay_t<decltype(its)>>, dim3(tiles.x, tiles.y, tiles.z), dim3(region_threads),
           0, stream, bins, slab, tiles.first_z, law.within, its, out);
  });
}

}  // namespace isolume::gpu::pair_kernels
