#include <climits>

#include "gpu/orbitals/pointwise_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu {
namespace {

__constant__ float4 constant_words[constant_memory_words];

// Three ways to the packed words. `bring` makes words readable and says where `word` finds them; all threads
// of a block call it together.

enum class Section : int { centres, groups, primitives, coefficients };

class FromConstant {
 public:
  __device__ FromConstant(const PackedLayout&, const float4*) {}
  template <Section section>
  __device__ int bring(int first, int) const {
    return first;
  }
  __device__ float4 word(int at) const { return constant_words[at]; }
  static constexpr int most_primitives = INT_MAX;
};

/// All threads of a warp read the same word: one transaction, broadcast.
class FromGlobal {
 public:
  __device__ FromGlobal(const PackedLayout&, const float4* words) : words_(words) {}
  template <Section section>
  __device__ int bring(int first, int) const {
    return first;
  }
  __device__ float4 word(int at) const { return __ldg(words_ + at); }
  static constexpr int most_primitives = INT_MAX;

 private:
  const float4* words_;
};

constexpr int tile_words(Section section) {
  switch (section) {
    case Section::centres:
      return 32;
    case Section::groups:
      return 64;
    case Section::primitives:
      return 128;
    default:
      return 256;  // coefficients: a shell h of 16 columns has 84
  }
}
constexpr int tile_start(Section section) {
  switch (section) {
    case Section::centres:
      return 0;
    case Section::groups:
      return tile_words(Section::centres);
    case Section::primitives:
      return tile_start(Section::groups) + tile_words(Section::groups);
    default:
      return tile_start(Section::primitives) + tile_words(Section::primitives);
  }
}
constexpr int all_tile_words = tile_start(Section::coefficients) + tile_words(Section::coefficients);

/// Shared memory as a cache under the program's own control: a tile of each section, that begins on 64 bytes
/// and is filled by the whole block whenever a loop is about to leave it.
class FromTiles {
 public:
  __device__ FromTiles(const PackedLayout& layout, const float4* words)
      : words_(words), end_(layout.first_radius) {
    __shared__ float4 tiles[all_tile_words];
    tiles_ = tiles;
  }
  template <Section section>
  __device__ int bring(int first, int count) {
    int& base = bases_[static_cast<int>(section)];
    if (first < base || first + count > base + tile_words(section)) {
      __syncthreads();  // the old tile has been read
      base = first & ~3;
      for (int i = static_cast<int>(threadIdx.x); i < tile_words(section); i += threads_per_block) {
        if (base + i < end_) tiles_[tile_start(section) + i] = __ldg(words_ + base + i);
      }
      __syncthreads();
    }
    return tile_start(section) + first - base;
  }
  __device__ float4 word(int at) const { return tiles_[at]; }
  static constexpr int most_primitives = tile_words(Section::primitives) - 3;

