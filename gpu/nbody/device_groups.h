#pragma once

#include <cstdint>

#include "gpu/nbody/tree/walk_kernels.h"
#include "gpu/runtime/kernel.h"

/// Device code: divides consecutive bodies along the curve into groups, as nbody::group_bounds does.
namespace isolume::gpu::nbody_kernels {

struct GroupBox {
  double low[3], high[3];
};

__device__ inline void extend(GroupBox& box, const WalkBody& body) {
  const double place[3] = {body.x, body.y, body.z};
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = fmin(box.low[axis], place[axis]);
    box.high[axis] = fmax(box.high[axis], place[axis]);
  }
}

__device__ inline double squared_distance(const WalkBody& one, const WalkBody& other) {
  const double x = other.x - one.x, y = other.y - one.y, z = other.z - one.z;
  return x * x + y * y + z * z;
}

/// Whether bodies are so far apart that single precision would lose the distances of near ones; `after` is
/// then the position of the division. Otherwise computes their box.
__device__ inline bool is_divided(const WalkBody* bodies, std::uint32_t first, std::uint32_t end,
                                  std::uint32_t& after, GroupBox& box) {
  constexpr double far = 1e300;
  box = {{far, far, far}, {-far, -far, -far}};
  double widest = 0;
  after = first;
  for (std::uint32_t i = first; i < end; ++i) {
    extend(box, bodies[i]);
    const double step = i > first ? squared_distance(bodies[i - 1], bodies[i]) : 0;
    if (step <= widest) continue;
    widest = step;
    after = i;
  }
  const double x = box.high[0] - box.low[0], y = box.high[1] - box.low[1], z = box.high[2] - box.low[2];
  return 4 * widest > x * x + y * y + z * z && end - first > 2;
}

/// The groups of a chunk of at most `most` bodies; returns their number. Calls write(number, box, first, end)
/// for each.
template <std::uint32_t most, class Write>
__device__ std::uint32_t divide_chunk(const WalkBody* bodies, std::uint32_t first, std::uint32_t end,
                                      const Write& write) {
  std::uint32_t ends[most];  // ends of the remaining parts, the next one last
  std::uint32_t waiting = 1;
  ends[0] = end;
  std::uint32_t count = 0;
  while (waiting > 0) {
    const std::uint32_t last = ends[waiting - 1];
    std::uint32_t after = first;
    GroupBox box;
    if (is_divided(bodies, first, last, after, box)) {
      ends[waiting++] = after;
      continue;
    }
    write(count, box, first, last);
    ++count;
    first = last;
    --waiting;
  }
  return count;
}

}  // namespace isolume::gpu::nbody_kernels
