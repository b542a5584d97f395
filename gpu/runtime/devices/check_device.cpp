#include <chrono>
#include <cmath>
#include <string>

#include "gpu/runtime/devices/check_device_kernel.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

std::string check_device(const GpuDevice& device, std::chrono::duration<double> deadline) try {
  constexpr int count = 10'007;  // not a multiple of a block: the last one is partly idle
  const Stream stream(device);
  // Pinned, since copies of other memory would wait for the device, however long.
  const PinnedBuffer<float> arguments(stream, count);
  const PinnedBuffer<float> results(stream, count);
  const auto host = arguments.host();
  for (int i = 0; i < count; ++i) host[i] = 0.25f * static_cast<float>(i);

  DeviceBuffer<float> in(stream, count);
  DeviceBuffer<float> out(stream, count);
  in.copy_from(host, stream);
  scale_and_shift(in.device_data(), out.device_data(), count, 2.0f, -1.0f, stream);
  const auto result = results.host();
  out.copy_to(result, stream);
  stream.wait(from_now(deadline), {});

  for (int i = 0; i < count; ++i) {
    const float expected = std::fma(2.0f, host[i], -1.0f);
    if (result[i] != expected) {
      return "Value " + std::to_string(i) + " came back as " + std::to_string(result[i]) + " instead of " +
             std::to_string(expected) + ".";
    }
  }
  return {};
} catch (const Error& error) {
  return error.what();
}

void check_device_after(const Error& error, const GpuDevice& device, std::chrono::duration<double> deadline) {
  if (dynamic_cast<const dispatch::DeviceLost*>(&error) != nullptr) return;
  if (dynamic_cast<const ResourceError*>(&error) != nullptr) return;
  const std::string fault = check_device(device, deadline);
  if (!fault.empty()) throw dispatch::DeviceLost(fault);
}

}  // namespace isolume::gpu
