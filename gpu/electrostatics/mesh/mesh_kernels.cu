#include "core/electrostatics/sums/stencil_weights.h"
#include "gpu/electrostatics/mesh/mesh_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::mesh_kernels {
namespace {

using electrostatics::StencilWeights;

constexpr unsigned mesh_threads = 128;

__device__ __forceinline__ std::size_t number_of_thread() {
  return static_cast<std::size_t>(blockIdx.x) * mesh_threads + threadIdx.x;
}

__device__ __forceinline__ int wrapped(int point, int points) {
  return point < 0 ? point + points : point >= points ? point - points : point;
}

/// Like StencilMesh::stencil, except that the first point is on the mesh. `after`: distance from the middle
/// point.
__device__ int first_of(const Mesh& mesh, int axis, double place, double& after) {
  const int points = mesh.points[axis];
  double cells = (place - mesh.origin[axis]) / mesh.spacing[axis];
  if (mesh.periodic[axis]) cells -= points * floor(cells / points);
  const double cell = floor(cells);
  after = cells - cell;
  // A position that rounding moves below the first point of a period is wrapped to its very end.
  const int index = mesh.periodic[axis] && cell >= points ? 0 : static_cast<int>(cell);
  return wrapped(index - mesh.order / 2 + 1, points);
}

__device__ StencilWeights weights_of(const Mesh& mesh, double after) {
  return mesh.splines ? electrostatics::spline_weights(mesh.order, after)
                      : electrostatics::lagrange_weights(mesh.order, after);
}

__global__ void __launch_bounds__(mesh_threads)
    find_cells_of_charges(MeshCharges charges, Mesh mesh, std::uint64_t* cells, std::uint32_t* numbers) {
  const std::size_t i = number_of_thread();
  if (i >= charges.count) return;
  const Charge charge = charges.charges[i];
  double after;
  const auto x = static_cast<std::uint64_t>(first_of(mesh, 0, charge.x, after)),
             y = static_cast<std::uint64_t>(first_of(mesh, 1, charge.y, after)),
             z = static_cast<std::uint64_t>(first_of(mesh, 2, charge.z, after));
  cells[i] =
      (z * static_cast<std::uint64_t>(mesh.points[1]) + y) * static_cast<std::uint64_t>(mesh.points[0]) + x;
  numbers[i] = static_cast<std::uint32_t>(i);
}

__global__ void __launch_bounds__(mesh_threads)
    find_starts_of_cells(const std::uint64_t* cells, std::uint32_t count, std::size_t all,
                         std::uint32_t* starts) {
  const std::size_t cell = number_of_thread();
  if (cell > all) return;
  std::uint32_t low = 0, high = count;  // finds the first that is not below the cell
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (cells[middle] < cell) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  starts[cell] = low;
}

__global__ void __launch_bounds__(mesh_threads)
    weigh_charges(MeshCharges charges, const std::uint32_t* numbers, Mesh mesh, double factor, int* first_x,
                  double* weights) {
  const std::size_t i = number_of_thread();
  if (i >= charges.count) return;
  const Charge charge = charges.charges[numbers[i]];
  const double place[3] = {charge.x, charge.y, charge.z};
  for (int axis = 0; axis < 3; ++axis) {
    double after;
    const int first = first_of(mesh, axis, place[axis], after);
    if (axis == 0) first_x[i] = first;
    const StencilWeights its = weights_of(mesh, after);
    const double times = axis == 2 ? factor * charge.charge : 1;
    double* const to =
        weights + (3 * i + static_cast<std::size_t>(axis)) * static_cast<std::size_t>(mesh.order);
    for (int k = 0; k < mesh.order; ++k) to[k] = times * its[static_cast<std::size_t>(k)];
  }
}

/// Sums the charges in a row of cells, first to last. `x`: the point, less the period if the cells are those
/// after the end.
__device__ __forceinline__ double sum_of_row(const ByCell& charges, std::size_t first, std::size_t last,
                                             int x, int in_y, int in_z, int order) {
  double sum = 0;
  const std::uint32_t end = charges.starts[last + 1];
  for (std::uint32_t n = charges.starts[first]; n < end; ++n) {
    const double* const weights =
        charges.weights + static_cast<std::size_t>(n) * static_cast<std::size_t>(3 * order);
    sum = fma(weights[2 * order + in_z] * weights[order + in_y], weights[x - charges.first_x[n]], sum);
  }
  return sum;
}

__global__ void __launch_bounds__(mesh_threads) gather_charges(ByCell charges, Mesh mesh, double* values) {
  const std::size_t number = number_of_thread();
  if (number >= mesh.size()) return;
  const int nx = mesh.points[0], ny = mesh.points[1], order = mesh.order;
  const int x = static_cast<int>(number % nx), y = static_cast<int>(number / nx % ny),
            z = static_cast<int>(number / nx / ny);
  const int from_x = x - order + 1;
  double sum = 0;
  for (int in_z = 0; in_z < order; ++in_z) {
    if (z < in_z && !mesh.periodic[2]) continue;
    const int at_z = wrapped(z - in_z, mesh.points[2]);
    for (int in_y = 0; in_y < order; ++in_y) {
      if (y < in_y && !mesh.periodic[1]) continue;
      const std::size_t row = (static_cast<std::size_t>(at_z) * ny + wrapped(y - in_y, ny)) * nx;
      if (from_x < 0 && mesh.periodic[0])
        sum += sum_of_row(charges, row + (from_x + nx), row + (nx - 1), x + nx, in_y, in_z, order);
      sum += sum_of_row(charges, row + (from_x > 0 ? from_x : 0), row + x, x, in_y, in_z, order);
    }
  }
  values[number] = sum;
}

/// Interpolates from the mesh's planes to those of a slab of grid planes.
__global__ void __launch_bounds__(mesh_threads)
    blend_planes(Mesh mesh, const double* values, Stencils z, int first, std::size_t all, double* planes) {
  const std::size_t number = number_of_thread();
  if (number >= all) return;
  const std::size_t size = static_cast<std::size_t>(mesh.points[0]) * mesh.points[1];
  const std::size_t at = number % size, k = static_cast<std::size_t>(first) + number / size;
  double sum = 0;
  for (int i = 0; i < mesh.order; ++i) {
    sum = fma(z.weights[k * mesh.order + i],
              values[static_cast<std::size_t>(wrapped(z.first[k] + i, mesh.points[2])) * size + at], sum);
  }
  planes[number] = sum;
}

/// Interpolates from their rows to those of the grid.
__global__ void __launch_bounds__(mesh_threads)
    blend_rows(Mesh mesh, const double* planes, Stencils y, int rows, std::size_t all, double* blended) {
  const std::size_t number = number_of_thread();
  if (number >= all) return;
  const std::size_t wide = static_cast<std::size_t>(mesh.points[0]);
  const std::size_t x = number % wide, j = number / wide % rows, plane = number / wide / rows;
  double sum = 0;
  for (int i = 0; i < mesh.order; ++i) {
    const auto row = static_cast<std::size_t>(wrapped(y.first[j] + i, mesh.points[1]));
    sum = fma(y.weights[j * mesh.order + i], planes[(plane * mesh.points[1] + row) * wide + x], sum);
  }
  blended[number] = sum;
}

__global__ void __launch_bounds__(mesh_threads)
    add_blended(Mesh mesh, const double* blended, Stencils x, int points, std::size_t all, double scale,
                float* out) {
  const std::size_t number = number_of_thread();
  if (number >= all) return;
  const std::size_t i = number % points;
  const double* const row = blended + number / points * mesh.points[0];
  double sum = 0;
  for (int k = 0; k < mesh.order; ++k)
    sum = fma(x.weights[i * mesh.order + k], row[wrapped(x.first[i] + k, mesh.points[0])], sum);
  out[number] += static_cast<float>(scale * sum);
}

/// Like StencilMesh::interpolate.
__device__ double interpolated(const Mesh& mesh, const double* values, double at_x, double at_y,
                               double at_z) {
  double after;
  const int first_x = first_of(mesh, 0, at_x, after);
  const StencilWeights x = weights_of(mesh, after);
  const int first_y = first_of(mesh, 1, at_y, after);
  const StencilWeights y = weights_of(mesh, after);
  const int first_z = first_of(mesh, 2, at_z, after);
  const StencilWeights z = weights_of(mesh, after);
  double sum = 0;
  for (int k = 0; k < mesh.order; ++k) {
    double plane = 0;
    const auto in_z = static_cast<std::size_t>(wrapped(first_z + k, mesh.points[2]));
    for (int j = 0; j < mesh.order; ++j) {
      const auto in_y = static_cast<std::size_t>(wrapped(first_y + j, mesh.points[1]));
      const double* const from = values + (in_z * mesh.points[1] + in_y) * mesh.points[0];
      double row = 0;
      for (int i = 0; i < mesh.order; ++i)
        row = fma(x[static_cast<std::size_t>(i)], from[wrapped(first_x + i, mesh.points[0])], row);
      plane = fma(y[static_cast<std::size_t>(j)], row, plane);
    }
    sum = fma(z[static_cast<std::size_t>(k)], plane, sum);
  }
  return sum;
}

__global__ void __launch_bounds__(mesh_threads)
    add_skewed(Mesh mesh, const double* values, SkewedGrid grid, pair_kernels::GridSlab slab, std::size_t all,
               double scale, float* out) {
  const std::size_t number = number_of_thread();
  if (number >= all) return;
  const double i = static_cast<double>(number % slab.size[0]),
               j = static_cast<double>(number / slab.size[0] % slab.size[1]),
               k = slab.first + static_cast<double>(number / slab.size[0] / slab.size[1]);
  double at[3];
  for (int row = 0; row < 3; ++row) {
    const double* const step = grid.step[row];
    at[row] = grid.origin[row] + step[0] * i + step[1] * j + step[2] * k;
  }
  out[number] += static_cast<float>(scale * interpolated(mesh, values, at[0], at[1], at[2]));
}

__global__ void __launch_bounds__(mesh_threads)
    add_at_all_places(Mesh mesh, const double* values, ToMesh to_mesh, pair_kernels::PlaceSet places,
                      double scale, float* out, std::size_t stride) {
  const std::size_t i = number_of_thread();
  if (i >= places.count) return;
  const double* const place = places.places + 3 * (places.first + i);
  double at[3];
  for (int row = 0; row < 3; ++row) {
    const double* const by = to_mesh.row[row];
    at[row] = by[0] * place[0] + by[1] * place[1] + by[2] * place[2];
  }
  const double sum = static_cast<double>(out[i]) + static_cast<double>(out[stride + i]) +
                     scale * interpolated(mesh, values, at[0], at[1], at[2]);
  out[i] = static_cast<float>(sum);
  out[stride + i] = static_cast<float>(sum - static_cast<double>(out[i]));
}

}  // namespace

