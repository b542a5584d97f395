#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/surfaces/case_table.h"
#include "gpu/lattice/resident_field.h"
#include "gpu/runtime/buffer.h"

namespace isolume::gpu {

/// A device that has not finished a step of finding or writing a surface by then hangs: each takes
/// milliseconds.
inline std::chrono::steady_clock::time_point surface_deadline() {
  return std::chrono::steady_clock::now() + std::chrono::seconds(20);
}

/// A field on one device with what surfaces in it are found by; read by any number of surfaces and streams.
class SurfaceField {
 public:
  /// Throws ResourceError when the work of finding a surface in it does not fit.
  explicit SurfaceField(std::shared_ptr<const ResidentField> field);
  /// Of a copy of the field, which it waits for. Throws Error when it holds other than its lattice's number of
  /// values.
  SurfaceField(const GpuDevice& device, const lattice::ScalarField& field);

  const GpuDevice& device() const { return field_->device(); }
  const lattice::Lattice& lattice() const { return field_->lattice(); }
  const float* values() const { return field_->values(); }
  const surfaces::CellCase* cases() const { return cases_.device_data(); }
  const std::shared_ptr<const ResidentField>& field() const { return field_; }
  /// For work on `stream` that reads it, which may go on after this object is gone.
  void used_by(const Stream& stream) const;

 private:
  std::shared_ptr<const ResidentField> field_;
  Stream stream_;
  DeviceBuffer<surfaces::CellCase> cases_;
};

/// The surface field = isovalue, found by marching cubes (Lorensen and Cline 1987; each of the 256 cases by
/// its own polygons, so that it is closed inside the box). Counted first; then written as often as is wanted,
/// to wherever the device can write. Points in the unit that scenes show (`lattice::shown_unit`), one on each
/// lattice edge that the surface crosses; unit normals from the field's gradient, pointing to smaller
/// magnitude; triangles counter-clockwise seen from there. Cells with a value that is not finite are left
/// out. The same numbers every time.
class MarchingCubes {
 public:
  /// Counts on a stream of its own and waits. A lattice of less than two points along an axis has an empty
  /// surface. Throws ResourceError (with a remedy) for a lattice or a surface too large, Cancelled, and
  /// dispatch::DeviceLost where the device does not answer within some seconds.
  MarchingCubes(std::shared_ptr<const SurfaceField> field, double isovalue,
                const jobs::Progress& progress = {});

  std::size_t vertex_count() const { return vertex_count_; }
  std::size_t triangle_count() const { return triangle_count_; }
  double area() const { return area_; }
  /// xmin, xmax, ymin, ... of the triangles; all 0 for an empty surface.
  const std::array<double, 6>& bounds() const { return bounds_; }
  const SurfaceField& field() const { return *field_; }

  /// Queue the writing on a stream of the field's device: three numbers a vertex (either
  /// may be null), ...
  void write_vertices(float* points, float* normals, const Stream& stream) const;
  /// ... the three corners of each triangle, ...
  void write_triangles(std::uint32_t* corners, const Stream& stream) const;
  /// ... the same as lines, six numbers a triangle. Takes scratch memory.
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
