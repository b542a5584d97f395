#include "gpu/nbody/fmm/lane_tiles.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::fmm_kernels {
namespace {

__constant__ Tables tables;

__host__ __device__ constexpr int index(int n, int m) {
  return n * (n + 1) / 2 + m;
}

/// A rotation about z by an angle; times m for the coefficients of order m.
struct Turn {
  float cosine, sine;

  __device__ Turn back() const { return {cosine, -sine}; }
};

/// A translation, as rotations that bring it to the z axis: about z until it has no x component, then, between
/// exchanges of x and z, about the former x axis.
struct Way {
  float distance;
  Turn first, second;
};
__device__ Way way_of(float x, float y, float z) {
  const float squared = fmaf(x, x, y * y), across = sqrtf(squared);
  const float distance = sqrtf(fmaf(z, z, squared));
  const float per_across = across > 0 ? 1 / across : 0, per_distance = distance > 0 ? 1 / distance : 0;
  return {distance,
          {across > 0 ? y * per_across : 1, x * per_across},
          {distance > 0 ? z * per_distance : 1, across * per_distance}};
}

/// The coefficients of degree n, in registers.
template <int n>
struct Degree {
  float re[n + 1], im[n + 1];

  __device__ __forceinline__ void turn(const Turn& by) {
    float cosine = by.cosine, sine = by.sine;
#pragma unroll
    for (int m = 1; m <= n; ++m) {
      const float a = re[m], b = im[m], c = cosine;
      re[m] = fmaf(a, c, -b * sine);
      im[m] = fmaf(b, c, a * sine);
      cosine = fmaf(c, by.cosine, -sine * by.sine);
      sine = fmaf(c, by.sine, sine * by.cosine);
    }
  }
};

/// The part of an exchange of x and z between coefficients of one kind: `parity` is that of the new orders.
template <int n, int least, int parity>
struct ExchangePart {
  static constexpr int to = least + (least + parity) % 2, from = least + (n + parity) % 2;
  static constexpr int rows = (n - to + 2) / 2, columns = (n - from + 2) / 2, size = rows * columns;

