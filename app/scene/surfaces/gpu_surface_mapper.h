#pragma once

#include <memory>

#include <vtkFloatArray.h>
#include <vtkSmartPointer.h>

#include "app/scene/surfaces/surface_buffers.h"
#include "gpu/surfaces/surface_engine.h"

namespace isolume::scene {

/// Draws a surface extracted on a GPU from buffers that the GPU writes: the mesh need not be copied to the
/// host. A surface that cannot be written is left out, with an error in the log.
class GpuSurfaceMapper : public SurfaceBuffers {
 public:
  static GpuSurfaceMapper* New();
  vtkTypeMacro(GpuSurfaceMapper, SurfaceBuffers)

      /// Null draws nothing. `values`: a second field's values at the vertices, in host memory; null: none.
      void set_surface(std::shared_ptr<const gpu::GpuSurface> surface,
                       vtkSmartPointer<vtkFloatArray> values = nullptr);
  void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  GpuSurfaceMapper();
  ~GpuSurfaceMapper() override;
  void BuildBufferObjects(vtkRenderer* renderer, vtkActor* actor) override;

 private:
  void fill(int representation);
  void fill_values();
  template <class Buffer>
  void fill(Buffer& buffer, gpu::SurfacePart part);

  std::shared_ptr<const gpu::GpuSurface> surface_;
  vtkSmartPointer<vtkFloatArray> values_;
  std::unique_ptr<gpu::SurfaceDrawing> drawing_;  ///< for the context of the buffers
  bool vertices_written_ = false;
  int representation_written_ = -1;
};

}  // namespace isolume::scene
