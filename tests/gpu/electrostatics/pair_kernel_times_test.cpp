#include "gpu/electrostatics/pair_kernel_times.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/potential/benchmark.h"
#include "core/electrostatics/quantum/quantum_potential.h"
#include "tests/core/orbitals/made_up_wavefunction.h"
#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

TEST(PairKernelTimes, AreThoseOfTheKernelThatWasNamed) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  const auto grid = electrostatics::benchmark_grid(20, 1);
  electrostatics::Sources sources;
  const auto charges = electrostatics::benchmark_charges(20);
  for (std::size_t i = 0; i < charges.size(); ++i) sources.add(charges.place(i), charges.charge[i]);
  const electrostatics::Bins bins(sources, 0);
  const electrostatics::PairTerms terms;
  dispatch::ComputeOptions options;
  options.kernel = "constant";
  const auto times = time_pair_kernel(*machine.pool, grid, {bins, terms, 1}, options, {0, 2}, {});
  EXPECT_EQ(times.kernel, "constant");
  EXPECT_GT(times.sums_ms, 0);
  options.kernel = "sorted-bins";
  EXPECT_THROW(time_pair_kernel(*machine.pool, grid, {bins, terms, 1}, options, {0, 2}, {}), Error);
  const electrostatics::Bins none(electrostatics::Sources(), 0);
  EXPECT_THROW(time_pair_kernel(*machine.pool, grid, {none, terms, 1}, {}, {0, 2}, {}), Error);
}

TEST(PairKernelTimes, AreThoseOfAWavefunction) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  molecules::Wavefunction made;
  made.molecule.atoms.push_back({1, {0, 0, 0}, 1.0});
  made.basis.shells = {test::shell(0, 0, false, {0.7}, {1})};
  made.sets.resize(1);
  made.sets[0].orbitals.resize(1);
  made.sets[0].orbitals[0].occupation = 1;
  made.sets[0].coefficients = Eigen::MatrixXd::Identity(1, 1);
  const auto source = electrostatics::expand(made, made.sets[0], {});
  const auto grid = electrostatics::benchmark_grid(20, 1);
  const auto times = time_quantum_kernel(*machine.pool, grid, {source, 1}, {}, {0, 2}, {});
  EXPECT_EQ(times.kernel, "sites");
  EXPECT_GT(times.sums_ms, 0);
  dispatch::ComputeOptions options;
  options.devices = "0";
  EXPECT_THROW(time_quantum_kernel(*machine.pool, grid, {source, 1}, options, {0, 2}, {}), Error);
}

}  // namespace
}  // namespace isolume::gpu
