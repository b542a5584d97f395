#include "gpu/livewire/engines.h"

#include "core/dispatch/device_choice.h"
#include "gpu/livewire/livewire_engine.h"

namespace isolume::gpu {

dispatch::EngineRegistry<livewire::Engine> make_livewire_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  dispatch::EngineRegistry<livewire::Engine> engines(pool);
  engines.add(livewire::make_cpu_engine());
  engines.add(livewire::make_cpu_delta_engine());
  if (!dispatch::usable_gpus(*pool).empty()) engines.add(make_livewire_engine(pool));
  return engines;
}

}  // namespace isolume::gpu
