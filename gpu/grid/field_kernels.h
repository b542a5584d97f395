#pragma once

#include <cstddef>

#include "gpu/runtime/streams/stream_name.h"

/// Reductions of a field in device memory. All functions queue their kernels; all pointers are device memory.
namespace isolume::gpu::field_kernels {

/// Number of parts into which this many values are cut, each a block of threads: enough to fill any device,
/// few enough to be combined on the host.
unsigned parts_of(std::size_t count);

/// Smallest and largest finite value of a part of the values; low > high if there is none.
struct Extent {
  float low;
  float high;
};
void find_extents(const float* values, std::size_t count, Extent* parts, unsigned part_count,
                  const Stream& stream);

/// value| of the points on the faces, negative if it is not finite. Those of z = 0 and of the last z come first, then those of y = 0 and of the last y, then those of x, each without points listed before: `face_points` in all.
struct Box {
  int dimensions[3];
};
std::size_t face_points(const Box& box);
void gather_faces(const float* values, const Box& box, float* magnitudes, const Stream& stream);

/// Adds |value|, or value^2, to its bin of grid::magnitude_bins. The order is not fixed: sums of more than
/// one value may differ in their last bits from run to run.
void add_weights(const float* values, std::size_t count, bool squared, double* bins, const Stream& stream);

/// Sums of |value|, or of value^2, of a part of the values, and of those not below the isovalue.
struct Weights {
  double all;
  double inside;
};
void sum_weights(const float* values, std::size_t count, double isovalue, bool squared, Weights* parts,
                 unsigned part_count, const Stream& stream);

/// `count` values: those number 0, stride, 2 * stride, ...
void gather_every(const float* values, std::size_t stride, float* some, std::size_t count,
                  const Stream& stream);

/// Points (in grid steps) corner + i * along + j * across, interpolated like grid::interpolate, in
/// double precision.
struct Plane {
  double corner[3];
  double along[3];
  double across[3];
  int columns;
  int rows;
};
void sample(const float* values, const Box& box, const Plane& plane, float* samples, const Stream& stream);

}  // namespace isolume::gpu::field_kernels
