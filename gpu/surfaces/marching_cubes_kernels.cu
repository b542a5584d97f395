#include <algorithm>
#include <cfloat>

#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"
#include "gpu/surfaces/marching_cubes_kernels.h"

namespace isolume::gpu::surface_kernels {
namespace {

constexpr unsigned warps_per_block = 8;
constexpr unsigned every_lane = 0xffffffffU;

struct Place {
  int x, y, z;
};

__device__ unsigned lane() {
  return threadIdx.x % run_length;
}

/// Mask of the lanes before this one.
__device__ unsigned lanes_before() {
  return (1U << lane()) - 1U;
}

__device__ Place place_in(const Grid& grid, unsigned run) {
  const unsigned row = run / grid.runs_per_row;
  const auto rows = static_cast<unsigned>(grid.dimensions[1]);
  return {static_cast<int>((run - row * grid.runs_per_row) * run_length + lane()),
          static_cast<int>(row % rows), static_cast<int>(row / rows)};
}

__device__ float value_at(const Grid& grid, Place p) {
  const auto nx = static_cast<std::size_t>(grid.dimensions[0]);
  const auto ny = static_cast<std::size_t>(grid.dimensions[1]);
  return grid.values[static_cast<std::size_t>(p.x) +
                     nx * (static_cast<std::size_t>(p.y) + ny * static_cast<std::size_t>(p.z))];
}

__device__ bool inside(const Grid& grid, Place p) {
  return p.x < grid.dimensions[0] && p.y < grid.dimensions[1] && p.z < grid.dimensions[2];
}

__device__ int& coordinate(Place& p, int axis) {
  return axis == 0 ? p.x : axis == 1 ? p.y : p.z;
}

__device__ Place next_along(Place p, int axis) {
  ++coordinate(p, axis);
  return p;
}

__device__ Place corner_of(Place p, int corner) {
  return {p.x + (corner & 1), p.y + (corner >> 1 & 1), p.z + (corner >> 2)};
}

/// Where edge `edge` of the cell at p begins; see surfaces::CellCase.
__device__ Place edge_begin(Place p, int edge) {
  const int axis = edge >> 2;
  const int u = edge & 1;
  const int v = edge >> 1 & 1;
  if (axis == 0) return {p.x, p.y + u, p.z + v};
  if (axis == 1) return {p.x + u, p.y, p.z + v};
  return {p.x + u, p.y + v, p.z};
}

/// Bits of the corners of the cell at p that are above; 0, which has no triangles, if there is no cell or a
/// corner is not finite.
__device__ unsigned case_of(const Grid& grid, Place p) {
  if (!inside(grid, corner_of(p, 7))) return 0;
  unsigned above = 0;
  bool finite = true;
  for (int corner = 0; corner < 8; ++corner) {
    const float value = value_at(grid, corner_of(p, corner));
    finite = finite && is_finite(value);
    above |= static_cast<unsigned>(value >= grid.threshold) << corner;
  }
  return finite ? above : 0U;
}

/// Whether the edge from p along an axis has a vertex.
__device__ bool crossed(const Grid& grid, Place p, int axis) {
  const Place end = next_along(p, axis);
  if (!inside(grid, end)) return false;
  const float a = value_at(grid, p);
  const float b = value_at(grid, end);
  return is_finite(a) && is_finite(b) && (a >= grid.threshold) != (b >= grid.threshold);
}

/// Position of the vertex along the edge, from 0 to 1. In double precision, because values and isovalue may
/// be close; it is needed for few points.
__device__ float fraction(const Grid& grid, Place begin, int axis) {
  const double a = value_at(grid, begin);
  const double b = value_at(grid, next_along(begin, axis));
  return static_cast<float>((grid.isovalue - a) / (b - a));
}

__device__ float3 point_on_edge(const Grid& grid, Place begin, int axis, float t) {
  const float x = static_cast<float>(begin.x) + (axis == 0 ? t : 0.0F);
  const float y = static_cast<float>(begin.y) + (axis == 1 ? t : 0.0F);
  const float z = static_cast<float>(begin.z) + (axis == 2 ? t : 0.0F);
  const auto component = [&](int c) {
    return grid.origin[c] + (grid.step[c] * x + (grid.step[3 + c] * y + grid.step[6 + c] * z));
  };
  return make_float3(component(0), component(1), component(2));
}

/// Derivative in grid indices: the central difference, one-sided next to a face of the box or a value that
/// is not finite.
__device__ float derivative(const Grid& grid, Place p, int axis) {
  const float here = value_at(grid, p);
  float low = here;
  float high = here;
  int steps = 0;
  Place other = p;
  if (--coordinate(other, axis) >= 0) {
    const float value = value_at(grid, other);
    if (is_finite(value)) {
      low = value;
      ++steps;
    }
  }
  other = next_along(p, axis);
  if (inside(grid, other)) {
    const float value = value_at(grid, other);
    if (is_finite(value)) {
      high = value;
      ++steps;
    }
  }
  return steps == 2 ? 0.5F * (high - low) : high - low;
}

__device__ float length_of(float3 v) {
  return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z);
}

__device__ float3 normal_on_edge(const Grid& grid, Place begin, int axis, float t) {
  const Place end = next_along(begin, axis);
  float normal[3] = {0, 0, 0};
  for (int along = 0; along < 3; ++along) {
    const float a = derivative(grid, begin, along);
    const float b = derivative(grid, end, along);
    const float gradient = fmaf(t, b - a, a);
    for (int c = 0; c < 3; ++c) normal[c] += grid.covector[3 * along + c] * gradient;
  }
  // Scaled first, since the squares of a weak field's gradient would underflow.
  const float largest = fmaxf(fabsf(normal[0]), fmaxf(fabsf(normal[1]), fabsf(normal[2])));
  if (!(largest > 0) || !is_finite(largest)) return make_float3(0, 0, 1);
  const float3 n = make_float3(normal[0] / largest, normal[1] / largest, normal[2] / largest);
  const float length = length_of(n);
  return make_float3(n.x / length, n.y / length, n.z / length);
}

__global__ void classify_runs(Grid grid, const surfaces::CellCase* cases, Runs runs) {
  const unsigned run = blockIdx.x * warps_per_block + threadIdx.x / run_length;
  if (run >= grid.runs) return;
  const Place p = place_in(grid, run);
  const bool is_point = p.x < grid.dimensions[0];
  unsigned vertices = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const unsigned bits = __ballot_sync(every_lane, is_point && crossed(grid, p, axis));
    if (lane() == 0) runs.crossings[3 * static_cast<std::size_t>(run) + axis] = bits;
    vertices += __popc(bits);
  }
  // No cell has more than 5 triangles: three bits.
  const unsigned count = cases[case_of(grid, p)].triangles;
  unsigned triangles = 0;
  for (unsigned bit = 0; bit < 3; ++bit) {
    triangles += __popc(__ballot_sync(every_lane, (count >> bit & 1U) != 0)) << bit;
  }
  if (lane() != 0) return;
  runs.vertices[run] = vertices;
  runs.triangles[run] = triangles;
  if (run + 1 == grid.runs) {
    runs.vertices[run + 1] = 0;
    runs.triangles[run + 1] = 0;
  }
}

