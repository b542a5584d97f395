#pragma once

#include <memory>

#include "app/scene/surface_buffers.h"
#include "gpu/surfaces/surface_engine.h"

namespace isolume::scene {

/// Draws a surface that a GPU has found from buffers that the GPU writes: the mesh need not come to the host.
/// A surface that cannot be written is left out with an error in the log.
class GpuSurfaceMapper : public SurfaceBuffers {
 public:
  static GpuSurfaceMapper* New();
  vtkTypeMacro(GpuSurfaceMapper, SurfaceBuffers)

      /// Null draws nothing.
      void set_surface(std::shared_ptr<const gpu::GpuSurface> surface);
  void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  GpuSurfaceMapper();
  ~GpuSurfaceMapper() override;
  void BuildBufferObjects(vtkRenderer* renderer, vtkActor* actor) override;

 private:
  void fill(int representation);
  template <class Buffer>
  void fill(Buffer& buffer, gpu::SurfacePart part);

  std::shared_ptr<const gpu::GpuSurface> surface_;
  std::unique_ptr<gpu::SurfaceDrawing> drawing_;  ///< of the context that the buffers are in
  bool vertices_written_ = false;
  int representation_written_ = -1;
};

}  // namespace isolume::scene
