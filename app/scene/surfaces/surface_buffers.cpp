#include "app/scene/surfaces/surface_buffers.h"

#include <string>
#include <utility>

#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkObjectFactory.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkRenderWindow.h>
#include <vtk_glew.h>

#include "core/base/error.h"

namespace isolume::scene {
namespace {

class Attributes : public vtkOpenGLVertexBufferObjectGroup {
 public:
  static Attributes* New();
  vtkTypeMacro(Attributes, vtkOpenGLVertexBufferObjectGroup)

      void set(const std::string& name, vtkOpenGLVertexBufferObject* buffer) {
    buffer->Register(this);
    if (auto*& place = UsedVBOs[name]; place != nullptr) {
      std::exchange(place, buffer)->UnRegister(this);
    } else {
      place = buffer;
    }
    Modified();
  }
};
vtkStandardNewMacro(Attributes);

template <class Buffer>
void write_into(Buffer& buffer, unsigned target, std::size_t first_byte, std::span<const std::byte> content) {
  buffer.Bind();
  glBufferSubData(target, static_cast<GLintptr>(first_byte), static_cast<GLsizeiptr>(content.size()),
                  content.data());
  buffer.Release();
}

}  // namespace

vtkStandardNewMacro(SurfaceBuffers::Vertices);
vtkStandardNewMacro(SurfaceBuffers::Indices);

SurfaceBuffers::Vertices::Vertices() {
  SetDataType(VTK_FLOAT);
  set_components(components);
}

void SurfaceBuffers::Vertices::set_components(unsigned count) {
  NumberOfComponents = static_cast<int>(count);
  Stride = count * sizeof(float);
}

void SurfaceBuffers::Vertices::write(std::size_t first_byte, std::span<const std::byte> content) {
  write_into(*this, GL_ARRAY_BUFFER, first_byte, content);
}

void SurfaceBuffers::Indices::write(std::size_t first_byte, std::span<const std::byte> content) {
  write_into(*this, GL_ELEMENT_ARRAY_BUFFER, first_byte, content);
}

void SurfaceBuffers::Vertices::set_count(std::size_t vertices) {
  NumberOfTuples = static_cast<unsigned>(vertices);
  UploadTime.Modified();
}

SurfaceBuffers::SurfaceBuffers() {
  VBOs->Delete();
  VBOs = Attributes::New();
  Primitives[PrimitiveTris].IBO->Delete();
  Primitives[PrimitiveTris].IBO = Indices::New();
  ScalarVisibilityOff();
  SetInputData(stand_in_);
  set_bounds(nullptr);
}

void SurfaceBuffers::set_bounds(const std::array<double, 6>* bounds) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> triangle;
  vtkNew<vtkFloatArray> normals;  // make VTK light lines and points, too
  normals->SetNumberOfComponents(components);
  if (bounds != nullptr) {
    const auto& b = *bounds;
    points->InsertNextPoint(b[0], b[2], b[4]);
    points->InsertNextPoint(b[1], b[3], b[5]);
    points->InsertNextPoint(b[0], b[2], b[4]);
    triangle->InsertNextCell({0, 1, 2});
    for (int i = 0; i < 3; ++i) normals->InsertNextTuple3(0, 0, 1);
  }
  stand_in_->SetPoints(points);
  stand_in_->SetPolys(triangle);
  stand_in_->GetPointData()->SetNormals(normals);
  stand_in_->Modified();
  Modified();
}

void SurfaceBuffers::make_vertices() {
  if (points_ != nullptr) return;
  points_ = vtkSmartPointer<Vertices>::New();
  normals_ = vtkSmartPointer<Vertices>::New();
  auto* attributes = static_cast<Attributes*>(VBOs);
  attributes->set("vertexMC", points_);
  attributes->set("normalMC", normals_);
}

void SurfaceBuffers::make_values() {
  if (values_ != nullptr) return;
  values_ = vtkSmartPointer<Vertices>::New();
  values_->set_components(1);
  static_cast<Attributes*>(VBOs)->set(second_field_attribute, values_);
}

SurfaceBuffers::Indices& SurfaceBuffers::indices() {
  return static_cast<Indices&>(*Primitives[PrimitiveTris].IBO);
}

template <class Buffer>
void SurfaceBuffers::make_room(Buffer& buffer, std::size_t bytes, const std::function<void()>& before) {
  if (bytes <= buffer.capacity && buffer.capacity / 4 <= bytes) return;
  before();
  while (glGetError() != GL_NO_ERROR) {
  }
  buffer.allocate(bytes + bytes / 4);
  if (glGetError() == GL_NO_ERROR) return;
  buffer.capacity = 0;
  throw Error("OpenGL has no memory for " + format_bytes(bytes) +
              "; close other windows, or choose a larger spacing.");
}
template void SurfaceBuffers::make_room(Vertices&, std::size_t, const std::function<void()>&);
template void SurfaceBuffers::make_room(Indices&, std::size_t, const std::function<void()>&);

void SurfaceBuffers::ReleaseGraphicsResources(vtkWindow* window) {
  // VTK's own function makes the context current, or calls back if it is not.
  auto* gl = vtkRenderWindow::SafeDownCast(window);
  if (gl != nullptr && gl->IsCurrent()) {
    points_ = nullptr;
    normals_ = nullptr;
    values_ = nullptr;
    indices().capacity = 0;
  }
  Superclass::ReleaseGraphicsResources(window);
}

}  // namespace isolume::scene
