#pragma once

#include <chrono>

#include "core/dispatch/device_choice.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {

/// For an error of work on a device: unless memory ran out or the device is known to be lost, tests it with a
/// small kernel, and throws DeviceLost if it fails that as well.
void check_device_after(const Error& error, const GpuDevice& device, std::chrono::duration<double> deadline);

/// Runs work with the device as the calling thread's current one. If the work throws an Error, the device is
/// tested at once; if it fails the test, or is lost, it is set aside permanently. `deadline`: of the test.
template <class Work>
auto guarded_on(const GpuDevice& device, std::chrono::duration<double> deadline, const Work& work) {
  return dispatch::guarded(device, [&] {
    try {
      device.make_current();
      return work();
    } catch (const Error& error) {
      check_device_after(error, device, deadline);
      throw;
    }
  });
}

}  // namespace isolume::gpu
