#include "core/nbody/nbody_simulation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/logging.h"
#include "core/nbody/added_bodies.h"

namespace isolume::nbody {
namespace {

using Range = tbb::blocked_range<std::size_t>;
constexpr std::size_t grain = 1 << 12;

/// Small enough to cost little compared with a step.
constexpr std::size_t sampled_bodies = 64;

/// For state, next state, forces, a frame and a checkpoint.
constexpr std::size_t simulation_bytes_a_body = 400;

template <class Values>
auto axes(Values& values) {
  return std::array{&values.x, &values.y, &values.z};
}
template <class Values>
auto velocities(Values& values) {
  return std::array{&values.vx, &values.vy, &values.vz};
}
template <class Values>
auto accelerations(Values& values) {
  return std::array{&values.ax, &values.ay, &values.az};
}
template <class Values>
auto jerks(Values& values) {
  return std::array{&values.jx, &values.jy, &values.jz};
}

/// Calls body(axis, i) for each axis of each body.
template <class Body>
void for_each_axis(std::size_t count, const Body& body) {
  handover::parallel_for(Range(0, count, grain), [&](const Range& part) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) body(axis, i);
    }
  });
}

template <class Work>
auto on_threads(int threads, const Work& work) {
  tbb::task_arena arena(threads > 0 ? threads : dispatch::processor_threads());
  return arena.execute(work);
}

}  // namespace

BodyLabels labels_of(InitialConditions& start) {
  BodyLabels labels;
  const std::size_t count = start.bodies.size();
  labels.mass.assign(start.bodies.mass.begin(), start.bodies.mass.end());
  labels.id = std::move(start.id);
  if (labels.id.empty()) {
    labels.id.resize(count);
    std::iota(labels.id.begin(), labels.id.end(), 1);
  }
  labels.origin = std::move(start.origin);
  labels.origin.resize(count);
  labels.origins = std::move(start.origins);
  labels.radius = std::move(start.radius);
  labels.box = start.box;
  labels.units = start.units;
  return labels;
}

std::vector<NamedBody> named_bodies(const BodyLabels& labels) {
  std::vector<std::size_t> members(labels.origins.size()), last(labels.origins.size());
  for (std::size_t i = 0; i < labels.origin.size(); ++i) {
    ++members[labels.origin[i]];
    last[labels.origin[i]] = i;
  }
  std::vector<NamedBody> named;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (members[k] == 1 && labels.origins[k] != "bodies") named.push_back({last[k], labels.origins[k]});
  }
  std::ranges::sort(named, {}, &NamedBody::body);
  return named;
}

std::optional<std::size_t> body_without_end(const Bodies& bodies) {
  constexpr double far = 1e150;
  for (const auto* values : axes(bodies)) {
    const auto gone = std::ranges::find_if(*values, [](double value) { return !(std::abs(value) <= far); });
    if (gone != values->end()) return static_cast<std::size_t>(gone - values->begin());
  }
  return std::nullopt;
}

Error flies_away(std::int64_t step, std::uint64_t id, double dt) {
  return Error(
      fmt::format("After step {} body {} flies away to infinity. Take a shorter time step than {}, or soften "
                  "gravity more.",
                  step, id, dt));
}

std::size_t NBodyFrame::bytes() const {
  return sizeof *this +
         sizeof(float) * (positions.size() + speeds.size() + velocities.size() + potentials.size());
}

