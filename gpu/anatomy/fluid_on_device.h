#pragma once

#include <cstddef>
#include <memory>

#include "core/anatomy/fluid_engine.h"
#include "gpu/anatomy/kept_transforms.h"
#include "gpu/runtime/streams/deadline.h"
#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// Device memory of a level: that of the steps and of one image (fluid_steps_on_device.h).
std::size_t bytes_on_device(const anatomy::FluidProblem& problem);

/// A level in the memory of the stream's device. An iteration moves 256 bytes a voxel, if transforms move each mode three
/// times in each direction: 0.11 ms for 128^3 voxels at 4.8 TB/s (computed, not measured). The host waits once in an
/// iteration, for the mismatch and the longest velocity. Correlations add 220 bytes (means of 8 in each of 6 windows along three
/// axes, and what is point by point). The problem, the stream and `kept` must live as long as the result.
/// Throws Error if cuFFT is missing or there are too many voxels; ResourceError and Cancelled.
std::unique_ptr<anatomy::FluidLevel> fluid_on_device(const anatomy::FluidProblem& problem,
                                                     const Stream& stream, const WaitLimits& limits,
                                                     KeptTransforms& kept);

}  // namespace isolume::gpu