 private:
  const float4* words_;
  float4* tiles_;
  int end_;
  int bases_[4] = {nowhere, nowhere, nowhere, nowhere};
  static constexpr int nowhere = INT_MIN / 2;
};

/// The points of one thread.
template <int P>
struct Points {
  float place[P][3];  ///< lattice indices, or scattered places rounded to float
  int number[P];      ///< scattered: which one
};
/// The same seen from a centre.
template <int P>
struct Relative {
  float place[P][3];
  float square[P];
};

/// Which point, and where its value belongs.
struct Target {
  int i, j, k;  ///< scattered: i is the point
  bool wanted;
  std::size_t offset;
};

/// Consecutive points of the slab, x fastest. Places past the end repeat the last one.
template <int P>
__device__ Target consecutive_target(const PointSet& points, int p) {
  const std::size_t plane = static_cast<std::size_t>(points.nx) * points.ny;
  const std::size_t count = points.kind == PlaceKind::scattered ? points.count : plane * points.count;
  const std::size_t n = (static_cast<std::size_t>(blockIdx.x) * P + p) * threads_per_block + threadIdx.x;
  const std::size_t there = n < count ? n : count - 1;
  if (points.kind == PlaceKind::scattered) {
    return {points.first + static_cast<int>(there), 0, 0, n < count, there};
  }
  const int k = static_cast<int>(there / plane);
  const std::size_t in_plane = there - k * plane;
  const int j = static_cast<int>(in_plane / points.nx);
  return {static_cast<int>(in_plane - static_cast<std::size_t>(j) * points.nx), j, points.first + k,
          n < count, there};
}

/// The brick of a block, by its first point: bricks begin at multiples of their widths whatever the slab.
struct Brick {
  int x, y, z;
};
template <int P>
__device__ Brick block_brick(const PointSet& points) {
  const int block = static_cast<int>(blockIdx.x);
  if (points.kind == PlaceKind::scattered) {
    constexpr int size = threads_per_block * P;
    return {(points.first / size + block) * size, 0, 0};
  }
  const int along_x = (points.nx + brick_width_x - 1) / brick_width_x;
  const int along_y = (points.ny + brick_width_y - 1) / brick_width_y;
  const int row = block / along_x;
  const int layer = row / along_y;
  return {(block - row * along_x) * brick_width_x, (row - layer * along_y) * brick_width_y,
          (points.first / (2 * P) + layer) * 2 * P};
}

template <int P>
__device__ Target brick_target(const PointSet& points, const Brick& brick, int p) {
  const int local = p * threads_per_block + static_cast<int>(threadIdx.x);
  if (points.kind == PlaceKind::scattered) {
    const int n = brick.x + local;
    const bool wanted = n >= points.first && n < points.first + points.count;
    return {wanted ? n : points.first, 0, 0, wanted, static_cast<std::size_t>(wanted ? n - points.first : 0)};
  }
  const int i = brick.x + local % brick_width_x;
  const int j = brick.y + local / brick_width_x % brick_width_y;
  const int k = brick.z + local / (brick_width_x * brick_width_y);
  const bool wanted = i < points.nx && j < points.ny && k >= points.first && k < points.first + points.count;
  const std::size_t row = static_cast<std::size_t>(wanted ? k - points.first : 0) * points.ny + j;
  return {i, j, k, wanted, row * points.nx + i};
}

template <int P>
__device__ void set_point(const PointSet& points, const Target& target, int p, Points<P>& mine) {
  mine.number[p] = target.i;
  if (points.kind == PlaceKind::scattered) {
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      mine.place[p][axis] = __ldg(points.places + axis * points.place_stride + target.i);
    }
  } else {
    mine.place[p][0] = static_cast<float>(target.i);
    mine.place[p][1] = static_cast<float>(target.j);
    mine.place[p][2] = static_cast<float>(target.k);
  }
}

/// `n` and `r`: the centre's words.
template <int P>
__device__ void look_from(const PointSet& points, const Points<P>& mine, const float4& n, const float4& r,
                          Relative<P>& relative) {
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const float i = mine.place[p][0] - n.x;
    const float j = mine.place[p][1] - n.y;
    const float k = mine.place[p][2] - n.z;
    float x, y, z;
    if (points.kind == PlaceKind::scattered) {
      const float* rest = points.places + 3 * points.place_stride + mine.number[p];
      x = i + (__ldg(rest) - r.x);
      y = j + (__ldg(rest + points.place_stride) - r.y);
      z = k + (__ldg(rest + 2 * points.place_stride) - r.z);
    } else {
      x = fmaf(i, points.step[0], r.x);
      y = fmaf(j, points.step[4], r.y);
      z = fmaf(k, points.step[8], r.z);
      if (points.kind == PlaceKind::lattice) {
        x = fmaf(j, points.step[3], fmaf(k, points.step[6], x));
        y = fmaf(i, points.step[1], fmaf(k, points.step[7], y));
        z = fmaf(i, points.step[2], fmaf(j, points.step[5], z));
      }
    }
    relative.place[p][0] = x;
    relative.place[p][1] = y;
    relative.place[p][2] = z;
    relative.square[p] = fmaf(x, x, fmaf(y, y, z * z));
  }
}

/// sum_p c_p exp(-a_p r^2) of each shell of a group.
template <int shells, int P, class Memory>
__device__ void radial_parts(Memory& memory, int first, int count, const Relative<P>& relative,
                             float (&radial)[P][most_shells_per_group]) {
#pragma unroll
  for (int p = 0; p < P; ++p) radial[p][0] = radial[p][1] = radial[p][2] = 0;
  for (int done = 0; done < count; done += Memory::most_primitives) {
    const int part = count - done < Memory::most_primitives ? count - done : Memory::most_primitives;
    const int at = memory.template bring<Section::primitives>(first + done, part);
    for (int i = 0; i < part; ++i) {
      const float4 primitive = memory.word(at + i);
#pragma unroll
      for (int p = 0; p < P; ++p) {
        const float gaussian = exp2f(primitive.x * relative.square[p]);
        radial[p][0] = fmaf(primitive.y, gaussian, radial[p][0]);
        if constexpr (shells > 1) radial[p][1] = fmaf(primitive.z, gaussian, radial[p][1]);
        if constexpr (shells > 2) radial[p][2] = fmaf(primitive.w, gaussian, radial[p][2]);
      }
    }
  }
}

