#include "core/anatomy/fluid_engine.h"

#include <algorithm>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/anatomy/fluid.h"
#include "core/anatomy/fluid_calibration.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/dispatch/engine_choice.h"

namespace isolume::anatomy {
namespace {

class CpuFluidLevel final : public FluidLevel {
 public:
  explicit CpuFluidLevel(const FluidProblem& problem)
      : channels_{{problem.fixed, problem.moving}},
        weights_(problem.weights),
        landmarks_(problem.landmarks),
        surfaces_(problem.surfaces),
        steps_(problem.counts, problem.spacing_mm, problem.parameters),
        displacement_(problem.displacement) {
    channels_.insert(channels_.end(), problem.more.begin(), problem.more.end());
    warped_.assign(channels_.size(), FieldValues(problem.moving.size()));
    steps_.prepare(landmarks_);
    steps_.set_fixed(problem.fixed, problem.weights);
    warp();
  }

  double mismatch() override {
    return sum_of_channels([this](std::size_t i) { return steps_.mismatch().measure(warped_[i], nullptr); });
  }
  double measure_force() override {
    return sum_of_channels([this](std::size_t i) {
      return i == 0 ? steps_.measure(warped_[i]) : steps_.measure_more(warped_[i]);
    });
  }
  double mean(double sum) const override { return steps_.mean(sum); }
  double move(double& step_size) override {
    return steps_.move(displacement_, step_size, &landmarks_, &surfaces_);
  }
  void take_back() override { steps_.take_back(displacement_); }
  void warp() override {
    for (std::size_t i = 0; i < channels_.size(); ++i)
      volumes::warp(channels_[i].moving, displacement_, warped_[i]);
  }
  volumes::JacobianRange jacobian() override { return volumes::jacobian_range(displacement_); }
  const VectorField& displacement() override { return displacement_; }
  void set_displacement(const VectorField& displacement) override {
    displacement_ = displacement;
    warp();
  }
  VectorField take_displacement() override { return std::move(displacement_); }

 private:
  template <class Measure>
  double sum_of_channels(const Measure& measure) {
    double sum = 0;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (channels_.size() > 1) steps_.set_fixed(channels_[i].fixed, weights_);
      sum += measure(i);
    }
    return sum;
  }

  std::vector<Channel> channels_;
  std::span<const float> weights_;
  LandmarkForces& landmarks_;
  SurfaceForces& surfaces_;
  FluidSteps steps_;
  VectorField displacement_;
  std::vector<FieldValues> warped_;  ///< of each channel
};

class CpuFluidEngine final : public FluidEngine {
 public:
  CpuFluidEngine(std::shared_ptr<FluidCalibration> calibration, dispatch::Device* cpu)
      : calibration_(std::move(calibration)), cpu_(cpu) {}

  std::string_view name() const override { return "cpu"; }
  std::string description(int threads) const override {
    const auto used =
        static_cast<std::size_t>(threads > 0 ? threads : tbb::this_task_arena::max_concurrency());
    return "CPU, " + counted(used, "thread");
  }
  dispatch::Report run(const FluidProblem& problem, const dispatch::ComputeOptions& options,
                       const std::function<void(FluidLevel&)>& work, const jobs::Progress&) const override {
    return timed(options, 1, [&] {
      CpuFluidLevel level(problem);
      work(level);
    });
  }
  LevelPlan plan(const AtlasShape& shape, const dispatch::ComputeOptions& options) const override {
    dispatch::require_no_more_than_cpu(options);
    LevelPlan plan;
    plan.parts.push_back({.device = "CPU", .images = shape.images});
    if (calibration_ != nullptr) {
      plan.parts[0].seconds =
          static_cast<double>(shape.images) * calibration_->seconds(*cpu_, shape.parameters, shape.counts);
    }
    return plan;
  }
  dispatch::Report run(const AtlasProblem& problem, const dispatch::ComputeOptions& options,
                       const std::function<void(AtlasLevel&)>&, const jobs::Progress&) const override {
    return timed(options, problem.images, problem.on_host);
  }

