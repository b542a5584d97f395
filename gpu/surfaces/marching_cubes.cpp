#include "gpu/surfaces/marching_cubes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/LU>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/units.h"
#include "gpu/runtime/algorithms/scan.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/surfaces/marching_cubes_kernels.h"

namespace isolume::gpu {
namespace {

namespace kernels = surface_kernels;

/// Each point may have three vertices and each cell five triangles, all numbered with 32 bits.
constexpr std::size_t most_points = std::numeric_limits<std::uint32_t>::max() / 5;
constexpr const char* remedy = "Choose a larger spacing or a smaller box, or the CPU as engine.";

std::size_t run_count(const grid::Grid& grid) {
  const auto& n = grid.dimensions;
  const auto runs_per_row = (static_cast<std::size_t>(n[0]) + kernels::run_length - 1) / kernels::run_length;
  return runs_per_row * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
}

/// Memory of one surface on the device.
std::size_t surface_bytes(const grid::Grid& grid) {
  return run_count(grid) * 5 * sizeof(std::uint32_t);
}

bool has_cells(const grid::Grid& grid) {
  return *std::min_element(grid.dimensions.begin(), grid.dimensions.end()) >= 2;
}

/// The smallest float that is at least `value`: for floats v, v >= value exactly where v >= this.
float not_below(double value) {
  const auto nearest = static_cast<float>(value);
  return nearest < value ? std::nextafter(nearest, std::numeric_limits<float>::infinity()) : nearest;
}

kernels::Grid kernel_grid(const SurfaceField& field, double isovalue) {
  const auto& grid = field.grid();
  // Gradients are covectors, which transform with the inverse transpose. The field decreases outwards at a
  // positive lobe.
  const double scale = grid::shown_per_unit(grid.unit);
  const Eigen::Matrix3d step = grid.step * scale;
  const Eigen::Vector3d origin = grid.origin * scale;
  const Eigen::Matrix3d covector = (isovalue < 0 ? 1.0 : -1.0) * step.inverse().transpose();
  kernels::Grid result{};
  result.values = field.values();
  std::copy(grid.dimensions.begin(), grid.dimensions.end(), result.dimensions);
  result.runs_per_row =
      (static_cast<unsigned>(grid.dimensions[0]) + kernels::run_length - 1) / kernels::run_length;
  result.runs = static_cast<unsigned>(run_count(grid));
  result.threshold = not_below(isovalue);
  result.isovalue = isovalue;
  for (int c = 0; c < 3; ++c) {
    result.origin[c] = static_cast<float>(origin[c]);
    for (int axis = 0; axis < 3; ++axis) {
      result.step[3 * axis + c] = static_cast<float>(step(c, axis));
      result.covector[3 * axis + c] = static_cast<float>(covector(c, axis));
    }
  }
  result.mirrored = (step.determinant() < 0) != (isovalue < 0);
  return result;
}

/// For both lobes of a field that takes `bytes_a_point` more.
void require_room(const GpuDevice& device, const grid::Grid& grid, std::size_t bytes_a_point) {
  const std::size_t points = grid.point_count();
  constexpr int lobes = 2;
  const std::size_t budget = device.memory_budget_bytes();
  const std::size_t wanted = points > most_points ? std::numeric_limits<std::size_t>::max()
                                                  : points * bytes_a_point + lobes * surface_bytes(grid);
  if (wanted > budget) throw ResourceError("Surfaces on " + device.name(), wanted, budget, remedy);
}

}  // namespace

SurfaceField::SurfaceField(std::shared_ptr<const ResidentField> field)
    : field_(std::move(field)), stream_(field_->device()) {
  require_room(device(), grid(), 0);
  const surfaces::CaseTable cases = surfaces::make_case_table();
  cases_ = DeviceBuffer<surfaces::CellCase>(stream_, cases.size());
  cases_.copy_from(cases, stream_);
  stream_.wait(surface_deadline(), {});
}

SurfaceField::SurfaceField(const GpuDevice& device, const grid::ScalarField& field)
    : SurfaceField((require_room(device, field.grid, sizeof(float)),
                    std::make_shared<const ResidentField>(device, field))) {}

void SurfaceField::used_by(const Stream& stream) const {
  field_->used_by(stream);
  stream.uses_memory_of(stream_);
}

MarchingCubes::MarchingCubes(std::shared_ptr<const SurfaceField> field, double isovalue,
                             const jobs::Progress& progress)
    : field_(std::move(field)), isovalue_(isovalue), stream_(field_->device()) {
  if (!has_cells(field_->grid()) || !std::isfinite(isovalue)) return;
  field_->used_by(stream_);
  count(progress);
  if (triangle_count_ > 0) measure(progress);
}

void MarchingCubes::count(const jobs::Progress& progress) {
  const std::size_t runs = run_count(field_->grid());
  crossings_ = DeviceBuffer<std::uint32_t>(stream_, 3 * runs);
  vertices_ = DeviceBuffer<std::uint32_t>(stream_, runs + 1);
  triangles_ = DeviceBuffer<std::uint32_t>(stream_, runs + 1);
  const PinnedBuffer<std::uint32_t> totals(stream_, 2);
  kernels::classify(kernel_grid(*field_, isovalue_), field_->cases(),
                    {crossings_.device_data(), vertices_.device_data(), triangles_.device_data()}, stream_);
  exclusive_sum(vertices_.device_data(), vertices_.device_data(), runs + 1, stream_);
  exclusive_sum(triangles_.device_data(), triangles_.device_data(), runs + 1, stream_);
  const auto fetch = [&](const DeviceBuffer<std::uint32_t>& sums, std::uint32_t* total) {
    require_success(cudaMemcpyAsync(total, sums.device_data() + runs, sizeof(std::uint32_t),
                                    cudaMemcpyDeviceToHost, stream_.get()),
                    "copying a sum from the device");
  };
  fetch(vertices_, &totals.host()[0]);
  fetch(triangles_, &totals.host()[1]);
  stream_.wait(surface_deadline(), progress);
  vertex_count_ = totals.host()[0];
  triangle_count_ = totals.host()[1];
}

void MarchingCubes::measure(const jobs::Progress& progress) {
  const auto grid = kernel_grid(*field_, isovalue_);
  const unsigned parts = kernels::part_count(grid);
  const DeviceBuffer<kernels::Extent> on_device(stream_, parts);
  const PinnedBuffer<kernels::Extent> extents(stream_, parts);
  kernels::measure(grid, field_->cases(),
                   {crossings_.device_data(), vertices_.device_data(), triangles_.device_data()},
                   on_device.device_data(), stream_);
  on_device.copy_to(extents.host(), stream_);
  stream_.wait(surface_deadline(), progress);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bounds_ = {infinity, -infinity, infinity, -infinity, infinity, -infinity};
  for (const auto& extent : extents.host()) {
    area_ += extent.area;
    for (int c = 0; c < 3; ++c) {
      bounds_[2 * c] = std::min<double>(bounds_[2 * c], extent.low[c]);
      bounds_[2 * c + 1] = std::max<double>(bounds_[2 * c + 1], extent.high[c]);
    }
  }
}

/// Writing may continue after this object is destroyed, cancelled or not.
void MarchingCubes::used_by(const Stream& stream) const {
  stream.uses_memory_of(stream_);
  field_->used_by(stream);
}

void MarchingCubes::write_vertices(float* points, float* normals, const Stream& stream) const {
  if (vertex_count_ == 0) return;
  used_by(stream);
  kernels::write_vertices(kernel_grid(*field_, isovalue_),
                          {crossings_.device_data(), vertices_.device_data(), triangles_.device_data()},
                          points, normals, stream);
}

void MarchingCubes::write_triangles(std::uint32_t* corners, const Stream& stream) const {
  if (triangle_count_ == 0) return;
  used_by(stream);
  kernels::write_triangles(kernel_grid(*field_, isovalue_), field_->cases(),
                           {crossings_.device_data(), vertices_.device_data(), triangles_.device_data()},
                           corners, stream);
}

void MarchingCubes::write_lines(std::uint32_t* ends, const Stream& stream) const {
  if (triangle_count_ == 0) return;
  const DeviceBuffer<std::uint32_t> corners(stream, 3 * triangle_count_);
  write_triangles(corners.device_data(), stream);
  kernels::write_lines(corners.device_data(), triangle_count_, ends, stream);
}

}  // namespace isolume::gpu