/// One or two columns: the polynomial by Horner's rule, first in x, then in y. The monomials' order (falling
/// powers of x, then of y) is the order in which it needs the coefficients, which stand `N` apart.
template <int l, int N>
__device__ float polynomial(const float* coefficients, const float (&place)[3], const float* z_power) {
  if constexpr (l == 0) {
    return coefficients[0];
  } else {
    const float* without_x = coefficients + N * monomial_count(l - 1);
    float plane = without_x[0];
#pragma unroll
    for (int t = 1; t <= l; ++t) plane = fmaf(plane, place[1], without_x[N * t] * z_power[t]);
    return fmaf(polynomial<l - 1, N>(coefficients, place, z_power), place[0], plane);
  }
}

/// More columns: the monomials themselves, times `factor`, for all columns. Each degree from the one below,
/// last to first in place: z^l, then y times the terms without x, then x times everything.
template <int l>
__device__ void monomials(const float (&place)[3], float factor, float* values) {
  if constexpr (l == 0) {
    values[0] = factor;
  } else {
    monomials<l - 1>(place, factor, values);
    constexpr int lower = monomial_count(l - 1);
    values[lower + l] = values[lower - 1] * place[2];
#pragma unroll
    for (int t = l - 1; t >= 0; --t) values[lower + t] = values[lower - l + t] * place[1];
#pragma unroll
    for (int t = 0; t < lower; ++t) values[t] *= place[0];
  }
}

template <int l, int N, int P, class Memory>
__device__ void add_shell(Memory& memory, int at, const Relative<P>& relative,
                          const float (&radial)[P][most_shells_per_group], float (&psi)[P][N]) {
  constexpr int words = coefficient_words(l, N);
  if constexpr (N <= 2) {
    float coefficients[4 * words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const float4 word = memory.word(at + w);
      coefficients[4 * w] = word.x;
      coefficients[4 * w + 1] = word.y;
      coefficients[4 * w + 2] = word.z;
      coefficients[4 * w + 3] = word.w;
    }
#pragma unroll
    for (int p = 0; p < P; ++p) {
      float z_power[l + 2];  // the one of 0 is not used
      z_power[1] = relative.place[p][2];
#pragma unroll
      for (int t = 2; t <= l; ++t) z_power[t] = z_power[t - 1] * z_power[1];
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const float value = polynomial<l, N>(coefficients + n, relative.place[p], z_power);
        psi[p][n] = fmaf(radial[p][0], value, psi[p][n]);
      }
    }
  } else {
    float values[P][monomial_count(l)];
#pragma unroll
    for (int p = 0; p < P; ++p) monomials<l>(relative.place[p], radial[p][0], values[p]);
#pragma unroll
    for (int w = 0; w < words; ++w) {  // N is a multiple of 4: a word belongs to one monomial
      const float4 word = memory.word(at + w);
      const int m = 4 * w / N;
      const int n = 4 * w % N;
#pragma unroll
      for (int p = 0; p < P; ++p) {
        psi[p][n] = fmaf(values[p][m], word.x, psi[p][n]);
        psi[p][n + 1] = fmaf(values[p][m], word.y, psi[p][n + 1]);
        psi[p][n + 2] = fmaf(values[p][m], word.z, psi[p][n + 2]);
        psi[p][n + 3] = fmaf(values[p][m], word.w, psi[p][n + 3]);
      }
    }
  }
}

template <int l, int N, int P, class Memory>
__device__ void bring_and_add_shell(Memory& memory, int& first, const Relative<P>& relative,
                                    const float (&radial)[P][most_shells_per_group], float (&psi)[P][N]) {
  constexpr int words = coefficient_words(l, N);
  const int at = memory.template bring<Section::coefficients>(first, words);
  add_shell<l>(memory, at, relative, radial, psi);
  first += words;
}

