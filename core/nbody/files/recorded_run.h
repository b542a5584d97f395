#pragma once

#include <memory>

#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {

/// The frames of a trajectory as the steps of a simulation, from 0 on. A frame is read on demand, so that a
/// trajectory may be larger than memory; forces on its bodies, and with them potentials and diagnostics, are computed
/// with the present options, which also apply when it is continued: branch() is an NBodySimulation whose step count
/// continues from the number of the frame. Reading throws InputError.
class RecordedRun final : public simulation::Simulation {
 public:
  /// Unless chosen explicitly, the time step and the softening are those recorded with each frame. Throws as
  /// NBodySimulation.
  RecordedRun(std::shared_ptr<const Trajectory> trajectory, const RunOptions& options,
              const ChosenOptions& chosen, std::shared_ptr<const EngineRegistry> engines = cpu_engines());

  std::int64_t step() const override { return number_; }
  double time() const override { return trajectory_->time()[static_cast<std::size_t>(number_)]; }
  bool reversible() const override { return false; }
  /// Throws Error where there is no such frame.
  void advance(std::int64_t steps, const jobs::Progress& progress = {}) override;
  simulation::FramePointer snapshot(simulation::Wanted what, const jobs::Progress& progress = {}) override {
    return frame(what, progress);
  }
  std::shared_ptr<const NBodyFrame> frame(simulation::Wanted what, const jobs::Progress& progress = {});
  simulation::CheckpointPointer checkpoint() const override;
  void restore(const simulation::Checkpoint& checkpoint) override;
  std::unique_ptr<simulation::Simulation> branch() const override;
  const parameters::ParameterSet& parameters() const override { return parameters_; }
  void set_parameter(std::string_view key, const parameters::Value& value) override;
  std::optional<std::int64_t> recorded_until() const override {
    return static_cast<std::int64_t>(trajectory_->moments()) - 1;
  }

  const RunOptions& options() const { return options_; }

 private:
  struct Saved;

  std::shared_ptr<const Trajectory> trajectory_;
  std::shared_ptr<const EngineRegistry> engines_;
  ChosenOptions chosen_;
  RunOptions options_;
  std::int64_t number_ = 0;
  std::optional<std::int64_t> read_;  ///< frame whose bodies `simulation_` has, with the present options
  std::unique_ptr<NBodySimulation> simulation_;  ///< of the bodies last read
  parameters::StructParameters<RunOptions> parameters_{run_schema(), options_};
};

}  // namespace isolume::nbody
