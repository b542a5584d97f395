#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

/// Surfaces that are found on a GPU and drawn from its memory, as the programs see them: no CUDA type appears
/// here.
namespace isolume::gpu {

class SurfaceDrawing;

/// A surface that a GPU has found and counted. Any thread may hold it; one at a time may use it.
class GpuSurface {
 public:
  virtual ~GpuSurface() = default;
  virtual std::size_t vertex_count() const = 0;
  virtual std::size_t triangle_count() const = 0;
  virtual double area() const = 0;
  /// xmin, xmax, ymin, ...; all 0 for an empty surface.
  virtual std::array<double, 6> bounds() const = 0;

  struct Mesh {
    std::vector<float> points;             ///< three a vertex, in the unit that scenes show
    std::vector<float> normals;            ///< three a vertex, of length 1, pointing to smaller magnitude
    std::vector<std::uint32_t> triangles;  ///< three a triangle, counter-clockwise seen from there
  };
  virtual Mesh download() const = 0;

  /// For the OpenGL context that is current on this thread; `gl_renderer` is what OpenGL calls it. Tells the
  /// device pool's note "display" how surfaces are drawn.
  virtual std::unique_ptr<SurfaceDrawing> make_drawing(const std::string& gl_renderer) const = 0;
};

/// What goes into one OpenGL buffer.
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

/// An OpenGL buffer of the current context, made and sized by its owner.
struct GlBuffer {
  unsigned name = 0;
  /// Copies bytes to the buffer's begin. Called where the GPU cannot write into it itself.
  std::function<void(std::span<const std::byte>)> upload;
};

/// Writes surfaces into OpenGL buffers of one context, on the thread where that is current. Where the context
/// belongs to a CUDA device, kernels write into the buffers themselves; else the bytes come through pinned
/// memory.
class SurfaceDrawing {
 public:
  virtual ~SurfaceDrawing() = default;
  /// Fills the buffer's first `byte_count(surface, part)` bytes.
  virtual void write(const GpuSurface& surface, SurfacePart part, const GlBuffer& buffer) = 0;
  /// To be called before a buffer is given other storage or deleted, and before the context goes. Safe when
  /// the context has gone already, and for a buffer that was never written.
  virtual void forget(unsigned buffer) noexcept = 0;
  /// How the bytes get there and why, for people.
  virtual const std::string& how() const = 0;
};

/// From so many points on, surfaces are found on a GPU where there is one: below, a CPU is done in a few
/// milliseconds, which is what launches, copies and waiting may cost.
inline constexpr std::size_t surface_points_worth_a_gpu = 250'000;

/// Finds surfaces on a GPU of the pool: on the one that has the field already, where that is so. All calls
/// from any thread.
class SurfaceEngine {
 public:
  virtual ~SurfaceEngine() = default;
  /// The surface field = isovalue (marching cubes). The field stays on the device as long as a surface of it
  /// lives, so that another isovalue costs no upload. Throws Error where no GPU can be used (the reason is a
  /// sentence), ResourceError, Cancelled.
  virtual std::shared_ptr<const GpuSurface> surface(const std::shared_ptr<const lattice::ScalarField>& field,
                                                    double isovalue, const jobs::Progress& progress) = 0;
};

}  // namespace isolume::gpu
