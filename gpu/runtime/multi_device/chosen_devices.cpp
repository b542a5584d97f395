#include "gpu/runtime/multi_device/chosen_devices.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"

namespace isolume::gpu {

using dispatch::Device;

bool is_cpu(const Device* device) {
  return device->kind() == dispatch::DeviceKind::cpu;
}

bool ChosenDevices::has_cpu() const {
  return std::ranges::any_of(all, is_cpu);
}

ChosenDevices choose_devices(const dispatch::DevicePool& pool, const dispatch::ComputeOptions& options) {
  ChosenDevices chosen;
  const auto named = dispatch::parse_devices(options.devices, pool);
  chosen.named = named.has_value();
  if (named) {
    chosen.all = *named;
  } else {
    std::ranges::copy_if(pool.devices(), std::back_inserter(chosen.all),
                         [](const Device* device) { return device->set_aside_because().empty(); });
  }
  if (std::ranges::all_of(chosen.all, is_cpu)) {
    if (chosen.named)
      throw Error(fmt::format("devices: {} names no GPU. Name one, or choose the engine \"cpu\".",
                              isolume::quoted(options.devices)));
    throw Error(pool.why_no_gpu().empty()
                    ? "Every GPU is set aside. Put one back, or choose the engine \"cpu\"."
                    : pool.why_no_gpu());
  }
  if (options.threads > 0) {
    chosen.cpu = dispatch::make_cpu_device(options.threads);
    std::ranges::replace_if(chosen.all, is_cpu, chosen.cpu.get());
  }
  return chosen;
}

ChosenDevices choose_gpus(const dispatch::DevicePool& pool, std::string_view devices) {
  ChosenDevices chosen = choose_devices(pool, {.devices = std::string(devices)});
  if (chosen.named && chosen.has_cpu()) {
    throw Error(fmt::format(
        "devices: {} names the CPU, which cannot take part. Name GPUs, or choose the engine \"cpu\".",
        isolume::quoted(devices)));
  }
  std::erase_if(chosen.all, is_cpu);
  return chosen;
}

}  // namespace isolume::gpu
