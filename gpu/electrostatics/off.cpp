// Replaces this library in programs built without CUDA.
#include "gpu/electrostatics/engines.h"
#include "gpu/electrostatics/pair_kernel_times.h"
#include "gpu/without_cuda.h"

namespace isolume::gpu {

electrostatics::EngineRegistry make_pair_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  electrostatics::EngineRegistry engines(pool);
  engines.add(electrostatics::make_cpu_engine());
  return engines;
}

electrostatics::QuantumEngineRegistry make_quantum_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  electrostatics::QuantumEngineRegistry engines(pool);
  engines.add(electrostatics::make_cpu_quantum_engine());
  return engines;
}

PairKernelTimes time_pair_kernel(const dispatch::DevicePool&, const grid::Grid&,
                                 const electrostatics::PairProblem&, const dispatch::ComputeOptions&,
                                 const benchmarks::RepeatOptions&, const jobs::Progress&) {
  refuse_without_cuda();
}

PairKernelTimes time_quantum_kernel(const dispatch::DevicePool&, const grid::Grid&,
                                    const electrostatics::QuantumProblem&, const dispatch::ComputeOptions&,
                                    const benchmarks::RepeatOptions&, const jobs::Progress&) {
  refuse_without_cuda();
}

}  // namespace isolume::gpu
