#include "gpu/runtime/devices/devices.h"

#include <utility>

#include <cuda_runtime.h>
#include <fmt/format.h>

#include "gpu/runtime/devices/device_code.h"

namespace isolume::gpu {
namespace {

/// The number of devices of the runtime, or the reason why it has none.
struct Count {
  int devices = 0;
  cudaError_t status = cudaSuccess;
};
Count count_devices() {
  Count count;
  count.status = cudaGetDeviceCount(&count.devices);
  cudaGetLastError();
  if (count.status != cudaSuccess) count.devices = 0;
  return count;
}

/// Returns 0 if the driver does not know the attribute.
int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  if (cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) return value;
  cudaGetLastError();
  return 0;
}

DeviceDescription describe(int index) {
  DeviceDescription device;
  device.index = index;
  cudaDeviceProp properties{};
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, index); status != cudaSuccess) {
    cudaGetLastError();
    device.name = fmt::format("GPU {}", index);
    device.unusable_because = fmt::format("The driver does not respond: {}.", cudaGetErrorString(status));
    return device;
  }
  device.name = properties.name;
  device.memory_bytes = properties.totalGlobalMem;
  device.compute_major = properties.major;
  device.compute_minor = properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  device.shared_bytes_per_block = properties.sharedMemPerBlock;
  device.shared_bytes_per_block_optin = properties.sharedMemPerBlockOptin;
  device.constant_bytes = properties.totalConstMem;
  device.l2_bytes = static_cast<std::size_t>(properties.l2CacheSize);
  device.clock_hertz = 1e3 * attribute(cudaDevAttrClockRate, index);
  // Memory transfers data at both edges of its clock.
  device.memory_bytes_per_second = 2e3 * attribute(cudaDevAttrMemoryClockRate, index) *
                                   attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8;
  device.copy_engines = properties.asyncEngineCount;
  device.integrated = properties.integrated != 0;
  const auto code = code_for(compiled_architectures(), properties.major, properties.minor);
  device.usable = code.has_value();
  if (code) {
    device.code = code->text();
  } else {
    device.unusable_because =
        fmt::format("The program has no code for its compute capability {}.{}, only for {}.",
                    properties.major, properties.minor, compiled_architectures());
  }
  return device;
}

}  // namespace

std::vector<DeviceDescription> describe_devices() {
  std::vector<DeviceDescription> devices;
  for (int index = 0; index < count_devices().devices; ++index) devices.push_back(describe(index));
  return devices;
}

std::string why_no_devices() {
  const Count count = count_devices();
  if (count.devices > 0) return {};
  switch (count.status) {
    case cudaSuccess:
    case cudaErrorNoDevice:
#ifdef ISOLUME_GPU_EMULATED
      return "Isolume emulates GPUs, but ISOLUME_EMULATED_DEVICES names none.";
#else
      return "The NVIDIA driver finds no GPU.";
#endif
    case cudaErrorInsufficientDriver: {
      int version = 0;
      cudaDriverGetVersion(&version);
      if (version == 0) return "No NVIDIA driver was found.";
      // As the release notes of CUDA 12 and 13 say; minor versions need no newer driver.
      constexpr int major = CUDART_VERSION / 1000, driver = major >= 13 ? 580 : 525;
      return fmt::format(
          "The NVIDIA driver supports CUDA {}.{} only. The program needs CUDA {}: install driver {} or "
          "newer.",
          version / 1000, version % 1000 / 10, major, driver);
    }
    default:
      return fmt::format("The NVIDIA driver reports an error: {}.", cudaGetErrorString(count.status));
  }
}

}  // namespace isolume::gpu
