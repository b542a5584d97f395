#include "gpu/nbody/engines.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/nbody/distributions.h"
#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

using nbody::ForceOptions;

TEST(NBodyEngines, ThoseOfGpusComeBeforeTheCpus) {
  const FoundMachine machine;
  std::vector<std::string> with_gpus{machine.gpu_engine, "cpu"}, without{"cpu"};
  EXPECT_EQ(names(make_nbody_engines(machine.pool)), machine.gpu_is_usable ? with_gpus : without);
  for (dispatch::Device* device : machine.pool->devices().subspan(1))
    device->set_aside("Only for this test.");
  EXPECT_EQ(names(make_nbody_engines(machine.pool)), without);
}

TEST(NBodyEngines, WithoutAGpuTheCpuIsTheBestAndNoGpuIsFeigned) {
  const FoundMachine machine;
  for (dispatch::Device* device : machine.pool->devices().subspan(1))
    device->set_aside("Only for this test.");
  const auto engines = make_nbody_engines(machine.pool);
  ForceOptions options;
  options.solver = nbody::SolverKind::direct;
  options.threads = 1;
  const auto bodies = nbody::testing::plummer(3000);
  EXPECT_EQ(forces_by(engines, bodies, options).report.who, "CPU, direct sum, 1 thread");
  options.engine = machine.gpu_engine;
  EXPECT_THROW(forces_by(engines, bodies, options), Error);
}

TEST(NBodyEngines, TheBestIsTheGpusForManyBodiesAndTheCpusForFew) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  const auto engines = make_nbody_engines(machine.pool);
  ForceOptions options;
  options.solver = nbody::SolverKind::direct;
  options.threads = 1;
  const auto few = forces_by(engines, nbody::testing::plummer(300), options).report;
  EXPECT_EQ(few.who, "CPU, direct sum, 1 thread");
  EXPECT_EQ(few.reason, "a GPU would not shorten the sums of 300 bodies");
  const auto many = forces_by(engines, nbody::testing::plummer(2100), options).report;
  EXPECT_FALSE(many.who.starts_with("CPU")) << many.who;
  EXPECT_TRUE(many.who.ends_with(", direct sum")) << many.who;
  EXPECT_EQ(machine.pool->last_report()->who, many.who);
  options.engine = "cpu";
  EXPECT_TRUE(forces_by(engines, nbody::testing::plummer(2100), options).report.who.starts_with("CPU"));
  options.devices = "1";
  EXPECT_THROW(forces_by(engines, nbody::testing::plummer(10), options), Error);
}

}  // namespace
}  // namespace isolume::gpu
