#pragma once

#include "core/benchmark/repeats.h"
#include "gpu/runtime/multi_device/sum_job.h"

namespace isolume::gpu {

/// Median time of a sum's kernels on the stream's device, in milliseconds by the device's clock, with the
/// sources already in its memory and the values staying there.
double time_sum(const SumJob& job, const Stream& stream, const WaitLimits& limits,
                const benchmarks::RepeatOptions& repeats);

}  // namespace isolume::gpu
