#include "gpu/interop/make_surface_engine.h"

namespace isolume::gpu {

std::shared_ptr<SurfaceEngine> make_surface_engine(std::shared_ptr<dispatch::DevicePool>) {
  return nullptr;
}

}  // namespace isolume::gpu
