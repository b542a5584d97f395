// The integrators: steps of the bodies, on the host and on devices.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/nbody/bodies/each_axis.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {

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
    state_.unchanged.reset();
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

}  // namespace isolume::nbody
