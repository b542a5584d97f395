#include "gpu/orbitals/engines.h"

#include "core/dispatch/device_choice.h"
#include "gpu/orbitals/gpu_engine.h"

namespace isolume::gpu {

orbitals::EngineRegistry make_orbital_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  orbitals::EngineRegistry engines(pool);
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_gpu_engine(pool));
  engines.add(orbitals::make_cpu_engine());
  return engines;
}

}  // namespace isolume::gpu
