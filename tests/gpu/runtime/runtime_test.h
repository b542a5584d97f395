#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/allocator.h"

#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {

/// A test that runs on the GPUs at hand, or on emulated ones of its choice, and leaves nothing on them.
class RuntimeTest : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    pinned_before_ = emulator::pinned_memory_use().bytes;  // by tests whose device hung
    emulate("2x sm90 64MiB");
#else
    find_devices();
    if (devices_.empty()) GTEST_SKIP() << "No GPU: " << why_no_devices();
#endif
  }
  void TearDown() override {
#ifdef ISOLUME_GPU_EMULATED
    const std::size_t count = devices_.size();
    devices_.clear();
    if (given_up_) return;  // memory of a device that hangs or is broken is not freed
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(emulator::memory_use(static_cast<int>(i)).bytes, 0U) << "left on device " << i;
    }
    EXPECT_EQ(emulator::pinned_memory_use().bytes, pinned_before_);
    emulator::set_devices("");
#endif
  }

  /// Skips the test where `library`, which throws Error, says that a part of the CUDA toolkit is not installed: a GPU
  /// needs no more than its driver.
  void skip_without_library(const std::function<std::string()>& library) {
    try {
      library();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

#ifdef ISOLUME_GPU_EMULATED
  void emulate(const std::string& devices, emulator::StreamOrder order = emulator::StreamOrder::delayed) {
    devices_.clear();
    emulator::set_devices(devices, emulator::with_streams(order));
    some_device_hangs = false;
    find_devices();
  }
  /// A device of this test hangs or breaks: what is left on it goes with it.
  void expect_given_up() {
    given_up_ = true;
  }
#endif

  const GpuDevice& device(std::size_t i = 0) const {
    return *devices_.at(i);
  }
  std::size_t device_count() const {
    return devices_.size();
  }

  /// Calls `test` once for each order in which streams may be done: emulated, at once, as late as CUDA
  /// allows, and shuffled.
  template <class Test>
  void in_every_order(const Test& test) {
#ifdef ISOLUME_GPU_EMULATED
    using emulator::StreamOrder;
    for (const auto order : {StreamOrder::eager, StreamOrder::delayed, StreamOrder::shuffled}) {
      SCOPED_TRACE("stream order " + std::to_string(static_cast<int>(order)));
      emulate("2x sm90 64MiB", order);
      test();
    }
#else
    test();
#endif
  }

 private:
  void find_devices() {
    for (const auto& description : describe_devices()) {
      if (description.usable) devices_.push_back(std::make_unique<GpuDevice>(description));
    }
  }

  std::vector<std::unique_ptr<GpuDevice>> devices_;
  bool given_up_ = false;
  std::size_t pinned_before_ = 0;
};

}  // namespace isolume::gpu
