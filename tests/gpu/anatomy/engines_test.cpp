#include "gpu/anatomy/engines.h"

#include <gtest/gtest.h>

#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

TEST(FluidEngines, GpusComeFirstAndTheCpuIsAlwaysThere) {
  const FoundMachine machine;
  std::vector<std::string> expected{"cpu"};
  if (machine.gpu_is_usable) expected.insert(expected.begin(), machine.gpu_engine);
  EXPECT_EQ(names(make_fluid_engines(machine.pool)), expected);
  for (dispatch::Device* device : machine.pool->devices().subspan(1))
    device->set_aside("Only for this test.");
  EXPECT_EQ(names(make_fluid_engines(machine.pool)), std::vector<std::string>{"cpu"});
}

}  // namespace
}  // namespace isolume::gpu
