// Replaces this library in programs built without CUDA.
#include "gpu/orbitals/engines.h"
#include "gpu/orbitals/generated/precompile.h"
#include "gpu/orbitals/kernel_benchmark.h"
#include "gpu/without_cuda.h"

namespace isolume::gpu {

orbitals::EngineRegistry make_orbital_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  orbitals::EngineRegistry engines(pool);
  engines.add(orbitals::make_cpu_engine());
  return engines;
}

void precompile(const orbitals::FieldProblem&, int, int, const std::filesystem::path&) {
  refuse_without_cuda();
}

KernelTiming time_kernel(dispatch::Device&, std::string_view, const orbitals::FieldProblem&,
                         std::span<const float>, const orbitals::FieldSamples&,
                         const benchmarks::RepeatOptions&, const jobs::Progress&) {
  refuse_without_cuda();
}

}  // namespace isolume::gpu
