// Takes the place of this room in programs built without CUDA.
#include "gpu/nbody/engines.h"

namespace isolume::gpu {

nbody::EngineRegistry make_nbody_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  nbody::EngineRegistry engines(pool);
  engines.add(nbody::make_cpu_engine());
  return engines;
}

}  // namespace isolume::gpu