void find_cells(const MeshCharges& charges, const Mesh& mesh, std::uint64_t* cells, std::uint32_t* numbers,
                const Stream& stream) {
  launch_each(find_cells_of_charges, charges.count, mesh_threads, stream, charges, mesh, cells, numbers);
}

void find_starts(const std::uint64_t* cells, std::uint32_t count, const Mesh& mesh, std::uint32_t* starts,
                 const Stream& stream) {
  launch_each(find_starts_of_cells, mesh.size() + 1, mesh_threads, stream, cells, count, mesh.size(), starts);
}

void weigh(const MeshCharges& charges, const std::uint32_t* numbers, const Mesh& mesh, double factor,
           int* first_x, double* weights, const Stream& stream) {
  launch_each(weigh_charges, charges.count, mesh_threads, stream, charges, numbers, mesh, factor, first_x,
              weights);
}

void gather(const ByCell& charges, const Mesh& mesh, double* values, const Stream& stream) {
  launch_each(gather_charges, mesh.size(), mesh_threads, stream, charges, mesh, values);
}

void add_to_planes(const Mesh& mesh, const double* values, const Stencils (&stencils)[3],
                   const pair_kernels::GridSlab& slab, double scale, double* work, float* out,
                   const Stream& stream) {
  const auto planes = static_cast<std::size_t>(slab.count),
             rows = planes * static_cast<std::size_t>(slab.size[1]);
  const auto wide = static_cast<std::size_t>(mesh.points[0]);
  const std::size_t blended = planes * wide * static_cast<std::size_t>(mesh.points[1]);
  double* const in_rows = work + blended;
  launch_each(blend_planes, blended, mesh_threads, stream, mesh, values, stencils[2], slab.first, blended,
              work);
  launch_each(blend_rows, rows * wide, mesh_threads, stream, mesh, work, stencils[1], slab.size[1],
              rows * wide, in_rows);
  const std::size_t all = rows * static_cast<std::size_t>(slab.size[0]);
  launch_each(add_blended, all, mesh_threads, stream, mesh, in_rows, stencils[0], slab.size[0], all, scale,
              out);
}

void add_to_skewed_planes(const Mesh& mesh, const double* values, const SkewedGrid& grid,
                          const pair_kernels::GridSlab& slab, double scale, float* out,
                          const Stream& stream) {
  const std::size_t all = static_cast<std::size_t>(slab.count) * static_cast<std::size_t>(slab.size[0]) *
                          static_cast<std::size_t>(slab.size[1]);
  launch_each(add_skewed, all, mesh_threads, stream, mesh, values, grid, slab, all, scale, out);
}

void add_at_places(const Mesh& mesh, const double* values, const ToMesh& to_mesh,
                   const pair_kernels::PlaceSet& places, double scale, float* out, std::size_t stride,
                   const Stream& stream) {
  launch_each(add_at_all_places, places.count, mesh_threads, stream, mesh, values, to_mesh, places, scale,
              out, stride);
}

}  // namespace isolume::gpu::mesh_kernels
