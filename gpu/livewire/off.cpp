// Replaces this library in programs built without CUDA.
#include "gpu/livewire/engines.h"

namespace isolume::gpu {

dispatch::EngineRegistry<livewire::Engine> make_livewire_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  dispatch::EngineRegistry<livewire::Engine> engines(pool);
  engines.add(livewire::make_cpu_engine());
  engines.add(livewire::make_cpu_delta_engine());
  return engines;
}

}  // namespace isolume::gpu
