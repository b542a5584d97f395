#include "gpu/livewire/engines.h"

#include <gtest/gtest.h>

#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

TEST(LivewireEngines, ThePointersIsTheFirstAndGpusComeAfterTheCpu) {
  const FoundMachine machine;
  std::vector<std::string> expected{"cpu", "cpu-delta"};
  if (machine.gpu_is_usable) expected.push_back(machine.gpu_engine);
  EXPECT_EQ(names(make_livewire_engines(machine.pool)), expected);
  EXPECT_TRUE(make_livewire_engines(machine.pool).find("auto").resumes());
  for (dispatch::Device* device : machine.pool->devices().subspan(1))
    device->set_aside("Only for this test.");
  expected.resize(2);
  EXPECT_EQ(names(make_livewire_engines(machine.pool)), expected);
}

}  // namespace
}  // namespace isolume::gpu
