#include "gpu/runtime/devices.h"

namespace isolume::gpu {

std::vector<DeviceDescription> describe_devices() {
  return {};
}

std::string why_no_devices() {
  return "Isolume was built without CUDA.";
}

std::string check_device(int) {
  return why_no_devices();
}

}  // namespace isolume::gpu
