#include "gpu/nbody/device_pairs.h"
#include "gpu/nbody/tree/walk_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::nbody_kernels {
namespace {

constexpr std::uint32_t lanes = 32;
constexpr std::uint32_t warps = 4;  ///< per block, each with a group of its own
/// Bodies of a lane.
constexpr int each = walk_group_size / lanes;
/// Number of sources that are added up in single precision before they go into sums in double.
constexpr std::uint32_t enough = 512;

/// One lane's bodies, relative to their group's position.
template <int per_lane>
struct LaneTargets {
  float x[per_lane], y[per_lane], z[per_lane];
  std::uint32_t body[per_lane];
  PairSums some[per_lane];
  Sums sums[per_lane];
  std::uint32_t pending = 0;  ///< number of sources in `some`
  std::uint32_t bodies = 0, cells = 0;

  __device__ __forceinline__ void note(std::uint32_t sources) {
    pending += sources;
    if (pending < enough) return;
    flush();
  }
  __device__ __forceinline__ void flush() {
#pragma unroll
    for (int t = 0; t < per_lane; ++t) add_to(sums[t], some[t]);
    pending = 0;
  }
};

__device__ __forceinline__ float4 from_place(const WalkGroup& group, double x, double y, double z,
                                             float mass) {
  return make_float4(to_float(x - group.place[0]), to_float(y - group.place[1]), to_float(z - group.place[2]),
                     mass);
}

/// Whether a position is farther than `reach` from the group's box.
__device__ __forceinline__ bool is_beyond(float reach, const WalkGroup& group, const float4& at) {
  const float dx = fmaxf(fabsf(at.x) - group.half[0], 0.0f);
  const float dy = fmaxf(fabsf(at.y) - group.half[1], 0.0f);
  const float dz = fmaxf(fabsf(at.z) - group.half[2], 0.0f);
  return fmaf(dx, dx, fmaf(dy, dy, dz * dz)) > reach * reach;
}

/// Whether a cell acts as a whole on all bodies in the group's box, by the nearest. `factor`: for the
/// criterion by error; 0: by the angle. `spline`: all of its bodies must be beyond the kernel's support.
template <bool spline>
__device__ __forceinline__ bool acts_as_a_whole(const WalkTree& tree, const WalkCell& cell,
                                                const WalkGroup& group, float factor, const float4& at) {
  const float opening = factor > 0 ? cell.opening_by_error * factor : cell.opening_by_angle;
  const float radius = spline ? cell.radius + tree.softening.support : cell.radius;
  return is_beyond(fmaxf(fmaxf(opening, radius), least_pair_distance), group, at);
}

/// Whether a body of the leaf may be in the group, or so near one that the spline softens, or that single precision
/// cannot represent their force, or their distance, after rounding.
template <bool spline>
__device__ bool may_touch(const WalkTree& tree, const WalkCell& leaf, const WalkGroup& group,
                          const float4& at) {
  if (leaf.begin < group.end && group.first < leaf.end) return true;
  if (tree.softening.squared >= least_pair_square) return false;
  const float extent = fabsf(at.x) + fabsf(at.y) + fabsf(at.z) + leaf.radius;
  const float reach =
      spline ? fmaxf(tree.softening.support, 2 * least_pair_distance) : 2 * least_pair_distance;
  return !is_beyond(leaf.radius + 1e-6f * extent + reach, group, at);
}

/// The CPU's formula (core/nbody/forces/pair_sums.cpp): with n the direction to the cell, i its inverse softened
/// distance, S its second moments over the distance squared, u = S n, s = n.u and t the trace of S, the
/// potential is -i (m + (3 s - t) / 2) and the acceleration i^2 (n (m + 7.5 s - 1.5 t) - 3 u). A power of i
/// above the second would overflow single precision where bodies are ten orders of magnitude closer together
/// than the width of the whole.
__device__ __forceinline__ void add_cell(const WalkCell& cell, const float4& at, float x, float y, float z,
                                         float softening_squared, PairSums& sums) {
  const float dx = at.x - x;
  const float dy = at.y - y;
  const float dz = at.z - z;
  const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening_squared)));
  const float inverse = squared >= least_square ? rsqrtf(squared) : 0.0f;
  const float nx = dx * inverse, ny = dy * inverse, nz = dz * inverse;
  const float i2 = inverse * inverse;
  const float ux = i2 * fmaf(cell.xx, nx, fmaf(cell.xy, ny, cell.xz * nz));
  const float uy = i2 * fmaf(cell.xy, nx, fmaf(cell.yy, ny, cell.yz * nz));
  const float uz = i2 * fmaf(cell.xz, nx, fmaf(cell.yz, ny, cell.zz * nz));
  const float s = fmaf(ux, nx, fmaf(uy, ny, uz * nz));
  const float t = i2 * (cell.xx + cell.yy + cell.zz);
  sums.potential = fmaf(-inverse, fmaf(0.5f, fmaf(3.0f, s, -t), at.w), sums.potential);
  const float along = i2 * (at.w + fmaf(7.5f, s, -1.5f * t));
  const float across = -3.0f * i2;
  sums.x = fmaf(along, nx, fmaf(across, ux, sums.x));
  sums.y = fmaf(along, ny, fmaf(across, uy, sums.y));
  sums.z = fmaf(along, nz, fmaf(across, uz, sums.z));
}