/// `shells` as in the group's word, `first_coefficient` absolute.
template <int N, int P, class Memory>
__device__ void add_group(Memory& memory, int first_primitive, int primitive_count, int shells,
                          int first_coefficient, const Relative<P>& relative, float (&psi)[P][N]) {
  float radial[P][most_shells_per_group];
  if (shells >> 8 != 0) {
    radial_parts<3>(memory, first_primitive, primitive_count, relative, radial);
  } else if (shells >> 4 != 0) {
    radial_parts<2>(memory, first_primitive, primitive_count, relative, radial);
  } else {
    radial_parts<1>(memory, first_primitive, primitive_count, relative, radial);
  }
#pragma unroll 1
  for (; shells != 0; shells >>= 4) {
    switch (shells & 15) {
      case 1:
        bring_and_add_shell<0>(memory, first_coefficient, relative, radial, psi);
        break;
      case 2:
        bring_and_add_shell<1>(memory, first_coefficient, relative, radial, psi);
        break;
      case 3:
        bring_and_add_shell<2>(memory, first_coefficient, relative, radial, psi);
        break;
      case 4:
        bring_and_add_shell<3>(memory, first_coefficient, relative, radial, psi);
        break;
      case 5:
        bring_and_add_shell<4>(memory, first_coefficient, relative, radial, psi);
        break;
      default:
        bring_and_add_shell<5>(memory, first_coefficient, relative, radial, psi);
        break;
    }
#pragma unroll
    for (int p = 0; p < P; ++p) {
      radial[p][0] = radial[p][1];
      radial[p][1] = radial[p][2];
    }
  }
}

/// Adds a pass's amplitudes to the density, with the weights that stand at the pass's end.
template <int N, int P, class Memory>
__device__ void add_squares(Memory& memory, int end_of_pass, const float (&psi)[P][N], float (&density)[P]) {
  constexpr int words = (N + 3) / 4;
  const int at = memory.template bring<Section::coefficients>(end_of_pass - words, words);
#pragma unroll
  for (int w = 0; w < words; ++w) {
    const float4 word = memory.word(at + w);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      density[p] = fmaf(word.x * psi[p][4 * w], psi[p][4 * w], density[p]);
      if constexpr (N > 1) density[p] = fmaf(word.y * psi[p][4 * w + 1], psi[p][4 * w + 1], density[p]);
      if constexpr (N > 2) density[p] = fmaf(word.z * psi[p][4 * w + 2], psi[p][4 * w + 2], density[p]);
      if constexpr (N > 2) density[p] = fmaf(word.w * psi[p][4 * w + 3], psi[p][4 * w + 3], density[p]);
    }
  }
}

template <int N>
__device__ void write_amplitudes(const FieldOutput& output, int pass, const Target& target,
                                 const float (&psi)[N]) {
  if (!target.wanted) return;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const int column = output.first_column + pass * N + n;
    if (column < output.column_count) output.values[column * output.stride + target.offset] = psi[n];
  }
}

__device__ void write_density(const FieldOutput& output, const Target& target, float density) {
  if (!target.wanted) return;
  output.values[target.offset] = output.add ? output.values[target.offset] + density : density;
}

/// Blocks that must fit on a multiprocessor at once: what keeps its schedulers busy while some warps wait for
/// words, and what the registers of so many columns allow.
constexpr int blocks_wanted(int columns) {
  return columns <= 8 ? 8 : 5;
}

template <class Memory, int N>
__global__ void __launch_bounds__(threads_per_block, blocks_wanted(N))
    sum_all_shells(PackedLayout layout, const float4* words, PointSet points, FieldOutput output) {
  constexpr int P = points_per_thread(N);
  Memory memory(layout, words);
  Points<P> mine;
#pragma unroll
  for (int p = 0; p < P; ++p) set_point(points, consecutive_target<P>(points, p), p, mine);
  float density[P] = {};
  for (int pass = 0; pass < layout.pass_count; ++pass) {
    const int first_coefficient = layout.first_coefficient + pass * layout.words_per_pass;
    float psi[P][N] = {};
    for (int centre = 0; centre < layout.centre_count; ++centre) {
      const int at = memory.template bring<Section::centres>(2 * centre, 2);
      const float4 r = memory.word(at + 1);
      Relative<P> relative;
      look_from(points, mine, memory.word(at), r, relative);
      const int groups = __float_as_int(r.w);
      const int first_group = layout.first_group + (groups >> 4);
      for (int g = 0; g < (groups & 15); ++g) {
        const float4 group = memory.word(memory.template bring<Section::groups>(first_group + g, 1));
        const int count_and_shells = __float_as_int(group.y);
        add_group(memory, layout.first_primitive + __float_as_int(group.x), count_and_shells >> 12,
                  count_and_shells & 0xfff, first_coefficient + __float_as_int(group.z), relative, psi);
      }
    }
    if (output.density) {
      add_squares(memory, first_coefficient + layout.words_per_pass, psi, density);
    } else {
#pragma unroll
      for (int p = 0; p < P; ++p) write_amplitudes(output, pass, consecutive_target<P>(points, p), psi[p]);
    }
  }
  if (output.density) {
#pragma unroll
    for (int p = 0; p < P; ++p) write_density(output, consecutive_target<P>(points, p), density[p]);
  }
}

