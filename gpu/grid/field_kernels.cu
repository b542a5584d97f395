#include <algorithm>

#include "core/grid/magnitude_bins.h"
#include "gpu/grid/field_kernels.h"
#include "gpu/runtime/block_reduction.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::field_kernels {
namespace {

constexpr int threads = 256;
constexpr unsigned most_blocks = 2048;

__device__ std::size_t first_of_thread() {
  return static_cast<std::size_t>(blockIdx.x) * threads + threadIdx.x;
}
__device__ std::size_t stride_of_grid() {
  return static_cast<std::size_t>(gridDim.x) * threads;
}

__global__ void __launch_bounds__(threads)
    find_extent(const float* values, std::size_t count, Extent* parts) {
  __shared__ Extent shared[threads];
  Extent extent = {FLT_MAX, -FLT_MAX};
  const auto include = [](Extent& found, const Extent& other) {
    found.low = fminf(found.low, other.low);
    found.high = fmaxf(found.high, other.high);
  };
  for (std::size_t i = first_of_thread(); i < count; i += stride_of_grid()) {
    const float value = values[i];
    if (is_finite(value)) include(extent, {value, value});
  }
  reduce_block(shared, extent, include);
  if (threadIdx.x == 0) parts[blockIdx.x] = shared[0];
}

/// Numbers of points of each pair of faces that are not on an earlier pair, and of one face of each.
struct Faces {
  std::size_t of_one[3];
  std::size_t count[3];
};
__host__ __device__ Faces faces_of(const Box& box) {
  const std::size_t inner_y = static_cast<std::size_t>(box.dimensions[1] > 2 ? box.dimensions[1] - 2 : 0);
  const std::size_t inner_z = static_cast<std::size_t>(box.dimensions[2] > 2 ? box.dimensions[2] - 2 : 0);
  const std::size_t x = static_cast<std::size_t>(box.dimensions[0]);
  const std::size_t y = static_cast<std::size_t>(box.dimensions[1]);
  Faces faces = {{x * y, x * inner_z, inner_y * inner_z}, {0, 0, 0}};
  for (int pair = 0; pair < 3; ++pair) {
    faces.count[pair] = faces.of_one[pair] * (box.dimensions[2 - pair] > 1 ? 2 : 1);
  }
  return faces;
}

__device__ std::size_t point_on_face(const Box& box, const Faces& faces, std::size_t number) {
  int pair = 0;
  while (number >= faces.count[pair]) number -= faces.count[pair++];
  const bool last = number >= faces.of_one[pair];
  if (last) number -= faces.of_one[pair];
  const std::size_t nx = static_cast<std::size_t>(box.dimensions[0]);
  const std::size_t ny = static_cast<std::size_t>(box.dimensions[1]);
  const std::size_t end = last ? static_cast<std::size_t>(box.dimensions[2 - pair]) - 1 : 0;
  if (pair == 0) return end * nx * ny + number;
  if (pair == 1) return (number / nx + 1) * nx * ny + end * nx + number % nx;
  const std::size_t inner_y = ny - 2;
  return (number / inner_y + 1) * nx * ny + (number % inner_y + 1) * nx + end;
}

__global__ void __launch_bounds__(threads)
    gather_face(const float* values, Box box, std::size_t count, float* magnitudes) {
  const std::size_t i = first_of_thread();
  if (i >= count) return;
  const float value = values[point_on_face(box, faces_of(box), i)];
  magnitudes[i] = is_finite(value) ? fabsf(value) : -1.0f;
}

__global__ void __launch_bounds__(threads)
    add_weight(const float* values, std::size_t count, bool squared, double* bins) {
  using namespace grid::magnitude_bins;
  for (std::size_t i = first_of_thread(); i < count; i += stride_of_grid()) {
    const float magnitude = fabsf(values[i]);
    if (!(magnitude > 0) || !is_finite(magnitude)) continue;
    const double exact = magnitude;
    const int bin = static_cast<int>((log2f(magnitude) - lowest_octave) * per_octave);
    const int last = grid::magnitude_bins::count - 1;
    atomicAdd(&bins[bin < 0 ? 0 : bin > last ? last : bin], squared ? exact * exact : exact);
  }
}

__global__ void __launch_bounds__(threads)
    reduce_weights(const float* values, std::size_t count, double isovalue, bool squared, Weights* parts) {
  __shared__ Weights shared[threads];
  Weights sums = {0, 0};
  for (std::size_t i = first_of_thread(); i < count; i += stride_of_grid()) {
    const double magnitude = fabsf(values[i]);
    const double weight = squared ? magnitude * magnitude : magnitude;
    sums.all += weight;
    if (magnitude >= isovalue) sums.inside += weight;
  }
  reduce_block(shared, sums, [](Weights& sum, const Weights& other) {
    sum.all += other.all;
    sum.inside += other.inside;
  });
  if (threadIdx.x == 0) parts[blockIdx.x] = shared[0];
}

__global__ void __launch_bounds__(threads)
    gather_some(const float* values, std::size_t stride, float* some, std::size_t count) {
  const std::size_t i = first_of_thread();
  if (i < count) some[i] = values[i * stride];
}

__global__ void __launch_bounds__(threads)
    sample_points(const float* values, Box box, Plane plane, float* samples) {
  const std::size_t number = first_of_thread();
  if (number >= static_cast<std::size_t>(plane.columns) * plane.rows) return;
  const double column = static_cast<double>(number % plane.columns);
  const double row = static_cast<double>(number / plane.columns);
  constexpr double on_edge = 0.5;  // as grid::sample_plane
  int low[3];
  int high[3];
  double part[3];
  for (int axis = 0; axis < 3; ++axis) {
    const int last = box.dimensions[axis] - 1;
    double index = plane.corner[axis] + column * plane.along[axis] + row * plane.across[axis];
    if (!(index >= -on_edge && index <= last + on_edge)) {
      samples[number] = nanf("");
      return;
    }
    index = fmin(fmax(index, 0.0), static_cast<double>(last));
    low[axis] = max(0, min(static_cast<int>(index), last - 1));
    high[axis] = min(low[axis] + 1, last);
    part[axis] = index - low[axis];
  }
  double sum = 0;
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    int at[3];
    for (int axis = 0; axis < 3; ++axis) {
      const bool upper = (corner >> axis) & 1;
      weight *= upper ? part[axis] : 1 - part[axis];
      at[axis] = upper ? high[axis] : low[axis];
    }
    if (weight == 0) continue;
    const std::size_t nx = static_cast<std::size_t>(box.dimensions[0]);
    const std::size_t ny = static_cast<std::size_t>(box.dimensions[1]);
    sum += weight * values[static_cast<std::size_t>(at[0]) +
                           nx * (static_cast<std::size_t>(at[1]) + ny * static_cast<std::size_t>(at[2]))];
  }
  samples[number] = static_cast<float>(sum);
}

}  // namespace

