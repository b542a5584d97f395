#pragma once

#include "gpu/orbitals/pointwise/pointwise_kernels.h"
#include "gpu/runtime/kernel.h"

/// Device code: the points of a thread, and their positions relative to a centre.
namespace isolume::gpu {

/// The points of one thread.
template <int P>
struct Points {
  float place[P][3];  ///< grid indices, or scattered positions rounded to float
  int number[P];      ///< scattered: the number of each
};
/// The same relative to a centre.
template <int P>
struct Relative {
  float place[P][3];
  float square[P];
};

/// A point and the destination of its value.
struct Target {
  int i, j, k;  ///< scattered: i is the point
  bool wanted;
  std::size_t offset;
};

/// Consecutive points of the slab, x fastest. Positions past the end repeat the last one.
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
      if (points.kind == PlaceKind::grid) {
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

}  // namespace isolume::gpu
