#include "gpu/electrostatics/pair_kernel_times.h"

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/electrostatics/pairs/kernel_choice.h"
#include "gpu/electrostatics/quantum/quantum_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/multi_device/time_sum.h"

namespace isolume::gpu {
namespace {

PairKernelTimes time_on_first_gpu(const SumJob& job, const dispatch::DevicePool& pool,
                                  const dispatch::ComputeOptions& options,
                                  const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress) {
  const GpuDevice& device = choose_gpu(pool, options.devices);
  PairKernelTimes times{.device = device.name(), .kernel = std::string(job.kernel())};
  dispatch::guarded(device, [&] {
    const Stream stream(device);
    times.sums_ms = time_sum(job, stream, {default_deadline(), progress}, repeats);
  });
  return times;
}

}  // namespace

PairKernelTimes time_pair_kernel(const dispatch::DevicePool& pool, const grid::Grid& grid,
                                 const electrostatics::PairProblem& problem,
                                 const dispatch::ComputeOptions& options,
                                 const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress) {
  if (problem.bins.sorted().size() == 0) throw Error("There is no charge to sum over. Give one at least.");
  const auto job = choose_pair_job(options.kernel, grid, problem);
  return time_on_first_gpu(*job, pool, options, repeats, progress);
}

PairKernelTimes time_quantum_kernel(const dispatch::DevicePool& pool, const grid::Grid& grid,
                                    const electrostatics::QuantumProblem& problem,
                                    const dispatch::ComputeOptions& options,
                                    const benchmarks::RepeatOptions& repeats,
                                    const jobs::Progress& progress) {
  const auto job = make_quantum_job(grid, problem, electrostatics::operations_on(grid, problem));
  return time_on_first_gpu(*job, pool, options, repeats, progress);
}

}  // namespace isolume::gpu
