#include <type_traits>

#include "gpu/electrostatics/pairs/direct_kernels.h"
#include "gpu/electrostatics/pairs/pair_laws.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::pair_kernels {
namespace {

constexpr int points_of_thread = 8;

constexpr int shared_threads = shared::side_x * shared::side_y;

template <class Law>
__global__ void __launch_bounds__(shared_threads)
    sum_shared(DirectCharges charges, GridSlab slab, int first_z, Law law, double scale, float* out) {
  __shared__ float4 tile[added_singly];
  const int low_x = static_cast<int>(blockIdx.x) * shared::side_x,
            low_y = static_cast<int>(blockIdx.y) * shared::side_y,
            low_z = (first_z + static_cast<int>(blockIdx.z)) * shared::side_z;
  const Cube cube = cube_at(slab, low_x, low_y, low_z, shared::side_x, shared::side_y, shared::side_z);
  const int in_x = static_cast<int>(threadIdx.x) % shared::side_x,
            in_y = static_cast<int>(threadIdx.x) / shared::side_x;
  const float x = place_in_row(slab.step[0], in_x, shared::side_x),
              y = place_in_row(slab.step[1], in_y, shared::side_y);
  float z[points_of_thread], some[points_of_thread] = {};
  double sums[points_of_thread] = {};
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) z[k] = place_in_row(slab.step[2], k, shared::side_z);
  for (std::uint32_t start = 0; start < charges.count; start += added_singly) {
    __syncthreads();  // the previous tile has been read
    bool touches = false;
    for (std::uint32_t j = threadIdx.x; j < added_singly; j += shared_threads) {
      float4 charge = relative(charges.charges[min(start + j, charges.count - 1)], cube);
      touches |= may_touch(squared_gap(charge, cube));
      if (start + j >= charges.count) charge.w = 0;
      tile[j] = charge;
    }
    if (__syncthreads_or(touches)) {
      add_charges<4, true>(tile, added_singly, x, y, z, law, some);
    } else {
      add_charges<4, false>(tile, added_singly, x, y, z, law, some);
    }
    flush(some, sums);
  }
  const int i = low_x + in_x, j = low_y + in_y;
  if (i >= slab.size[0] || j >= slab.size[1]) return;
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) {
    const int plane = low_z + k - slab.first;
    if (plane < 0 || plane >= slab.count) continue;
    out[(static_cast<std::size_t>(plane) * slab.size[1] + j) * slab.size[0] + i] = to_float(scale * sums[k]);
  }
}

__constant__ constant::NearCharge constant_charges[constant::capacity];

/// A length as the sum of two single-precision numbers.
struct Split {
  float nearest, rest;
};

__device__ __forceinline__ Split split(double length) {
  const float nearest = to_float(length);
  return {nearest, to_float(length - static_cast<double>(nearest))};
}

__global__ void bring_charges_near(DirectCharges charges, std::uint32_t first, std::uint32_t count,
                                   GridSlab slab, constant::Brick brick, constant::NearCharge* near) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Cube cube = cube_at(slab, brick.first[0], brick.first[1], brick.first[2], constant::side_x,
                            constant::side_y, constant::side_z);
  const Charge charge = charges.charges[first + i];
  const Split x = split(charge.x - cube.middle[0]), y = split(charge.y - cube.middle[1]),
              z = split(charge.z - cube.middle[2]);
  near[i] = {x.nearest, y.nearest, z.nearest, to_float(charge.charge), x.rest, y.rest, z.rest, 0};
}

/// Position of the i-th of `side` points along an axis, relative to their middle.
__device__ __forceinline__ Split split_place(double step, int i, int side) {
  return split(step * (i - 0.5 * (side - 1)));
}

constexpr int rows_of_block = 8, apart = constant::side_x / points_of_thread;
constexpr int constant_threads = apart * rows_of_block;

struct ConstantChunk {
  std::uint32_t count;
  bool begins, ends;
};