__device__ bool is_empty(const std::uint32_t* firsts, unsigned run) {
  return firsts[run] == firsts[run + 1];
}

__device__ void store(float* numbers, std::size_t vertex, float3 value) {
  numbers[3 * vertex] = value.x;
  numbers[3 * vertex + 1] = value.y;
  numbers[3 * vertex + 2] = value.z;
}

__global__ void write_vertices_of_runs(Grid grid, Runs runs, float* points, float* normals) {
  const unsigned run = blockIdx.x * warps_per_block + threadIdx.x / run_length;
  if (run >= grid.runs || is_empty(runs.vertices, run)) return;
  const Place p = place_in(grid, run);
  std::size_t first = runs.vertices[run];
  for (int axis = 0; axis < 3; ++axis) {
    const unsigned bits = runs.crossings[3 * static_cast<std::size_t>(run) + axis];
    if ((bits >> lane() & 1U) != 0) {
      const std::size_t vertex = first + __popc(bits & lanes_before());
      const float t = fraction(grid, p, axis);
      if (points != nullptr) store(points, vertex, point_on_edge(grid, p, axis, t));
      if (normals != nullptr) store(normals, vertex, normal_on_edge(grid, p, axis, t));
    }
    first += __popc(bits);
  }
}

/// The number of the vertex on an edge of the cell at p.
__device__ std::uint32_t vertex_of(const Grid& grid, const Runs& runs, Place p, int edge) {
  const Place begin = edge_begin(p, edge);
  const auto run = (static_cast<unsigned>(begin.z) * static_cast<unsigned>(grid.dimensions[1]) +
                    static_cast<unsigned>(begin.y)) *
                       grid.runs_per_row +
                   static_cast<unsigned>(begin.x) / run_length;
  const unsigned before = (1U << static_cast<unsigned>(begin.x) % run_length) - 1U;
  const std::uint32_t* crossings = runs.crossings + 3 * static_cast<std::size_t>(run);
  std::uint32_t vertex = runs.vertices[run];
  const int axis = edge >> 2;
  for (int earlier = 0; earlier < axis; ++earlier) vertex += __popc(crossings[earlier]);
  return vertex + __popc(crossings[axis] & before);
}