/// `first`: number of the first source body. Not unrolled: more registers would leave fewer warps to a
/// multiprocessor.
template <Pairs pairs, int per_lane>
__device__ __forceinline__ void add_points(const WalkTree& tree, const float4* near, std::uint32_t first,
                                           std::uint32_t count, LaneTargets<per_lane>& targets) {
#pragma unroll 1
  for (std::uint32_t j = 0; j < count; ++j) {
    const float4 source = near[j];
#pragma unroll
    for (int t = 0; t < per_lane; ++t) {
      const bool own = pairs != Pairs::distant && first + j == targets.body[t];
      add_pair<pairs>(source, targets.x[t], targets.y[t], targets.z[t], tree.softening, targets.some[t], own);
    }
  }
}

/// A leaf whose bodies are all at one position acts as one body with their total mass, or, on one of its own
/// bodies, as all others.
template <bool spline, int per_lane>
__device__ void add_whole_leaf(const WalkTree& tree, const WalkCell& leaf, const WalkGroup& group, float4 at,
                               LaneTargets<per_lane>& targets) {
  double mass = 0;
  if (leaf.begin < group.end && group.first < leaf.end) {
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) mass += tree.bodies[i].mass;
  }
#pragma unroll
  for (int t = 0; t < per_lane; ++t) {
    const std::uint32_t body = targets.body[t];
    const bool is_own = body >= leaf.begin && body < leaf.end;
    const auto others = is_own ? to_float(mass - tree.bodies[body].mass) : leaf.mass;
    const bool hard = !spline && tree.softening.squared == 0;
    add_pair<pairs_within<spline>>(make_float4(at.x, at.y, at.z, others), targets.x[t], targets.y[t],
                                   targets.z[t], tree.softening, targets.some[t],
                                   is_own && (others == 0 || hard));
  }
}

/// `near`: memory for one body per lane.
template <bool spline, int per_lane>
__device__ void add_leaf(const WalkTree& tree, const WalkCell& leaf, const WalkGroup& group, const float4& at,
                         std::uint32_t lane, float4* near, LaneTargets<per_lane>& targets) {
  const bool guarded = may_touch<spline>(tree, leaf, group, at);
  for (std::uint32_t begin = leaf.begin; begin < leaf.end; begin += lanes) {
    const std::uint32_t count = min(leaf.end - begin, lanes);
    if (lane < count) {
      const WalkBody& body = tree.bodies[begin + lane];
      near[lane] = from_place(group, body.x, body.y, body.z, to_float(body.mass));
    }
    __syncwarp();
    if (guarded) {
      add_points<pairs_within<spline>>(tree, near, begin, count, targets);
    } else {
      add_points<Pairs::distant>(tree, near, begin, count, targets);
    }
    __syncwarp();  // before the next ones replace them
    targets.bodies += count;
    targets.note(count);
  }
}

