#include "gpu/flames/engines.h"

#include "core/dispatch/device_choice.h"
#include "gpu/flames/flame_engine.h"

namespace isolume::gpu {

dispatch::EngineRegistry<flames::Engine> make_flame_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  dispatch::EngineRegistry<flames::Engine> engines(pool);
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_flame_engine(pool));
  engines.add(flames::make_cpu_engine());
  return engines;
}

}  // namespace isolume::gpu