/// A group that reaches a brick.
struct Survivor {
  int first_primitive;
  int count_and_shells;  ///< as in the group's word, the count being what reaches
  int first_coefficient;
  int centre;
};
constexpr int most_survivors_per_batch = threads_per_block * most_groups_per_centre;
constexpr int list_length = most_survivors_per_batch + most_survivors_per_batch / 2;

/// A box around points: its middle and half its widths along x, y and z; on lattices the middle is in
/// indices.
struct Box {
  float middle[3];
  float rest[3];
  float half[3];
};

template <int P>
__device__ Box brick_box(const PointSet& points, const Brick& brick) {
  Box box;
  if (points.kind == PlaceKind::scattered) {
    const float* stored = points.boxes + 9 * (brick.x / (threads_per_block * P));
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      box.middle[axis] = __ldg(stored + axis);
      box.rest[axis] = __ldg(stored + 3 + axis);
      box.half[axis] = __ldg(stored + 6 + axis);
    }
    return box;
  }
  // The brick's points within the lattice, also those outside the slab: what is left out must not depend on
  // it.
  const int first[3] = {brick.x, brick.y, brick.z};
  const int width[3] = {brick_width_x, brick_width_y, 2 * P};
  const int size[3] = {points.nx, points.ny, points.nz};
  float half[3];
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    const int last = first[axis] + width[axis] < size[axis] ? first[axis] + width[axis] - 1 : size[axis] - 1;
    box.middle[axis] = 0.5f * static_cast<float>(first[axis] + last);
    half[axis] = 0.5f * static_cast<float>(last - first[axis]);
    box.rest[axis] = 0;
  }
#pragma unroll
  for (int x = 0; x < 3; ++x) {
    box.half[x] = fmaf(fabsf(points.step[x]), half[0],
                       fmaf(fabsf(points.step[3 + x]), half[1], fabsf(points.step[6 + x]) * half[2]));
  }
  return box;
}

/// The square of a distance that no point of the box is nearer than: rounding (below 1e-6 of the lengths that
/// enter) is taken off.
__device__ float least_square(const PointSet& points, const Box& box, const float4& n, const float4& r) {
  const float from[3] = {box.middle[0] - n.x, box.middle[1] - n.y, box.middle[2] - n.z};
  const float rest[3] = {r.x, r.y, r.z};
  float square = 0;
#pragma unroll
  for (int x = 0; x < 3; ++x) {
    float middle, lengths;
    if (points.kind == PlaceKind::scattered) {
      middle = from[x] + (box.rest[x] - rest[x]);
      lengths = fabsf(from[x]);
    } else {
      middle = rest[x];
      lengths = fabsf(rest[x]);
#pragma unroll
      for (int axis = 0; axis < 3; ++axis) {
        const float along = from[axis] * points.step[3 * axis + x];
        middle += along;
        lengths += fabsf(along);
      }
    }
    const float gap = fabsf(middle) - box.half[x] - 1e-6f * (lengths + box.half[x]);
    if (gap > 0) square = fmaf(gap, gap, square);
  }
  return square * (1 - 1e-6f);
}

/// The sum of `value` over the threads before this one; `total` over all. `sums` is one int a warp.
__device__ int sum_before(int value, int* sums, int& total) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  int inclusive = value;
  for (int step = 1; step < 32; step *= 2) {
    const int below = __shfl_up_sync(0xffffffffu, inclusive, step);
    if (lane >= step) inclusive += below;
  }
  if (lane == 31) sums[warp] = inclusive;
  __syncthreads();
  total = 0;
  int before = inclusive - value;
