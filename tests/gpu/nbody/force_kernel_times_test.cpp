#include "gpu/nbody/force_kernel_times.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/nbody/distributions.h"
#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

TEST(ForceKernelTimes, AreOfTreeAndSumsOnOneGpu) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  const auto bodies = nbody::testing::plummer(700);
  nbody::ForceOptions options;
  for (const auto solver :
       {nbody::SolverKind::direct, nbody::SolverKind::barnes_hut, nbody::SolverKind::fmm}) {
    options.solver = solver;
    const auto times = time_force_kernels(*machine.pool, bodies, options, {0, 2}, {});
    EXPECT_EQ(times.device, machine.pool->devices()[1]->name());
    EXPECT_GT(times.sums_ms, 0);
    EXPECT_EQ(times.tree_ms > 0, solver != nbody::SolverKind::direct);
  }
  EXPECT_THROW(time_force_kernels(*machine.pool, {}, options, {0, 1}, {}), Error);
  options.devices = "0";
  EXPECT_THROW(time_force_kernels(*machine.pool, bodies, options, {0, 1}, {}), Error) << "no GPU";
}

}  // namespace
}  // namespace isolume::gpu
