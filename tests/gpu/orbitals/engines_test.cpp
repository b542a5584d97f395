// What the programs are handed of this machine.
#include "gpu/orbitals/engines.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "gpu/machine.h"

#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {
namespace {

template <class Engine>
std::vector<std::string> names(const dispatch::EngineRegistry<Engine>& engines) {
  std::vector<std::string> all;
  for (const auto& engine : engines.engines()) all.emplace_back(engine->name());
  return all;
}

/// With what there is: emulated devices, the machine's own, or none.
TEST(OrbitalsEngines, GpusComeBeforeTheCpu) {
#ifdef ISOLUME_GPU_EMULATED
  emulator::set_devices("2x sm90 64MiB");
  const std::string gpu = "emulated";
#else
  const std::string gpu = "cuda";
#endif
  const auto pool = make_device_pool();
  const bool usable = std::ranges::any_of(pool->devices().subspan(1), [](const dispatch::Device* device) {
    return device->set_aside_because().empty();
  });
  const std::vector<std::string> with_gpus{gpu, "cpu"}, without{"cpu"};
  EXPECT_EQ(names(make_orbital_engines(pool)), usable ? with_gpus : without);
}

}  // namespace
}  // namespace isolume::gpu
