#include "app/workbench/machine.h"

#include <fmt/format.h>
#include <hwy/targets.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/devices.h"

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
  for (const gpu::DeviceDescription& device : gpu::describe_devices()) {
    all.push_back(
        {.name = device.name,
         .kind = "GPU",
         .units = fmt::format("compute capability {}.{}", device.compute_major, device.compute_minor),
         .memory = format_bytes(device.memory_bytes),
         .note = device.usable ? "" : device.unusable_because});
  }
  if (all.size() == 1) {
    all.push_back({.name = "GPU", .kind = "none", .units = "", .memory = "", .note = gpu::why_no_devices()});
  }
  return all;
}

}  // namespace isolume::workbench