template <bool spline, int per_lane>
__device__ void walk_tree(const WalkTree& tree, const WalkGroup& group, float factor, std::uint32_t lane,
                          float4* near, LaneTargets<per_lane>& targets) {
  for (std::uint32_t number = 0; number < tree.cell_count;) {
    const WalkCell& cell = tree.cells[number];
    const float4 at = from_place(group, cell.x, cell.y, cell.z, cell.mass);
    const bool leaf = cell.next == number + 1;
    if (leaf && cell.radius == 0) {
      add_whole_leaf<spline>(tree, cell, group, at, targets);
      targets.bodies += 1;
      targets.note(1);
    } else if (acts_as_a_whole<spline>(tree, cell, group, factor, at) && cell.end - cell.begin > 2) {
#pragma unroll
      for (int t = 0; t < per_lane; ++t) {
        add_cell(cell, at, targets.x[t], targets.y[t], targets.z[t], tree.softening.squared, targets.some[t]);
      }
      targets.cells += 1;
      targets.note(1);
    } else if (leaf) {  // two bodies cost no more than a cell
      add_leaf<spline>(tree, cell, group, at, lane, near, targets);
    } else {
      number += 1;
      continue;
    }
    number = cell.next;
  }
  targets.flush();
}

/// The targets' positions, and their sums at 0. `body`: number of the lane's body `t`.
template <int per_lane, class Body>
__device__ __forceinline__ LaneTargets<per_lane> targets_of(const WalkTree& tree, const WalkGroup& group,
                                                            const Body& body) {
  LaneTargets<per_lane> targets;
#pragma unroll
  for (int t = 0; t < per_lane; ++t) {
    targets.body[t] = body(static_cast<std::uint32_t>(t));
    const WalkBody& from = tree.bodies[targets.body[t]];
    const float4 at = from_place(group, from.x, from.y, from.z, 0);
    targets.x[t] = at.x;
    targets.y[t] = at.y;
    targets.z[t] = at.z;
    targets.sums[t] = {0, 0, 0, 0};
  }
  return targets;
}

__device__ __forceinline__ float length_of(const Sums& sums) {
  return to_float(sqrt(sums.x * sums.x + sums.y * sums.y + sums.z * sums.z));
}

/// The number of a sampled body of a region; they are spread evenly over it.
__device__ __forceinline__ std::uint32_t sampled_body(const WalkTree& tree, std::uint32_t region,
                                                      std::uint32_t sample) {
  const std::uint32_t begin = region * region_size, bodies = min(tree.body_count - begin, region_size);
  return begin + sample * bodies / samples_of_region;
}

/// The region's samples as one group of targets.
__device__ WalkGroup group_of_samples(const WalkTree& tree, std::uint32_t region, std::uint32_t lane) {
  WalkGroup group = {};
  const WalkBody &one = tree.bodies[sampled_body(tree, region, lane)],
                 &other = tree.bodies[sampled_body(tree, region, lanes + lane)];
  const double first[3] = {one.x, one.y, one.z}, second[3] = {other.x, other.y, other.z};
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    double low = fmin(first[axis], second[axis]), high = fmax(first[axis], second[axis]);
#pragma unroll
    for (int apart = static_cast<int>(lanes) / 2; apart > 0; apart /= 2) {
      low = fmin(low, __shfl_xor_sync(0xffffffffu, low, apart));
      high = fmax(high, __shfl_xor_sync(0xffffffffu, high, apart));
    }
    group.place[axis] = (low + high) / 2;
    group.half[axis] = to_float((high - low) / 2 * (1 + 1e-6));
  }
  group.first = region * region_size;
  group.end = min(group.first + region_size, tree.body_count);
  return group;
}

