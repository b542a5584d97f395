#pragma once

#include "gpu/orbitals/reach.h"
#include "gpu/runtime/kernel.h"

/// Which terms reach a box of grid points, for kernels.
namespace isolume::gpu {

/// Grid points of a box, from its first to its last, in steps from the grid's origin.
struct Box {
  float low[3];
  float high[3];
};
__device__ inline Box box_at(const int (&first)[3], const int (&size)[3], const int (&grid)[3]) {
  Box box;
#pragma unroll
  for (int axis = 0; axis < 3; ++axis) {
    box.low[axis] = static_cast<float>(first[axis]);
    box.high[axis] = static_cast<float>(min(first[axis] + size[axis], grid[axis]) - 1);
  }
  return box;
}

/// Gap between two intervals; 0 if they overlap.
__device__ inline float gap(float low, float high, float other_low, float other_high) {
  return fmaxf(fmaxf(other_low - high, low - other_high), 0.0f);
}
__device__ inline bool reaches(const float (&step)[3], const Box& box, const Chunk& chunk) {
  const float x = step[0] * gap(box.low[0], box.high[0], chunk.low_x, chunk.high_x);
  const float y = step[1] * gap(box.low[1], box.high[1], chunk.low_y, chunk.high_y);
  const float z = step[2] * gap(box.low[2], box.high[2], chunk.low_z, chunk.high_z);
  return fmaf(x, x, fmaf(y, y, z * z)) < chunk.radius_squared;
}
__device__ inline bool reaches(const float (&step)[3], const Box& box, const TermReach& term) {
  return reaches(step, box, Chunk{term.x, term.y, term.z, term.radius_squared, term.x, term.y, term.z, 0.0f});
}

}  // namespace isolume::gpu
