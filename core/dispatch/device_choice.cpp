#include "core/dispatch/device_choice.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/text.h"

namespace isolume::dispatch {
namespace {

[[noreturn]] void complain(std::string_view text, const DevicePool& pool) {
  std::string known;
  for (std::size_t i = 0; i < pool.devices().size(); ++i) {
    known += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, pool.devices()[i]->name());
  }
  throw Error(
      fmt::format("devices: expected \"all\" or numbers of devices as in \"1,2\", found {}. There are: {}.",
                  quoted(text), known));
}

Device& parse_device(std::string_view text, std::string_view all, const DevicePool& pool) {
  const auto number = parse_number<std::size_t>(text);
  if (!number || *number >= pool.devices().size()) complain(all, pool);
  Device& device = *pool.devices()[*number];
  if (const auto why = device.set_aside_because(); !why.empty()) {
    throw Error(fmt::format("devices: {} ({}) is set aside: {} Choose others, or \"all\".", *number,
                            device.name(), why));
  }
  return device;
}

}  // namespace

std::vector<Device*> usable_gpus(const DevicePool& pool) {
  std::vector<Device*> gpus;
  std::ranges::copy_if(pool.devices(), std::back_inserter(gpus), [](const Device* device) {
    return device->kind() != DeviceKind::cpu && device->set_aside_because().empty();
  });
  return gpus;
}

std::string describe_gpus(const DevicePool& pool) {
  std::string names;
  const auto gpus = usable_gpus(pool);
  for (const Device* device : gpus) names += (names.empty() ? "" : ", ") + device->name();
  if (gpus.empty()) return "every GPU is set aside";
  return fmt::format("{} GPU{}, {}", gpus.size(), gpus.size() == 1 ? "" : "s", names);
}

std::optional<std::vector<Device*>> parse_devices(std::string_view text, const DevicePool& pool) {
  if (trimmed(text) == "all") return std::nullopt;
  std::vector<Device*> devices;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    auto* device = &parse_device(trimmed(text.substr(start, comma - start)), text, pool);
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    start = comma + 1;
  }
  return devices;
}

std::vector<Report::Share> drop_left_out(std::vector<Device*>& devices, TilePlan& plan) {
  std::vector<Report::Share> left_out;
  for (std::size_t i = devices.size(); i-- > 0;) {
    if (plan.devices[i].role != TilePlan::Device::Role::left_out) continue;
    left_out.push_back({devices[i]->name(), 0, 0, plan.devices[i].why});
    devices.erase(devices.begin() + static_cast<std::ptrdiff_t>(i));
    plan.devices.erase(plan.devices.begin() + static_cast<std::ptrdiff_t>(i));
  }
  return left_out;
}

}  // namespace isolume::dispatch
