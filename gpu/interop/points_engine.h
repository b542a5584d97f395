#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dispatch/device_values.h"
#include "core/dispatch/dispatch.h"
#include "gpu/surfaces/surface_engine.h"

/// Points drawn from a GPU's memory, for the programs: no CUDA type appears here.
namespace isolume::gpu {

/// The rows of a table to draw, in that order; null: all. An object that is shared by many tables is sent to
/// the GPU once.
using DrawnRows = std::shared_ptr<const std::vector<std::uint32_t>>;

/// Writes values on GPUs of a pool into OpenGL buffers of one context, on the thread where that is current:
/// like SurfaceDrawing, without a copy through the host if the context belongs to a CUDA device. All
/// functions throw Error if the values are not on such a GPU or it does not respond, ResourceError.
class PointsWriter {
 public:
  virtual ~PointsWriter() = default;
  /// Three numbers per row, plus `shift`: 12 bytes per row.
  virtual void write_places(const dispatch::DeviceValues& from, const DrawnRows& rows,
                            const std::array<float, 3>& shift, const GlBuffer& to) = 0;
  /// One number per row: 4 bytes per row.
  virtual void write_values(const dispatch::DeviceValues& from, const DrawnRows& rows,
                            const GlBuffer& to) = 0;
  /// See SurfaceDrawing.
  virtual void forget(unsigned buffer) noexcept = 0;
  virtual const std::string& how() const = 0;
};

class PointsEngine {
 public:
  virtual ~PointsEngine() = default;
  /// For the current OpenGL context of this thread; `gl_renderer` is OpenGL's name for it. Describes in the
  /// device pool's note "points" how points are drawn.
  virtual std::unique_ptr<PointsWriter> make_writer(const std::string& gl_renderer) const = 0;
};

/// Null if the pool has no GPU.
std::shared_ptr<const PointsEngine> make_points_engine(std::shared_ptr<dispatch::DevicePool> pool);

}  // namespace isolume::gpu
