#pragma once

#include <array>

#include "gpu/runtime/memory/buffer.h"
#include "gpu/volumes/volume_kernels.h"

namespace isolume::gpu {

/// Convolves volumes in device memory with a Gaussian; outside, the nearest value inside. The weights are those of the
/// Gaussian at whole voxels up to 4.5 standard deviations, beyond which 7e-6 of it lie, and their sum is 1. The CPU's
/// recursive filter differs by at most 5e-4 of the peak (core/volumes/gaussian.h).
///
/// Reads and writes the volume once along each axis, 24 bytes a point: 84 us for 256^3 points at 4.8 TB/s. A standard
/// deviation of 2 voxels needs about 110 us by its instructions, and 8 voxels 340 us (both computed for an H100, not measured:
/// tests/bench/results/sm_90.md). In a recursive filter, whose cost would not depend on the width, each point waits for the
/// one before it.
class GaussianOnDevice {
 public:
  /// `sigma`: standard deviations in voxels; 0: not along this axis.
  GaussianOnDevice(volume_kernels::Extents extents, const std::array<double, 3>& sigma, const Stream& stream);

  /// Returns which of both arrays holds the result; the other one's contents are undefined.
  float* smooth(float* values, float* scratch, const Stream& stream) const;

 private:
  volume_kernels::Extents extents_;
  struct Axis {
    int radius = 0;  ///< 0: nothing to do
    DeviceBuffer<float> weights;
  };
  std::array<Axis, 3> axes_;
};

}  // namespace isolume::gpu
