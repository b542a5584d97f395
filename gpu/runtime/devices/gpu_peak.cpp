#include "gpu/runtime/devices/gpu_peak.h"

#include <fmt/format.h>

#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

/// Single-precision units of a multiprocessor, by compute capability: CUDA C++ Programming Guide, table of
/// arithmetic instructions' throughput.
int units_per_multiprocessor(int major, int minor) {
  if (major == 7 || (major == 8 && minor == 0)) return 64;
  return 128;
}

}  // namespace

GpuPeak gpu_peak(const dispatch::Device& device) {
  const auto& gpu = gpu_of(device).description();
  const int units = units_per_multiprocessor(gpu.compute_major, gpu.compute_minor);
  GpuPeak peak;
  peak.gflop_per_second = 2e-9 * gpu.multiprocessors * units * gpu.clock_hertz;
  peak.gigabytes_per_second = 1e-9 * gpu.memory_bytes_per_second;
  peak.formula = fmt::format("{} multiprocessors x {} units x 2 x {:.2f} GHz", gpu.multiprocessors, units,
                             1e-9 * gpu.clock_hertz);
  return peak;
}

}  // namespace isolume::gpu
