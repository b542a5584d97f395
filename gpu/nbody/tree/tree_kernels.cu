#include "core/nbody/forces/hilbert.h"
#include "gpu/nbody/device_groups.h"
#include "gpu/nbody/tree/tree_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::nbody_kernels {
namespace {

constexpr unsigned threads = 128;

__device__ std::uint32_t thread_number() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

/// Inserts two zero bits before each of the 21 bits.
__device__ std::uint64_t spread(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x1f00000000ffff;
  bits = (bits | bits << 16) & 0x1f0000ff0000ff;
  bits = (bits | bits << 8) & 0x100f00f00f00f00f;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3;
  return (bits | bits << 2) & 0x1249249249249249;
}

/// nbody::hilbert_number.
__device__ std::uint64_t number_on_curve(std::uint32_t (&place)[3]) {
  for (int bit = nbody::hilbert_levels - 1; bit > 0; --bit) {
    const std::uint32_t below = (1u << bit) - 1;
#pragma unroll
    for (int axis = 0; axis < 3; ++axis) {
      if ((place[axis] >> bit & 1) != 0) {
        place[0] ^= below;
      } else {
        const std::uint32_t exchange = (place[0] ^ place[axis]) & below;
        place[0] ^= exchange;
        if (axis != 0) place[axis] ^= exchange;
      }
    }
  }
  place[1] ^= place[0];
  place[2] ^= place[1];
  std::uint32_t gray = 0;
  for (int bit = nbody::hilbert_levels - 1; bit > 0; --bit) {
    if ((place[2] >> bit & 1) != 0) gray ^= (1u << bit) - 1;
  }
  return spread(place[0] ^ gray) << 2 | spread(place[1] ^ gray) << 1 | spread(place[2] ^ gray);
}

__global__ void number_each(const WalkBody* bodies, std::uint32_t count, Scaling scaling, std::uint64_t* keys,
                            std::uint32_t* order) {
  const std::uint32_t i = thread_number();
  if (i >= count) return;
  const WalkBody body = bodies[i];
  const double from[3] = {body.x - scaling.low[0], body.y - scaling.low[1], body.z - scaling.low[2]};
  constexpr double last = (1u << nbody::hilbert_levels) - 1;
  std::uint32_t place[3];
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] = static_cast<std::uint32_t>(fmin(fmax(from[axis] * scaling.scale, 0.0), last));
  }
  keys[i] = number_on_curve(place);
  order[i] = i;
}

__global__ void gather_each(const WalkBody* bodies, const std::uint32_t* order, std::uint32_t count,
                            Scaling scaling, WalkBody* sorted) {
  const std::uint32_t i = thread_number();
  if (i >= count) return;
  const WalkBody body = bodies[order[i]];
  sorted[i] = {(body.x - scaling.centre[0]) / scaling.length, (body.y - scaling.centre[1]) / scaling.length,
               (body.z - scaling.centre[2]) / scaling.length, body.mass / scaling.mass_sum};
}

__global__ void write_root(Node* root, std::uint32_t bodies, Totals* totals) {
  *root = {0, bodies, 0, 0, 1, 0};
  *totals = {};
}

/// Position of the first three bits in which the keys of a cell differ; -1 for a leaf.
__device__ int shift_of(const std::uint64_t* keys, const Node& node, std::uint32_t leaf_size) {
  if (node.end - node.begin <= leaf_size) return -1;
  const std::uint64_t differing = keys[node.begin] ^ keys[node.end - 1];
  if (differing == 0) return -1;
  return (63 - __clzll(static_cast<long long>(differing))) / 3 * 3;
}

