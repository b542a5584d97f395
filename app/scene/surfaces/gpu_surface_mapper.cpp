#include "app/scene/surfaces/gpu_surface_mapper.h"

#include <array>
#include <cstddef>
#include <exception>
#include <span>
#include <utility>

#include <vtkActor.h>
#include <vtkObjectFactory.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtk_glew.h>

#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::scene {
vtkStandardNewMacro(GpuSurfaceMapper);

GpuSurfaceMapper::GpuSurfaceMapper() = default;

GpuSurfaceMapper::~GpuSurfaceMapper() {
  ReleaseGraphicsResources(nullptr);  // while VTK's callback still finds this class
}

void GpuSurfaceMapper::set_surface(std::shared_ptr<const gpu::GpuSurface> surface,
                                   vtkSmartPointer<vtkFloatArray> values) {
  surface_ = std::move(surface);
  values_ = std::move(values);
  vertices_written_ = false;
  representation_written_ = -1;
  const bool some = surface_ != nullptr && surface_->triangle_count() > 0;
  const auto bounds = some ? surface_->bounds() : std::array<double, 6>{};
  set_bounds(some ? &bounds : nullptr);
}

void GpuSurfaceMapper::ReleaseGraphicsResources(vtkWindow* window) {
  auto* gl = vtkRenderWindow::SafeDownCast(window);
  if (gl != nullptr && gl->IsCurrent()) {
    drawing_.reset();  // CUDA must release the buffers before they are deleted
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
    make_vertices();
  }
  if (!vertices_written_) {
    fill(points(), gpu::SurfacePart::points);
    fill(normals(), gpu::SurfacePart::normals);
    points().set_count(surface_->vertex_count());
    normals().set_count(surface_->vertex_count());
    fill_values();
    vertices_written_ = true;
  }
  if (representation != representation_written_) {
    // Points are drawn at the triangles' corners, as in VTK.
    const auto part = representation == VTK_WIREFRAME ? gpu::SurfacePart::lines : gpu::SurfacePart::triangles;
    fill(indices(), part);
    indices().IndexCount = gpu::byte_count(*surface_, part) / sizeof(unsigned);
    representation_written_ = representation;
  }
}

void GpuSurfaceMapper::fill_values() {
  if (values_ != nullptr) make_values();
  if (values() == nullptr) return;
  make_room(*values(), surface_->vertex_count() * sizeof(float));
  if (values_ != nullptr)
    values()->write(0, std::as_bytes(std::span(values_->GetPointer(0), surface_->vertex_count())));
  values()->set_count(surface_->vertex_count());
}

template <class Buffer>
void GpuSurfaceMapper::fill(Buffer& buffer, gpu::SurfacePart part) {
  const std::size_t bytes = gpu::byte_count(*surface_, part);
  const auto name = static_cast<unsigned>(buffer.GetHandle());
  make_room(buffer, bytes, [&] { drawing_->forget(name); });
  const auto upload = [&buffer](std::span<const std::byte> content) { buffer.write(0, content); };
  drawing_->write(*surface_, part, {static_cast<unsigned>(buffer.GetHandle()), upload});
}

}  // namespace isolume::scene
