#pragma once

#include "gpu/electrostatics/pair_points.h"
#include "gpu/runtime/kernel.h"

/// Device code: positions of points, and charges that may coincide with one.
namespace isolume::gpu::pair_kernels {

/// Like electrostatics::nearest: charges closer to a point than this add nothing there; in angstrom.
constexpr float nearest_square = 1e-8f;
constexpr float nearest_twice = 2e-4f;

/// A cube of points of a grid: its middle, and half of its sides.
struct Cube {
  double middle[3];
  float half[3];
  float step[3];
};

__device__ inline Cube cube_at(const GridSlab& slab, int first_x, int first_y, int first_z, int side_x,
                               int side_y, int side_z) {
  const int first[3] = {first_x, first_y, first_z}, side[3] = {side_x, side_y, side_z};
  Cube cube;
  for (int axis = 0; axis < 3; ++axis) {
    const double half = 0.5 * (side[axis] - 1);
    cube.middle[axis] = slab.origin[axis] + slab.step[axis] * (first[axis] + half);
    cube.half[axis] = to_float(slab.step[axis] * half);
    cube.step[axis] = to_float(slab.step[axis]);
  }
  return cube;
}

__device__ __forceinline__ float4 relative(const Charge& charge, const Cube& cube) {
  return make_float4(to_float(charge.x - cube.middle[0]), to_float(charge.y - cube.middle[1]),
                     to_float(charge.z - cube.middle[2]), to_float(charge.charge));
}

/// Writes the single-precision number nearest to a double to out[i], and the remainder to out[stride + i]: 48
/// bits.
__device__ __forceinline__ void write_double(double value, std::size_t i, float* out, std::size_t stride) {
  const float nearest = to_float(value);
  out[i] = nearest;
  out[stride + i] = to_float(value - static_cast<double>(nearest));
}

/// Position of the i-th of `side` points along an axis, relative to their middle.
__device__ __forceinline__ float place_in_row(double step, int i, int side) {
  return to_float(step * (i - 0.5 * (side - 1)));
}

/// Squared distance from the cube to a charge relative to its middle.
__device__ __forceinline__ float squared_gap(const float4& charge, const Cube& cube) {
  const float dx = fmaxf(fabsf(charge.x) - cube.half[0], 0.0f),
              dy = fmaxf(fabsf(charge.y) - cube.half[1], 0.0f),
              dz = fmaxf(fabsf(charge.z) - cube.half[2], 0.0f);
  return fmaf(dx, dx, fmaf(dy, dy, dz * dz));
}

/// Whether the charge may coincide with a point, after rounding to single precision.
__device__ __forceinline__ bool may_touch(float gap_squared) {
  return gap_squared < nearest_twice * nearest_twice;
}

}  // namespace isolume::gpu::pair_kernels