/// Whether the region's bodies are about as near each other as those of its groups. Otherwise a walk for all of them
/// would open far more cells.
__device__ bool is_compact(const WalkTree& tree, std::uint32_t region, const WalkGroup& all) {
  constexpr float most_times_wider = 4;
  constexpr std::uint32_t chunks_of_region = region_size / walk_group_size;
  const std::uint32_t begin = region * chunks_of_region,
                      chunks = (tree.body_count + walk_group_size - 1) / walk_group_size;
  const std::uint32_t end = min(begin + chunks_of_region, chunks);
  float widest = 0;
  for (std::uint32_t chunk = begin; chunk < end; ++chunk) {
    if (tree.chunk_groups[chunk + 1] != tree.chunk_groups[chunk] + 1) return false;
    const WalkGroup& group = tree.groups[tree.chunk_groups[chunk]];
    widest = fmaxf(widest, fmaxf(group.half[0], fmaxf(group.half[1], group.half[2])));
  }
  return fmaxf(all.half[0], fmaxf(all.half[1], all.half[2])) <= most_times_wider * widest;
}

/// One warp for each region: rough forces on its samples, or -1 where it is not compact.
template <bool spline>
__global__ void __launch_bounds__(lanes* warps)
    estimate_regions(WalkTree tree, std::uint32_t first_region, std::uint32_t regions, float* estimates) {
  __shared__ float4 near_bodies[warps][lanes];
  const std::uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const std::uint32_t number = blockIdx.x * warps + warp, region = first_region + number;
  if (number >= regions) return;
  const WalkGroup group = group_of_samples(tree, region, lane);
  float* const to = estimates + std::size_t{number} * samples_of_region + lane;
  if (!is_compact(tree, region, group)) {
#pragma unroll
    for (int t = 0; t < each; ++t) to[static_cast<std::uint32_t>(t) * lanes] = -1;
    return;
  }
  auto targets = targets_of<each>(
      tree, group, [&](std::uint32_t t) { return sampled_body(tree, region, t * lanes + lane); });
  walk_tree<spline>(tree, group, 0, lane, near_bodies[warp], targets);
#pragma unroll
  for (int t = 0; t < each; ++t) to[static_cast<std::uint32_t>(t) * lanes] = length_of(targets.sums[t]);
}

/// The force that a quarter of `count` forces of all lanes fall below; the others are infinite. 0 where forces are not
/// numbers.
template <int per_lane>
__device__ float quarter_of(const float (&forces)[per_lane], std::uint32_t lane, std::uint32_t count) {
  std::uint32_t ranks[per_lane] = {};
#pragma unroll
  for (int other = 0; other < per_lane; ++other) {
    for (int from = 0; from < static_cast<int>(lanes); ++from) {
      const float force = __shfl_sync(0xffffffffu, forces[other], from);
#pragma unroll
      for (int t = 0; t < per_lane; ++t) {
        const bool before =
            other * static_cast<int>(lanes) + from < t * static_cast<int>(lanes) + static_cast<int>(lane);
        ranks[t] += force < forces[t] || (force == forces[t] && before) ? 1 : 0;
      }
    }
  }
  float quarter = 0;
#pragma unroll
  for (int t = 0; t < per_lane; ++t) {
    const unsigned found = __ballot_sync(0xffffffffu, ranks[t] == count / 4);
    if (found != 0) quarter = __shfl_sync(0xffffffffu, forces[t], __ffs(static_cast<int>(found)) - 1);
  }
  return quarter;
}

/// For a group that its region's estimates leave out: an estimate of its own, for one body of each lane.
template <bool spline>
__device__ float quarter_of_group(const WalkTree& tree, const WalkGroup& group, std::uint32_t lane,
                                  float4* near) {
  const std::uint32_t bodies = group.end - group.first, count = min(bodies, lanes);
  auto targets = targets_of<1>(
      tree, group, [&](std::uint32_t) { return group.first + min(lane, count - 1) * bodies / count; });
  walk_tree<spline>(tree, group, 0, lane, near, targets);
  const float forces[1] = {lane < count ? length_of(targets.sums[0]) : __builtin_inff()};
  return quarter_of(forces, lane, count);
}

