// What the programs are handed of this machine.
#include "gpu/livewire/engines.h"

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
TEST(LivewireEngines, ThePointersIsTheFirstAndGpusComeAfterTheCpu) {
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
  std::vector<std::string> expected{"cpu", "cpu-delta"};
  if (usable) expected.push_back(gpu);
  EXPECT_EQ(names(make_livewire_engines(pool)), expected);
  EXPECT_TRUE(make_livewire_engines(pool).find("auto").resumes());
  for (dispatch::Device* device : pool->devices().subspan(1)) device->set_aside("Only for this test.");
  expected.resize(2);
  EXPECT_EQ(names(make_livewire_engines(pool)), expected);
}

}  // namespace
}  // namespace isolume::gpu