/// The first body from `begin` on that is in another part.
__device__ std::uint32_t end_of_part(const std::uint64_t* keys, std::uint32_t begin, std::uint32_t end,
                                     int shift) {
  const std::uint64_t part = keys[begin] >> shift;
  std::uint32_t low = begin + 1, high = end;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (keys[middle] >> shift == part) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void count_of_each(const std::uint64_t* keys, Level level, std::uint32_t leaf_size,
                              std::uint32_t* counts, std::uint32_t* total) {
  const std::uint32_t i = thread_number();
  if (i >= level.count) return;
  const Node node = level.nodes[i];
  const int shift = shift_of(keys, node, leaf_size);
  std::uint32_t count = 0;
  for (std::uint32_t at = node.begin; shift >= 0 && at < node.end; ++count) {
    at = end_of_part(keys, at, node.end, shift);
  }
  counts[i] = count;
  if (count > 0) atomicAdd(total, count);
}

__global__ void children_of_each(const std::uint64_t* keys, Level level, const std::uint32_t* counts,
                                 const std::uint32_t* sums, Node* children) {
  const std::uint32_t i = thread_number();
  if (i >= level.count) return;
  Node& node = level.nodes[i];
  node.children = counts[i];
  node.first = sums[i] - node.children;
  if (node.children == 0) return;
  const int shift = shift_of(keys, node, 0);
  std::uint32_t at = node.begin;
  for (std::uint32_t child = 0; child < node.children; ++child) {
    const std::uint32_t end = end_of_part(keys, at, node.end, shift);
    children[node.first + child] = {at, end, 0, 0, 1, 0};
    at = end;
  }
}

__global__ void size_of_each(Level level, const Node* children) {
  const std::uint32_t i = thread_number();
  if (i >= level.count) return;
  Node& node = level.nodes[i];
  std::uint32_t size = 1;
  for (std::uint32_t child = 0; child < node.children; ++child) size += children[node.first + child].size;
  node.size = size;
}

__global__ void number_of_each_child(Level level, Node* children) {
  const std::uint32_t i = thread_number();
  if (i >= level.count) return;
  const Node& node = level.nodes[i];
  std::uint32_t number = node.number + 1;
  for (std::uint32_t child = 0; child < node.children; ++child) {
    Node& each = children[node.first + child];
    each.number = number;
    number += each.size;
  }
}

// Sums, in double precision.

__device__ void extend(NodeSums& sums, const double (&low)[3], const double (&high)[3]) {
  for (int axis = 0; axis < 3; ++axis) {
    sums.low[axis] = fmin(sums.low[axis], low[axis]);
    sums.high[axis] = fmax(sums.high[axis], high[axis]);
  }
}
__device__ void add_weighted(NodeSums& sums, double mass, const double (&place)[3]) {
  sums.mass += mass;
  for (int axis = 0; axis < 3; ++axis) sums.place[axis] += mass * place[axis];
}
/// Converts the sum of weighted positions to the centre of mass; bodies at one position keep it exactly.
__device__ void find_centre(NodeSums& sums) {
  for (int axis = 0; axis < 3; ++axis) {
    const double middle = (sums.low[axis] + sums.high[axis]) / 2;
    const bool weighted = sums.mass > 0 && sums.low[axis] < sums.high[axis];
    sums.place[axis] = weighted ? sums.place[axis] / sums.mass : middle;
  }
}
__device__ double length(double x, double y, double z) {
  return sqrt(x * x + y * y + z * z);
}
/// Adds a mass or a part at `place`, without its own moments; returns its distance from the centre of mass.
__device__ double add_second(NodeSums& sums, double mass, const double (&place)[3]) {
  const double x = place[0] - sums.place[0], y = place[1] - sums.place[1], z = place[2] - sums.place[2];
  sums.second[0] += mass * x * x;
  sums.second[1] += mass * x * y;
  sums.second[2] += mass * x * z;
  sums.second[3] += mass * y * y;
  sums.second[4] += mass * y * z;
  sums.second[5] += mass * z * z;
  return length(x, y, z);
}

__device__ NodeSums nothing() {
  constexpr double far = 1e300;
  return {0, {0, 0, 0}, {far, far, far}, {-far, -far, -far}, 0, {0, 0, 0, 0, 0, 0}};
}

__device__ NodeSums sums_of_leaf(const Node& leaf, const WalkBody* bodies) {
  NodeSums sums = nothing();
  for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
    const double place[3] = {bodies[i].x, bodies[i].y, bodies[i].z};
    add_weighted(sums, bodies[i].mass, place);
    extend(sums, place, place);
  }
  find_centre(sums);
  for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
    const double place[3] = {bodies[i].x, bodies[i].y, bodies[i].z};
    sums.radius = fmax(sums.radius, add_second(sums, bodies[i].mass, place));
  }
  return sums;
}