bool NBodyFrame::readable() const {
  return positions.readable() && speeds.readable() && velocities.readable() && potentials.readable();
}

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
  state_.labels = std::make_shared<const BodyLabels>(labels_of(start));
  state_.bodies = std::move(start.bodies);
  complete(state_.bodies);
  state_.mass = std::make_shared<const std::vector<double>>(state_.bodies.mass);
  next_ = state_.bodies;
  first_added_id_ = std::ranges::max(state_.labels->id) + 1;
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
  const bool hermite = options.integrator == Integrator::hermite;
  if (hermite || options.softening_kind == SofteningKind::spline) {
    return pairwise_forces(bodies, options, hermite, active, progress);
  }
  return {forces_by(*engines_, bodies, options, progress, active)};
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
  const RunOptions& options = state_.options;
  const bool exact =
      options.integrator == Integrator::hermite || options.softening_kind == SofteningKind::spline;
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
                     options.softening_kind == SofteningKind::plummer &&
                     options.collisions == Collisions::none && !state_.labels->box;
  if (resident_ || leaves_devices_ || !plain) return resident_ != nullptr;
  try {
    check_softening(options, state_.bodies);
    resident_ = std::make_unique<ResidentRun>(resident_by(*engines_, state_.bodies.size(), options));
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

void NBodySimulation::advance(std::int64_t steps, const jobs::Progress& progress) {
  const std::int64_t direction = steps < 0 ? -1 : 1;
  for (std::int64_t left = std::abs(steps); left > 0; --left) {
    progress.check();
    const double dt = static_cast<double>(direction) * state_.options.dt;
    keep_error(progress);
    if (stays_on_devices()) {
      resident_step(dt, progress);
    } else {
      host_step(dt, progress);
    }
    state_.step += direction;
  }
}

void NBodySimulation::resident_step(double dt, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  std::optional<std::size_t> gone;
  try {
    gone = resident_->step(state_.bodies, dt, progress);
  } catch (const NotResident& why) {
    leave_devices(why, progress);
    return host_step(dt, progress);
  }
  if (gone) {  // or non-finite forces: the host reports them
    leave_devices(NotResident("a body flies away, or is too close to another one for single precision"),
                  progress);
    return host_step(dt, progress);
  }
  evaluated_.reset();
  seconds_ = {.forces = resident_->seconds()};
  const auto& [sort, tree, sums] = seconds_.forces;
  seconds_.integration = std::max(0.0, seconds_since(start) - sort - tree - sums);
  work_ = {1, static_cast<std::int64_t>(state_.labels->mass.size())};
}

void NBodySimulation::host_step(double dt, const jobs::Progress& progress) {
  evaluate(progress);
  // Mergers cannot be reversed backwards in time.
  const bool collide = state_.options.collisions != Collisions::none && dt > 0;
  collide ? colliding_step(dt, progress) : whole_step(dt, progress);
}

void NBodySimulation::whole_step(double dt, const jobs::Progress& progress) {
  if (state_.options.time_steps == TimeSteps::block) {
    block_step(dt, progress);
  } else if (state_.options.integrator == Integrator::hermite) {
    hermite(dt, progress);
  } else if (state_.labels->box) {
    comoving_leapfrog(dt, progress);
  } else {
    leapfrog(dt, progress);
  }
}

void NBodySimulation::leapfrog(double dt, const jobs::Progress& progress) {
  auto start = std::chrono::steady_clock::now();
  const auto x = axes(state_.bodies), v = velocities(state_.bodies), a = accelerations(evaluated_->forces);
  const auto next_x = axes(next_), next_v = velocities(next_);
  const int threads = state_.options.threads;
  on_threads(threads, [&] {
    for_each_axis(next_.size(), [&](std::size_t axis, std::size_t i) {
      (*next_v[axis])[i] = (*v[axis])[i] + 0.5 * dt * (*a[axis])[i];
      (*next_x[axis])[i] = (*x[axis])[i] + dt * (*next_v[axis])[i];
    });
  });
  require_near(next_);
  double seconds = seconds_since(start);
  Evaluated there = evaluated(next_, {}, progress);
  start = std::chrono::steady_clock::now();
  const auto next_a = accelerations(there.forces);
  on_threads(threads, [&] {
    for_each_axis(next_.size(), [&](std::size_t axis, std::size_t i) {
      (*next_v[axis])[i] += 0.5 * dt * (*next_a[axis])[i];
    });
  });
  take_step(std::move(there));
  seconds_.integration = seconds + seconds_since(start);
}

/// `dt`: in the logarithm of the scale factor. Velocities are peculiar: momenta over the scale factor.
void NBodySimulation::comoving_leapfrog(double dt, const jobs::Progress& progress) {
  auto start = std::chrono::steady_clock::now();
  const auto& [side, cosmology] = *state_.labels->box;
  const double now = time(), a = std::exp(now), middle = std::exp(now + dt / 2), end = std::exp(now + dt);
  const double first_kick = cosmology.kick(a, middle), last_kick = cosmology.kick(middle, end),
               drift = cosmology.drift(a, end);
  const auto x = axes(state_.bodies), v = velocities(state_.bodies), g = accelerations(evaluated_->forces);
  const auto next_x = axes(next_), next_v = velocities(next_);
  const int threads = state_.options.threads;
  const double loss = on_threads(threads, [&] {
    for_each_axis(next_.size(), [&](std::size_t axis, std::size_t i) {
      const double momentum = a * (*v[axis])[i] + first_kick * (*g[axis])[i];
      (*next_v[axis])[i] = momentum;  // temporarily
      (*next_x[axis])[i] = wrapped((*x[axis])[i] + drift * momentum, side);
    });
    return energy_loss(state_.bodies, *evaluated_, a);
  });
  require_near(next_);
  const double seconds = seconds_since(start);
  Evaluated there = evaluated(next_, {}, progress);
  start = std::chrono::steady_clock::now();
  const auto next_g = accelerations(there.forces);
  const double loss_there = on_threads(threads, [&] {
    for_each_axis(next_.size(), [&](std::size_t axis, std::size_t i) {
      (*next_v[axis])[i] = ((*next_v[axis])[i] + last_kick * (*next_g[axis])[i]) / end;
    });
    return energy_loss(next_, there, end);
  });
  take_step(std::move(there));
  state_.energy_lost += dt / 2 * (loss + loss_there);
  seconds_.integration = seconds + seconds_since(start);
}

/// Per e-folding of the scale factor: see Expansion.
double NBodySimulation::energy_loss(const Bodies& bodies, const Evaluated& there, double scale_factor) const {
  const Energies energies = energies_of(bodies, there.forces.potential);
  return 2 * energies.kinetic + energies.potential / scale_factor;
}

void NBodySimulation::hermite(double dt, const jobs::Progress& progress) {
  const auto x = axes(state_.bodies), v = velocities(state_.bodies), a = accelerations(evaluated_->forces),
             j = jerks(*evaluated_);
  const auto next_x = axes(next_), next_v = velocities(next_);
  for_each_axis(next_.size(), [&](std::size_t axis, std::size_t i) {
    const double speed = (*v[axis])[i], pull = (*a[axis])[i], jerk = (*j[axis])[i];
    (*next_x[axis])[i] = (*x[axis])[i] + dt * (speed + dt / 2 * (pull + dt / 3 * jerk));
    (*next_v[axis])[i] = speed + dt * (pull + dt / 2 * jerk);
  });
  require_near(next_);
  const Evaluated predicted = evaluated(next_, {}, progress);
  const auto next_a = accelerations(predicted.forces), next_j = jerks(predicted);
  for_each_axis(next_.size(), [&](std::size_t axis, std::size_t i) {
    const double pull = (*a[axis])[i], pull_there = (*next_a[axis])[i];
    const double speed =
        (*v[axis])[i] + dt / 2 * (pull + pull_there) + dt * dt / 12 * ((*j[axis])[i] - (*next_j[axis])[i]);
    (*next_x[axis])[i] =
        (*x[axis])[i] + dt / 2 * ((*v[axis])[i] + speed) + dt * dt / 12 * (pull - pull_there);
    (*next_v[axis])[i] = speed;
  });
  require_near(next_);
  take_step(evaluated(next_, {}, progress));
}

void NBodySimulation::block_step(double dt, const jobs::Progress& progress, const WatchStep& watch) {
  const auto start = std::chrono::steady_clock::now();
  double forces_seconds = 0;
  const auto forces_on = [&](const Bodies& bodies, std::span<const std::uint32_t> active) {
    progress.check();
    require_near(bodies);
    const auto before = std::chrono::steady_clock::now();
    const bool all = active.size() == bodies.size();
    Evaluated found = evaluated(bodies, all ? std::span<const std::uint32_t>() : active, progress);
    forces_seconds += seconds_since(before);
    return found;
  };
  MovingBodies moving{state_.bodies, *evaluated_, state_.rungs};
  const StepWork work = on_threads(
      state_.options.threads, [&] { return take_block_step(moving, state_.options, dt, forces_on, watch); });
  next_ = std::move(moving.bodies);
  state_.rungs = std::move(moving.rungs);
  take_step(std::move(moving.forces));
  work_ = work;
  seconds_.integration = seconds_since(start) - forces_seconds;
}

/// Up to here the state is that of the previous step, even after exceptions.
void NBodySimulation::take_step(Evaluated evaluated) {
  std::swap(state_.bodies, next_);
  seconds_ = {.forces = evaluated.forces.seconds};
  work_ = {1, static_cast<std::int64_t>(state_.bodies.size())};
  evaluated_ = std::move(evaluated);
}

void NBodySimulation::require_near(const Bodies& bodies) const {
  const auto gone = body_without_end(bodies);
  if (gone) throw flies_away(state_.step, state_.labels->id[*gone], state_.options.dt);
}

Diagnostics NBodySimulation::diagnostics(bool with_radii) const {
  const auto& potential = evaluated_->forces.potential;
  if (state_.labels->box)
    return comoving_diagnostics_of(state_.bodies, potential, {std::exp(time()), state_.energy_lost});
  Diagnostics found = with_radii ? diagnostics_of(state_.bodies, potential)
                                 : diagnostics_of(totals_of(state_.bodies, potential));
  found.collisions = {state_.collisions, state_.energy_lost};
  return found;
}

std::shared_ptr<const NBodyFrame> NBodySimulation::frame(simulation::Wanted what,
                                                         const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  auto there = resident_frame(what, progress);
  auto made = frame_without_numbers();
  if (there) {
    made->centre = there->centre;
    made->diagnostics = there->diagnostics;
    made->positions = dispatch::LazyValues(std::move(there->positions));
    made->speeds = dispatch::LazyValues(std::move(there->speeds));
    made->velocities = dispatch::LazyValues(std::move(there->velocities));
    made->potentials = dispatch::LazyValues(std::move(there->potentials));
    made->seconds.diagnostics = seconds_since(start);
    return made;
  }
  bring_home(progress);
  if ((what & (frame_potentials | frame_diagnostics | frame_totals | frame_force_error)) != 0)
    evaluate(progress);
  made = frame_without_numbers();  // the bodies may have left their devices
  const auto begun = std::chrono::steady_clock::now();
  on_threads(state_.options.threads, [&] { take_numbers_from_host(*made, what, progress); });
  made->seconds.diagnostics = seconds_since(begun);
  return made;
}

/// Nothing where the host makes the frame: the bodies are there, or the requested parts are only computed there.
std::optional<ResidentFrame> NBodySimulation::resident_frame(simulation::Wanted what,
                                                             const jobs::Progress& progress) {
  constexpr simulation::Wanted numbers =
      frame_positions | frame_speeds | frame_potentials | frame_diagnostics | frame_velocities;
  if (!resident_ || (what & frame_force_error) != 0) return std::nullopt;
  if ((what & frame_totals) != 0) what |= frame_diagnostics;  // radii cost little on devices
  try {
    auto found = resident_->frame(state_.bodies, what & numbers, progress);
    if (found && (what & (frame_potentials | frame_diagnostics)) != 0) engines_->record(found->report);
    return found;
  } catch (const NotResident& why) {
    leave_devices(why, progress);
    return std::nullopt;
  }
}

std::shared_ptr<NBodyFrame> NBodySimulation::frame_without_numbers() const {
  auto made = std::make_shared<NBodyFrame>();
  made->step = state_.step;
  made->time = time();
  made->labels = state_.labels;
  made->options = state_.options;
  if (state_.kept_error) made->kept_error = *state_.kept_error;
  if (evaluated_) {
    made->computed_by = evaluated_->forces.report.who;
  } else if (resident_) {
    made->computed_by = resident_->who();
  }
  if (resident_) made->stays_on = resident_->where();
  made->seconds = seconds_;
  return made;
}

void NBodySimulation::take_numbers_from_host(NBodyFrame& frame, simulation::Wanted what,
                                             const jobs::Progress& progress) {
  const Bodies& bodies = state_.bodies;
  const std::size_t count = bodies.size();
  if ((what & (frame_diagnostics | frame_totals)) != 0)
    frame.diagnostics = diagnostics((what & frame_diagnostics) != 0);
  if (state_.labels->box) {
    frame.centre.setConstant(state_.labels->box->side / 2);
  } else {
    frame.centre = frame.diagnostics ? frame.diagnostics->centre_of_mass : centre_of_mass(bodies);
  }
  if ((what & frame_force_error) != 0) frame.force_error = sampled_force_error(progress);
  if ((what & frame_positions) != 0) {
    std::vector<float> positions(3 * count);
    const auto x = axes(bodies);
    for_each_axis(count, [&](std::size_t axis, std::size_t i) {
      positions[3 * i + axis] =
          static_cast<float>((*x[axis])[i] - frame.centre[static_cast<Eigen::Index>(axis)]);
    });
    frame.positions = std::move(positions);
  }
  if ((what & frame_velocities) != 0) {
    std::vector<float> found(3 * count);
    const auto v = velocities(bodies);
    for_each_axis(count, [&](std::size_t axis, std::size_t i) {
      found[3 * i + axis] = static_cast<float>((*v[axis])[i]);
    });
    frame.velocities = std::move(found);
  }
  if ((what & frame_speeds) != 0) {
    std::vector<float> speeds(count);
    handover::parallel_for(Range(0, count, grain), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        speeds[i] = static_cast<float>(std::hypot(bodies.vx[i], bodies.vy[i], bodies.vz[i]));
      }
    });
    frame.speeds = std::move(speeds);
  }
  if ((what & frame_potentials) != 0) {
    const auto& potential = evaluated_->forces.potential;
    std::vector<float> potentials(potential.begin(), potential.end());
    const auto shrunk = static_cast<float>(1 / frame.scale_factor());
    if (state_.labels->box) {
      for (float& each : potentials) each *= shrunk;
    }
    frame.potentials = std::move(potentials);
  }
}

SampledErrors NBodySimulation::sampled_force_error(const jobs::Progress& progress) const {
  // Forces summed in double precision are exact.
  if (!evaluated_->jx.empty() || state_.options.softening_kind == SofteningKind::spline) {
    return {.samples = state_.bodies.size()};
  }
  return sampled_errors(state_.bodies, evaluated_->forces, state_.options, sampled_bodies, progress);
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
  const std::string added = state_.options.added;
  state_.options = options;
  take_added(added, options.added);
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
