#include "gpu/anatomy/fluid_engine.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/anatomy/atlas_on_devices.h"
#include "gpu/anatomy/fluid_on_device.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/multi_device/chosen_devices.h"

namespace isolume::gpu {
namespace {

using anatomy::AtlasLevel;
using anatomy::AtlasProblem;
using anatomy::AtlasShape;
using anatomy::FluidLevel;
using anatomy::FluidProblem;
using anatomy::LevelPlan;

/// GPUs whose times are not known, as those of emulated ones, take levels of at least this many voxels.
constexpr std::size_t voxels_worth_a_try = 10'000;

/// What GPUs do not compute, as a clause; empty if they compute all.
std::string missing_for(const anatomy::FluidParameters& parameters) {
  return parameters.metric == anatomy::Metric::mutual_information ? "GPUs do not measure mutual information"
                                                                  : "";
}
std::string missing_for(const FluidProblem& problem) {
  if (std::string missing = missing_for(problem.parameters); !missing.empty()) return missing;
  if (!problem.surfaces.empty()) return "GPUs do not follow surfaces";
  if (!problem.more.empty()) return "GPUs do not compare classes";
  return problem.landmarks.empty() ? "" : "GPUs do not follow landmarks";
}

class GpuFluidEngine final : public anatomy::FluidEngine {
 public:
  GpuFluidEngine(std::shared_ptr<dispatch::DevicePool> pool,
                 std::shared_ptr<anatomy::FluidCalibration> calibration,
                 std::chrono::duration<double> deadline)
      : pool_(std::move(pool)), calibration_(std::move(calibration)), deadline_(deadline) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(*pool_); }
  std::string leaves_to_others(const FluidProblem& problem) const override {
    if (std::string missing = missing_for(problem); !missing.empty()) return missing;
    return leaves_to_cpu(problem.parameters, problem.counts, 1);
  }
  std::string leaves_to_others(const AtlasShape& shape) const override {
    if (std::string missing = missing_for(shape.parameters); !missing.empty()) return missing;
    return leaves_to_cpu(shape.parameters, shape.counts, shape.images);
  }

