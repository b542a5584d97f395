#include "app/batch/gpu_positions.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"

namespace isolume::batch {

std::vector<int> gpu_positions(const dispatch::DevicePool& pool, const std::string& devices) {
  const auto gpus = dispatch::usable_gpus(pool);
  if (gpus.empty()) throw Error(pool.why_no_gpu().empty() ? "No GPU is in use." : pool.why_no_gpu());
  const auto position_of = [&](const dispatch::Device* device) {
    return static_cast<int>(std::ranges::find(pool.devices(), device) - pool.devices().begin());
  };
  std::vector<int> known;
  std::ranges::transform(gpus, std::back_inserter(known), position_of);
  std::vector<int> positions;
  for (const auto* each : dispatch::parse_devices(devices, pool).value_or(gpus)) {
    const int position = position_of(each);
    if (each->kind() == dispatch::DeviceKind::cpu) {
      throw Error(fmt::format("--devices: {} is the CPU. Give all, or some of the GPUs in use ({}).",
                              position, fmt::join(known, ", ")));
    }
    positions.push_back(position);
  }
  return positions;
}

commands::Argument devices_argument() {
  return commands::text("devices",
                        "GPUs to time, by their numbers in isolume-batch devices, as in 1,2; or all")
      .shown_as("all|NUMBER,...");
}

bool any_emulated(const dispatch::DevicePool& pool, const std::vector<int>& positions) {
  return std::ranges::any_of(positions, [&](int position) {
    return pool.devices()[static_cast<std::size_t>(position)]->kind() == dispatch::DeviceKind::emulated_gpu;
  });
}

}  // namespace isolume::batch
