#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/electrostatics/sums/pair_engine.h"
#include "gpu/electrostatics/gpu_pair_engine.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif

namespace isolume::gpu {

/// The engines for potentials of charges on this machine's GPUs, or on emulated ones.
class PairEngineTest : public testing::Test {
 protected:
  void SetUp() override { use("1x sm90 1GiB"); }
  void use([[maybe_unused]] const std::string& emulated) {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices(emulated);
#endif
    make_engines();
  }
  void make_engines() {
    engines_.reset();
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(dispatch::make_cpu_device(1));
    for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
    pool_ = std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
    if (pool_->devices().size() == 1) GTEST_SKIP() << pool_->why_no_gpu();
    auto engines = std::make_shared<electrostatics::EngineRegistry>(pool_);
    engines->add(make_gpu_pair_engine(pool_));
    engines->add(electrostatics::make_cpu_engine());
    engines_ = engines;
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::shared_ptr<const electrostatics::EngineRegistry> engines_;
};

}  // namespace isolume::gpu
