#include "gpu/nbody/device_pairs.h"
#include "gpu/nbody/fmm/lane_tiles.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::fmm_kernels {
namespace {

using nbody_kernels::PairSums;
using nbody_kernels::Sums;

constexpr std::uint32_t threads = 128, warps = threads / lanes;
/// Number of sources in shared memory at once.
constexpr std::uint32_t tile_size = 512;
/// Number of sources that are added up in single precision before they go into sums in double.
constexpr std::uint32_t enough = 256;
/// Factors of the real and imaginary part of a harmonic in the potential and its three derivatives.
constexpr std::uint32_t factors = 8;

/// A body and its part of the sources: threads of one body are those with the same `target`.
struct Target {
  bool active;
  std::uint32_t body, part, parts;
  float x, y, z;  ///< relative to its leaf's centre
};

/// What one thread adds up.
struct Partial {
  Sums sums = {0, 0, 0, 0};
  PairSums some;
  std::uint32_t pending = 0;
  float closest = FLT_MAX;  ///< smallest squared distance, softening included

  __device__ __forceinline__ void note(std::uint32_t sources) {
    pending += sources;
    if (pending < enough) return;
    flush();
  }
  __device__ __forceinline__ void flush() {
    add_to(sums, some);
    pending = 0;
  }
};

/// Adds charge / r and its gradient; the source's charge is its w.
template <bool may_be_close>
__device__ __forceinline__ void add_source(const float4& source, const Target& to, float softening_squared,
                                           bool own, Partial& partial) {
  const float dx = source.x - to.x, dy = source.y - to.y, dz = source.z - to.z;
  const float squared = fmaf(dx, dx, fmaf(dy, dy, fmaf(dz, dz, softening_squared)));
  if (may_be_close && !own) partial.closest = fminf(partial.closest, squared);
  const float inverse = own ? 0.0f : rsqrtf(squared);
  const float pull = source.w * inverse;
  const float strength = pull * (inverse * inverse);
  partial.some.potential += pull;
  partial.some.x = fmaf(strength, dx, partial.some.x);
  partial.some.y = fmaf(strength, dy, partial.some.y);
  partial.some.z = fmaf(strength, dz, partial.some.z);
}

/// Adds a thread's part of the sources in the tile. `own_first`: number of the tile's first body in the leaf of
/// the target.
template <bool may_be_close, bool own>
__device__ __forceinline__ void add_tile(const float4* tile, std::uint32_t count, std::uint32_t own_first,
                                         const Target& to, float softening_squared, Partial& partial) {
  if (!to.active) return;
  const auto add = [&](std::uint32_t j) {
    add_source<may_be_close>(tile[j], to, softening_squared, own && own_first + j == to.body, partial);
  };
  constexpr std::uint32_t together = 4;  // so that the loads of some do not wait for the sums of others
  std::uint32_t j = to.part;
  for (; j + (together - 1) * to.parts < count; j += together * to.parts) {
#pragma unroll
    for (std::uint32_t i = 0; i < together; ++i) add(j + i * to.parts);
  }
  for (; j < count; j += to.parts) add(j);
  partial.note(count / to.parts + 1);
}

/// Copies the bodies of near leaves to the tile, relative to the target leaf's centre: as many leaves from
/// `first` on as it holds. All threads must call it. `next` becomes the leaf after them; returns the number of
/// bodies.
__device__ std::uint32_t fill_tile(const Tree& tree, std::uint32_t own, std::uint64_t first,
                                   std::uint64_t end, float4* tile, std::uint64_t& next) {
  const std::uint32_t lane = threadIdx.x % lanes;
  const Cell& leaf = tree.cells[own];
  // All warps do this alike.
  std::uint32_t begin = 0, count = 0;
  float4 shift = {0, 0, 0, 0};  // w: the charge of bodies at one position
  bool whole = false;
  if (first + lane < end) {
    const std::uint32_t number = tree.near.cells[first + lane];
    const Cell& cell = tree.cells[number];
    begin = cell.begin;
    whole = cell.one_position != 0;
    count = number == own ? 0 : whole ? 1 : cell.end - cell.begin;
    shift = make_float4(to_float(cell.x - leaf.x), to_float(cell.y - leaf.y), to_float(cell.z - leaf.z),
                        to_float(cell.charge));
  }
  std::uint32_t up_to = count;
#pragma unroll
  for (std::uint32_t step = 1; step < lanes; step *= 2) {
    const std::uint32_t before = __shfl_up_sync(0xffffffffu, up_to, step);
    if (lane >= step) up_to += before;
  }
  const auto fit = static_cast<std::uint32_t>(
      __popc(static_cast<int>(__ballot_sync(0xffffffffu, first + lane < end && up_to <= tile_size))));
  for (std::uint32_t entry = threadIdx.x / lanes; entry < fit; entry += warps) {
    const auto of = [&](auto value) { return __shfl_sync(0xffffffffu, value, static_cast<int>(entry)); };
    const std::uint32_t from = of(begin), bodies = of(count), to = of(up_to) - bodies;
    const float4 by = {of(shift.x), of(shift.y), of(shift.z), of(shift.w)};
    const bool one = of(whole ? 1u : 0u) != 0;
    for (std::uint32_t j = lane; j < bodies; j += lanes) {
      const float4 at = one ? make_float4(0, 0, 0, by.w) : tree.relative[from + j];
      tile[to + j] = make_float4(at.x + by.x, at.y + by.y, at.z + by.z, at.w);
    }
  }
  next = first + fit;
  return __shfl_sync(0xffffffffu, up_to, static_cast<int>(fit) - 1);
}

template <bool may_be_close>
__device__ void add_near(const Tree& tree, std::uint32_t number, const Target& to, float4* tile,
                         Partial& partial) {
  const Cell& leaf = tree.cells[number];
  const std::uint64_t end = tree.near.starts[number + 1];
  for (std::uint64_t first = tree.near.starts[number]; first < end;) {
    __syncthreads();  // the previous tile has been read
    const std::uint32_t count = fill_tile(tree, number, first, end, tile, first);
    __syncthreads();
    add_tile<may_be_close, false>(tile, count, 0, to, tree.softening_squared, partial);
  }
  if (leaf.one_position == 0) {
    const std::uint32_t count = leaf.end - leaf.begin;
    __syncthreads();
    for (std::uint32_t j = threadIdx.x; j < count; j += threads) tile[j] = tree.relative[leaf.begin + j];
    __syncthreads();
    add_tile<may_be_close, true>(tile, count, leaf.begin, to, tree.softening_squared, partial);
  }
  partial.flush();
}

/// In double precision, for leaves with bodies that are too close to others for single precision.
__device__ void add_source_exactly(const Tree& tree, double x, double y, double z, double charge,
                                   Sums& sums) {
  const double squared = x * x + y * y + z * z + tree.softening * tree.softening;
  double inverse = 1 / sqrt(squared);
  if (squared < 1e-300) inverse = x == 0 && y == 0 && z == 0 ? 0 : __builtin_inf();
  const double pull = charge * inverse, strength = pull * inverse * inverse;
  sums.x += strength * x;
  sums.y += strength * y;
  sums.z += strength * z;
  sums.potential += pull;
}
__device__ Sums sum_near_exactly(const Tree& tree, std::uint32_t own, const Target& to) {
  Sums sums = {0, 0, 0, 0};
  const nbody_kernels::WalkBody& at = tree.bodies[to.body];
  for (std::uint64_t i = tree.near.starts[own]; i < tree.near.starts[own + 1]; ++i) {
    const std::uint32_t number = tree.near.cells[i];
    const Cell& cell = tree.cells[number];
    if (cell.one_position != 0) {
      if (number != own && to.part == 0)
        add_source_exactly(tree, cell.x - at.x, cell.y - at.y, cell.z - at.z, cell.charge, sums);
      continue;
    }
    for (std::uint32_t j = cell.begin + to.part; j < cell.end; j += to.parts) {
      const nbody_kernels::WalkBody& body = tree.bodies[j];
      if (j != to.body)
        add_source_exactly(tree, body.x - at.x, body.y - at.y, body.z - at.z, body.mass, sums);
    }
  }
  return sums;
}

/// The factors by which harmonics (divided by norms) are multiplied: as in multipoles::add_field_at_points.
__device__ void derive_harmonics(const Tree& tree, const float* field, float unit, float* to) {
  const int order = tree.order, terms = static_cast<int>(tree.terms);
  const float* const norms = tree.tables->norms;
  const auto re = [&](int n, int m) {
    const int at = n * (n + 1) / 2 + m;
    return norms[at] * field[at];
  };
  const auto im = [&](int n, int m) {
    const int at = n * (n + 1) / 2 + m;
    return norms[at] * field[terms + at];
  };
  for (int at = static_cast<int>(threadIdx.x); at < terms; at += static_cast<int>(threads)) {
    int n = 0;
    while ((n + 1) * (n + 2) / 2 <= at) ++n;
    const int m = at - n * (n + 1) / 2;
    const float twice = m > 0 ? 2 : 1, slope = twice / unit;  // also covers -m
    float* const own = to + at * static_cast<int>(factors);
    own[0] = twice * re(n, m);
    own[1] = twice * im(n, m);
    const bool last = n == order;
    const float high_re = last ? 0 : re(n + 1, m + 1), high_im = last ? 0 : im(n + 1, m + 1);
    const float low_re = last ? 0 : m > 0 ? re(n + 1, m - 1) : -re(n + 1, 1);
    const float low_im = last ? 0 : m > 0 ? im(n + 1, m - 1) : im(n + 1, 1);
    own[2] = slope / 2 * (high_re - low_re);
    own[3] = slope / 2 * (high_im - low_im);
    own[4] = slope / 2 * (low_im + high_im);
    own[5] = -slope / 2 * (low_re + high_re);
    own[6] = last ? 0 : slope * re(n + 1, m);
    own[7] = last ? 0 : slope * im(n + 1, m);
  }
}

/// L2P of the harmonics, at a position in units of the cell.
__device__ void add_harmonics(const Tree& tree, const float* of, float x, float y, float z, Sums& sums) {
  const float squared = fmaf(x, x, fmaf(y, y, z * z));
  const float* recursion = tree.tables->recursion;
  float first_re = 1, first_im = 0;
  PairSums some;
  const auto add = [&](int n, int m, float re, float im) {
    const float* const own = of + (n * (n + 1) / 2 + m) * static_cast<int>(factors);
    some.potential = fmaf(own[0], re, fmaf(own[1], im, some.potential));
    some.x = fmaf(own[2], re, fmaf(own[3], im, some.x));
    some.y = fmaf(own[4], re, fmaf(own[5], im, some.y));
    some.z = fmaf(own[6], re, fmaf(own[7], im, some.z));
  };
  for (int m = 0; m <= tree.order; ++m) {
    if (m > 0) {
      const float half = 0.5f / static_cast<float>(m), before = first_re;
      first_re = half * fmaf(before, x, -first_im * y);
      first_im = half * fmaf(before, y, first_im * x);
    }
    float re = first_re, im = first_im, last_re = 0, last_im = 0;
    add(m, m, re, im);
    for (int n = m + 1; n <= tree.order; ++n) {
      const float* const factor = recursion + 2 * (n - m - 1);
      const float a = factor[0] * z, b = factor[1] * squared;
      const float next_re = fmaf(a, re, -b * last_re), next_im = fmaf(a, im, -b * last_im);
      last_re = re;
      last_im = im;
      re = next_re;
      im = next_im;
      add(n, m, re, im);
    }
    recursion += 2 * (highest_order - m);
  }
  add_to(sums, some);
}

/// L2P of the softening series, at a position in units of the cell.
__device__ void add_softening_series(const SofteningTables& tables, const float* field, float unit, float x,
                                     float y, float z, Sums& sums) {
  PairSums some;
  const float per_unit = 1 / unit;
  float powers[softening_terms];
  for (std::uint32_t i = 0; i < softening_terms; ++i) {
    const std::uint32_t axis = tables.axis[i];
    powers[i] = i == 0 ? 1
                       : powers[tables.lower[i]] *
                             (axis == 0   ? x
                              : axis == 1 ? y
                                          : z) /
                             static_cast<float>(tables.power[i]);
    some.potential = fmaf(field[i], powers[i], some.potential);
    if (i >= tables.partners[1]) continue;
    // The first derivatives by x, y and z are terms 1, 2 and 3.
    some.x = fmaf(field[tables.sum[1][i]] * per_unit, powers[i], some.x);
    some.y = fmaf(field[tables.sum[2][i]] * per_unit, powers[i], some.y);
    some.z = fmaf(field[tables.sum[3][i]] * per_unit, powers[i], some.z);
  }
  add_to(sums, some);
}

__device__ void store(const Slab& slab, std::uint32_t body, const Sums& sums, float* out,
                      std::size_t field_stride) {
  if (body < slab.first || body - slab.first >= slab.count) return;
  float* const to = out + (body - slab.first);
  to[0] = to_float(sums.x);
  to[field_stride] = to_float(sums.y);
  to[2 * field_stride] = to_float(sums.z);
  to[3 * field_stride] = to_float(-sums.potential);
}

/// One block for each leaf: each body has as many threads as there are for it, which share the sources.
__global__ void __launch_bounds__(threads) add_leaves(Tree tree, Slab slab, const std::uint32_t* leaves,
                                                      Fields fields, float* out, std::size_t field_stride) {
  __shared__ float4 tile[tile_size];
  __shared__ Sums parts[threads];
  __shared__ float harmonics[most_terms * factors];
  const std::uint32_t number = leaves[blockIdx.x];
  const Cell& leaf = tree.cells[number];
  // Computed at each use, which takes fewer registers than keeping it across the sums.
  const auto field = [&] {
    return fields.values + std::size_t{field_number(tree, slab, number)} * fields.stride;
  };
  derive_harmonics(tree, field(), leaf.unit, harmonics);
  const double least = fmax(tree.close * static_cast<double>(leaf.unit), least_unit);
  const bool may_be_close = tree.softening < least;
  for (std::uint32_t begin = leaf.begin; begin < leaf.end; begin += threads) {
    const std::uint32_t count = min(leaf.end - begin, threads), own = threadIdx.x % count;
    const std::uint32_t split = threads / count, part = threadIdx.x / count;
    const float4 at = tree.relative[begin + own];
    const Target to{part < split, begin + own, part, split, at.x, at.y, at.z};
    Partial partial;
    if (may_be_close) {
      add_near<true>(tree, number, to, tile, partial);
      const bool too_close = to.active && partial.closest < to_float(least * least);
      if (__syncthreads_or(too_close ? 1 : 0) != 0 && to.active)
        partial.sums = sum_near_exactly(tree, number, to);
    } else {
      add_near<false>(tree, number, to, tile, partial);
    }
    parts[threadIdx.x] = partial.sums;
    __syncthreads();  // the harmonics have been derived, too
    if (part == 0) {
      Sums sums = partial.sums;
      for (std::uint32_t other = 1; other < split; ++other) {
        const Sums& each = parts[other * count + own];
        sums.x += each.x;
        sums.y += each.y;
        sums.z += each.z;
        sums.potential += each.potential;
      }
      const float x = at.x / leaf.unit, y = at.y / leaf.unit, z = at.z / leaf.unit;
      add_harmonics(tree, harmonics, x, y, z, sums);
      if (tree.softening_tables != nullptr) {
        add_softening_series(*tree.softening_tables, field() + 2 * tree.terms, leaf.unit, x, y, z, sums);
      }
      // All other bodies of the leaf act on each, at no distance.
      if (leaf.one_position != 0 && tree.softening > 0)
        sums.potential += (leaf.charge - tree.bodies[to.body].mass) / tree.softening;
      store(slab, to.body, sums, out, field_stride);
    }
    __syncthreads();  // the parts have been read
  }
}

}  // namespace

void sum_leaves(const Tree& tree, const Slab& slab, const std::uint32_t* leaves, std::uint32_t count,
                const Fields& fields, float* out, std::size_t field_stride, const Stream& stream) {
  launch(add_leaves, dim3(count), dim3(threads), 0, stream, tree, slab, leaves, fields, out, field_stride);
}

}  // namespace isolume::gpu::fmm_kernels
