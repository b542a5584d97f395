#pragma once

#include <array>
#include <optional>

#include <vtkSmartPointer.h>

#include "app/scene/surfaces/surface_buffers.h"
#include "app/scene/surfaces/triangle_order.h"

namespace isolume::scene {

/// Draws two translucent meshes that do not intersect in one pass, their triangles sorted from back to front.
/// The shaders of SurfaceProp distinguish them by the vertex number, since a colour per vertex would have to
/// be written with each surface. Without a GPU this takes a small fraction of the time of depth peeling, and
/// shows all layers. It must be drawn after everything opaque, by an actor that is forced to be opaque and
/// has no matrix of its own.
class SortedSurfaceMapper : public SurfaceBuffers {
 public:
  static SortedSurfaceMapper* New();
  vtkTypeMacro(SortedSurfaceMapper, SurfaceBuffers)

      /// Triangles with normals, or empty; null draws nothing.
      void set_meshes(vtkSmartPointer<vtkPolyData> first, vtkSmartPointer<vtkPolyData> second);
  void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  SortedSurfaceMapper() = default;
  ~SortedSurfaceMapper() override;
  void UpdateBufferObjects(vtkRenderer* renderer, vtkActor* actor) override;
  void RenderPieceDraw(vtkRenderer* renderer, vtkActor* actor) override;

 private:
  void write_vertices();
  void write_values(std::size_t count);
  void write_triangles(const Viewpoint& seen_from);

  std::array<vtkSmartPointer<vtkPolyData>, 2> meshes_;
  bool vertices_written_ = false;
  std::optional<Viewpoint> sorted_for_;
};

}  // namespace isolume::scene
