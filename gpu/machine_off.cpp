#include "gpu/machine.h"
#include "gpu/orbitals/kernel_benchmark.h"
#include "gpu/orbitals/precompile.h"

namespace isolume::gpu {

std::shared_ptr<dispatch::DevicePool> make_device_pool() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device());
  return std::make_shared<dispatch::DevicePool>(std::move(devices), "Isolume was built without CUDA.");
}

orbitals::EngineRegistry make_engines(const std::shared_ptr<dispatch::DevicePool>& pool) {
  orbitals::EngineRegistry engines(pool);
  engines.add(orbitals::make_cpu_engine());
  return engines;
}

dispatch::EngineRegistry<livewire::Engine> make_livewire_engines(
    const std::shared_ptr<dispatch::DevicePool>& pool) {
  dispatch::EngineRegistry<livewire::Engine> engines(pool);
  engines.add(livewire::make_cpu_engine());
  engines.add(livewire::make_cpu_delta_engine());
  return engines;
}

std::string check_device(dispatch::Device&) {
  return {};
}

void precompile(const orbitals::FieldProblem&, int, int, const std::filesystem::path&) {
  throw Error("Isolume was built without CUDA.");
}

GpuPeak gpu_peak(const dispatch::Device&) {
  throw Error("Isolume was built without CUDA.");
}

KernelTiming time_kernel(dispatch::Device&, std::string_view, const orbitals::FieldProblem&,
                         std::span<const float>, const KernelBenchmarkOptions&, const jobs::Progress&) {
  throw Error("Isolume was built without CUDA.");
}

}  // namespace isolume::gpu
