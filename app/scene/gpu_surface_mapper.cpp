#include "app/scene/gpu_surface_mapper.h"

#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLIndexBufferObject.h>
#include <vtkOpenGLVertexBufferObject.h>
#include <vtkOpenGLVertexBufferObjectGroup.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtk_glew.h>

#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::scene {
namespace {

/// Storage is kept while what it holds grows and shrinks a little, as surfaces do while an isovalue is
/// dragged.
bool fits(std::size_t capacity, std::size_t bytes) {
  return bytes <= capacity && capacity / 4 <= bytes;
}
std::size_t with_reserve(std::size_t bytes) {
  return bytes + bytes / 4;
}

/// Three floats a vertex.
constexpr unsigned components = 3;

}  // namespace

class GpuSurfaceMapper::Vertices : public vtkOpenGLVertexBufferObject {
 public:
  static Vertices* New();
  vtkTypeMacro(Vertices, vtkOpenGLVertexBufferObject) static constexpr unsigned target = GL_ARRAY_BUFFER;
  std::size_t capacity = 0;

  void allocate(std::size_t bytes) { capacity = UploadInternal(nullptr, bytes, ArrayBuffer) ? bytes : 0; }
  void set_count(std::size_t vertices) {
    NumberOfTuples = static_cast<unsigned>(vertices);
    UploadTime.Modified();
  }

 protected:
  Vertices() {
    SetDataType(VTK_FLOAT);
    NumberOfComponents = components;
    Stride = components * sizeof(float);
  }
};
vtkStandardNewMacro(GpuSurfaceMapper::Vertices)

    class GpuSurfaceMapper::Indices : public vtkOpenGLIndexBufferObject {
 public:
  static Indices* New();
  vtkTypeMacro(Indices,
               vtkOpenGLIndexBufferObject) static constexpr unsigned target = GL_ELEMENT_ARRAY_BUFFER;
  std::size_t capacity = 0;

  void allocate(std::size_t bytes) {
    capacity = UploadInternal(nullptr, bytes, ElementArrayBuffer) ? bytes : 0;
  }
};
vtkStandardNewMacro(GpuSurfaceMapper::Indices)

    class GpuSurfaceMapper::Attributes : public vtkOpenGLVertexBufferObjectGroup {
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
vtkStandardNewMacro(GpuSurfaceMapper::Attributes)

    vtkStandardNewMacro(GpuSurfaceMapper)

        GpuSurfaceMapper::GpuSurfaceMapper() {
  VBOs->Delete();
  VBOs = Attributes::New();
  Primitives[PrimitiveTris].IBO->Delete();
  Primitives[PrimitiveTris].IBO = Indices::New();
  SetInputData(stand_in_);
  set_surface(nullptr);
}

GpuSurfaceMapper::~GpuSurfaceMapper() {
  ReleaseGraphicsResources(nullptr);  // while this is still the object that VTK calls back
}

void GpuSurfaceMapper::set_surface(std::shared_ptr<const gpu::GpuSurface> surface) {
  surface_ = std::move(surface);
  vertices_written_ = false;
  representation_written_ = -1;
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> triangle;
  vtkNew<vtkFloatArray> normals;  // tell VTK that lines and points are lit as well
  normals->SetNumberOfComponents(components);
  if (surface_ != nullptr && surface_->triangle_count() > 0) {
    const auto b = surface_->bounds();
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

GpuSurfaceMapper::Indices& GpuSurfaceMapper::indices() {
  return static_cast<Indices&>(*Primitives[PrimitiveTris].IBO);
}

void GpuSurfaceMapper::ReleaseGraphicsResources(vtkWindow* window) {
  // VTK's own function makes the context current and calls back, where it is not.
  auto* gl = vtkRenderWindow::SafeDownCast(window);
  if (gl != nullptr && gl->IsCurrent()) {
    drawing_.reset();  // CUDA lets go of the buffers before they are deleted
    points_ = nullptr;
    normals_ = nullptr;
    indices().capacity = 0;
    vertices_written_ = false;
    representation_written_ = -1;
  }
  Superclass::ReleaseGraphicsResources(window);
}

void GpuSurfaceMapper::BuildBufferObjects(vtkRenderer*, vtkActor* actor) {
  const int representation = actor->GetProperty()->GetRepresentation();
  try {
    fill(representation);
  } catch (const std::exception& error) {
    indices().IndexCount = 0;
    log::error("A surface could not be drawn: {}", error.what());
  }
  VBOBuildTime.Modified();
}

void GpuSurfaceMapper::fill(int representation) {
  if (surface_ == nullptr || surface_->triangle_count() == 0) {
    indices().IndexCount = 0;
    return;
  }
  if (drawing_ == nullptr) {
    drawing_ = surface_->make_drawing(reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
    points_ = vtkSmartPointer<Vertices>::New();
    normals_ = vtkSmartPointer<Vertices>::New();
    auto* attributes = static_cast<Attributes*>(VBOs);
    attributes->set("vertexMC", points_);
    attributes->set("normalMC", normals_);
  }
  if (!vertices_written_) {
    fill(*points_, gpu::SurfacePart::points);
    fill(*normals_, gpu::SurfacePart::normals);
    points_->set_count(surface_->vertex_count());
    normals_->set_count(surface_->vertex_count());
    vertices_written_ = true;
  }
  if (representation != representation_written_) {
    // Points are drawn by the triangles' corners, as VTK does.
    const auto part = representation == VTK_WIREFRAME ? gpu::SurfacePart::lines : gpu::SurfacePart::triangles;
    fill(indices(), part);
    indices().IndexCount = gpu::byte_count(*surface_, part) / sizeof(unsigned);
    representation_written_ = representation;
  }
}

template <class Buffer>
void GpuSurfaceMapper::fill(Buffer& buffer, gpu::SurfacePart part) {
  const std::size_t bytes = gpu::byte_count(*surface_, part);
  if (!fits(buffer.capacity, bytes)) {
    drawing_->forget(static_cast<unsigned>(buffer.GetHandle()));
    while (glGetError() != GL_NO_ERROR) {
    }
    buffer.allocate(with_reserve(bytes));
    if (glGetError() != GL_NO_ERROR) {
      buffer.capacity = 0;
      throw Error("OpenGL has no room for " + format_bytes(bytes) +
                  "; close other windows, or choose a larger spacing.");
    }
  }
  const auto upload = [&buffer](std::span<const std::byte> content) {
    buffer.Bind();
    glBufferSubData(Buffer::target, 0, static_cast<GLsizeiptr>(content.size()), content.data());
    buffer.Release();
  };
  drawing_->write(*surface_, part, {static_cast<unsigned>(buffer.GetHandle()), upload});
}

}  // namespace isolume::scene
