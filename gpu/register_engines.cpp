#include "gpu/register_engines.h"

namespace isolume::gpu {

// The runtime is here, the first kernels are not: there is nothing to hand over yet.
void register_engines(orbitals::EngineRegistry&) {}

orbitals::EngineRegistry make_engines() {
  orbitals::EngineRegistry engines;
  register_engines(engines);
  engines.add(orbitals::make_cpu_engine());
  return engines;
}

}  // namespace isolume::gpu
