#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/dispatch/dispatch.h"
#include "core/nbody/forces/solver.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif
#include "tests/core/nbody/distributions.h"

namespace isolume::gpu {

/// The CPU and all GPUs.
inline std::shared_ptr<dispatch::DevicePool> found_pool() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
  return std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
}

/// The same, where GPUs are emulated with these: all users of earlier ones must be gone.
#ifdef ISOLUME_GPU_EMULATED
inline std::shared_ptr<dispatch::DevicePool> pool_of(
    const std::string& emulated, const emulator::Options& options = emulator::options_of_environment()) {
  emulator::set_devices(emulated, options);
  return found_pool();
}
#else
inline std::shared_ptr<dispatch::DevicePool> pool_of(const std::string& /*emulated*/) {
  return found_pool();
}
#endif

inline void expect_same_bits(const nbody::Forces& one, const nbody::Forces& other) {
  EXPECT_EQ(one.ax, other.ax);
  EXPECT_EQ(one.ay, other.ay);
  EXPECT_EQ(one.az, other.az);
  EXPECT_EQ(one.potential, other.potential);
}

/// Two of them so close that their force is no number of double precision.
inline nbody::Bodies beyond_double_precision() {
  nbody::Bodies bodies = nbody::testing::plummer(700);
  nbody::testing::add(bodies, 1, 1e-160, 0, 0);
  nbody::testing::add(bodies, 1, -1e-160, 0, 0);
  return bodies;
}

}  // namespace isolume::gpu