#pragma unroll
  for (int w = 0; w < threads_per_block / 32; ++w) {
    if (w < warp) before += sums[w];
    total += sums[w];
  }
  return before;
}

/// Appends the groups of the next centres, one a thread, that reach the box, in their order. Returns the new
/// length of the list. Begins and ends with the block in step.
__device__ int select(const PackedLayout& layout, const float4* words, const PointSet& points, const Box& box,
                      int first_centre, int length, Survivor* list, int* sums) {
  const int centre = first_centre + static_cast<int>(threadIdx.x);
  const float* radii = reinterpret_cast<const float*>(words + layout.first_radius);
  float square = 0;
  int first_group = 0;
  int groups = 0;
  int reaching = 0;
  if (centre < layout.centre_count) {
    const float4 n = __ldg(words + 2 * centre);
    const float4 r = __ldg(words + 2 * centre + 1);
    square = least_square(points, box, n, r);
    if (square <= n.w) {
      first_group = layout.first_group + (__float_as_int(r.w) >> 4);
      groups = __float_as_int(r.w) & 15;
    }
    for (int g = 0; g < groups; ++g) {
      const int first_radius = __float_as_int(__ldg(words + first_group + g).w);
      if (square <= __ldg(radii + first_radius)) ++reaching;
    }
  }
  int total = 0;
  int at = length + sum_before(reaching, sums, total);
  for (int g = 0; g < groups && reaching > 0; ++g) {
    const float4 group = __ldg(words + first_group + g);
    const float* radius = radii + __float_as_int(group.w);
    const int all = __float_as_int(group.y) >> 12;
    int count = 0;
    while (count < all && square <= __ldg(radius + count)) ++count;
    if (count == 0) continue;
    list[at++] = {layout.first_primitive + __float_as_int(group.x),
                  count << 12 | (__float_as_int(group.y) & 0xfff), __float_as_int(group.z), centre};
  }
  __syncthreads();
  return length + total;
}

template <int N, int P>
__device__ void add_survivors(const float4* words, FromGlobal& memory, const PointSet& points,
                              const Points<P>& mine, const Survivor* list, int length, int first_coefficient,
                              float (&psi)[P][N]) {
  int centre = -1;
  Relative<P> relative;
  for (int e = 0; e < length; ++e) {
    const Survivor survivor = list[e];
    if (survivor.centre != centre) {
      centre = survivor.centre;
      look_from(points, mine, __ldg(words + 2 * centre), __ldg(words + 2 * centre + 1), relative);
    }
    add_group(memory, survivor.first_primitive, survivor.count_and_shells >> 12,
              survivor.count_and_shells & 0xfff, first_coefficient + survivor.first_coefficient, relative,
              psi);
  }
}

/// Each block lists what reaches its brick, atom by atom, group by group, primitive by primitive, and sums
/// only that: linear in the number of atoms where the field is larger than the functions' reach. The error
/// bound is that of PackedShells.
template <int N>
__global__ void __launch_bounds__(threads_per_block, blocks_wanted(N))
    sum_near_shells(PackedLayout layout, const float4* words, PointSet points, FieldOutput output) {
  constexpr int P = brick_points_per_thread(N);
  __shared__ Survivor list[list_length];
  __shared__ int sums[threads_per_block / 32];
  FromGlobal memory(layout, words);
  const Brick brick = block_brick<P>(points);
  const Box box = brick_box<P>(points, brick);
  Points<P> mine;
#pragma unroll
  for (int p = 0; p < P; ++p) set_point(points, brick_target<P>(points, brick, p), p, mine);
  float density[P] = {};
  int length = 0;
  bool complete = false;  // the list, as every pass needs it
  for (int pass = 0; pass < layout.pass_count; ++pass) {
    const int first_coefficient = layout.first_coefficient + pass * layout.words_per_pass;
    float psi[P][N] = {};
    if (!complete) {
      complete = true;
      length = 0;
      __syncthreads();  // the last pass's list has been read
      for (int centre = 0; centre < layout.centre_count; centre += threads_per_block) {
        if (length > list_length - most_survivors_per_batch) {
          add_survivors(words, memory, points, mine, list, length, first_coefficient, psi);
          complete = false;
          length = 0;
          __syncthreads();
        }
        length = select(layout, words, points, box, centre, length, list, sums);
      }
    }
    add_survivors(words, memory, points, mine, list, length, first_coefficient, psi);
    if (output.density) {
      add_squares(memory, first_coefficient + layout.words_per_pass, psi, density);
    } else {
#pragma unroll
      for (int p = 0; p < P; ++p) write_amplitudes(output, pass, brick_target<P>(points, brick, p), psi[p]);
    }
  }
  if (output.density) {
#pragma unroll
    for (int p = 0; p < P; ++p) write_density(output, brick_target<P>(points, brick, p), density[p]);
  }
}

