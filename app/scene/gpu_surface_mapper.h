#pragma once

#include <memory>

#include <vtkNew.h>
#include <vtkOpenGLPolyDataMapper.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "gpu/surfaces/surface_engine.h"

namespace isolume::scene {

/// Draws a surface that a GPU has found as VTK draws polygons, with the same shaders, but from buffers that
/// the GPU writes: the mesh need not come to the host. What is drawn must be chosen by `set_surface`, not by
/// the mapper's input, which only has the surface's bounds. A surface that cannot be written is left out with
/// an error in the log.
class GpuSurfaceMapper : public vtkOpenGLPolyDataMapper {
 public:
  static GpuSurfaceMapper* New();
  vtkTypeMacro(GpuSurfaceMapper, vtkOpenGLPolyDataMapper)

      /// Null draws nothing.
      void set_surface(std::shared_ptr<const gpu::GpuSurface> surface);
  void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  GpuSurfaceMapper();
  ~GpuSurfaceMapper() override;
  void BuildBufferObjects(vtkRenderer* renderer, vtkActor* actor) override;

 private:
  class Vertices;
  class Indices;
  class Attributes;

  void fill(int representation);
  template <class Buffer>
  void fill(Buffer& buffer, gpu::SurfacePart part);
  Indices& indices();

  std::shared_ptr<const gpu::GpuSurface> surface_;
  std::unique_ptr<gpu::SurfaceDrawing> drawing_;  ///< of the context that the buffers are in
  vtkSmartPointer<Vertices> points_;
  vtkSmartPointer<Vertices> normals_;
  vtkNew<vtkPolyData> stand_in_;
  bool vertices_written_ = false;
  int representation_written_ = -1;
};

}  // namespace isolume::scene
