#pragma once

#include <chrono>
#include <memory>

#include "core/anatomy/fluid_calibration.h"
#include "core/anatomy/fluid_engine.h"
#include "core/dispatch/dispatch.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {

/// Fluid registration on one GPU of the pool, and atlases on several: "cuda", or "emulated". Of the GPUs in use that are requested,
/// a registration takes the fastest one, and images of an atlas are dealt so that all end early. Mutual information, landmarks,
/// surfaces and classes are left to others. The steps are those of the CPU in single precision, which differ by rounding; Gaussians, in windows of
/// correlations and of velocities, differ by 5e-4 of their peak (GaussianOnDevice).
///
/// `calibration`: times by which devices and "auto" choose; null, or times that are not known: all GPUs count alike, and "auto"
/// takes them from 10,000 voxels on. `deadline`: a device that does not finish an iteration within it is set aside.
std::unique_ptr<anatomy::FluidEngine> make_gpu_fluid_engine(
    std::shared_ptr<dispatch::DevicePool> pool,
    std::shared_ptr<anatomy::FluidCalibration> calibration = nullptr,
    std::chrono::duration<double> deadline = default_deadline());

}  // namespace isolume::gpu
