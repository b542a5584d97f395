#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/dispatch/engine_registry.h"
#include "gpu/machine.h"

#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {

/// What the programs are handed of this machine: emulated devices, its own, or none.
struct FoundMachine {
#ifdef ISOLUME_GPU_EMULATED
  const std::string gpu_engine = (emulator::set_devices("2x sm90 64MiB"), "emulated");
#else
  const std::string gpu_engine = "cuda";
#endif
  const std::shared_ptr<dispatch::DevicePool> pool = make_device_pool();
  const bool gpu_is_usable =
      std::ranges::any_of(pool->devices().subspan(1),
                          [](const dispatch::Device* device) { return device->set_aside_because().empty(); });
};

template <class Engine>
std::vector<std::string> names(const dispatch::EngineRegistry<Engine>& engines) {
  std::vector<std::string> all;
  for (const auto& engine : engines.engines()) all.emplace_back(engine->name());
  return all;
}

}  // namespace isolume::gpu
