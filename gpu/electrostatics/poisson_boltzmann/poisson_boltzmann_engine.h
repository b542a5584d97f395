#pragma once

#include <chrono>
#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/poisson_boltzmann/equation_engine.h"

namespace isolume::gpu {

/// Solves equations of grids on the pool's GPUs, each on one of them: levels are too small and too
/// interdependent for two to be faster. The first one in use with enough memory is taken, of
/// ComputeOptions::devices or of all. If it fails, the next one starts again, which the report mentions, and
/// in the end the CPU if it was among the named devices. ComputeOptions::kernel: "mixed" (or "auto") and
/// "single", see EquationPrecision. `deadline`: of each wait, as in MultiDeviceRun; there is one for a cycle.
std::unique_ptr<electrostatics::EquationEngine> make_gpu_equation_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline);

}  // namespace isolume::gpu
