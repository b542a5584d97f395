#pragma once

#include <fmt/format.h>

#include "gpu/emulator/errors.h"
#include "gpu/emulator/machine.h"

namespace isolume::gpu::emulator {

inline constinit thread_local int current_device = 0;

/// The beginning of every call on a device: takes the machine's lock, and checks whether the call is refused.
struct Call {
  Machine& all = machine();
  Machine::Lock lock{all.mutex};
  cudaError_t refused = cudaSuccess;

  /// index -1: the machine alone.
  explicit Call(int index = current_device) {
    all.describe(lock);
    if (all.unloaded) {
      refused = report(cudaErrorCudartUnloading);
    } else if (!all.bad_description.empty()) {
      refused = report(cudaErrorInitializationError, all.bad_description);
    } else if (all.devices.empty()) {
      refused = report(cudaErrorNoDevice);
    } else if (index < -1 || index >= static_cast<int>(all.devices.size())) {
      refused = report(cudaErrorInvalidDevice,
                       fmt::format("there is no device {}; there are {}", index, all.devices.size()));
    } else if (index >= 0) {
      refused = failure_of(device(index));
    }
  }
  Device& device(int index) { return *all.devices[static_cast<std::size_t>(index)]; }
  Device& device() { return device(current_device); }

  /// A failure of a device is its answer to every later call.
  static cudaError_t failure_of(const Device& device) {
    return device.failure ? report(device.failure->code, device.failure->text) : cudaSuccess;
  }
  CUstream_st* stream(cudaStream_t handle) {
    CUstream_st* const stream = handle != nullptr ? handle : device().streams.front().get();
    if (!all.streams.contains(stream) || stream->closing) {
      refused = report(cudaErrorInvalidResourceHandle, "the stream does not exist (any more)");
      return nullptr;
    }
    refused = failure_of(device(stream->device));
    return refused == cudaSuccess ? stream : nullptr;
  }
  cudaError_t wait(CUstream_st* stream, std::uint64_t number) {
    Device* const waited = &device(stream->device);
    const int index = stream->device;
    if (!all.wait_for(stream, number, lock))
      return report(cudaErrorContextIsDestroyed, "the device was reset");
    return &device(index) == waited ? failure_of(*waited) : report(cudaErrorContextIsDestroyed);
  }
};

/// The most shared memory that a launch may request.
std::size_t shared_limit(const DeviceSpecification& device);

}  // namespace isolume::gpu::emulator
