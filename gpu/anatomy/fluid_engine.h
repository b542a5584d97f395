#pragma once

#include <chrono>
#include <memory>

#include "core/anatomy/fluid_engine.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// Fluid registration on one GPU of the pool, the first in use of those that are requested: "cuda", or "emulated". Mutual
/// information and landmarks are left to others. The steps are those of the CPU in single precision, which differ by
/// rounding; Gaussians, in windows of correlations and of velocities, differ by 5e-4 of their peak (GaussianOnDevice).
///
/// `deadline`: a device that does not finish an iteration within it is set aside.
std::unique_ptr<anatomy::FluidEngine> make_gpu_fluid_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline = default_deadline());

}  // namespace isolume::gpu
