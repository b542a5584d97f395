#include "gpu/electrostatics/pair_kernel_times.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/benchmark.h"
#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

TEST(PairKernelTimes, AreThoseOfTheKernelThatWasNamed) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  const auto lattice = electrostatics::benchmark_lattice(20, 1);
  electrostatics::Sources sources;
  const auto charges = electrostatics::benchmark_charges(20);
  for (std::size_t i = 0; i < charges.size(); ++i) sources.add(charges.place(i), charges.charge[i]);
  const electrostatics::Bins bins(sources, 0);
  const electrostatics::PairTerms terms;
  dispatch::ComputeOptions options;
  options.kernel = "constant";
  const auto times = time_pair_kernel(*machine.pool, lattice, {bins, terms, 1}, options, {0, 2}, {});
  EXPECT_EQ(times.kernel, "constant");
  EXPECT_GT(times.sums_ms, 0);
  options.kernel = "sorted-bins";
  EXPECT_THROW(time_pair_kernel(*machine.pool, lattice, {bins, terms, 1}, options, {0, 2}, {}), Error);
  const electrostatics::Bins none(electrostatics::Sources(), 0);
  EXPECT_THROW(time_pair_kernel(*machine.pool, lattice, {none, terms, 1}, {}, {0, 2}, {}), Error);
}

}  // namespace
}  // namespace isolume::gpu