__global__ void write_triangles_of_runs(Grid grid, const surfaces::CellCase* cases, Runs runs,
                                        std::uint32_t* corners) {
  const unsigned run = blockIdx.x * warps_per_block + threadIdx.x / run_length;
  if (run >= grid.runs || is_empty(runs.triangles, run)) return;
  const Place p = place_in(grid, run);
  const surfaces::CellCase& cell = cases[case_of(grid, p)];
  std::size_t triangle = runs.triangles[run];
  for (unsigned bit = 0; bit < 3; ++bit) {
    const unsigned bits = __ballot_sync(every_lane, (cell.triangles >> bit & 1U) != 0);
    triangle += __popc(bits & lanes_before()) << bit;
  }
  for (unsigned i = 0; i < cell.triangles; ++i, ++triangle) {
    const unsigned second = grid.mirrored ? 2 : 1;
    corners[3 * triangle] = vertex_of(grid, runs, p, cell.edges[3 * i]);
    corners[3 * triangle + second] = vertex_of(grid, runs, p, cell.edges[3 * i + 1]);
    corners[3 * triangle + 3 - second] = vertex_of(grid, runs, p, cell.edges[3 * i + 2]);
  }
}

__device__ float3 vertex_point(const Grid& grid, Place p, int edge) {
  const Place begin = edge_begin(p, edge);
  return point_on_edge(grid, begin, edge >> 2, fraction(grid, begin, edge >> 2));
}

__device__ double area_of(float3 a, float3 b, float3 c) {
  const float3 u = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  const float3 v = make_float3(c.x - a.x, c.y - a.y, c.z - a.z);
  return 0.5 * length_of(make_float3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x));
}

__device__ void include(Extent& extent, float3 point) {
  const float p[3] = {point.x, point.y, point.z};
  for (int c = 0; c < 3; ++c) {
    extent.low[c] = fminf(extent.low[c], p[c]);
    extent.high[c] = fmaxf(extent.high[c], p[c]);
  }
}

__device__ void include(Extent& extent, const Extent& other) {
  extent.area += other.area;
  for (int c = 0; c < 3; ++c) {
    extent.low[c] = fminf(extent.low[c], other.low[c]);
    extent.high[c] = fmaxf(extent.high[c], other.high[c]);
  }
}

