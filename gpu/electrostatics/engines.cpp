#include "gpu/electrostatics/engines.h"

#include "core/dispatch/device_choice.h"
#include "gpu/electrostatics/gpu_pair_engine.h"
#include "gpu/electrostatics/quantum/gpu_quantum_engine.h"

namespace isolume::gpu {

electrostatics::EngineRegistry make_pair_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  electrostatics::EngineRegistry engines(pool);
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_gpu_pair_engine(pool));
  engines.add(electrostatics::make_cpu_engine());
  return engines;
}

electrostatics::QuantumEngineRegistry make_quantum_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  electrostatics::QuantumEngineRegistry engines(pool);
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_gpu_quantum_engine(pool));
  engines.add(electrostatics::make_cpu_quantum_engine());
  return engines;
}

}  // namespace isolume::gpu