unsigned parts_of(std::size_t count) {
  constexpr unsigned most = 1024;
  return std::min(blocks_for(count, threads), most);
}

void find_extents(const float* values, std::size_t count, Extent* parts, unsigned part_count,
                  const Stream& stream) {
  launch(find_extent, dim3(part_count), dim3(threads), 0, stream, values, count, parts);
}

std::size_t face_points(const Box& box) {
  const Faces faces = faces_of(box);
  return faces.count[0] + faces.count[1] + faces.count[2];
}

void gather_faces(const float* values, const Box& box, float* magnitudes, const Stream& stream) {
  const std::size_t count = face_points(box);
  launch_each(gather_face, count, threads, stream, values, box, count, magnitudes);
}

void add_weights(const float* values, std::size_t count, bool squared, double* bins, const Stream& stream) {
  launch(add_weight, dim3(std::min(blocks_for(count, threads), most_blocks)), dim3(threads), 0, stream,
         values, count, squared, bins);
}

void sum_weights(const float* values, std::size_t count, double isovalue, bool squared, Weights* parts,
                 unsigned part_count, const Stream& stream) {
  launch(reduce_weights, dim3(part_count), dim3(threads), 0, stream, values, count, isovalue, squared, parts);
}

void gather_every(const float* values, std::size_t stride, float* some, std::size_t count,
                  const Stream& stream) {
  launch_each(gather_some, count, threads, stream, values, stride, some, count);
}

void sample(const float* values, const Box& box, const Plane& plane, float* samples, const Stream& stream) {
  const std::size_t count = static_cast<std::size_t>(plane.columns) * static_cast<std::size_t>(plane.rows);
  launch_each(sample_points, count, threads, stream, values, box, plane, samples);
}

}  // namespace isolume::gpu::field_kernels
