#include "gpu/runtime/timing.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "gpu/runtime/gpu_device.h"

namespace isolume::gpu {

Timing time_repeats(const RepeatOptions& options, const std::function<double()>& run) {
  using Clock = std::chrono::steady_clock;
  Timing timing;
  timing.first_ms = timing.median_ms = timing.least_ms = run();
  std::vector<double> times;
  const auto start = Clock::now();
  while (static_cast<int>(times.size()) < options.least_repeats ||
         std::chrono::duration<double>(Clock::now() - start).count() < options.least_seconds) {
    times.push_back(run());
  }
  if (times.empty()) return timing;
  std::ranges::sort(times);
  timing.median_ms = times[times.size() / 2];
  timing.least_ms = times.front();
  timing.repeats = static_cast<int>(times.size());
  return timing;
}

const GpuDevice& gpu_of(const dispatch::Device& device) {
  const auto* gpu = dynamic_cast<const GpuDevice*>(&device);
  if (gpu == nullptr) throw Error(fmt::format("{} is no GPU: kernels run on GPUs only.", device.name()));
  return *gpu;
}

}  // namespace isolume::gpu
