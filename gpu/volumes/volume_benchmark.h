#pragma once

#include <string>
#include <vector>

#include "core/benchmark/repeats.h"
#include "core/dispatch/dispatch.h"
#include "core/jobs/progress.h"

namespace isolume::gpu {

/// Times of one kernel on a cube, by the device's clock; no CUDA type appears here.
struct VolumeKernelTimes {
  std::string kernel;      ///< "warp"
  double moved_bytes = 0;  ///< that it must move over the device's memory, as volume_kernels.h counts them
  benchmarks::Timing timing;
};

/// Gradient, warp, force, composition, and Gaussians of 2 and 8 voxels, of a cube with `side` voxels along each axis.
/// Throws Error for a device that is not a GPU, ResourceError, dispatch::DeviceLost, Cancelled.
std::vector<VolumeKernelTimes> time_volume_kernels(const dispatch::Device& device, int side,
                                                   const benchmarks::RepeatOptions& options = {},
                                                   const jobs::Progress& progress = {});

}  // namespace isolume::gpu
