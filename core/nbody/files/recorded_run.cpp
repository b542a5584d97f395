#include "core/nbody/files/recorded_run.h"

#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::nbody {

struct RecordedRun::Saved final : simulation::Checkpoint {
  std::int64_t number = 0;
  RunOptions options;
  ChosenOptions chosen;
  std::size_t bytes() const override { return sizeof *this; }
};

RecordedRun::RecordedRun(std::shared_ptr<const Trajectory> trajectory, const RunOptions& options,
                         const ChosenOptions& chosen, std::shared_ptr<const EngineRegistry> engines)
    : trajectory_(std::move(trajectory)), engines_(std::move(engines)), chosen_(chosen) {
  InitialConditions first = trajectory_->moment(0);
  options_ = suited_to(first, options, chosen_);
  options_.added.clear();
  simulation_ = std::make_unique<NBodySimulation>(std::move(first), options_, engines_);
}

void RecordedRun::advance(std::int64_t steps, const jobs::Progress&) {
  const std::int64_t to = number_ + steps, last = *recorded_until();
  if (to < 0 || to > last)
    throw Error(fmt::format("There is no moment {} in this recording. Give one from 0 to {}.", to, last));
  number_ = to;
}

std::shared_ptr<const NBodyFrame> RecordedRun::frame(simulation::Wanted what,
                                                     const jobs::Progress& progress) {
  const auto number = static_cast<std::size_t>(number_);
  if (read_ != number_) {
    InitialConditions moment = trajectory_->moment(number);
    read_.reset();
    simulation_->set_options(suited_to(moment, options_, chosen_));
    // Null (labels are kept) if the number is the same: then no bodies have merged in between.
    std::shared_ptr<const BodyLabels> labels;
    if (moment.bodies.size() != simulation_->labels()->mass.size())
      labels = std::make_shared<const BodyLabels>(labels_of(moment));
    simulation_->put(std::move(moment.bodies),
                     {.step = number_,
                      .time_then = moment.time,
                      .step_then = number_,
                      .energy_lost = trajectory_->energy_lost(number),
                      .kinetic_lost = trajectory_->kinetic_lost(number),
                      .collisions = trajectory_->collisions(number)},
                     labels);
    read_ = number_;
  }
  return simulation_->frame(what, progress);
}

simulation::CheckpointPointer RecordedRun::checkpoint() const {
  auto saved = std::make_shared<Saved>();
  saved->number = number_;
  saved->options = options_;
  saved->chosen = chosen_;
  return saved;
}

void RecordedRun::restore(const simulation::Checkpoint& checkpoint) {
  const auto* saved = dynamic_cast<const Saved*>(&checkpoint);
  if (saved == nullptr) throw Error("This checkpoint is of another simulation. Give one of this one.");
  number_ = saved->number;
  options_ = saved->options;
  chosen_ = saved->chosen;
  read_.reset();
}

std::unique_ptr<simulation::Simulation> RecordedRun::branch() const {
  InitialConditions moment = trajectory_->moment(static_cast<std::size_t>(number_));
  const RunOptions options = suited_to(moment, options_, chosen_);
  auto made = std::make_unique<NBodySimulation>(std::move(moment), options, engines_);
  made->count_from(number_);
  return made;
}

void RecordedRun::set_parameter(std::string_view key, const parameters::Value& value) {
  RunOptions changed = options_;
  parameters::StructParameters<RunOptions>(run_schema(), changed).set(key, value);
  check(changed);
  if (!changed.added.empty())
    throw Error("A recording stays as it is. Continue from one of its moments, then add bodies.");
  engines_->find(changed.engine);
  options_ = changed;
  if (key == "dt") chosen_.dt = true;
  if (key == "softening") chosen_.softening = true;
  if (key == "softening-kind") chosen_.steps = true;
  if (key == "solver") chosen_.solver = true;
  read_.reset();
}

}  // namespace isolume::nbody
