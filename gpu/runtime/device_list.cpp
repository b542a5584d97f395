#include "gpu/runtime/device_list.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[noreturn]] void complain(std::string_view text, const dispatch::DevicePool& pool) {
  std::string known;
  for (std::size_t i = 0; i < pool.devices().size(); ++i) {
    known += fmt::format("{}{} {}", i == 0 ? "" : ", ", i, pool.devices()[i]->name());
  }
  throw Error(
      fmt::format("devices: expected \"all\" or numbers of devices as in \"1,2\", found {}. There are: {}.",
                  isolume::quoted(text), known));
}

dispatch::Device& parse_device(std::string_view text, std::string_view all,
                               const dispatch::DevicePool& pool) {
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || end != text.data() + text.size() || number >= pool.devices().size()) {
    complain(all, pool);
  }
  dispatch::Device& device = *pool.devices()[number];
  if (const auto why = device.set_aside_because(); !why.empty()) {
    throw Error(fmt::format("devices: {} ({}) is set aside: {} Choose others, or \"all\".", number,
                            device.name(), why));
  }
  return device;
}

}  // namespace

std::string_view gpu_engine_name() {
#ifdef ISOLUME_GPU_EMULATED
  return "emulated";
#else
  return "cuda";
#endif
}

std::string describe_gpus(const dispatch::DevicePool& pool) {
  std::string names;
  int count = 0;
  for (const dispatch::Device* device : pool.devices()) {
    if (device->kind() == dispatch::DeviceKind::cpu || !device->set_aside_because().empty()) continue;
    names += (++count == 1 ? "" : ", ") + device->name();
  }
  if (count == 0) return "every GPU is set aside";
  return fmt::format("{} GPU{}, {}", count, count == 1 ? "" : "s", names);
}

void set_aside(const dispatch::DevicePool& pool, const GpuDevice& device, const char* why) {
  for (dispatch::Device* each : pool.devices()) {
    if (each == &device) each->set_aside(why);
  }
}

std::optional<std::vector<dispatch::Device*>> parse_devices(std::string_view text,
                                                            const dispatch::DevicePool& pool) {
  if (trimmed(text) == "all") return std::nullopt;
  std::vector<dispatch::Device*> devices;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    auto* device = &parse_device(trimmed(text.substr(start, comma - start)), text, pool);
    if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    start = comma + 1;
  }
  return devices;
}

}  // namespace isolume::gpu