  dispatch::Report run(const FluidProblem& problem, const dispatch::ComputeOptions& options,
                       const std::function<void(FluidLevel&)>& work,
                       const jobs::Progress& progress) const override {
    require_computed(missing_for(problem), options);
    const GpuDevice& device = gpu_of(fastest(problem, options.devices));
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

  LevelPlan plan(const AtlasShape& shape, const dispatch::ComputeOptions& options) const override {
    require_computed(missing_for(shape.parameters), options);
    const auto devices = choose_gpus(*pool_, options.devices).all;
    LevelPlan plan;
    for (const AtlasPart& each : deal_all(shape, devices)) {
      plan.parts.push_back({.device = each.device->name(),
                            .number = number_of(each.device),
                            .first = each.first,
                            .images = each.images,
                            .bytes = bytes_of_atlas(shape, each.images),
                            .seconds = static_cast<double>(each.images) *
                                       seconds_of(*each.device, shape.parameters, shape.counts)});
    }
    return plan;
  }

  dispatch::Report run(const AtlasProblem& problem, const dispatch::ComputeOptions& options,
                       const std::function<void(AtlasLevel&)>& work,
                       const jobs::Progress& progress) const override {
    require_computed(missing_for(problem.parameters), options);
    auto devices = choose_gpus(*pool_, options.devices).all;
    const auto begin = std::chrono::steady_clock::now();
    dispatch::Report report;
    std::vector<AtlasPart> parts = deal_all(problem, devices);
    for (bool is_done = false; !is_done;) {
      try {
        AtlasOnDevices level(problem, parts, deadline_, progress, transforms_);
        work(level);
        is_done = true;
      } catch (const Error&) {
        const auto has_failed = [](const AtlasPart& each) { return !each.error.empty(); };
        if (problem.has_others || std::ranges::none_of(parts, has_failed)) throw;
        for (const AtlasPart& each : parts) {
          if (!has_failed(each)) continue;
          report.shares.push_back({each.device->name(), 0, each.busy_seconds, each.error, each.device});
          std::erase(devices, each.device);
        }
        parts = deal(problem, devices);
        if (count_of(parts) < problem.images) throw;
      }
    }
    for (const AtlasPart& each : parts) {
      report.shares.push_back({each.device->name(), each.images, each.busy_seconds, {}, each.device});
      if (calibration_ != nullptr && each.steps > 0)
        calibration_->add(*each.device, problem.parameters, problem.counts, each.steps, each.step_seconds);
    }
    report.who = report.took_part();
    report.seconds = seconds_since(begin);
    return report;
  }

 private:
  /// Of an iteration; 0: not known.
  double seconds_of(dispatch::Device& device, const anatomy::FluidParameters& parameters,
                    const anatomy::Counts& counts) const {
    return calibration_ == nullptr ? 0 : calibration_->seconds(device, parameters, counts);
  }
  int number_of(const dispatch::Device* device) const {
    return static_cast<int>(std::ranges::find(pool_->devices(), device) - pool_->devices().begin());
  }

  void require_computed(const std::string& missing, const dispatch::ComputeOptions& options) const {
    if (options.kernel != "auto")
      throw Error(fmt::format("There is no kernel named {} for registrations. Use \"auto\".",
                              isolume::quoted(options.kernel)));
    if (!missing.empty()) {
      throw Error(fmt::format(
          "The engine \"{}\" cannot compute this registration: {}. Choose the engine \"auto\" or \"cpu\".",
          name(), missing));
    }
  }

  /// Why the CPU is the better choice for iterations on `images` images; empty if it is not.
  std::string leaves_to_cpu(const anatomy::FluidParameters& parameters, const anatomy::Counts& counts,
                            std::size_t images) const {
    const auto gpus = dispatch::usable_gpus(*pool_);
    if (gpus.empty()) return "every GPU is set aside";
    const std::size_t voxels = volumes::point_count(counts);
    std::vector<double> seconds;
    for (dispatch::Device* each : gpus) seconds.push_back(seconds_of(*each, parameters, counts));
    const double on_cpu =
        std::ranges::min(seconds) == 0
            ? 0
            : static_cast<double>(images) * seconds_of(*pool_->devices().front(), parameters, counts);
    if (on_cpu == 0) {
      if (voxels >= voxels_worth_a_try) return {};
      return fmt::format("a GPU would not shorten a registration of {} voxels", voxels);
    }
    const std::vector<std::size_t> capacity(gpus.size(), images);
    const auto dealt = anatomy::deal_images(images, seconds, capacity);
    double on_gpus = 0;
    for (std::size_t i = 0; i < gpus.size(); ++i)
      on_gpus = std::max(on_gpus, static_cast<double>(dealt[i]) * seconds[i]);
    if (on_gpus < on_cpu) return {};
    return fmt::format("an iteration on {} voxels takes the CPU {:.2g} ms, and GPUs {:.2g} ms", voxels,
                       1e3 * on_cpu, 1e3 * on_gpus);
  }

  /// Of the devices that are requested; the first one where times are not known.
  const dispatch::Device& fastest(const FluidProblem& problem, std::string_view devices) const {
    const auto all = choose_gpus(*pool_, devices).all;
    if (all.size() == 1) return *all.front();
    return **std::ranges::min_element(all, {}, [&](dispatch::Device* each) {
      return seconds_of(*each, problem.parameters, problem.counts);
    });
  }

  static std::size_t count_of(const std::vector<AtlasPart>& parts) {
    return parts.empty() ? 0 : parts.back().first + parts.back().images;
  }

  /// Fewer images than there are where the devices do not hold all.
  std::vector<AtlasPart> deal(const AtlasShape& shape, std::span<dispatch::Device* const> devices) const {
    std::vector<double> seconds;
    std::vector<std::size_t> capacity;
    const std::size_t of_steps = bytes_of_atlas(shape, 0), of_image = bytes_of_atlas(shape, 1) - of_steps;
    for (dispatch::Device* each : devices) {
      seconds.push_back(seconds_of(*each, shape.parameters, shape.counts));
      const std::size_t budget = each->memory_budget_bytes();
      capacity.push_back(budget > of_steps ? (budget - of_steps) / of_image : 0);
    }
    // Alike, unless all are known.
    if (std::ranges::find(seconds, 0.0) != seconds.end()) std::ranges::fill(seconds, 1);
    const auto dealt = anatomy::deal_images(shape.images, seconds, capacity);
    std::vector<AtlasPart> parts;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      if (dealt[i] > 0) parts.push_back({.device = devices[i], .first = count_of(parts), .images = dealt[i]});
    }
    return parts;
  }

  /// Throws ResourceError where the devices do not hold all images.
  std::vector<AtlasPart> deal_all(const AtlasShape& shape, std::span<dispatch::Device* const> devices) const {
    std::vector<AtlasPart> parts = deal(shape, devices);
    if (count_of(parts) == shape.images) return parts;
    std::size_t needed = 0, free = 0;
    for (const dispatch::Device* each : devices) {
      needed += bytes_of_atlas(shape, 0);
      free += each->memory_budget_bytes();
    }
    needed += shape.images * (bytes_of_atlas(shape, 1) - bytes_of_atlas(shape, 0));
    throw ResourceError(
        fmt::format("An atlas of {} images of {} x {} x {} voxels on {} GPU{}", shape.images, shape.counts[0],
                    shape.counts[1], shape.counts[2], devices.size(), devices.size() == 1 ? "" : "s"),
        needed, free, "Use fewer voxels, more devices, or the engine \"cpu\".");
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::shared_ptr<anatomy::FluidCalibration> calibration_;  ///< null: times are not known
  std::chrono::duration<double> deadline_;
  mutable KeptTransforms transforms_;  ///< after the pool, whose devices they need
};

}  // namespace

std::unique_ptr<anatomy::FluidEngine> make_gpu_fluid_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::shared_ptr<anatomy::FluidCalibration> calibration,
    std::chrono::duration<double> deadline) {
  return std::make_unique<GpuFluidEngine>(std::move(pool), std::move(calibration), deadline);
}

}  // namespace isolume::gpu
