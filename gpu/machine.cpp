#include "gpu/machine.h"

#include <algorithm>

#include "core/base/logging.h"
#include "gpu/orbitals/gpu_engine.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {

std::shared_ptr<dispatch::DevicePool> make_device_pool() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device());
  for (const auto& description : describe_devices()) {
    devices.push_back(std::make_unique<GpuDevice>(description));
  }
  return std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
}

orbitals::EngineRegistry make_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  orbitals::EngineRegistry engines(pool);
  const bool any_gpu = std::ranges::any_of(pool->devices(), [](const dispatch::Device* device) {
    return device->kind() != dispatch::DeviceKind::cpu && device->set_aside_because().empty();
  });
  if (any_gpu) engines.add(make_gpu_engine(pool));
  engines.add(orbitals::make_cpu_engine());
  return engines;
}

std::string check_device(dispatch::Device& device) {
  const auto* gpu = dynamic_cast<const GpuDevice*>(&device);
  return gpu == nullptr ? std::string() : check_device(*gpu);
}

}  // namespace isolume::gpu
