#pragma once

#include <string>

#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// What a GPU can do at best by its properties, not measured.
struct GpuPeak {
  double gflop_per_second = 0;  ///< single-precision multiply-adds on its ordinary units, two operations each
  double gigabytes_per_second = 0;  ///< of its memory; 0 where not known
  std::string formula;              ///< "132 multiprocessors x 128 units x 2 x 1.98 GHz"
};
/// Throws Error for a device that is no GPU.
GpuPeak gpu_peak(const dispatch::Device& device);

}  // namespace isolume::gpu
