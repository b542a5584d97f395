#include "gpu/runtime/devices/devices.h"

#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

class Devices : public RuntimeTest {};

TEST(DevicesOfThisMachine, ThereAreSomeOrASentenceSaysWhyNot) {
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

TEST_F(Devices, UsableOnesComputeRight) {
  for (std::size_t i = 0; i < device_count(); ++i) EXPECT_EQ(check_device(device(i)), "") << device(i).name();
}

TEST_F(Devices, OneThatDoesNotExistIsAnErrorAndNoCrash) {
  DeviceDescription made_up;
  made_up.index = 1000;
  made_up.usable = true;
  const GpuDevice nowhere(made_up);
  EXPECT_NE(check_device(nowhere), "");
  EXPECT_EQ(nowhere.memory_used_bytes(), 0U);
}

TEST_F(Devices, TheirPropertiesMakeSense) {
  for (std::size_t i = 0; i < device_count(); ++i) {
    const DeviceDescription& about = device(i).description();
    EXPECT_GT(about.multiprocessors, 0);
    EXPECT_GE(about.shared_bytes_per_block, std::size_t{48} << 10);
    EXPECT_GE(about.shared_bytes_per_block_optin, about.shared_bytes_per_block);
    EXPECT_EQ(about.constant_bytes, std::size_t{64} << 10);
    EXPECT_GT(about.l2_bytes, 0U);
    EXPECT_GE(about.copy_engines, 1);
    EXPECT_GT(about.clock_hertz, 1e8);
    EXPECT_GT(about.memory_bytes_per_second, 1e9);
    const std::string detail = device(i).detail();
    EXPECT_NE(detail.find(std::to_string(about.multiprocessors) + " multiprocessors"), std::string::npos)
        << detail;
    EXPECT_NE(detail.find("compute capability " + std::to_string(about.compute_major) + "."),
              std::string::npos)
        << detail;
  }
}

TEST_F(Devices, LookingAtOneReservesNothing) {
  EXPECT_EQ(device().memory_used_bytes(), 0U);
  EXPECT_GT(device().memory_bytes(), 0U);
}

TEST_F(Devices, OneThatIsNotUsableIsSetAsideForItsReasonAndThrowsWhenUsed) {
  DeviceDescription old = device().description();
  old.usable = false;
  old.unusable_because = "It is too old.";
  GpuDevice device(old);
  EXPECT_EQ(device.set_aside_because(), "It is too old.");
  EXPECT_EQ(device.memory_budget_bytes(), 0U);
  EXPECT_EQ(check_device(device), "It is too old.");
  EXPECT_THROW(Stream{device}, Error);
  EXPECT_THROW(device.run_workers([](int) { ADD_FAILURE() << "it works"; }), Error);
}

TEST_F(Devices, WhatAnyWorkerThrowsReachesTheCaller) {
  GpuDevice own(device().description());
  for (int thrower = 0; thrower < own.concurrency(); ++thrower) {
    EXPECT_THROW(own.run_workers([&](int worker) {
      if (worker == thrower) throw Error("It failed.");
    }),
                 Error);
  }
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(Devices, GenerationsThatTheProgramHasNoCodeForAreNotUsable) {
  std::vector<emulator::DeviceSpecification> specifications(3);
  specifications[0].compute_major = 7;
  specifications[1].compute_major = 7;
  specifications[1].compute_minor = 5;
  specifications[2].compute_major = 12;
  emulator::set_devices(specifications);
  const auto devices = describe_devices();
  ASSERT_EQ(devices.size(), 3U);
  EXPECT_FALSE(devices[0].usable);
  EXPECT_NE(devices[0].unusable_because.find("no code for its compute capability 7.0"), std::string::npos)
      << devices[0].unusable_because;
  EXPECT_TRUE(devices[1].usable);
  EXPECT_TRUE(devices[2].usable);
  EXPECT_EQ(devices[2].compute_major, 12);
  emulate("sm90 64MiB");
}

TEST_F(Devices, OneThatHangsIsGivenUpByItsCheck) {
  expect_given_up();
  emulate("sm90 64MiB hangs@1");
  const std::string fault = check_device(device(), std::chrono::milliseconds(50));
  EXPECT_NE(fault.find(device().name()), std::string::npos) << fault;
  EXPECT_TRUE(device().given_up());
}

TEST_F(Devices, OneWithoutCodeIsFoundByItsCheck) {
  emulate("sm90 64MiB nocode");
  const std::string fault = check_device(device());
  EXPECT_NE(fault.find("cudaErrorNoKernelImageForDevice"), std::string::npos) << fault;
}

TEST_F(Devices, WithoutAnyTheReasonIsGiven) {
  emulate("");
  EXPECT_TRUE(describe_devices().empty());
  EXPECT_NE(why_no_devices().find("ISOLUME_EMULATED_DEVICES"), std::string::npos) << why_no_devices();
}

#endif

}  // namespace
}  // namespace isolume::gpu
