#include "gpu/electrostatics/engines.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/potential/benchmark.h"
#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

using electrostatics::PotentialOptions;

void set_gpus_aside(const FoundMachine& machine) {
  for (dispatch::Device* device : machine.pool->devices().subspan(1))
    device->set_aside("Only for this test.");
}

PotentialOptions options_with(electrostatics::EngineRegistry engines) {
  PotentialOptions options;
  options.threads = 1;
  options.engines = std::make_shared<const electrostatics::EngineRegistry>(std::move(engines));
  return options;
}

dispatch::Report report_of(std::size_t charges, double spacing, const PotentialOptions& options) {
  return potential_on(electrostatics::benchmark_grid(charges, spacing),
                      electrostatics::benchmark_charges(charges), options)
      .report;
}

TEST(PairEngines, ThoseOfGpusComeBeforeTheCpus) {
  const FoundMachine machine;
  std::vector<std::string> with_gpus{machine.gpu_engine, "cpu"}, without{"cpu"};
  EXPECT_EQ(names(make_pair_engines(machine.pool)), machine.gpu_is_usable ? with_gpus : without);
  set_gpus_aside(machine);
  EXPECT_EQ(names(make_pair_engines(machine.pool)), without);
}

TEST(QuantumEngines, ThoseOfGpusComeBeforeTheCpus) {
  const FoundMachine machine;
  std::vector<std::string> with_gpus{machine.gpu_engine, "cpu"}, without{"cpu"};
  EXPECT_EQ(names(make_quantum_engines(machine.pool)), machine.gpu_is_usable ? with_gpus : without);
  set_gpus_aside(machine);
  EXPECT_EQ(names(make_quantum_engines(machine.pool)), without);
}

TEST(PairEngines, WithoutAGpuTheCpuIsTheBestAndNoGpuIsFeigned) {
  const FoundMachine machine;
  set_gpus_aside(machine);
  auto options = options_with(make_pair_engines(machine.pool));
  EXPECT_EQ(report_of(300, 0.8, options).who, "CPU, Direct sum, 1 thread");
  options.engine = machine.gpu_engine;
  EXPECT_THROW(report_of(300, 0.8, options), Error);
}

TEST(PairEngines, TheBestIsTheGpusForManyPairsAndTheCpusForFew) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  auto options = options_with(make_pair_engines(machine.pool));
  const auto few = report_of(50, 1, options);
  EXPECT_EQ(few.who, "CPU, Direct sum, 1 thread");
  EXPECT_TRUE(few.reason.starts_with("a GPU would not shorten")) << few.reason;
  const auto many = report_of(500, 0.8, options);
  EXPECT_FALSE(many.who.starts_with("CPU")) << many.who;
  EXPECT_TRUE(many.who.ends_with(", Direct sum")) << many.who;
  EXPECT_EQ(many.kernel, "shared");
  ASSERT_NE(machine.pool->last_report(), nullptr);
  EXPECT_EQ(machine.pool->last_report()->job,
            fmt::format("potential of 500 charges at {} points",
                        electrostatics::benchmark_grid(500, 0.8).point_count()));
  options.devices = "0";
  EXPECT_TRUE(report_of(500, 0.8, options).who.starts_with("CPU")) << "which is what was named";
  options.devices = "all";
  options.engine = "cpu";
  EXPECT_TRUE(report_of(500, 0.8, options).who.starts_with("CPU"));
  options.devices = "1";
  EXPECT_THROW(report_of(50, 1, options), Error);
}

TEST(PairEngines, TheBestIsTheGpusForManyPairsWithinTheCutOffOfAMeshToo) {
  const FoundMachine machine;
  if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
  auto options = options_with(make_pair_engines(machine.pool));
  options.method = electrostatics::Method::multilevel;
  options.cutoff_angstrom = 9;
  options.error = 1e-2;
  EXPECT_EQ(report_of(50, 1, options).who, "CPU, Multilevel summation, 1 thread");
  const auto many = report_of(800, 0.8, options);
  EXPECT_FALSE(many.who.starts_with("CPU")) << many.who;
  EXPECT_NE(many.reason.find("a mesh of "), std::string::npos) << many.reason;
}

TEST(PairEngines, WhatNoEngineComputesIsTheCpusWhicheverThereAre) {
  const FoundMachine machine;
  auto options = options_with(make_pair_engines(machine.pool));
  options.method = electrostatics::Method::fmm;
  options.error = 1e-3;
  EXPECT_TRUE(report_of(500, 1, options).who.starts_with("CPU"));
}

}  // namespace
}  // namespace isolume::gpu