/// The factor of the criterion by error. `estimates`: of the region of the group's chunk.
template <bool spline>
__device__ float error_factor(const WalkTree& tree, const WalkGroup& group, std::uint32_t region,
                              std::uint32_t lane, float4* near, const float* estimates) {
  constexpr float enough_for_all = 1e15f;
  float forces[each];
  std::uint32_t count = 0;
#pragma unroll
  for (int t = 0; t < each; ++t) {
    const std::uint32_t sample = static_cast<std::uint32_t>(t) * lanes + lane;
    const std::uint32_t body = sampled_body(tree, region, sample);
    const float estimate = estimates[sample];
    const bool counts = body >= group.first && body < group.end && estimate >= 0;
    forces[t] = counts ? estimate : __builtin_inff();
    count += static_cast<std::uint32_t>(__popc(static_cast<int>(__ballot_sync(0xffffffffu, counts))));
  }
  const float quarter =
      count > 0 ? quarter_of(forces, lane, count) : quarter_of_group<spline>(tree, group, lane, near);
  return quarter > 0 ? fminf(powf(tree.share * quarter, -0.2f), enough_for_all) : enough_for_all;
}

__device__ void store(const WalkTree& tree, const WalkGroup& group, std::uint32_t lane, std::uint32_t first,
                      std::uint32_t count, const LaneTargets<each>& targets, float* out,
                      std::size_t field_stride) {
#pragma unroll
  for (int t = 0; t < each; ++t) {
    const std::uint32_t body = group.first + lane + static_cast<std::uint32_t>(t) * lanes;
    if (body >= group.end || body < first || body - first >= count) continue;
    float* const to = out + (body - first);
    to[0] = to_float(targets.sums[t].x);
    to[field_stride] = to_float(targets.sums[t].y);
    to[2 * field_stride] = to_float(targets.sums[t].z);
    to[3 * field_stride] = to_float(targets.sums[t].potential);
    to[4 * field_stride] = static_cast<float>(targets.bodies);
    to[5 * field_stride] = static_cast<float>(targets.cells);
    to[6 * field_stride] = __uint_as_float(tree.original[body]);
  }
}

/// One warp for the groups of a chunk, which usually is one.
template <bool spline>
__global__ void __launch_bounds__(lanes* warps)
    walk_chunks(WalkTree tree, std::uint32_t first, std::uint32_t count, const float* estimates, float* out,
                std::size_t field_stride) {
  __shared__ float4 near_bodies[warps][lanes];
  const std::uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const std::uint32_t chunk = first / walk_group_size + blockIdx.x * warps + warp;
  if (chunk * walk_group_size >= first + count) return;
  float4* const near = near_bodies[warp];
  const std::uint32_t region = chunk * walk_group_size / region_size;
  for (std::uint32_t number = tree.chunk_groups[chunk]; number < tree.chunk_groups[chunk + 1]; ++number) {
    const WalkGroup group = tree.groups[number];
    const float factor =
        tree.share > 0
            ? error_factor<spline>(tree, group, region, lane, near,
                                   estimates + std::size_t{region - first / region_size} * samples_of_region)
            : 0;
    auto targets = targets_of<each>(
        tree, group, [&](std::uint32_t t) { return min(group.first + lane + t * lanes, group.end - 1); });
    walk_tree<spline>(tree, group, factor, lane, near, targets);
    store(tree, group, lane, first, count, targets, out, field_stride);
  }
}

}  // namespace

void walk(const WalkTree& tree, std::uint32_t first, std::uint32_t count, float* estimates, float* out,
          std::size_t field_stride, const Stream& stream) {
  const auto blocks = [](std::size_t groups) {
    return dim3(static_cast<std::uint32_t>((groups + warps - 1) / warps));
  };
  const bool spline = tree.softening.support > 0;
  if (tree.share > 0) {
    const std::size_t regions = estimates_of(first, count) / samples_of_region;
    launch(spline ? estimate_regions<true> : estimate_regions<false>, blocks(regions), dim3(lanes * warps), 0,
           stream, tree, first / region_size, static_cast<std::uint32_t>(regions), estimates);
  }
  launch(spline ? walk_chunks<true> : walk_chunks<false>, blocks(chunks_of(first % walk_group_size + count)),
         dim3(lanes * warps), 0, stream, tree, first, count, estimates, out, field_stride);
}

}  // namespace isolume::gpu::nbody_kernels