__device__ Extent no_extent() {
  return {0, {FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};
}

/// The extent from the lane that is `lanes` further.
__device__ Extent from_lane_after(const Extent& extent, unsigned lanes) {
  Extent other;
  other.area = __shfl_down_sync(every_lane, extent.area, lanes);
  for (int c = 0; c < 3; ++c) {
    other.low[c] = __shfl_down_sync(every_lane, extent.low[c], lanes);
    other.high[c] = __shfl_down_sync(every_lane, extent.high[c], lanes);
  }
  return other;
}

/// Adds in a fixed order, so that the result is bit-identical every time.
__global__ void measure_runs(Grid grid, const surfaces::CellCase* cases, Runs runs, Extent* parts) {
  __shared__ Extent of_warps[warps_per_block];
  const unsigned warp = threadIdx.x / run_length;
  Extent extent = no_extent();
  for (unsigned run = blockIdx.x * warps_per_block + warp; run < grid.runs;
       run += gridDim.x * warps_per_block) {
    if (is_empty(runs.triangles, run)) continue;
    const Place p = place_in(grid, run);
    const surfaces::CellCase& cell = cases[case_of(grid, p)];
    for (unsigned i = 0; i < cell.triangles; ++i) {
      const float3 a = vertex_point(grid, p, cell.edges[3 * i]);
      const float3 b = vertex_point(grid, p, cell.edges[3 * i + 1]);
      const float3 c = vertex_point(grid, p, cell.edges[3 * i + 2]);
      extent.area += area_of(a, b, c);
      include(extent, a);
      include(extent, b);
      include(extent, c);
    }
  }
  for (unsigned lanes = run_length / 2; lanes > 0; lanes /= 2)
    include(extent, from_lane_after(extent, lanes));
  if (lane() == 0) of_warps[warp] = extent;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (unsigned other = 1; other < warps_per_block; ++other) include(extent, of_warps[other]);
  parts[blockIdx.x] = extent;
}

__global__ void write_lines_of_triangles(const std::uint32_t* corners, std::size_t triangles,
                                         std::uint32_t* lines) {
  // One thread per side, so that neighbouring threads write neighbouring lines.
  const std::size_t side = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (side >= 3 * triangles) return;
  const std::size_t triangle = side / 3;
  lines[2 * side] = corners[side];
  lines[2 * side + 1] = corners[side + 1 == 3 * triangle + 3 ? 3 * triangle : side + 1];
}

dim3 grid_for(const Grid& grid) {
  return dim3((grid.runs + warps_per_block - 1) / warps_per_block);
}

constexpr unsigned block_size = warps_per_block * run_length;

}  // namespace

void classify(const Grid& grid, const surfaces::CellCase* cases, const Runs& runs, const Stream& stream) {
  launch(classify_runs, grid_for(grid), dim3(block_size), 0, stream, grid, cases, runs);
}

unsigned part_count(const Grid& grid) {
  // Enough to fill any device, few enough to be summed on the host.
  constexpr unsigned most = 1024;
  return std::min(most, grid_for(grid).x);
}

void measure(const Grid& grid, const surfaces::CellCase* cases, const Runs& runs, Extent* parts,
             const Stream& stream) {
  launch(measure_runs, dim3(part_count(grid)), dim3(block_size), 0, stream, grid, cases, runs, parts);
}

void write_vertices(const Grid& grid, const Runs& runs, float* points, float* normals, const Stream& stream) {
  launch(write_vertices_of_runs, grid_for(grid), dim3(block_size), 0, stream, grid, runs, points, normals);
}

void write_triangles(const Grid& grid, const surfaces::CellCase* cases, const Runs& runs,
                     std::uint32_t* corners, const Stream& stream) {
  launch(write_triangles_of_runs, grid_for(grid), dim3(block_size), 0, stream, grid, cases, runs, corners);
}

void write_lines(const std::uint32_t* corners, std::size_t triangles, std::uint32_t* lines,
                 const Stream& stream) {
  if (triangles == 0) return;
  launch_each(write_lines_of_triangles, 3 * triangles, block_size, stream, corners, triangles, lines);
}

}  // namespace isolume::gpu::surface_kernels
