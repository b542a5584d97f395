#pragma once

#include <string>

#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// Peak performance of a GPU by its properties, not measured.
struct GpuPeak {
  double gflop_per_second = 0;      ///< single-precision multiply-adds on ordinary units, two operations each
  double gigabytes_per_second = 0;  ///< memory bandwidth; 0 if unknown
  std::string formula;              ///< "132 multiprocessors x 128 units x 2 x 1.98 GHz"
};
/// Throws Error for a device that is not a GPU.
GpuPeak gpu_peak(const dispatch::Device& device);

}  // namespace isolume::gpu
