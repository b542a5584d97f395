#include "gpu/machine.h"

#include <algorithm>

#include "core/base/logging.h"
#include "gpu/livewire/livewire_engine.h"
#include "gpu/orbitals/gpu_engine.h"
#include "gpu/runtime/devices.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

bool any_usable_gpu(const dispatch::DevicePool& pool) {
  return std::ranges::any_of(pool.devices(), [](const dispatch::Device* device) {
    return device->kind() != dispatch::DeviceKind::cpu && device->set_aside_because().empty();
  });
}

}  // namespace

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
  if (any_usable_gpu(*pool)) engines.add(make_gpu_engine(pool));
  engines.add(orbitals::make_cpu_engine());
  return engines;
}

dispatch::EngineRegistry<livewire::Engine> make_livewire_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  dispatch::EngineRegistry<livewire::Engine> engines(pool);
  engines.add(livewire::make_cpu_engine());
  engines.add(livewire::make_cpu_delta_engine());
  if (any_usable_gpu(*pool)) engines.add(make_livewire_engine(pool));
  return engines;
}

std::string check_device(dispatch::Device& device) {
  const auto* gpu = dynamic_cast<const GpuDevice*>(&device);
  return gpu == nullptr ? std::string() : check_device(*gpu);
}

}  // namespace isolume::gpu
