// What a simulation shows of its bodies.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/base/clock.h"
#include "core/nbody/bodies/each_axis.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {
namespace {

/// Small enough to cost little compared with a step.
constexpr std::size_t sampled_bodies = 64;

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

std::size_t NBodyFrame::bytes() const {
  return sizeof *this +
         sizeof(float) * (positions.size() + speeds.size() + velocities.size() + potentials.size());
}

bool NBodyFrame::readable() const {
  return positions.readable() && speeds.readable() && velocities.readable() && potentials.readable();
}

Diagnostics NBodySimulation::diagnostics(bool with_radii) const {
  const auto& potential = evaluated_->forces.potential;
  if (state_.labels->box)
    return comoving_diagnostics_of(state_.bodies, potential, {std::exp(time()), state_.energy_lost});
  Diagnostics found = with_radii ? diagnostics_of(state_.bodies, potential)
                                 : diagnostics_of(totals_of(state_.bodies, potential));
  found.collisions = {state_.collisions, state_.energy_lost, state_.kinetic_lost};
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
  made->solver = sums().solver;
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
    for_parts_of_bodies(count, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i != end; ++i) {
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
  // Hermite's forces, summed in double precision, are exact.
  if (!evaluated_->jx.empty()) return {.samples = state_.bodies.size()};
  return sampled_errors(state_.bodies, evaluated_->forces, state_.options, sampled_bodies, progress);
}

}  // namespace isolume::nbody