  template <int table>
  static __device__ __forceinline__ void act(const float (&in)[n + 1], float (&out)[n + 1]) {
#pragma unroll
    for (int i = 0; i < rows; ++i) {
      float sum = 0;
#pragma unroll
      for (int j = 0; j < columns; ++j)
        sum = fmaf(tables.exchange[table + j * rows + i], in[from + 2 * j], sum);
      out[to + 2 * i] = sum;
    }
  }
};

template <int n>
constexpr int exchange_start =
    exchange_start<n - 1> + ExchangePart<n - 1, 0, 0>::size + ExchangePart<n - 1, 0, 1>::size +
    ExchangePart<n - 1, 1, 0>::size + ExchangePart<n - 1, 1, 1>::size;
template <>
inline constexpr int exchange_start<0> = 0;
static_assert(exchange_start<highest_order + 1> == Tables::exchanges);

template <int n>
__device__ __forceinline__ Degree<n> exchanged(const Degree<n>& in) {
  constexpr int start = exchange_start<n>;
  constexpr int second = start + ExchangePart<n, 0, 0>::size, third = second + ExchangePart<n, 0, 1>::size,
                fourth = third + ExchangePart<n, 1, 0>::size;
  Degree<n> out;
  out.im[0] = 0;
  ExchangePart<n, 0, 0>::template act<start>(in.re, out.re);
  ExchangePart<n, 0, 1>::template act<second>(in.re, out.re);
  ExchangePart<n, 1, 0>::template act<third>(in.im, out.im);
  ExchangePart<n, 1, 1>::template act<fourth>(in.im, out.im);
  return out;
}

/// Rotates a lane's expansion, degree by degree from n on, until the translation is along z, or back. Degree n
/// is multiplied by factor x scale^n. `terms`: of one kind, real or imaginary.
template <bool to_axis, int n = 0>
__device__ __forceinline__ void rotate(const Way& way, int order, int terms, float factor, float scale,
                                       float* lane) {
  if constexpr (n <= highest_order) {
    if (n > order) return;
    Degree<n> degree;
#pragma unroll
    for (int m = 0; m <= n; ++m) {
      degree.re[m] = factor * lane[index(n, m) * row];
      degree.im[m] = m > 0 ? factor * lane[(terms + index(n, m)) * row] : 0;
    }
    if (to_axis) degree.turn(way.first);
    degree = exchanged(degree);
    degree.turn(to_axis ? way.second.back() : way.second);
    degree = exchanged(degree);
    if (!to_axis) degree.turn(way.first.back());
#pragma unroll
    for (int m = 0; m <= n; ++m) {
      lane[index(n, m) * row] = degree.re[m];
      lane[(terms + index(n, m)) * row] = degree.im[m];
    }
    rotate<to_axis, n + 1>(way, order, terms, factor * scale, scale, lane);
  }
}

// Not inlined, as two kernels use them.
__device__ __noinline__ void rotate_to_axis(const Way& way, int order, int terms, float factor, float scale,
                                            float* lane) {
  rotate<true>(way, order, terms, factor, scale, lane);
}
__device__ __noinline__ void rotate_from_axis(const Way& way, int order, int terms, float factor, float scale,
                                              float* lane) {
  rotate<false>(way, order, terms, factor, scale, lane);
}

__host__ __device__ constexpr int far_start(int m) {
  int start = 0;
  for (int i = 0; i < m; ++i) start += (highest_order + 1 - i) * (highest_order + 1 - i);
  return start;
}
static_assert(far_start(highest_order + 1) == Tables::fars);

/// M2L along z, in place, from order m on, with room for degrees up to `most`.
template <int most, int m = 0>
__device__ __forceinline__ void act_far(int order, int terms, float* lane) {
  if constexpr (m <= most) {
    if (m > order) return;
    constexpr int start = far_start(m), rows = highest_order + 1 - m;
    float re[most + 1 - m] = {}, im[most + 1 - m] = {};
#pragma unroll
    for (int n = m; n <= most; ++n) {
      if (n > order) break;
      const float a = lane[index(n, m) * row], b = m > 0 ? lane[(terms + index(n, m)) * row] : 0;
#pragma unroll
      for (int k = m; k <= most; ++k) {
        const float number = tables.far[start + (n - m) * rows + (k - m)];
        re[k - m] = fmaf(number, a, re[k - m]);
        if (m > 0) im[k - m] = fmaf(number, b, im[k - m]);
      }
    }
#pragma unroll
    for (int k = m; k <= most; ++k) {
      if (k > order) break;
      lane[index(k, m) * row] = re[k - m];
      if (m > 0) lane[(terms + index(k, m)) * row] = im[k - m];
    }
    act_far<most, m + 1>(order, terms, lane);
  }
}
/// By the smallest of the sizes that nvcc unrolls: these serve errors of 1e-2, 1e-3, 1e-4 and the least ones.
__device__ __forceinline__ void act_far_along_z(int order, int terms, float* lane) {
  if (order <= 5) return act_far<5>(order, terms, lane);
  if (order <= 8) return act_far<8>(order, terms, lane);
  if (order <= 10) return act_far<10>(order, terms, lane);
  act_far<highest_order>(order, terms, lane);
}

/// L2L along z, in place: each term adds to those of lower degree, times the power of `step` given by the
/// difference and over its factorial.
__device__ void shift_down(int order, int terms, float step, float* lane) {
  for (int m = 0; m <= order; ++m) {
    for (int k = m; k <= order; ++k) {
      float re = 0, im = 0, power = 1 / tables.norms[index(k, m)];
      for (int n = k; n <= order; ++n) {
        const float factor = power * tables.norms[index(n, m)];
        re = fmaf(factor, lane[index(n, m) * row], re);
        im = fmaf(factor, lane[(terms + index(n, m)) * row], im);
        power *= step / static_cast<float>(n - k + 1);
      }
      lane[index(k, m) * row] = re;
      lane[(terms + index(k, m)) * row] = im;
    }
  }
}

/// M2L for one cell by one warp, in batches of a source for each lane.
__global__ void __launch_bounds__(lanes) convert_far(Tree tree, Slab slab, Fields fields) {
  auto* const tile = dynamic_shared<float>();
  const std::uint32_t size = 2 * tree.terms;
  const int terms = static_cast<int>(tree.terms);
  const std::uint32_t number = cell_of_field(tree, slab, blockIdx.x);
  const Cell& target = tree.cells[number];
  const std::uint64_t end = tree.far.starts[number + 1];
  RowSums<2 * most_terms> sums;
  for (std::uint64_t first = tree.far.starts[number]; first < end; first += lanes) {
    const auto count = static_cast<std::uint32_t>(min(end - first, std::uint64_t{lanes}));
    const std::uint32_t source = tree.far.cells[first + min(threadIdx.x, count - 1)];
    load_columns(tree.moments + std::size_t{source} * size, size, count, tile);
    if (threadIdx.x < count) {
      float* const lane = tile + threadIdx.x;
      const Cell& from = tree.cells[source];
      const Way way =
          way_of(to_float(target.x - from.x), to_float(target.y - from.y), to_float(target.z - from.z));
      const float inverse = 1 / way.distance;
      rotate_to_axis(way, tree.order, terms, 1, from.unit * inverse, lane);
      act_far_along_z(tree.order, terms, lane);
      rotate_from_axis(way, tree.order, terms, inverse, target.unit * inverse, lane);
    }
    sums.add(tile, size);
  }
  sums.store(size, fields.values + std::size_t{blockIdx.x} * fields.stride);
}

/// L2L for a child in each lane.
__global__ void __launch_bounds__(lanes)
    move_to_children(Tree tree, Slab slab, const std::uint32_t* cells, std::uint32_t count, Fields fields) {
  auto* const tile = dynamic_shared<float>();
  const std::uint32_t size = 2 * tree.terms, first = blockIdx.x * lanes, here = min(count - first, lanes);
  const int terms = static_cast<int>(tree.terms);
  const std::uint32_t number = cells[first + min(threadIdx.x, here - 1)];
  const Cell &child = tree.cells[number], &parent = tree.cells[child.parent];
  const auto field_of = [&](std::uint32_t cell) {
    return fields.values + std::size_t{field_number(tree, slab, cell)} * fields.stride;
  };
  load_columns(field_of(child.parent), size, here, tile);
  if (threadIdx.x < here) {
    float* const lane = tile + threadIdx.x;
    const auto unit = static_cast<double>(parent.unit);
    const Way way = way_of(to_float((child.x - parent.x) / unit), to_float((child.y - parent.y) / unit),
                           to_float((child.z - parent.z) / unit));
    rotate_to_axis(way, tree.order, terms, 1, 1, lane);
    shift_down(tree.order, terms, way.distance, lane);
    rotate_from_axis(way, tree.order, terms, 1, child.unit / parent.unit, lane);
  }
  add_columns(tile, size, here, field_of(number));
}

}  // namespace

void copy_to_constant_memory(const Tables* from, const Stream& stream) {
  require_queued(
      cudaMemcpyToSymbolAsync(tables, from, sizeof(Tables), 0, cudaMemcpyDeviceToDevice, queue_of(stream)),
      "copying into constant memory");
}

void add_far_cells(const Tree& tree, const Slab& slab, const Fields& fields, const Stream& stream) {
  launch(convert_far, dim3(slab.all_cells()), dim3(lanes), tile_bytes(2 * tree.terms), stream, tree, slab,
         fields);
}

void add_parents(const Tree& tree, const Slab& slab, const std::uint32_t* cells, std::uint32_t count,
                 const Fields& fields, const Stream& stream) {
  launch(move_to_children, dim3(blocks_for(count, lanes)), dim3(lanes), tile_bytes(2 * tree.terms), stream,
         tree, slab, cells, count, fields);
}

}  // namespace isolume::gpu::fmm_kernels
