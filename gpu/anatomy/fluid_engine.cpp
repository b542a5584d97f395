#include "gpu/anatomy/fluid_engine.h"

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/anatomy/fluid_on_device.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/multi_device/chosen_devices.h"

namespace isolume::gpu {
namespace {

using anatomy::FluidLevel;
using anatomy::FluidProblem;

/// Estimated: an iteration on this many voxels takes one processor core 0.2 ms, and a GPU as long for its launches and
/// the wait.
constexpr std::size_t voxels_worth_a_gpu = 10'000;

/// What GPUs do not compute, as a clause; empty if they compute all.
std::string missing_for(const FluidProblem& problem) {
  if (problem.parameters.metric == anatomy::Metric::mutual_information)
    return "GPUs do not measure mutual information";
  if (!problem.landmarks.empty()) return "GPUs do not follow landmarks";
  return {};
}

class GpuFluidEngine final : public anatomy::FluidEngine {
 public:
  GpuFluidEngine(std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline)
      : pool_(std::move(pool)), deadline_(deadline) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(*pool_); }
  std::string leaves_to_others(const FluidProblem& problem) const override {
    if (dispatch::usable_gpus(*pool_).empty()) return "every GPU is set aside";
    if (std::string missing = missing_for(problem); !missing.empty()) return missing;
    const std::size_t voxels = volumes::point_count(problem.counts);
    if (voxels < voxels_worth_a_gpu)
      return fmt::format("a GPU would not shorten a registration of {} voxels", voxels);
    return {};
  }

  dispatch::Report run(const FluidProblem& problem, const dispatch::ComputeOptions& options,
                       const std::function<void(FluidLevel&)>& work,
                       const jobs::Progress& progress) const override {
    if (options.kernel != "auto")
      throw Error(fmt::format("There is no kernel named {} for registrations. Use \"auto\".",
                              isolume::quoted(options.kernel)));
    if (const std::string missing = missing_for(problem); !missing.empty()) {
      throw Error(fmt::format(
          "The engine \"{}\" cannot compute this registration: {}. Choose the engine \"auto\" or \"cpu\".",
          name(), missing));
    }
    const GpuDevice& device = gpu_of(*choose_gpus(*pool_, options.devices).all.front());
    const auto begin = std::chrono::steady_clock::now();
    guarded_on(device, deadline_, [&] {
      const std::size_t needed = bytes_on_device(problem), free = device.memory_budget_bytes();
      if (needed > free) {
        throw ResourceError(fmt::format("The registration of {} x {} x {} voxels on {}", problem.counts[0],
                                        problem.counts[1], problem.counts[2], device.name()),
                            needed, free, "Use fewer voxels, another device, or the engine \"cpu\".");
      }
      const Stream stream(device);
      work(*fluid_on_device(problem, stream, {deadline_, progress}, transforms_));
    });
    dispatch::Report report;
    report.who = device.name();
    report.seconds = seconds_since(begin);
    auto& share = report.shares.emplace_back();
    share.device = device.name();
    share.which = &device;
    share.tiles = 1;
    share.busy_seconds = report.seconds;
    return report;
  }

 private:
  std::shared_ptr<dispatch::DevicePool> pool_;
  std::chrono::duration<double> deadline_;
  mutable KeptTransforms transforms_;  ///< after the pool, whose devices they need
};

}  // namespace

std::unique_ptr<anatomy::FluidEngine> make_gpu_fluid_engine(std::shared_ptr<dispatch::DevicePool> pool,
                                                            std::chrono::duration<double> deadline) {
  return std::make_unique<GpuFluidEngine>(std::move(pool), deadline);
}

}  // namespace isolume::gpu
