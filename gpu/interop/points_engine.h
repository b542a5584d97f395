#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/dispatch/device_values.h"
#include "core/dispatch/dispatch.h"
#include "gpu/surfaces/surface_engine.h"

/// Points that are drawn from a GPU's memory, as the programs see them: no CUDA type appears here.
namespace isolume::gpu {

/// Which of a table's rows are drawn, in that order; null: all. What stays the same for many tables is sent to the GPU once.
using DrawnRows = std::shared_ptr<const std::vector<std::uint32_t>>;

/// Writes numbers that GPUs of a pool have into OpenGL buffers of one context, on the thread where that is current: as
/// SurfaceDrawing does, without a way through the host where the context belongs to a CUDA device. All throw
/// Error where the numbers are not on such a GPU or it does not answer, ResourceError.
class PointsWriter {
 public:
  virtual ~PointsWriter() = default;
  /// Three numbers a row, plus `shift`: 12 bytes for each of the rows.
  virtual void write_places(const dispatch::DeviceValues& from, const DrawnRows& rows,
                            const std::array<float, 3>& shift, const GlBuffer& to) = 0;
  /// One number a row: 4 bytes for each.
  virtual void write_values(const dispatch::DeviceValues& from, const DrawnRows& rows,
                            const GlBuffer& to) = 0;
  /// See SurfaceDrawing.
  virtual void forget(unsigned buffer) noexcept = 0;
  virtual const std::string& how() const = 0;
};

class PointsEngine {
 public:
  virtual ~PointsEngine() = default;
  /// For the OpenGL context that is current on this thread; `gl_renderer` is what OpenGL calls it. Tells the device
  /// pool's note "points" how points are drawn.
  virtual std::unique_ptr<PointsWriter> make_writer(const std::string& gl_renderer) const = 0;
};

/// Null where the pool has no GPU.
std::shared_ptr<const PointsEngine> make_points_engine(std::shared_ptr<dispatch::DevicePool> pool);

}  // namespace isolume::gpu
