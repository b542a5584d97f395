#include "gpu/runtime/devices.h"

#include <gtest/gtest.h>

#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

TEST(Devices, ThereAreSomeOrASentenceSaysWhyNot) {
  const auto devices = describe_devices();
  const std::string why = why_no_devices();
  EXPECT_EQ(devices.empty(), !why.empty()) << why;
  if (!why.empty()) {
    EXPECT_EQ(why.back(), '.') << why;
  }
  for (const auto& device : devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_EQ(device.usable, device.unusable_because.empty()) << device.unusable_because;
  }
}

TEST(Devices, UsableOnesComputeRight) {
  const auto devices = describe_devices();
  if (devices.empty()) GTEST_SKIP() << why_no_devices();
  for (const auto& device : devices) {
    if (device.usable) {
      EXPECT_EQ(check_device(GpuDevice(device)), "") << device.name;
    }
  }
}

TEST(Devices, OneThatDoesNotExistIsAnErrorAndNoCrash) {
  DeviceDescription made_up;
  made_up.index = 1000;
  made_up.usable = true;
  EXPECT_NE(check_device(GpuDevice(made_up)), "");
}

}  // namespace
}  // namespace isolume::gpu
