#include "gpu/machine.h"

#include "core/base/error.h"
#include "gpu/runtime/algorithms/fourier.h"
#include "gpu/runtime/compiler/compiler_backend.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
std::shared_ptr<dispatch::DevicePool> make_device_pool() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device());
  for (const auto& description : describe_devices()) {
    devices.push_back(std::make_unique<GpuDevice>(description));
  }
  return std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
}

std::string check_device(dispatch::Device& device) {
  const auto* gpu = dynamic_cast<const GpuDevice*>(&device);
  return gpu == nullptr ? std::string() : check_device(*gpu);
}

std::vector<ToolkitLibrary> toolkit_libraries() {
  const auto find = [](const char* name, std::string (*file)()) -> ToolkitLibrary {
    try {
      return {name, file(), {}};
    } catch (const Error& error) {
      return {name, {}, error.what()};
    }
  };
  return {find("cuFFT", fourier_library), find("NVRTC", compiler_backend::file)};
}

}  // namespace isolume::gpu
