// Replaces this library in programs built without CUDA.
#include "gpu/anatomy/engines.h"

namespace isolume::gpu {

anatomy::FluidEngines make_fluid_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  anatomy::FluidEngines engines(pool);
  engines.add(anatomy::make_cpu_fluid_engine());
  return engines;
}

}  // namespace isolume::gpu
