#include "gpu/nbody/device_groups.h"
#include "gpu/nbody/direct/direct_layout_kernels.h"
#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::nbody_kernels {
namespace {

constexpr std::uint32_t threads = 128;

/// One block for each tile.
__global__ void __launch_bounds__(threads)
    box_each_tile(const Body* bodies, std::uint32_t count, Box* tiles) {
  __shared__ GroupBox boxes[threads];
  constexpr double far = 1e300;
  const std::uint32_t t = threadIdx.x, first = blockIdx.x * tile_size, end = min(first + tile_size, count);
  GroupBox box = {{far, far, far}, {-far, -far, -far}};
  for (std::uint32_t i = first + t; i < end; i += threads) extend(box, bodies[i]);
  reduce_block(boxes, box, [](GroupBox& all, const GroupBox& other) {
    for (int axis = 0; axis < 3; ++axis) {
      all.low[axis] = fmin(all.low[axis], other.low[axis]);
      all.high[axis] = fmax(all.high[axis], other.high[axis]);
    }
  });
  if (t != 0) return;
  for (int axis = 0; axis < 3; ++axis) {
    tiles[blockIdx.x].low[axis] = boxes[0].low[axis];
    tiles[blockIdx.x].high[axis] = boxes[0].high[axis];
  }
}

/// Writes a group of a chunk; counts if there is no output.
struct GroupWriter {
  Group* groups;

  __device__ void operator()(std::uint32_t number, const GroupBox& box, std::uint32_t first,
                             std::uint32_t end) const {
    if (groups == nullptr) return;
    Group& group = groups[number];
    for (int axis = 0; axis < 3; ++axis) {
      group.place[axis] = (box.low[axis] + box.high[axis]) / 2;
      group.half[axis] = (box.high[axis] - box.low[axis]) / 2;
    }
    group.first = first;
    group.end = end;
  }
};

__global__ void count_groups_of_chunks(const Body* bodies, std::uint32_t count, std::uint32_t* counts,
                                       std::uint32_t* offsets) {
  const std::uint32_t chunk = blockIdx.x * blockDim.x + threadIdx.x, first = chunk * group_size;
  if (first >= count) return;
  counts[chunk] =
      divide_chunk<group_size>(bodies, first, min(first + group_size, count), GroupWriter{nullptr});
  if (chunk == 0) offsets[0] = 0;
}

__global__ void make_groups_of_chunks(const Body* bodies, std::uint32_t count, const std::uint32_t* offsets,
                                      Group* groups) {
  const std::uint32_t chunk = blockIdx.x * blockDim.x + threadIdx.x, first = chunk * group_size;
  if (first >= count) return;
  divide_chunk<group_size>(bodies, first, min(first + group_size, count),
                           GroupWriter{groups + offsets[chunk]});
}

}  // namespace

void box_tiles(const Body* bodies, std::uint32_t count, Box* tiles, const Stream& stream) {
  launch(box_each_tile, dim3((count + tile_size - 1) / tile_size), dim3(threads), 0, stream, bodies, count,
         tiles);
}
void count_direct_groups(const Body* bodies, std::uint32_t count, std::uint32_t* counts,
                         std::uint32_t* offsets, const Stream& stream) {
  launch_each(count_groups_of_chunks, group_chunks_of(count), threads, stream, bodies, count, counts,
              offsets);
}
void make_direct_groups(const Body* bodies, std::uint32_t count, const std::uint32_t* offsets, Group* groups,
                        const Stream& stream) {
  launch_each(make_groups_of_chunks, group_chunks_of(count), threads, stream, bodies, count, offsets, groups);
}

}  // namespace isolume::gpu::nbody_kernels
