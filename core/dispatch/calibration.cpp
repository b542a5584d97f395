#include "core/dispatch/calibration.h"

namespace isolume::dispatch {

void Calibration::add(const Device& device, std::string_view kernel, const Seen& seen) {
  const std::scoped_lock lock(mutex_);
  auto& speed = computing_[{&device, std::string(kernel)}];
  if (seen.start_seconds > 0) speed.start_seconds.add(seen.start_seconds);
  if (seen.operations > 0 && seen.computing_seconds > 0) {
    speed.operations_per_second.add(seen.operations / seen.computing_seconds);
  }
  if (seen.moved_bytes > 0 && seen.moving_seconds > 0) {
    bytes_per_second_[&device].add(seen.moved_bytes / seen.moving_seconds);
  }
}

std::vector<DeviceFacts> Calibration::facts(std::span<Device* const> devices, std::string_view kernel) const {
  std::vector<DeviceFacts> all;
  for (const Device* device : devices) {
    auto& facts = all.emplace_back();
    facts.workers = device->concurrency();
    facts.budget_bytes = device->memory_budget_bytes();
    facts.host = device->kind() == DeviceKind::cpu;
    const std::scoped_lock lock(mutex_);
    const auto speed = computing_.find({device, std::string(kernel)});
    if (speed == computing_.end()) continue;
    facts.measured = true;
    facts.start_seconds = speed->second.start_seconds.value();
    facts.operations_per_second = speed->second.operations_per_second.value();
    const auto bandwidth = bytes_per_second_.find(device);
    if (bandwidth != bytes_per_second_.end()) facts.bytes_per_second = bandwidth->second.value();
  }
  return all;
}

}  // namespace isolume::dispatch