 private:
  template <class Work>
  dispatch::Report timed(const dispatch::ComputeOptions& options, std::size_t tiles, const Work& work) const {
    dispatch::require_no_more_than_cpu(options);
    const auto begin = std::chrono::steady_clock::now();
    work();
    dispatch::Report report;
    report.who = description(0);
    report.seconds = seconds_since(begin);
    auto& share = report.shares.emplace_back();
    share.device = "CPU";
    share.tiles = tiles;
    share.busy_seconds = report.seconds;
    return report;
  }

  std::shared_ptr<FluidCalibration> calibration_;
  dispatch::Device* cpu_;
};

const FluidEngines& engines_of(const FluidCompute& compute) {
  static const FluidEngines cpu_alone = [] {
    FluidEngines engines;
    engines.add(make_cpu_fluid_engine());
    return engines;
  }();
  return compute.engines != nullptr ? *compute.engines : cpu_alone;
}

/// `Problem`: of a registration or an atlas; `Steps`: FluidLevel or AtlasLevel.
template <class Problem, class Steps>
dispatch::Report run_by_chosen(const FluidCompute& compute, const Problem& problem,
                               const std::function<void(Steps&)>& work, const jobs::Progress& progress) {
  std::vector<dispatch::Report::Share> failed;
  dispatch::Report report = dispatch::by_chosen_engine(
      engines_of(compute), problem, compute.options, [&](const FluidEngine& engine) {
        std::string devices = engine.description();  // before those that fail are set aside
        try {
          return engine.run(problem, compute.options, work, progress);
        } catch (const Error& error) {
          auto& share = failed.emplace_back();
          share.device = std::move(devices);
          share.error = error.what();
          throw;
        }
      });
  report.shares.insert(report.shares.begin(), failed.begin(), failed.end());
  return report;
}

}  // namespace

std::unique_ptr<FluidEngine> make_cpu_fluid_engine(std::shared_ptr<FluidCalibration> calibration,
                                                   dispatch::Device* cpu) {
  return std::make_unique<CpuFluidEngine>(std::move(calibration), cpu);
}

dispatch::Report run_level(const FluidCompute& compute, const FluidProblem& problem,
                           const std::function<void(FluidLevel&)>& work, const jobs::Progress& progress) {
  return run_by_chosen(compute, problem, work, progress);
}

dispatch::Report run_level(const FluidCompute& compute, const AtlasProblem& problem,
                           const std::function<void(AtlasLevel&)>& work, const jobs::Progress& progress) {
  return run_by_chosen(compute, problem, work, progress);
}

LevelPlan plan_level(const FluidCompute& compute, const AtlasShape& shape) {
  LevelPlan plan;
  const dispatch::Report report =
      dispatch::by_chosen_engine(engines_of(compute), shape, compute.options, [&](const FluidEngine& engine) {
        plan = engine.plan(shape, compute.options);
        plan.engine = engine.name();
        return dispatch::Report();
      });
  plan.reason = report.reason;
  plan.counts = shape.counts;
  return plan;
}

Remarks remarks_of(const dispatch::Report& report) {
  const bool has_cpu = std::ranges::any_of(report.shares, [](const dispatch::Report::Share& each) {
    return each.error.empty() && each.which == nullptr;
  });
  Remarks remarks;
  for (const auto& share : report.shares) {
    if (!share.error.empty())
      remarks.warn(fmt::format("{} failed, and {} computed in its place: {}", share.device,
                               has_cpu ? "the CPU" : "other GPUs", share.error));
  }
  return remarks;
}

void add_level(dispatch::Report& all, const dispatch::Report& level) {
  for (const auto& share : level.shares) {
    const auto known = std::ranges::find_if(all.shares, [&](const dispatch::Report::Share& each) {
      return each.device == share.device && each.which == share.which;  // several GPUs may have one name
    });
    if (known == all.shares.end()) {
      all.shares.push_back(share);
    } else {
      known->tiles += share.tiles;
      known->busy_seconds += share.busy_seconds;
      if (!share.error.empty()) known->error = share.error;
    }
  }
  all.seconds += level.seconds;
  if (all.who.find(level.who) == std::string::npos) all.who += (all.who.empty() ? "" : "; ") + level.who;
  if (!level.kernel.empty()) all.kernel = level.kernel;
  if (all.reason.find(level.reason) == std::string::npos)
    all.reason += (all.reason.empty() ? "" : "; ") + level.reason;
}

}  // namespace isolume::anatomy
