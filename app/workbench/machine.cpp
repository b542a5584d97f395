#include "app/workbench/machine.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "gpu/machine.h"

namespace isolume::workbench {
namespace {

/// The best vector instructions of this processor, in the words of its maker.
std::string vector_instructions() {
  const auto supported = hwy::SupportedTargets();
  const auto best = supported & -supported;  // Highway orders its targets best first
  const std::string name = hwy::TargetName(best);
  if (name.starts_with("AVX3")) return "AVX-512";
  return name;
}

MachineDevice processor() {
  const int threads = dispatch::processor_threads();
  return {
      .name = dispatch::processor_name(),
      .kind = "CPU",
      .units = fmt::format("{} {}, {}", threads, threads == 1 ? "thread" : "threads", vector_instructions()),
      .memory = format_bytes(dispatch::available_memory_bytes()) + " may be used",
      .note = ""};
}

}  // namespace

std::vector<MachineDevice> describe_machine() {
  std::vector<MachineDevice> all{processor()};
  const auto pool = gpu::make_device_pool();
  for (const dispatch::Device* device : pool->devices()) {
    if (device->kind() == dispatch::DeviceKind::cpu) continue;
    all.push_back({.name = device->name(),
                   .kind = "GPU",
                   .units = device->detail(),
                   .memory = format_bytes(device->memory_bytes()),
                   .note = device->set_aside_because()});
  }
  if (all.size() == 1) {
    all.push_back({.name = "GPU", .kind = "none", .units = "", .memory = "", .note = pool->why_no_gpu()});
  }
  return all;
}

}  // namespace isolume::workbench