__device__ NodeSums sums_of_parts(const Node& node, const NodeSums* parts) {
  NodeSums sums = nothing();
  for (std::uint32_t i = node.first; i < node.first + node.children; ++i) {
    add_weighted(sums, parts[i].mass, parts[i].place);
    extend(sums, parts[i].low, parts[i].high);
  }
  find_centre(sums);
  for (std::uint32_t i = node.first; i < node.first + node.children; ++i) {
    sums.radius = fmax(sums.radius, add_second(sums, parts[i].mass, parts[i].place) + parts[i].radius);
    for (int k = 0; k < 6; ++k) sums.second[k] += parts[i].second[k];
  }
  double corner[3];
  for (int axis = 0; axis < 3; ++axis) {
    corner[axis] = fmax(sums.place[axis] - sums.low[axis], sums.high[axis] - sums.place[axis]);
  }
  sums.radius = fmin(sums.radius, length(corner[0], corner[1], corner[2]));
  return sums;
}

__device__ WalkCell cell_of(const Node& node, const NodeSums& sums, double angle) {
  double side = 0;
  double off_middle[3];
  for (int axis = 0; axis < 3; ++axis) {
    side = fmax(side, sums.high[axis] - sums.low[axis]);
    off_middle[axis] = sums.place[axis] - (sums.low[axis] + sums.high[axis]) / 2;
  }
  const double opening = side / angle + length(off_middle[0], off_middle[1], off_middle[2]);
  WalkCell cell;
  cell.x = sums.place[0];
  cell.y = sums.place[1];
  cell.z = sums.place[2];
  cell.mass = static_cast<float>(sums.mass);
  // 0 is reserved for bodies at one position.
  constexpr float least_radius = 1.1754944e-38f;
  cell.radius = sums.radius > 0 ? fmaxf(static_cast<float>(sums.radius * (1 + 1e-6)), least_radius) : 0;
  cell.opening_by_angle = static_cast<float>(opening);
  cell.opening_by_error = static_cast<float>(pow(sums.mass * sums.radius * sums.radius * sums.radius, 0.2));
  cell.next = node.number + node.size;
  cell.begin = node.begin;
  cell.end = node.end;
  cell.xx = static_cast<float>(sums.second[0]);
  cell.xy = static_cast<float>(sums.second[1]);
  cell.xz = static_cast<float>(sums.second[2]);
  cell.yy = static_cast<float>(sums.second[3]);
  cell.yz = static_cast<float>(sums.second[4]);
  cell.zz = static_cast<float>(sums.second[5]);
  return cell;
}

__global__ void sums_of_each(Level level, const NodeSums* parts, NodeSums* sums, const WalkBody* bodies,
                             double angle, WalkCell* cells, std::uint32_t* largest_leaf) {
  const std::uint32_t i = thread_number();
  if (i >= level.count) return;
  const Node node = level.nodes[i];
  sums[i] = node.children == 0 ? sums_of_leaf(node, bodies) : sums_of_parts(node, parts);
  cells[node.number] = cell_of(node, sums[i], angle);
  if (node.children == 0 && sums[i].radius > 0) atomicMax(largest_leaf, node.end - node.begin);
}

// Groups.

/// Writes a group of a chunk; counts if there is no output.
struct WalkGroupWriter {
  WalkGroup* groups;

