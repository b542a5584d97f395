#include "gpu/electrostatics/pair_kernel_times.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/electrostatics/pairs/kernel_choice.h"
#include "gpu/electrostatics/quantum/quantum_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/streams/deadline.h"

namespace isolume::gpu {
namespace {

/// Limit of results; larger jobs are computed in several parts, one after another.
constexpr std::size_t most_bytes = std::size_t{1} << 30;

double time_job(const SumJob& job, const Stream& stream, const WaitLimits& limits,
                const benchmarks::RepeatOptions& repeats) {
  const auto part = job.prepare(stream, limits);
  const int all = job.items(), block = job.granularity();
  const auto fit = static_cast<int>(
      std::min<std::size_t>(most_bytes / job.bytes_an_item(), static_cast<std::size_t>(all)));
  const int step = fit == all ? all : std::max(fit / block, 1) * block;
  const std::size_t values = job.item_values() * static_cast<std::size_t>(step);
  DeviceBuffer<float> out(stream, values);
  Event begin(stream.device(), true), end(stream.device(), true);
  return benchmarks::time_repeats(
             repeats,
             [&] {
               limits.progress.check();
               begin.record(stream);
               for (int first = 0; first < all; first += step)
                 part->launch({first, std::min(step, all - first)}, out.device_data(), values, stream);
               end.record(stream);
               stream.wait(from_now(limits.deadline), limits.progress);
               return Event::milliseconds(begin, end);
             })
      .median_ms;
}

PairKernelTimes time_on_first_gpu(const SumJob& job, const dispatch::DevicePool& pool,
                                  const dispatch::ComputeOptions& options,
                                  const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress) {
  const GpuDevice& device = choose_gpu(pool, options.devices);
  PairKernelTimes times{.device = device.name(), .kernel = std::string(job.kernel())};
  dispatch::guarded(device, [&] {
    const Stream stream(device);
    times.sums_ms = time_job(job, stream, {default_deadline(), progress}, repeats);
  });
  return times;
}

}  // namespace

PairKernelTimes time_pair_kernel(const dispatch::DevicePool& pool, const lattice::Lattice& lattice,
                                 const electrostatics::PairProblem& problem,
                                 const dispatch::ComputeOptions& options,
                                 const benchmarks::RepeatOptions& repeats, const jobs::Progress& progress) {
  if (problem.bins.sorted().size() == 0) throw Error("There is no charge to sum over. Give one at least.");
  const auto job = choose_pair_job(options.kernel, lattice, problem);
  return time_on_first_gpu(*job, pool, options, repeats, progress);
}

PairKernelTimes time_quantum_kernel(const dispatch::DevicePool& pool, const lattice::Lattice& lattice,
                                    const electrostatics::QuantumProblem& problem,
                                    const dispatch::ComputeOptions& options,
                                    const benchmarks::RepeatOptions& repeats,
                                    const jobs::Progress& progress) {
  const auto job = make_quantum_job(lattice, problem, electrostatics::operations_on(lattice, problem));
  return time_on_first_gpu(*job, pool, options, repeats, progress);
}

}  // namespace isolume::gpu
