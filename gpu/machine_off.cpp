#include "gpu/machine.h"
#include "gpu/runtime/devices/device_benchmark.h"
#include "gpu/runtime/devices/gpu_peak.h"
#include "gpu/surfaces/surface_benchmark.h"
#include "gpu/volumes/volume_benchmark.h"
#include "gpu/without_cuda.h"

namespace isolume::gpu {

std::shared_ptr<dispatch::DevicePool> make_device_pool() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device());
  return std::make_shared<dispatch::DevicePool>(std::move(devices), without_cuda);
}

std::string check_device(dispatch::Device&) {
  return {};
}

std::vector<ToolkitLibrary> toolkit_libraries() {
  return {};
}

GpuPeak gpu_peak(const dispatch::Device&) {
  refuse_without_cuda();
}

LaunchTimes time_launches(const dispatch::Device&, int, const benchmarks::RepeatOptions&,
                          const jobs::Progress&) {
  refuse_without_cuda();
}

LaunchTimes time_graph_launches(const dispatch::Device&, int, int, const benchmarks::RepeatOptions&,
                                const jobs::Progress&) {
  refuse_without_cuda();
}

WaitTimes time_wait(const dispatch::Device&, double, const benchmarks::RepeatOptions&,
                    const jobs::Progress&) {
  refuse_without_cuda();
}

std::string_view to_string(TransferKind) {
  refuse_without_cuda();
}

TransferTimes time_transfer(const dispatch::Device&, TransferKind, std::size_t,
                            const benchmarks::RepeatOptions&, const jobs::Progress&) {
  refuse_without_cuda();
}

MultiplyAddTimes time_multiply_adds(const dispatch::Device&, double, const benchmarks::RepeatOptions&,
                                    const jobs::Progress&) {
  refuse_without_cuda();
}

SurfaceTimes time_surfaces(const dispatch::Device&, const grid::ScalarField&, double,
                           const benchmarks::RepeatOptions&, const jobs::Progress&) {
  refuse_without_cuda();
}

std::vector<VolumeKernelTimes> time_volume_kernels(const dispatch::Device&, int,
                                                   const benchmarks::RepeatOptions&, const jobs::Progress&) {
  refuse_without_cuda();
}

std::size_t count_triangles(const dispatch::Device&, const grid::ScalarField&, double,
                            const jobs::Progress&) {
  refuse_without_cuda();
}

}  // namespace isolume::gpu
