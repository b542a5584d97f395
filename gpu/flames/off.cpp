// Replaces this library in programs built without CUDA.
#include "gpu/flames/engines.h"

namespace isolume::gpu {

dispatch::EngineRegistry<flames::Engine> make_flame_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  dispatch::EngineRegistry<flames::Engine> engines(pool);
  engines.add(flames::make_cpu_engine());
  return engines;
}

}  // namespace isolume::gpu