template <class Law>
__global__ void __launch_bounds__(constant_threads)
    add_constant(ConstantChunk chunk, GridSlab slab, constant::Brick brick, Law law, double scale,
                 double* sums, float* out) {
  const int in_x = static_cast<int>(threadIdx.x) % apart,
            in_y = static_cast<int>(blockIdx.x) * rows_of_block + static_cast<int>(threadIdx.x) / apart,
            plane = brick.planes[0] + static_cast<int>(blockIdx.y);
  if (brick.first[1] + in_y >= slab.size[1]) return;
  const int in_z = plane - brick.first[2];
  const Split y = split_place(slab.step[1], in_y, constant::side_y),
              z = split_place(slab.step[2], in_z, constant::side_z);
  double* const mine =
      sums + (static_cast<std::size_t>(in_z) * constant::side_y + in_y) * constant::side_x + in_x;
  Split x[points_of_thread];
  double all[points_of_thread];
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) {
    x[k] = split_place(slab.step[0], in_x + k * apart, constant::side_x);
    all[k] = chunk.begins ? 0 : mine[k * apart];
  }
  for (std::uint32_t start = 0; start < chunk.count; start += added_singly) {
    float some[points_of_thread] = {};
    const std::uint32_t end = min(start + added_singly, chunk.count);
    for (std::uint32_t j = start; j < end; ++j) {
      const constant::NearCharge& charge = constant_charges[j];
      const float dy = (charge.y - y.nearest) + (charge.rest_y - y.rest),
                  dz = (charge.z - z.nearest) + (charge.rest_z - z.rest);
      const float across = fmaf(dy, dy, dz * dz);
#pragma unroll
      for (int k = 0; k < points_of_thread; ++k) {
        const float dx = (charge.x - x[k].nearest) + (charge.rest_x - x[k].rest);
        some[k] = fmaf(charge.charge, law.template of<true>(fmaf(dx, dx, across)), some[k]);
      }
    }
    flush(some, all);
  }
#pragma unroll
  for (int k = 0; k < points_of_thread; ++k) {
    const int i = brick.first[0] + in_x + k * apart;
    if (!chunk.ends) {
      mine[k * apart] = all[k];
    } else if (i < slab.size[0]) {
      out[(static_cast<std::size_t>(plane - slab.first) * slab.size[1] + brick.first[1] + in_y) *
              slab.size[0] +
          i] = to_float(scale * all[k]);
    }
  }
}

template <class Launch>
void by_law(const DirectLaw& law, const Launch& launch) {
  if (law.law == electrostatics::PairLaw::screened) {
    launch(ScreenedOf{law.minus_kappa_log2});
  } else if (law.law == electrostatics::PairLaw::distance) {
    launch(DistanceOf{});
  } else {
    launch(CoulombOf{});
  }
}

}  // namespace

void shared::sum(const DirectCharges& charges, const GridSlab& slab, const DirectLaw& law, float* out,
                 const Stream& stream) {
  const TileCounts tiles = tiles_of(slab, side_x, side_y, side_z);
  by_law(law, [&](const auto& its) {
    launch(sum_shared<std::decay_t<decltype(its)>>, dim3(tiles.x, tiles.y, tiles.z), dim3(shared_threads), 0,
           stream, charges, slab, tiles.first_z, its, law.scale, out);
  });
}

void constant::bring_near(const DirectCharges& charges, std::uint32_t first, std::uint32_t count,
                          const GridSlab& slab, const Brick& brick, NearCharge* near, const Stream& stream) {
  constexpr std::uint32_t threads = 256;
  launch_each(bring_charges_near, count, threads, stream, charges, first, count, slab, brick, near);
}

void constant::copy_to_constant_memory(const NearCharge* near, std::uint32_t count, const Stream& stream) {
  require_queued(cudaMemcpyToSymbolAsync(constant_charges, near, count * sizeof(NearCharge), 0,
                                         cudaMemcpyDeviceToDevice, queue_of(stream)),
                 "copying into constant memory");
}

void constant::add(std::uint32_t count, bool begins, bool ends, const GridSlab& slab, const Brick& brick,
                   const DirectLaw& law, double* sums, float* out, const Stream& stream) {
  const int rows = slab.size[1] - brick.first[1] < side_y ? slab.size[1] - brick.first[1] : side_y;
  const dim3 grid(static_cast<unsigned>((rows + rows_of_block - 1) / rows_of_block),
                  static_cast<unsigned>(brick.planes[1] - brick.planes[0]));
  by_law(law, [&](const auto& its) {
    launch(add_constant<std::decay_t<decltype(its)>>, grid, dim3(constant_threads), 0, stream,
           ConstantChunk{count, begins, ends}, slab, brick, its, law.scale, sums, out);
  });
}

}  // namespace isolume::gpu::pair_kernels
