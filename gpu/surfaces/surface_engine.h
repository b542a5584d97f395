#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/surfaces/isosurface.h"

/// Surfaces extracted on a GPU and drawn from its memory, for the programs: no CUDA type appears here.
namespace isolume::gpu {

class SurfaceDrawing;

/// A surface that was extracted and counted on a GPU. Any thread may hold it; one at a time may use it.
class GpuSurface {
 public:
  virtual ~GpuSurface() = default;
  virtual std::size_t vertex_count() const = 0;
  virtual std::size_t triangle_count() const = 0;
  virtual double area() const = 0;
  /// xmin, xmax, ymin, ...; all 0 for an empty surface.
  virtual std::array<double, 6> bounds() const = 0;

  using Mesh = surfaces::Mesh;
  virtual Mesh download() const = 0;

  /// For the current OpenGL context of this thread; `gl_renderer` is OpenGL's name for it. Describes in the
  /// device pool's note "display" how surfaces are drawn.
  virtual std::unique_ptr<SurfaceDrawing> make_drawing(const std::string& gl_renderer) const = 0;
};

/// The content of one OpenGL buffer.
enum class SurfacePart {
  points,     ///< three floats a vertex, in the unit that scenes show
  normals,    ///< three floats a vertex
  triangles,  ///< three 32-bit numbers a triangle: its corners
  lines,      ///< six 32-bit numbers a triangle: the ends of its sides
};
inline std::size_t byte_count(const GpuSurface& surface, SurfacePart part) {
  const bool of_vertices = part == SurfacePart::points || part == SurfacePart::normals;
  const std::size_t count = of_vertices ? surface.vertex_count() : surface.triangle_count();
  return count * (part == SurfacePart::lines ? 6 : 3) * 4;
}

/// An OpenGL buffer of the current context, created and sized by its owner.
struct GlBuffer {
  unsigned name = 0;
  /// Copies bytes to the beginning of the buffer. Called if the GPU cannot write into it itself.
  std::function<void(std::span<const std::byte>)> upload;
};

/// Writes surfaces into OpenGL buffers of one context, on the thread where that is current. If the context
/// belongs to a CUDA device, kernels write into the buffers themselves; otherwise the bytes pass through
/// pinned memory.
class SurfaceDrawing {
 public:
  virtual ~SurfaceDrawing() = default;
  /// Fills the buffer's first `byte_count(surface, part)` bytes.
  virtual void write(const GpuSurface& surface, SurfacePart part, const GlBuffer& buffer) = 0;
  /// Call before a buffer is given other storage or deleted, and before the context is destroyed. Safe if the
  /// context no longer exists, and for a buffer that was never written.
  virtual void forget(unsigned buffer) noexcept = 0;
  /// How the bytes are transferred and why, for users.
  virtual const std::string& how() const = 0;
};

/// Extracts surfaces on a GPU of the pool, on the one that holds the field already if there is one. Calls may
/// come from any thread.
class SurfaceEngine {
 public:
  virtual ~SurfaceEngine() = default;
  /// The surface field = isovalue (marching cubes). The field stays on the device as long as a surface of it
  /// exists, so that another isovalue needs no upload. Throws Error if no GPU can be used (the reason is a
  /// sentence), ResourceError, Cancelled.
  virtual std::shared_ptr<const GpuSurface> surface(const std::shared_ptr<const grid::ScalarField>& field,
                                                    double isovalue, const jobs::Progress& progress) = 0;
};

}  // namespace isolume::gpu
