#include "app/scene/surfaces/sorted_surface_mapper.h"

#include <algorithm>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <vtkActor.h>
#include <vtkBoundingBox.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLState.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>
#include <vtkTypeInt64Array.h>
#include <vtkUniforms.h>
#include <vtk_glew.h>

#include "app/scene/surfaces/surface.h"
#include "core/base/logging.h"

namespace isolume::scene {
namespace {

std::span<const float> floats(vtkDataArray& array) {
  return {static_cast<const float*>(array.GetVoidPointer(0)),
          static_cast<std::size_t>(array.GetNumberOfValues())};
}

TriangleMesh triangles_of(vtkPolyData& mesh) {
  auto& corners = *mesh.GetPolys()->GetConnectivityArray64();
  return {floats(*mesh.GetPoints()->GetData()),
          {corners.GetPointer(0), static_cast<std::size_t>(corners.GetNumberOfValues())}};
}

vtkIdType point_count(const vtkSmartPointer<vtkPolyData>& mesh) {
  return mesh != nullptr && mesh->GetNumberOfPolys() > 0 ? mesh->GetNumberOfPoints() : 0;
}

Viewpoint viewpoint_of(vtkCamera& camera) {
  const bool parallel = camera.GetParallelProjection() != 0;
  const double* place = parallel ? camera.GetDirectionOfProjection() : camera.GetPosition();
  return {parallel, Eigen::Map<const Eigen::Vector3d>(place).cast<float>()};
}

}  // namespace

vtkStandardNewMacro(SortedSurfaceMapper);

SortedSurfaceMapper::~SortedSurfaceMapper() {
  ReleaseGraphicsResources(nullptr);  // while VTK's callback still finds this class
}

void SortedSurfaceMapper::set_meshes(vtkSmartPointer<vtkPolyData> first,
                                     vtkSmartPointer<vtkPolyData> second) {
  if (first == meshes_[0] && second == meshes_[1]) return;
  meshes_ = {std::move(first), std::move(second)};
  vertices_written_ = false;
  sorted_for_.reset();
  vtkBoundingBox box;
  for (const auto& mesh : meshes_) {
    if (point_count(mesh) > 0) box.AddBounds(mesh->GetBounds());
  }
  std::array<double, 6> bounds{};
  if (box.IsValid() != 0) box.GetBounds(bounds.data());
  set_bounds(box.IsValid() != 0 ? &bounds : nullptr);
}

void SortedSurfaceMapper::ReleaseGraphicsResources(vtkWindow* window) {
  auto* gl = vtkRenderWindow::SafeDownCast(window);
  if (gl != nullptr && gl->IsCurrent()) {
    vertices_written_ = false;
    sorted_for_.reset();
  }
  Superclass::ReleaseGraphicsResources(window);
}

void SortedSurfaceMapper::UpdateBufferObjects(vtkRenderer* renderer, vtkActor* actor) {
  const Viewpoint seen_from = viewpoint_of(*renderer->GetActiveCamera());
  try {
    if (!vertices_written_) {
      write_vertices();
      actor->GetShaderProperty()->GetVertexCustomUniforms()->SetUniformi(
          "verticesOfFirst", static_cast<int>(point_count(meshes_[0])));
      vertices_written_ = true;
    }
    if (sorted_for_ != seen_from) write_triangles(seen_from);
    sorted_for_ = seen_from;
  } catch (const std::exception& error) {
    indices().IndexCount = 0;
    sorted_for_ = seen_from;  // avoids another message for each frame
    vertices_written_ = true;
    log::error("A surface could not be drawn: {}", error.what());
  }
}

void SortedSurfaceMapper::write_vertices() {
  std::size_t count = 0;
  for (const auto& mesh : meshes_) count += static_cast<std::size_t>(point_count(mesh));
  make_vertices();
  for (Vertices* buffer : {&points(), &normals()}) {
    make_room(*buffer, count * components * sizeof(float));
    std::size_t first_byte = 0;
    for (const auto& mesh : meshes_) {
      if (point_count(mesh) == 0) continue;
      auto* values = buffer == &points() ? mesh->GetPoints()->GetData() : mesh->GetPointData()->GetNormals();
      const auto content = std::as_bytes(floats(*values));
      buffer->write(first_byte, content);
      first_byte += content.size();
    }
    buffer->set_count(count);
  }
  write_values(count);
}

void SortedSurfaceMapper::write_values(std::size_t count) {
  const auto values_of = [](const vtkSmartPointer<vtkPolyData>& mesh) {
    return point_count(mesh) > 0 ? mesh->GetPointData()->GetArray(second_field) : nullptr;
  };
  if (std::ranges::any_of(meshes_, values_of)) make_values();
  if (values() == nullptr) return;
  make_room(*values(), count * sizeof(float));
  std::size_t first_byte = 0;
  for (const auto& mesh : meshes_) {
    if (auto* written = values_of(mesh)) values()->write(first_byte, std::as_bytes(floats(*written)));
    first_byte += static_cast<std::size_t>(point_count(mesh)) * sizeof(float);
  }
  values()->set_count(count);
}

void SortedSurfaceMapper::write_triangles(const Viewpoint& seen_from) {
  std::vector<TriangleMesh> meshes;
  for (const auto& mesh : meshes_) {
    if (point_count(mesh) > 0) meshes.push_back(triangles_of(*mesh));
  }
  const auto corners = back_to_front(meshes, seen_from);
  const auto content = std::as_bytes(std::span(corners));
  make_room(indices(), content.size());
  indices().write(0, content);
  indices().IndexCount = corners.size();
}

/// Triangles are blended and write no depth.
void SortedSurfaceMapper::RenderPieceDraw(vtkRenderer* renderer, vtkActor* actor) {
  auto* state = static_cast<vtkOpenGLRenderWindow*>(renderer->GetRenderWindow())->GetState();
  const vtkOpenGLState::ScopedglDepthMask depth_mask(state);
  const vtkOpenGLState::ScopedglEnableDisable blending(state, GL_BLEND);
  const vtkOpenGLState::ScopedglBlendFuncSeparate blend_function(state);
  state->vtkglDepthMask(GL_FALSE);
  state->vtkglEnable(GL_BLEND);
  state->vtkglBlendFuncSeparate(GL_ONE, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  Superclass::RenderPieceDraw(renderer, actor);
}

}  // namespace isolume::scene
