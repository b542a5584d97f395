#include "gpu/machine.h"
#include "gpu/orbitals/kernel_benchmark.h"
#include "gpu/orbitals/precompile.h"
#include "gpu/runtime/device_benchmark.h"
#include "gpu/surfaces/surface_benchmark.h"

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

namespace {

[[noreturn]] void refuse() {
  throw Error("Isolume was built without CUDA.");
}

}  // namespace

void precompile(const orbitals::FieldProblem&, int, int, const std::filesystem::path&) {
  refuse();
}

GpuPeak gpu_peak(const dispatch::Device&) {
  refuse();
}

KernelTiming time_kernel(dispatch::Device&, std::string_view, const orbitals::FieldProblem&,
                         std::span<const float>, const orbitals::FieldSamples&, const KernelBenchmarkOptions&,
                         const jobs::Progress&) {
  refuse();
}

LaunchTimes time_launches(const dispatch::Device&, int, const RepeatOptions&, const jobs::Progress&) {
  refuse();
}

LaunchTimes time_graph_launches(const dispatch::Device&, int, int, const RepeatOptions&,
                                const jobs::Progress&) {
  refuse();
}

WaitTimes time_wait(const dispatch::Device&, double, const RepeatOptions&, const jobs::Progress&) {
  refuse();
}

std::string_view to_string(TransferKind) {
  refuse();
}

TransferTimes time_transfer(const dispatch::Device&, TransferKind, std::size_t, const RepeatOptions&,
                            const jobs::Progress&) {
  refuse();
}

MultiplyAddTimes time_multiply_adds(const dispatch::Device&, double, const RepeatOptions&,
                                    const jobs::Progress&) {
  refuse();
}

SurfaceTimes time_surfaces(const dispatch::Device&, const lattice::ScalarField&, double, const RepeatOptions&,
                           const jobs::Progress&) {
  refuse();
}

}  // namespace isolume::gpu
