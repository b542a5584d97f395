#include "gpu/orbitals/pointwise/point_places.h"
#include "gpu/orbitals/pointwise/pointwise_kernels.h"
#include "gpu/orbitals/pointwise/shell_sums.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu {
namespace {

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

/// A group in range of a brick.
struct alignas(16) Survivor {
  int first_primitive;
  int count_and_shells;  ///< as in the group's word, with the count of primitives in range
  int first_coefficient;
  int centre;
};
constexpr int most_survivors_per_batch = threads_per_block * most_groups_per_centre;
constexpr int list_length = most_survivors_per_batch + most_survivors_per_batch / 2;

/// A box around points: its middle and half its widths along x, y and z; on grids the middle is in
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
  // The brick's points within the grid, including those outside the slab: the screening must not depend on
  // the slab.
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

/// A lower bound of the squared distance to the points of the box, reduced by rounding errors (below 1e-6 of
/// the lengths involved).
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

/// The sum of `value` over the threads before this one; `total` over all. `sums` has one int per warp.
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

/// Appends the groups of the next centres, one per thread, that are in range of the box, in their order.
/// Returns the new length of the list. A barrier ensures that no thread reads the list while it is written.
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

/// Each block lists the atoms, groups and primitives in range of its brick, and sums only those: the cost is
/// linear in the number of atoms if the field is larger than the functions' range. The error bound is that of
/// PackedShells.
template <int N>
__global__ void __launch_bounds__(threads_per_block, blocks_wanted(N))
    sum_near_shells(PackedLayout layout, const float4* words, PointSet points, FieldOutput output) {
  constexpr int P = points_per_thread(N);
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
  bool complete = false;  // whether the list serves every pass
  for (int pass = 0; pass < layout.pass_count; ++pass) {
    const int first_coefficient = layout.first_coefficient + pass * layout.words_per_pass;
    float psi[P][N] = {};
    if (!complete) {
      complete = true;
      length = 0;
      for (int centre = 0; centre < layout.centre_count; centre += threads_per_block) {
        if (length > list_length - most_survivors_per_batch) {
          add_survivors(words, memory, points, mine, list, length, first_coefficient, psi);
          complete = false;
          length = 0;
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

template <int N>
void launch_near(const PackedLayout& layout, const Word* words, const PointSet& points,
                 const FieldOutput& output, const Stream& stream) {
  constexpr int planes = brick_planes(N);
  constexpr int size = points_per_block(N);
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
