#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/surfaces/case_table.h"
#include "gpu/grid/resident_field.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// Each step of extracting or writing a surface takes milliseconds: a device that has not finished by then
/// hangs.
inline std::chrono::steady_clock::time_point surface_deadline() {
  return from_now(default_deadline());
}

/// A field on one device with scratch data for extracting surfaces; any number of surfaces and streams may
/// read it.
class SurfaceField {
 public:
  /// Throws ResourceError if the memory for extracting a surface is not available.
  explicit SurfaceField(std::shared_ptr<const ResidentField> field);
  /// Copies the field, and waits for that. Throws Error if the number of values does not match the grid.
  SurfaceField(const GpuDevice& device, const grid::ScalarField& field);

  const GpuDevice& device() const { return field_->device(); }
  const grid::Grid& grid() const { return field_->grid(); }
  const float* values() const { return field_->values(); }
  const surfaces::CellCase* cases() const { return cases_.device_data(); }
  const std::shared_ptr<const ResidentField>& field() const { return field_; }
  /// For work on `stream` that reads it, which may outlive this object.
  void used_by(const Stream& stream) const;

 private:
  std::shared_ptr<const ResidentField> field_;
  Stream stream_;
  DeviceBuffer<surfaces::CellCase> cases_;
};

/// The surface field = isovalue by marching cubes (Lorensen and Cline 1987; each of the 256 cases has its own
/// polygons, so that the surface is closed inside the box). Vertices are counted first; then the surface is
/// written as often as needed, to any memory that the device can write. Points are in the unit that scenes
/// show (`grid::shown_unit`), one on each grid edge that the surface crosses; unit normals come from
/// the field's gradient and point to smaller magnitude; triangles are counter-clockwise seen from there.
/// Cells with a value that is not finite are left out. The result is bit-identical every time.
class MarchingCubes {
 public:
  /// Counts on a stream of its own and waits. A grid of fewer than two points along an axis has an empty
  /// surface. Throws ResourceError (with a remedy) for a grid or a surface too large, Cancelled, and
  /// dispatch::DeviceLost if the device does not respond within some seconds.
  MarchingCubes(std::shared_ptr<const SurfaceField> field, double isovalue,
                const jobs::Progress& progress = {});

  std::size_t vertex_count() const { return vertex_count_; }
  std::size_t triangle_count() const { return triangle_count_; }
  double area() const { return area_; }
  /// xmin, xmax, ymin, ... of the triangles; all 0 for an empty surface.
  const std::array<double, 6>& bounds() const { return bounds_; }
  const SurfaceField& field() const { return *field_; }

  /// These functions queue the writing on a stream of the field's device: three numbers per vertex (either
  /// may be null), ...
  void write_vertices(float* points, float* normals, const Stream& stream) const;
  /// ... the three corners of each triangle, ...
  void write_triangles(std::uint32_t* corners, const Stream& stream) const;
  /// ... the same as lines, six numbers per triangle. Takes scratch memory.
  void write_lines(std::uint32_t* ends, const Stream& stream) const;

 private:
  void used_by(const Stream& stream) const;
  void count(const jobs::Progress& progress);
  void measure(const jobs::Progress& progress);

  std::shared_ptr<const SurfaceField> field_;
  double isovalue_;
  Stream stream_;
  DeviceBuffer<std::uint32_t> crossings_;
  DeviceBuffer<std::uint32_t> vertices_;
  DeviceBuffer<std::uint32_t> triangles_;
  std::size_t vertex_count_ = 0;
  std::size_t triangle_count_ = 0;
  double area_ = 0;
  std::array<double, 6> bounds_{};
};

}  // namespace isolume::gpu
