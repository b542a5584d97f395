#pragma once

#include <chrono>
#include <memory>

#include "core/dispatch/dispatch.h"
#include "core/electrostatics/poisson_boltzmann/equation_engine.h"

namespace isolume::gpu {

/// Solves equations of lattices on the pool's GPUs, each on one of them: levels are too small, and depend on each other too
/// much, for two to be faster. The first with room does it that is in use, of ComputeOptions::devices or of all; where it
/// fails, the next begins anew, which the report tells, and in the end the CPU where it was named among them.
/// ComputeOptions::kernel: "mixed" (or "auto") and "single", as EquationPrecision. `deadline`: as MultiDeviceRun has it, of each
/// wait; there is one for a cycle.
std::unique_ptr<electrostatics::EquationEngine> make_gpu_equation_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline);

}  // namespace isolume::gpu
