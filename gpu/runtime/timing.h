#pragma once

#include <functional>

#include "core/dispatch/dispatch.h"

/// What the benchmarks of GPUs share: no CUDA type appears here.
namespace isolume::gpu {

class GpuDevice;

/// How often a piece of work is done again, after a first time. Both 0: not at all, and the first time
/// counts.
struct RepeatOptions {
  double least_seconds = 0.5;
  int least_repeats = 10;
};

/// The same work done again and again.
struct Timing {
  double first_ms = 0;  ///< before all others, with everything cold
  double median_ms = 0;
  double least_ms = 0;
  int repeats = 0;  ///< without the first
};

/// `run` returns the milliseconds that it took, by whatever clock.
Timing time_repeats(const RepeatOptions& options, const std::function<double()>& run);

/// Throws Error for a device that is no GPU.
const GpuDevice& gpu_of(const dispatch::Device& device);

}  // namespace isolume::gpu