  __device__ void operator()(std::uint32_t number, const GroupBox& box, std::uint32_t first,
                             std::uint32_t end) const {
    if (groups == nullptr) return;
    WalkGroup& group = groups[number];
    for (int axis = 0; axis < 3; ++axis) {
      group.place[axis] = (box.low[axis] + box.high[axis]) / 2;
      group.half[axis] = static_cast<float>((box.high[axis] - box.low[axis]) / 2 * (1 + 1e-6));
    }
    group.first = first;
    group.end = end;
    group.rest = 0;
  }
};

__global__ void count_of_each_chunk(const WalkBody* bodies, std::uint32_t count, std::uint32_t* counts,
                                    std::uint32_t* offsets, std::uint32_t* total) {
  const std::uint32_t chunk = thread_number();
  const std::uint32_t first = chunk * walk_group_size;
  if (first >= count) return;
  counts[chunk] = divide_chunk<walk_group_size>(bodies, first, min(first + walk_group_size, count),
                                                WalkGroupWriter{nullptr});
  atomicAdd(total, counts[chunk]);
  if (chunk == 0) offsets[0] = 0;
}

__global__ void groups_of_each_chunk(const WalkBody* bodies, std::uint32_t count,
                                     const std::uint32_t* offsets, WalkGroup* groups) {
  const std::uint32_t chunk = thread_number();
  const std::uint32_t first = chunk * walk_group_size;
  if (first >= count) return;
  divide_chunk<walk_group_size>(bodies, first, min(first + walk_group_size, count),
                                WalkGroupWriter{groups + offsets[chunk]});
}

}  // namespace

void number_bodies(const WalkBody* bodies, std::uint32_t count, const Scaling& scaling, std::uint64_t* keys,
                   std::uint32_t* order, const Stream& stream) {
  launch_each(number_each, count, threads, stream, bodies, count, scaling, keys, order);
}
void gather_bodies(const WalkBody* bodies, const std::uint32_t* order, std::uint32_t count,
                   const Scaling& scaling, WalkBody* sorted, const Stream& stream) {
  launch_each(gather_each, count, threads, stream, bodies, order, count, scaling, sorted);
}
void make_root(Node* root, std::uint32_t bodies, Totals* totals, const Stream& stream) {
  launch(write_root, dim3(1), dim3(1), 0, stream, root, bodies, totals);
}
void count_children(const std::uint64_t* keys, const Level& level, std::uint32_t leaf_size,
                    std::uint32_t* counts, std::uint32_t* total, const Stream& stream) {
  launch_each(count_of_each, level.count, threads, stream, keys, level, leaf_size, counts, total);
}
void make_children(const std::uint64_t* keys, const Level& level, const std::uint32_t* counts,
                   const std::uint32_t* sums, Node* children, const Stream& stream) {
  launch_each(children_of_each, level.count, threads, stream, keys, level, counts, sums, children);
}
void add_sizes(const Level& level, const Node* children, const Stream& stream) {
  launch_each(size_of_each, level.count, threads, stream, level, children);
}
void number_children(const Level& level, Node* children, const Stream& stream) {
  launch_each(number_of_each_child, level.count, threads, stream, level, children);
}
void sum_level(const Level& level, const NodeSums* parts, NodeSums* sums, const WalkBody* bodies,
               double opening_angle, WalkCell* cells, std::uint32_t* largest_leaf, const Stream& stream) {
  launch_each(sums_of_each, level.count, threads, stream, level, parts, sums, bodies, opening_angle, cells,
              largest_leaf);
}
void count_groups(const WalkBody* bodies, std::uint32_t count, std::uint32_t* counts, std::uint32_t* offsets,
                  std::uint32_t* total, const Stream& stream) {
  launch_each(count_of_each_chunk, chunks_of(count), threads, stream, bodies, count, counts, offsets, total);
}
void make_groups(const WalkBody* bodies, std::uint32_t count, const std::uint32_t* offsets, WalkGroup* groups,
                 const Stream& stream) {
  launch_each(groups_of_each_chunk, chunks_of(count), threads, stream, bodies, count, offsets, groups);
}

}  // namespace isolume::gpu::nbody_kernels
