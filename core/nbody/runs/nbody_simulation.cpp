#include "core/nbody/runs/nbody_simulation.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/nbody/bodies/added_bodies.h"
#include "core/nbody/bodies/each_axis.h"

namespace isolume::nbody {
namespace {

/// For state, next state, forces, a frame and a checkpoint.
constexpr std::size_t simulation_bytes_a_body = 400;

}  // namespace

struct NBodySimulation::Saved final : simulation::Checkpoint {
  State state;  ///< without masses
  std::size_t started_with = 0;
  std::size_t bytes() const override {
    return sizeof *this + 6 * sizeof(double) * state.bodies.x.size() + state.rungs.size();
  }
};

NBodySimulation::NBodySimulation(InitialConditions start, RunOptions options,
                                 std::shared_ptr<const EngineRegistry> engines)
    : engines_(std::move(engines)) {
  check(start);
  options.period = start.box ? start.box->side : 0;
  options.error_factor = 1;
  check(options);
  engines_->find(options.engine);
  for (const AddedBody& each : added_bodies(options.added)) {
    if (each.step)
      throw Error(
          fmt::format("An added body joins at step {}, and this run begins with all of them. Leave out @{}.",
                      *each.step, *each.step));
  }
  if (start.bodies.size() == 0) throw Error("There is no body to follow. Give one at least.");
  dispatch::require_memory(fmt::format("A simulation of {} bodies", start.bodies.size()),
                           start.bodies.size() * simulation_bytes_a_body, "Take fewer bodies.");
  started_with_ = start.bodies.size();
  state_.options = std::move(options);
  state_.time_then = start.time;
  first_added_id_ = first_added_id(start);
  state_.labels = std::make_shared<const BodyLabels>(labels_of(start));
  state_.bodies = std::move(start.bodies);
  complete(state_.bodies);
  state_.mass = std::make_shared<const std::vector<double>>(state_.bodies.mass);
  next_ = state_.bodies;
  take_added("", state_.options.added);
}

/// Adds missing velocities, and wraps positions into their box.
void NBodySimulation::complete(Bodies& bodies) const {
  for (auto* values : velocities(bodies)) values->resize(bodies.size());
  if (!state_.labels->box) return;
  for (auto* values : axes(bodies)) {
    for (double& place : *values) place = wrapped(place, state_.labels->box->side);
  }
}

void NBodySimulation::put(Bodies bodies, Moment moment, std::shared_ptr<const BodyLabels> labels) {
  const std::size_t count = labels ? labels->mass.size() : state_.bodies.size();
  if (bodies.size() != count)
    throw Error(fmt::format("These are {} bodies, where there were {}.", bodies.size(), count));
  if (labels) state_.labels = std::move(labels);
  complete(bodies);
  resident_.reset();
  leaves_devices_ = false;
  evaluated_.reset();
  state_.bodies = std::move(bodies);
  if (*state_.mass != state_.bodies.mass)
    state_.mass = std::make_shared<const std::vector<double>>(state_.bodies.mass);
  next_ = state_.bodies;
  static_cast<Moment&>(state_) = std::move(moment);
  state_.unchanged.reset();
}

NBodySimulation::NBodySimulation(const NBodySimulation& other)
    : simulation::Simulation(other),
      state_((other.bodies(), other.state_)),
      engines_(other.engines_),
      started_with_(other.started_with_),
      first_added_id_(other.first_added_id_),
      next_(other.state_.bodies),
      evaluated_(other.evaluated_),
      seconds_(other.seconds_),
      work_(other.work_) {}

std::unique_ptr<simulation::Simulation> NBodySimulation::branch() const {
  return std::unique_ptr<simulation::Simulation>(new NBodySimulation(*this));
}

double NBodySimulation::time() const {
  return state_.time_then + static_cast<double>(state_.step - state_.step_then) * state_.options.dt;
}

NBodySimulation::Evaluated NBodySimulation::evaluated(const Bodies& bodies,
                                                      std::span<const std::uint32_t> active,
                                                      const jobs::Progress& progress) const {
  const RunOptions& options = state_.options;
  if (options.integrator == Integrator::hermite) {
    constexpr bool with_jerks = true;
    return pairwise_forces(bodies, options, with_jerks, active, progress);
  }
  return {forces_by(*engines_, bodies, sums(), progress, active)};
}

namespace {

void require_finite_on_devices(const Forces& forces) {
  try {
    check_finite(forces);
  } catch (const Error&) {
    throw NotResident("two bodies are too close together for single precision");
  }
}

}  // namespace

/// Tree codes sum the forces on the present bodies as often as it takes.
void NBodySimulation::keep_error(const jobs::Progress& progress) {
  if (state_.kept_error) return;
  const ForceOptions options = sums();
  const bool exact = state_.options.integrator == Integrator::hermite;
  if (exact || !asks_for_error(options)) {
    state_.kept_error = KeptError();
    return;
  }
  bring_home(progress);
  const std::size_t samples = bodies_to_compare(state_.bodies.size());
  ForcesWithinError found = forces_within_error(
      options,
      [&](const ForceOptions& stricter) { return forces_by(*engines_, state_.bodies, stricter, progress); },
      [&](const Forces& forces) {
        return on_threads(options.threads,
                          [&] { return sampled_errors(state_.bodies, forces, options, samples, progress); });
      });
  evaluated_ = Evaluated{std::move(found.forces)};
  state_.options.error_factor = found.error.factor;
  state_.kept_error = found.error;
}

const KeptError& NBodySimulation::kept_error(const jobs::Progress& progress) {
  keep_error(progress);
  return *state_.kept_error;
}

void NBodySimulation::evaluate(const jobs::Progress& progress) {
  if (evaluated_) return;
  keep_error(progress);
  if (evaluated_) return;
  if (resident_) {
    try {
      Evaluated found{resident_->forces(state_.bodies, progress)};
      require_finite_on_devices(found.forces);
      evaluated_ = std::move(found);
      engines_->record(evaluated_->forces.report);
      return;
    } catch (const NotResident& why) {
      leave_devices(why, progress);
    }
  }
  bring_home(progress);
  if (!evaluated_) evaluated_ = evaluated(state_.bodies, {}, progress);
}

/// Whether the next step can begin and end on devices.
bool NBodySimulation::stays_on_devices() {
  const RunOptions& options = state_.options;
  const bool plain = options.integrator == Integrator::leapfrog && options.time_steps == TimeSteps::global &&
                     options.collisions == Collisions::none && !state_.labels->box;
  if (resident_ || leaves_devices_ || !plain) return resident_ != nullptr;
  try {
    check_softening(options, state_.bodies);
    resident_ = std::make_unique<ResidentRun>(resident_by(*engines_, state_.bodies.size(), sums()));
  } catch (const Error&) {  // sums from the host throw the same where no engine can compute them
    leaves_devices_ = true;
  }
  return resident_ != nullptr;
}

const Bodies& NBodySimulation::bodies() const {
  if (resident_) resident_->fetch(state_.bodies, {});
  return state_.bodies;
}

void NBodySimulation::bring_home(const jobs::Progress& progress) {
  if (!resident_) return;
  try {
    resident_->fetch(state_.bodies, progress);
  } catch (const NotResident& why) {
    leave_devices(why, progress);
  }
}

/// Repeats the steps since the host's copy on the host.
void NBodySimulation::leave_devices(const NotResident& why, const jobs::Progress& progress) {
  log::warning("Bodies no longer stay on devices: {}", why.what());
  leaves_devices_ = true;
  const std::int64_t behind = resident_->behind();
  resident_.reset();
  evaluated_.reset();
  state_.step -= behind;
  advance(behind, progress);
}

const Forces& NBodySimulation::forces(const jobs::Progress& progress) {
  evaluate(progress);
  return evaluated_->forces;
}

simulation::CheckpointPointer NBodySimulation::checkpoint() const {
  bodies();  // fetches them
  auto saved = std::make_shared<Saved>();
  saved->state = state_;
  saved->started_with = started_with_;
  std::vector<double>().swap(saved->state.bodies.mass);  // stored in State::mass
  return saved;
}

void NBodySimulation::restore(const simulation::Checkpoint& checkpoint) {
  const auto* saved = dynamic_cast<const Saved*>(&checkpoint);
  if (saved == nullptr || saved->started_with != started_with_) {
    throw Error("This checkpoint is of another simulation. Give one of this one.");
  }
  const RunOptions options = state_.options;
  state_ = saved->state;
  state_.bodies.mass = *state_.mass;
  next_ = state_.bodies;
  evaluated_.reset();
  leaves_devices_ = false;
  if (!differing_keys(options, state_.options).empty()) resident_.reset();
  if (resident_) resident_->restart();
}

void NBodySimulation::set_parameter(std::string_view key, const parameters::Value& value) {
  RunOptions changed = state_.options;
  parameters::StructParameters<RunOptions>(run_schema(), changed).set(key, value);
  set_options(changed);
}

void NBodySimulation::set_parameters(const simulation::ParameterValues& values) {
  RunOptions changed = state_.options;
  parameters::StructParameters<RunOptions> set(run_schema(), changed);
  for (const auto& [key, value] : values) set.set(key, value);
  set_options(changed);
}

void NBodySimulation::set_options(const RunOptions& options) {
  check(options);
  engines_->find(options.engine);
  bring_home({});
  if (options.dt != state_.options.dt) {
    state_.time_then = time();
    state_.step_then = state_.step;
  }
  const auto changed = differing_keys(state_.options, options);
  const double error_factor = state_.options.error_factor;
  RunOptions before = std::exchange(state_.options, options);
  try {
    take_added(before.added, options.added);
  } catch (...) {
    state_.options = std::move(before);
    throw;
  }
  state_.options.error_factor = error_factor;
  const auto any_but = [&](std::initializer_list<std::string_view> harmless) {
    return std::ranges::any_of(
        changed, [&](const auto& key) { return std::ranges::find(harmless, key) == harmless.end(); });
  };
  if (any_but({"threads"})) state_.rungs.clear();
  if (any_but({"dt", "threads", "time-steps", "accuracy", "collisions", "restitution", "density"})) {
    evaluated_.reset();
    state_.kept_error.reset();
    state_.options.error_factor = 1;
  }
  if (any_but({"dt", "threads", "accuracy"})) {
    resident_.reset();
    leaves_devices_ = false;
  }
}

}  // namespace isolume::nbody
