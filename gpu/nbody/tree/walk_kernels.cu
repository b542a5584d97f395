#include "gpu/nbody/device_pairs.h"
#include "gpu/nbody/tree/walk_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::nbody_kernels {
namespace {

constexpr std::uint32_t lanes = 32;
constexpr std::uint32_t warps = 4;  ///< per block, each with a group of its own
constexpr int each = walk_group_size / lanes;
/// Number of sources that are added up in single precision before they go into sums in double.
constexpr std::uint32_t enough = 512;

/// One lane's bodies, relative to their group's position.
struct LaneTargets {
  float x[each], y[each], z[each];
  std::uint32_t body[each];
  PairSums some[each];
  Sums sums[each];
  std::uint32_t pending = 0;  ///< number of sources in `some`
  std::uint32_t bodies = 0, cells = 0;

  __device__ __forceinline__ void note(std::uint32_t sources) {
    pending += sources;
    if (pending < enough) return;
    flush();
  }
  __device__ __forceinline__ void flush() {
#pragma unroll
    for (int t = 0; t < each; ++t) add_to(sums[t], some[t]);
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
/// criterion by error; 0: by the angle.
__device__ __forceinline__ bool acts_as_a_whole(const WalkCell& cell, const WalkGroup& group, float factor,
                                                const float4& at) {
  const float opening = factor > 0 ? cell.opening_by_error * factor : cell.opening_by_angle;
  return is_beyond(fmaxf(fmaxf(opening, cell.radius), least_pair_distance), group, at);
}

/// Whether a body of the leaf may be in the group, or so near one that single precision cannot represent their
/// force, or their distance, after rounding.
__device__ bool may_touch(const WalkTree& tree, const WalkCell& leaf, const WalkGroup& group,
                          const float4& at) {
  if (leaf.begin < group.end && group.first < leaf.end) return true;
  if (tree.softening_squared >= least_pair_square) return false;
  const float extent = fabsf(at.x) + fabsf(at.y) + fabsf(at.z) + leaf.radius;
  return !is_beyond(leaf.radius + 1e-6f * extent + 2 * least_pair_distance, group, at);
}

/// The CPU's formula (core/nbody/pair_sums.cpp): with n the direction to the cell, i its inverse softened
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
template <bool guarded>
__device__ __forceinline__ void add_points(const WalkTree& tree, const float4* near, std::uint32_t first,
                                           std::uint32_t count, LaneTargets& targets) {
#pragma unroll 1
  for (std::uint32_t j = 0; j < count; ++j) {
    const float4 source = near[j];
#pragma unroll
    for (int t = 0; t < each; ++t) {
      const bool own = guarded && first + j == targets.body[t];
      add_pair<guarded>(source, targets.x[t], targets.y[t], targets.z[t], tree.softening_squared,
                        targets.some[t], own);
    }
  }
}

/// A leaf whose bodies are all at one position acts as one body with their total mass, or, on one of its own
/// bodies, as all others.
__device__ void add_whole_leaf(const WalkTree& tree, const WalkCell& leaf, const WalkGroup& group, float4 at,
                               LaneTargets& targets) {
  double mass = 0;
  if (leaf.begin < group.end && group.first < leaf.end) {
    for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) mass += tree.bodies[i].mass;
  }
#pragma unroll
  for (int t = 0; t < each; ++t) {
    const std::uint32_t body = targets.body[t];
    const bool is_own = body >= leaf.begin && body < leaf.end;
    const auto others = is_own ? to_float(mass - tree.bodies[body].mass) : leaf.mass;
    add_pair<true>(make_float4(at.x, at.y, at.z, others), targets.x[t], targets.y[t], targets.z[t],
                   tree.softening_squared, targets.some[t],
                   is_own && (others == 0 || tree.softening_squared == 0));
  }
}

/// `near`: memory for one body per lane.
__device__ void add_leaf(const WalkTree& tree, const WalkCell& leaf, const WalkGroup& group, const float4& at,
                         std::uint32_t lane, float4* near, LaneTargets& targets) {
  const bool guarded = may_touch(tree, leaf, group, at);
  for (std::uint32_t begin = leaf.begin; begin < leaf.end; begin += lanes) {
    const std::uint32_t count = min(leaf.end - begin, lanes);
    if (lane < count) {
      const WalkBody& body = tree.bodies[begin + lane];
      near[lane] = from_place(group, body.x, body.y, body.z, to_float(body.mass));
    }
    __syncwarp();
    if (guarded) {
      add_points<true>(tree, near, begin, count, targets);
    } else {
      add_points<false>(tree, near, begin, count, targets);
    }
    __syncwarp();  // before the next ones replace them
    targets.bodies += count;
    targets.note(count);
  }
}

__device__ void walk_tree(const WalkTree& tree, const WalkGroup& group, float factor, std::uint32_t lane,
                          float4* near, LaneTargets& targets) {
  for (std::uint32_t number = 0; number < tree.cell_count;) {
    const WalkCell& cell = tree.cells[number];
    const float4 at = from_place(group, cell.x, cell.y, cell.z, cell.mass);
    const bool leaf = cell.next == number + 1;
    if (leaf && cell.radius == 0) {
      add_whole_leaf(tree, cell, group, at, targets);
      targets.bodies += 1;
      targets.note(1);
    } else if (acts_as_a_whole(cell, group, factor, at) && cell.end - cell.begin > 2) {
#pragma unroll
      for (int t = 0; t < each; ++t) {
        add_cell(cell, at, targets.x[t], targets.y[t], targets.z[t], tree.softening_squared, targets.some[t]);
      }
      targets.cells += 1;
      targets.note(1);
    } else if (leaf) {  // two bodies cost no more than a cell
      add_leaf(tree, cell, group, at, lane, near, targets);
    } else {
      number += 1;
      continue;
    }
    number = cell.next;
  }
  targets.flush();
}

/// The factor of the criterion by error: from the force that a quarter of the group's bodies fall below.
__device__ float error_factor(const WalkTree& tree, const WalkGroup& group, std::uint32_t lane,
                              const LaneTargets& targets) {
  constexpr float infinity = __builtin_inff(), enough_for_all = 1e15f;
  const std::uint32_t count = group.end - group.first;
  float pulls[each];
  std::uint32_t ranks[each] = {};
#pragma unroll
  for (int t = 0; t < each; ++t) {
    const Sums& sums = targets.sums[t];
    const auto pull = to_float(sqrt(sums.x * sums.x + sums.y * sums.y + sums.z * sums.z));
    pulls[t] = lane + static_cast<std::uint32_t>(t) * lanes < count ? pull : infinity;
  }
#pragma unroll
  for (int other = 0; other < each; ++other) {
    for (int from = 0; from < static_cast<int>(lanes); ++from) {
      const float pull = __shfl_sync(0xffffffffu, pulls[other], from);
#pragma unroll
      for (int t = 0; t < each; ++t) {
        const bool before =
            other * static_cast<int>(lanes) + from < t * static_cast<int>(lanes) + static_cast<int>(lane);
        ranks[t] += pull < pulls[t] || (pull == pulls[t] && before) ? 1 : 0;
      }
    }
  }
  float quarter = 0;
#pragma unroll
  for (int t = 0; t < each; ++t) {
    const unsigned found = __ballot_sync(0xffffffffu, ranks[t] == count / 4);
    if (found != 0) quarter = __shfl_sync(0xffffffffu, pulls[t], __ffs(static_cast<int>(found)) - 1);
  }
  return quarter > 0 ? fminf(powf(tree.share * quarter, -0.2f), enough_for_all) : enough_for_all;
}

__device__ void begin_sums(LaneTargets& targets) {
#pragma unroll
  for (int t = 0; t < each; ++t) targets.sums[t] = {0, 0, 0, 0};
}

__device__ void store(const WalkTree& tree, const WalkGroup& group, std::uint32_t lane, std::uint32_t first,
                      std::uint32_t count, const LaneTargets& targets, float* out, std::size_t field_stride) {
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
__global__ void __launch_bounds__(lanes* warps)
    walk_chunks(WalkTree tree, std::uint32_t first, std::uint32_t count, float* out,
                std::size_t field_stride) {
  __shared__ float4 near_bodies[warps][lanes];
  const std::uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x / lanes;
  const std::uint32_t chunk = first / walk_group_size + blockIdx.x * warps + warp;
  if (chunk * walk_group_size >= first + count) return;
  float4* const near = near_bodies[warp];
  for (std::uint32_t number = tree.chunk_groups[chunk]; number < tree.chunk_groups[chunk + 1]; ++number) {
    const WalkGroup group = tree.groups[number];
    LaneTargets targets;
#pragma unroll
    for (int t = 0; t < each; ++t) {
      const std::uint32_t body =
          min(group.first + lane + static_cast<std::uint32_t>(t) * lanes, group.end - 1);
      const float4 at = from_place(group, tree.bodies[body].x, tree.bodies[body].y, tree.bodies[body].z, 0);
      targets.body[t] = body;
      targets.x[t] = at.x;
      targets.y[t] = at.y;
      targets.z[t] = at.z;
    }
    begin_sums(targets);
    walk_tree(tree, group, 0, lane, near, targets);
    if (tree.share > 0) {
      const float factor = error_factor(tree, group, lane, targets);
      begin_sums(targets);
      walk_tree(tree, group, factor, lane, near, targets);
    }
    store(tree, group, lane, first, count, targets, out, field_stride);
  }
}

}  // namespace

void walk(const WalkTree& tree, std::uint32_t first, std::uint32_t count, float* out,
          std::size_t field_stride, const Stream& stream) {
  const std::uint32_t chunks = chunks_of(first % walk_group_size + count);
  launch(walk_chunks, dim3((chunks + warps - 1) / warps), dim3(lanes * warps), 0, stream, tree, first, count,
         out, field_stride);
}

}  // namespace isolume::gpu::nbody_kernels
