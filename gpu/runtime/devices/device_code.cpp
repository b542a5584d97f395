#include "gpu/runtime/devices/device_code.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace isolume::gpu {

std::string DeviceCode::text() const {
  return translated ? fmt::format("PTX compute_{}, which the driver compiles", architecture)
                    : fmt::format("machine code sm_{}", architecture);
}

std::optional<DeviceCode> code_for(std::string_view architectures, int major, int minor) {
  constexpr std::string_view separators = ",; ";
  const int own = 10 * major + minor;
  std::optional<DeviceCode> machine_code, ptx;
  const auto take = [](std::optional<DeviceCode>& best, DeviceCode found) {
    if (!best || found.architecture > best->architecture) best = found;
  };
  while (!architectures.empty()) {
    const std::string_view entry = architectures.substr(0, architectures.find_first_of(separators));
    architectures.remove_prefix(std::min(entry.size() + 1, architectures.size()));
    int compiled_for = 0;
    const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), compiled_for);
    if (error != std::errc{}) continue;
    const std::string_view kind(end, static_cast<std::size_t>(entry.data() + entry.size() - end));
    const bool specific = kind.starts_with('a') || kind.starts_with('f');
    if (specific ? own != compiled_for : own < compiled_for) continue;
    if (!kind.ends_with("-virtual") && compiled_for / 10 == major) take(machine_code, {compiled_for, false});
    if (!kind.ends_with("-real")) take(ptx, {compiled_for, true});
  }
  return machine_code ? machine_code : ptx;
}

std::string_view compiled_architectures() {
#ifdef ISOLUME_CUDA_ARCHITECTURES
  return ISOLUME_CUDA_ARCHITECTURES;
#else
  return "75-virtual";  // the emulator runs kernels on every generation that they are written for
#endif
}

}  // namespace isolume::gpu
