// Replaces this library in programs built without CUDA.
#include "gpu/nbody/engines.h"
#include "gpu/nbody/force_kernel_times.h"
#include "gpu/without_cuda.h"

namespace isolume::gpu {

nbody::EngineRegistry make_nbody_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  nbody::EngineRegistry engines(pool);
  engines.add(nbody::make_cpu_engine());
  return engines;
}

ForceKernelTimes time_force_kernels(const dispatch::DevicePool&, const nbody::Bodies&,
                                    const nbody::ForceOptions&, const benchmarks::RepeatOptions&,
                                    const jobs::Progress&) {
  refuse_without_cuda();
}

}  // namespace isolume::gpu
