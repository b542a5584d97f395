#include "gpu/anatomy/engines.h"

#include "core/dispatch/device_choice.h"
#include "gpu/anatomy/fluid_engine.h"

namespace isolume::gpu {

anatomy::FluidEngines make_fluid_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  anatomy::FluidEngines engines(pool);
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_gpu_fluid_engine(pool));
  engines.add(anatomy::make_cpu_fluid_engine());
  return engines;
}

}  // namespace isolume::gpu
