#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>

#include <vtkNew.h>
#include <vtkOpenGLIndexBufferObject.h>
#include <vtkOpenGLPolyDataMapper.h>
#include <vtkOpenGLVertexBufferObject.h>
#include <vtkOpenGLVertexBufferObjectGroup.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

namespace isolume::scene {

/// Name of a second field's value at a vertex in shaders/surface.vert.
inline constexpr const char* second_field_attribute = "secondField";

/// A mapper that draws triangles with VTK's shaders, but from buffers that it fills itself. Its input only
/// provides the bounds.
class SurfaceBuffers : public vtkOpenGLPolyDataMapper {
 public:
  vtkTypeMacro(SurfaceBuffers, vtkOpenGLPolyDataMapper)

      void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  /// Three floats per vertex.
  static constexpr unsigned components = 3;

  class Vertices;
  class Indices;

  SurfaceBuffers();
  ~SurfaceBuffers() override = default;

  /// Null if nothing is drawn.
  void set_bounds(const std::array<double, 6>* bounds);
  /// Creates buffers of vertices in the current context, unless they exist.
  void make_vertices();
  Vertices& points() { return *points_; }
  Vertices& normals() { return *normals_; }
  /// Values of a second field, one float per vertex, for shaders/surface.vert. Null until it is first made;
  /// from then on the shader reads it, and it needs room for every vertex.
  Vertices* values() { return values_; }
  void make_values();
  Indices& indices();
  /// Storage for this many bytes; it is reused while its content grows and shrinks a little, as surfaces do
  /// while an isovalue is dragged. `before` is called before other storage is allocated. Throws Error if
  /// OpenGL has no memory.
  template <class Buffer>
  static void make_room(
      Buffer& buffer, std::size_t bytes, const std::function<void()>& before = [] {});

 private:
  vtkSmartPointer<Vertices> points_;
  vtkSmartPointer<Vertices> normals_;
  vtkSmartPointer<Vertices> values_;
  vtkNew<vtkPolyData> stand_in_;
};

class SurfaceBuffers::Vertices : public vtkOpenGLVertexBufferObject {
 public:
  static Vertices* New();
  vtkTypeMacro(Vertices, vtkOpenGLVertexBufferObject)

      std::size_t capacity = 0;  ///< in bytes
  void allocate(std::size_t bytes) { capacity = UploadInternal(nullptr, bytes, ArrayBuffer) ? bytes : 0; }
  void write(std::size_t first_byte, std::span<const std::byte> content);
  void set_count(std::size_t vertices);
  void set_components(unsigned count);

 protected:
  Vertices();
};

class SurfaceBuffers::Indices : public vtkOpenGLIndexBufferObject {
 public:
  static Indices* New();
  vtkTypeMacro(Indices, vtkOpenGLIndexBufferObject)

      std::size_t capacity = 0;  ///< in bytes
  void allocate(std::size_t bytes) {
    capacity = UploadInternal(nullptr, bytes, ElementArrayBuffer) ? bytes : 0;
  }
  void write(std::size_t first_byte, std::span<const std::byte> content);
};

}  // namespace isolume::scene
