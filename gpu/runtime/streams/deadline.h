#pragma once

#include <chrono>

#include "core/jobs/progress.h"

namespace isolume::gpu {

/// How long work of milliseconds may take before its device counts as hanging: 10 s, 2 min for the emulator,
/// or ISOLUME_GPU_DEADLINE. Throws Error for a text that is not a number of seconds.
std::chrono::duration<double> default_deadline();

/// How long the host waits for a device, and the progress that can cancel its waiting.
struct WaitLimits {
  std::chrono::duration<double> deadline;
  const jobs::Progress& progress;
};

inline std::chrono::steady_clock::time_point from_now(std::chrono::duration<double> seconds) {
  using Clock = std::chrono::steady_clock;
  return Clock::now() + std::chrono::duration_cast<Clock::duration>(seconds);
}

}  // namespace isolume::gpu
