#include "core/dispatch/calibration.h"

#include <gtest/gtest.h>

namespace isolume::dispatch {
namespace {

TEST(Calibration, KnowsWhatJobsHaveShownByDeviceAndKernel) {
  const auto one = make_cpu_device(1);
  const auto other = make_cpu_device(1);
  const std::vector<Device*> devices{one.get(), other.get()};
  Calibration calibration;
  EXPECT_FALSE(calibration.facts(devices, "quick")[0].measured);
  calibration.add(*one, "quick",
                  {.start_seconds = 0.25,
                   .operations = 300,
                   .computing_seconds = 3,
                   .moved_bytes = 80,
                   .moving_seconds = 2});
  const auto facts = calibration.facts(devices, "quick");
  EXPECT_TRUE(facts[0].measured);
  EXPECT_EQ(facts[0].start_seconds, 0.25);
  EXPECT_EQ(facts[0].operations_per_second, 100);
  EXPECT_EQ(facts[0].bytes_per_second, 40);
  EXPECT_TRUE(facts[0].host);
  EXPECT_FALSE(facts[1].measured);
  EXPECT_FALSE(calibration.facts(devices, "slow")[0].measured);
}

TEST(Calibration, TheLastJobCountsHalfAndWhatItDidNotShowStays) {
  const auto device = make_cpu_device(1);
  const std::vector<Device*> devices{device.get()};
  Calibration calibration;
  calibration.add(*device, "quick",
                  {.operations = 100, .computing_seconds = 1, .moved_bytes = 10, .moving_seconds = 1});
  calibration.add(*device, "quick", {.operations = 300, .computing_seconds = 1});
  EXPECT_EQ(calibration.facts(devices, "quick")[0].operations_per_second, 300)
      << "the first job also loaded the kernel";
  calibration.add(*device, "quick", {.operations = 100, .computing_seconds = 1});
  EXPECT_EQ(calibration.facts(devices, "quick")[0].operations_per_second, 200);
  EXPECT_EQ(calibration.facts(devices, "quick")[0].bytes_per_second, 10);
  calibration.add(*device, "other", {.operations = 5, .computing_seconds = 1});
  EXPECT_EQ(calibration.facts(devices, "other")[0].bytes_per_second, 10) << "the bus is the device's";
}

}  // namespace
}  // namespace isolume::dispatch
