#include "gpu/nbody/device_pairs.h"
#include "gpu/nbody/direct/direct_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::nbody_kernels {
namespace {

constexpr std::uint32_t threads = 64;
/// Bodies of a group for each thread, which share the loads of a source.
constexpr int most_targets = group_size / threads;
/// Bodies of one thread, relative to their group's position.
template <int count>
struct Targets {
  float x[count], y[count], z[count];
  std::uint32_t body[count];
  Sums sums[count];
};

/// `first`: number of the tile's first body.
template <Pairs pairs, bool potential, int count>
__device__ __forceinline__ void add_tile(const float4* tile, std::uint32_t first,
                                         const PairSoftening& softening, Targets<count>& targets) {
  PairSums sums[count];
#pragma unroll 8
  for (std::uint32_t j = 0; j < tile_size; ++j) {
    const float4 source = tile[j];
#pragma unroll
    for (int t = 0; t < count; ++t) {
      const bool own = pairs != Pairs::distant && targets.body[t] == first + j;
      add_pair<pairs, potential>(source, targets.x[t], targets.y[t], targets.z[t], softening, sums[t], own);
    }
  }
#pragma unroll
  for (int t = 0; t < count; ++t) add_to(targets.sums[t], sums[t]);
}

__device__ float4 relative(const Body& body, const Group& group) {
  return make_float4(to_float(body.x - group.place[0]), to_float(body.y - group.place[1]),
                     to_float(body.z - group.place[2]), to_float(body.mass));
}

/// Whether a body of the tile may be within `reach` of one of the group, after rounding.
__device__ bool may_touch(const Group& group, const Box& tile, float reach) {
  const double extent = group.half[0] + group.half[1] + group.half[2];
  const double apart = 1e-6 * extent + static_cast<double>(reach);
  for (int axis = 0; axis < 3; ++axis) {
    const double low = group.place[axis] - group.half[axis], high = group.place[axis] + group.half[axis];
    if (tile.low[axis] - high > apart || low - tile.high[axis] > apart) return false;
  }
  return true;
}

/// All tiles of a part of the sources, for the targets of a group.
template <bool spline, bool potential, int count>
__device__ void add_part(const DirectSources& sources, const Group& group, std::uint32_t part, float4* tile,
                         Targets<count>& targets) {
#pragma unroll
  for (int t = 0; t < count; ++t) {
    const std::uint32_t body = group.first + threadIdx.x + static_cast<std::uint32_t>(t) * threads;
    const float4 at = relative(sources.bodies[min(body, group.end - 1)], group);
    targets.x[t] = at.x;
    targets.y[t] = at.y;
    targets.z[t] = at.z;
    targets.body[t] = body;
    targets.sums[t] = {0, 0, 0, 0};
  }
  const std::uint32_t tiles = (sources.count + tile_size - 1) / tile_size;
  const auto bound = [&](std::uint32_t number) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(tiles) * number / sources.parts);
  };
  const PairSoftening& softening = sources.softening;
  const bool softened = softening.squared >= least_pair_square;
  // Within it the spline softens, or single precision cannot represent the force or the distance of a pair.
  const float reach = fmaxf(softening.support, 2 * least_pair_distance);
  const std::uint32_t end = bound(part + 1);
  for (std::uint32_t number = bound(part); number < end; ++number) {
    __syncthreads();  // the previous tile has been read
    for (std::uint32_t j = threadIdx.x; j < tile_size; j += threads) {
      const std::uint32_t body = number * tile_size + j;
      tile[j] = relative(sources.bodies[min(body, sources.count - 1)], group);
      if (body >= sources.count) tile[j].w = 0;
    }
    __syncthreads();
    const std::uint32_t first = number * tile_size;
    const bool has_own = first < group.end && group.first < first + tile_size;
    if (has_own || (!softened && may_touch(group, sources.tiles[number], reach))) {
      add_tile<pairs_within<spline>, potential>(tile, first, softening, targets);
    } else {
      add_tile<Pairs::distant, potential>(tile, first, softening, targets);
    }
  }
}

template <bool spline, bool potential, int count>
__device__ void sum_part(const DirectSources& sources, const Group& group, const DirectTargets& wanted,
                         float4* tile, Sums* scratch) {
  Targets<count> targets;
  add_part<spline, potential>(sources, group, blockIdx.y, tile, targets);
#pragma unroll
  for (int t = 0; t < count; ++t) {
    const std::uint32_t body = group.first + threadIdx.x + static_cast<std::uint32_t>(t) * threads;
    if (body >= group.end || body < wanted.first || body - wanted.first >= wanted.count) continue;
    scratch[static_cast<std::size_t>(blockIdx.y) * wanted.count + (body - wanted.first)] = targets.sums[t];
  }
}

/// One block for each group and each part of the sources.
template <bool spline, bool potential>
__global__ void __launch_bounds__(threads)
    sum_parts(DirectSources sources, DirectTargets wanted, Sums* scratch) {
  __shared__ float4 tile[tile_size];
  const Group group = sources.groups[wanted.first_group + blockIdx.x];
  if (group.end - group.first <= threads) {
    sum_part<spline, potential, 1>(sources, group, wanted, tile, scratch);
  } else {
    sum_part<spline, potential, most_targets>(sources, group, wanted, tile, scratch);
  }
}

/// Adds the parts in their order, so that the result does not depend on timing.
__global__ void join_parts(const Sums* scratch, std::uint32_t parts, std::uint32_t count, float* out,
                           std::size_t field_stride) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  Sums sums = {0, 0, 0, 0};
  for (std::uint32_t part = 0; part < parts; ++part) {
    const Sums& each = scratch[static_cast<std::size_t>(part) * count + i];
    sums.x += each.x;
    sums.y += each.y;
    sums.z += each.z;
    sums.potential += each.potential;
  }
  out[i] = to_float(sums.x);
  out[field_stride + i] = to_float(sums.y);
  out[2 * field_stride + i] = to_float(sums.z);
  out[3 * field_stride + i] = to_float(sums.potential);
}

}  // namespace

void sum_pairs(const DirectSources& sources, const DirectTargets& targets, std::byte* scratch, float* out,
               std::size_t field_stride, const Stream& stream) {
  static_assert(sizeof(Sums) == scratch_bytes);
  auto* const sums = reinterpret_cast<Sums*>(scratch);
  const bool spline = sources.softening.support > 0;
  const auto with_potential = spline ? sum_parts<true, true> : sum_parts<false, true>;
  const auto without = spline ? sum_parts<true, false> : sum_parts<false, false>;
  launch(targets.potentials ? with_potential : without, dim3(targets.groups, sources.parts), dim3(threads), 0,
         stream, sources, targets, sums);
  constexpr std::uint32_t joined = 256;
  launch_each(join_parts, targets.count, joined, stream, sums, sources.parts, targets.count, out,
              field_stride);
}

}  // namespace isolume::gpu::nbody_kernels
