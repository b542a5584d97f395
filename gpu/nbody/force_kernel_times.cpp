#include "gpu/nbody/force_kernel_times.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/nbody/direct/direct_job.h"
#include "gpu/nbody/fmm/fmm_job.h"
#include "gpu/nbody/tree/opening.h"
#include "gpu/nbody/tree/walk_job.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/runtime/multi_device/time_sum.h"

namespace isolume::gpu {
namespace {

void time_walk(const nbody::Bodies& bodies, const nbody::ForceOptions& options, const Stream& stream,
               const WaitLimits& limits, const benchmarks::RepeatOptions& repeats, ForceKernelTimes& times) {
  const BodiesToSort given(bodies);
  const auto uploaded = upload_vector<nbody_kernels::WalkBody>(given.points, stream, limits);
  const Opening opening = opening_of(options);
  const auto build = [&](const Stream& on, const WaitLimits& within) {
    return build_tree(given.scale, uploaded, opening.angle, on, within);
  };
  times.tree_ms = benchmarks::time_repeats(repeats, [&] {
                    const auto start = std::chrono::steady_clock::now();
                    build(stream, limits);
                    return milliseconds_since(start);
                  }).median_ms;
  const WalkJob job({bodies.size(), 0, {}, build}, opening.share,
                    nbody_kernels::softening_of(options, given.scale.length));
  times.sums_ms = time_sum(job, stream, limits, repeats);
  if (job.too_dense())
    throw Error("The bodies are too close together for the GPU's tree. Take others to time it.");
}

void time_fmm(const nbody::Bodies& bodies, const nbody::ForceOptions& options, const Stream& stream,
              const WaitLimits& limits, const benchmarks::RepeatOptions& repeats, ForceKernelTimes& times) {
  const auto start = std::chrono::steady_clock::now();
  const auto setup = fmm_setup(bodies, options, limits.progress);
  const FmmJob job(*setup, limits.progress);
  times.tree_ms = milliseconds_since(start);
  times.sums_ms = time_sum(job, stream, limits, repeats);
}

}  // namespace

ForceKernelTimes time_force_kernels(const dispatch::DevicePool& pool, const nbody::Bodies& bodies,
                                    const nbody::ForceOptions& options,
                                    const benchmarks::RepeatOptions& repeats,
                                    const jobs::Progress& progress) {
  check(bodies);
  check(options);
  if (bodies.size() == 0) throw Error("There is no body to sum for. Give one at least.");
  const GpuDevice& device = choose_gpu(pool, options.devices);
  ForceKernelTimes times{.device = device.name()};
  dispatch::guarded(device, [&] {
    const Stream stream(device);
    const WaitLimits limits{default_deadline(), progress};
    if (options.solver == nbody::SolverKind::direct) {
      const nbody::SortedBodies sorted = nbody::sort_bodies(bodies);
      times.sums_ms = time_sum(*make_direct_job(sorted, options), stream, limits, repeats);
    } else if (options.solver == nbody::SolverKind::fmm) {
      time_fmm(bodies, options, stream, limits, repeats, times);
    } else {
      time_walk(bodies, options, stream, limits, repeats, times);
    }
  });
  return times;
}

}  // namespace isolume::gpu