std::size_t slab_points(const PointSet& points) {
  if (points.kind == PlaceKind::scattered) return points.count;
  return static_cast<std::size_t>(points.nx) * points.ny * points.count;
}

template <class Memory, int N>
void launch_all(const PackedLayout& layout, const Word* words, const PointSet& points,
                const FieldOutput& output, const Stream& stream) {
  constexpr std::size_t per_block = threads_per_block * points_per_thread(N);
  const std::size_t blocks = (slab_points(points) + per_block - 1) / per_block;
  launch(sum_all_shells<Memory, N>, dim3(static_cast<unsigned>(blocks)), dim3(threads_per_block), 0, stream,
         layout, reinterpret_cast<const float4*>(words), points, output);
}

template <class Memory>
void launch_all(const PackedLayout& layout, const Word* words, const PointSet& points,
                const FieldOutput& output, const Stream& stream) {
  switch (layout.columns_per_pass) {
    case 1:
      return launch_all<Memory, 1>(layout, words, points, output, stream);
    case 2:
      return launch_all<Memory, 2>(layout, words, points, output, stream);
    case 4:
      return launch_all<Memory, 4>(layout, words, points, output, stream);
    case 8:
      return launch_all<Memory, 8>(layout, words, points, output, stream);
    default:
      return launch_all<Memory, 16>(layout, words, points, output, stream);
  }
}

template <int N>
void launch_near(const PackedLayout& layout, const Word* words, const PointSet& points,
                 const FieldOutput& output, const Stream& stream) {
  constexpr int planes = brick_planes(N);
  constexpr int size = brick_points(N);
  std::size_t bricks = 0;
  if (points.kind == PlaceKind::scattered) {
    bricks = (points.first + points.count - 1) / size - points.first / size + 1;
  } else {
    const std::size_t layers = (points.first + points.count - 1) / planes - points.first / planes + 1;
    bricks = layers * ((points.nx + brick_width_x - 1) / brick_width_x) *
             ((points.ny + brick_width_y - 1) / brick_width_y);
  }
  launch(sum_near_shells<N>, dim3(static_cast<unsigned>(bricks)), dim3(threads_per_block), 0, stream, layout,
         reinterpret_cast<const float4*>(words), points, output);
}

}  // namespace

void copy_to_constant_memory(const Word* words, std::size_t count, std::size_t first, const Stream& stream) {
  require_success(cudaMemcpyToSymbolAsync(constant_words, words, count * sizeof(Word), first * sizeof(Word),
                                          cudaMemcpyDeviceToDevice, stream.get()),
                  "copying into constant memory");
}

void launch_constant(const PackedLayout& layout, const PointSet& points, const FieldOutput& output,
                     const Stream& stream) {
  launch_all<FromConstant>(layout, nullptr, points, output, stream);
}

void launch_tiled(const PackedLayout& layout, const Word* words, const PointSet& points,
                  const FieldOutput& output, const Stream& stream) {
  launch_all<FromTiles>(layout, words, points, output, stream);
}

void launch_cached(const PackedLayout& layout, const Word* words, const PointSet& points,
                   const FieldOutput& output, const Stream& stream) {
  launch_all<FromGlobal>(layout, words, points, output, stream);
}

void launch_range_limited(const PackedLayout& layout, const Word* words, const PointSet& points,
                          const FieldOutput& output, const Stream& stream) {
  switch (layout.columns_per_pass) {
    case 1:
      return launch_near<1>(layout, words, points, output, stream);
    case 2:
      return launch_near<2>(layout, words, points, output, stream);
    case 4:
      return launch_near<4>(layout, words, points, output, stream);
    case 8:
      return launch_near<8>(layout, words, points, output, stream);
    default:
      return launch_near<16>(layout, words, points, output, stream);
  }
}

}  // namespace isolume::gpu
