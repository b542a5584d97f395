#include "gpu/anatomy/engines.h"

#include <gtest/gtest.h>

#include "core/anatomy/engine_benchmark.h"
#include "core/base/error.h"
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

TEST(FluidEngines, AreTimedOneByOne) {
  const FoundMachine machine;
  const auto engines = std::make_shared<const anatomy::FluidEngines>(make_fluid_engines(machine.pool));
  const auto cpu = anatomy::benchmark_engines(engines, "cpu", {16}, {}, 5);
  ASSERT_EQ(cpu.size(), 1U);
  EXPECT_GT(cpu[0]["iteration"]["median_ms"], 0.0);
  EXPECT_LT(cpu[0]["mismatch_ratio"], 0.9) << "registered";
  // 64 numbers a voxel, where the work is counted as on a device.
  EXPECT_EQ(cpu[0]["bytes_moved"], 64 * 4 * 16 * 16 * 16);
  EXPECT_THROW(anatomy::benchmark_engines(engines, "none", {16}, {}), Error);
  const auto others = anatomy::benchmark_engines(engines, {}, {16}, {}, 5);
  ASSERT_EQ(others.size(), machine.gpu_is_usable ? 1U : 0U);
  EXPECT_GE(anatomy::lines_of_engines(others).size(), others.size());
  for (const auto& row : others) {
    EXPECT_EQ(row["engine"], machine.gpu_engine);
    if (row.contains("unavailable")) continue;  // cuFFT is not installed
    EXPECT_EQ(row["atlas"]["images"], 4);
    EXPECT_GT(row["atlas"]["all_devices"]["iteration_ms"], 0.0);
    EXPECT_NEAR(row["mismatch_ratio"].get<double>(), cpu[0]["mismatch_ratio"].get<double>(), 1e-3);
  }
}

}  // namespace
}  // namespace isolume::gpu
