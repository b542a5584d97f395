#include "gpu/orbitals/engines.h"

#include <gtest/gtest.h>

#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

TEST(OrbitalsEngines, GpusComeBeforeTheCpu) {
  const FoundMachine machine;
  const std::vector<std::string> with_gpus{machine.gpu_engine, "cpu"}, without{"cpu"};
  EXPECT_EQ(names(make_orbital_engines(machine.pool)), machine.gpu_is_usable ? with_gpus : without);
}

}  // namespace
}  // namespace isolume::gpu
