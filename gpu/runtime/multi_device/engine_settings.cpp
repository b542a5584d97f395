#include "gpu/runtime/multi_device/engine_settings.h"

#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

EngineSettings default_engine_settings() {
  EngineSettings settings;
  settings.run.deadline = default_deadline();
  settings.rules.least_seconds_per_tile = 1e-3;
#ifdef ISOLUME_GPU_EMULATED
  settings.rules.unknown_operations_per_second = 1e7;
#else
  settings.rules.unknown_operations_per_second = 1e13;
#endif
  return settings;
}

}  // namespace isolume::gpu
