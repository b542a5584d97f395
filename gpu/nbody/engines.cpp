#include "gpu/nbody/engines.h"

#include "core/dispatch/device_choice.h"
#include "gpu/nbody/gpu_solver.h"

namespace isolume::gpu {

nbody::EngineRegistry make_nbody_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  nbody::EngineRegistry engines(pool);
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_gpu_nbody_engine(pool));
  engines.add(nbody::make_cpu_engine());
  return engines;
}

}  // namespace isolume::gpu
