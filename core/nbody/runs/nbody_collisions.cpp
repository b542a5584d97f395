// Changes of the number of bodies in a simulation: collisions, and bodies added by the user.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/nbody/bodies/added_bodies.h"
#include "core/nbody/bodies/each_axis.h"
#include "core/nbody/runs/collisions.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {
namespace {

/// First contact within a step, as a fraction of it.
struct Touch {
  double part;
};

/// Labels of the remaining bodies, ascending.
std::shared_ptr<const BodyLabels> labels_of_kept(const BodyLabels& before, const Collided& after) {
  auto labels = std::make_shared<BodyLabels>();
  labels->mass.assign(after.bodies.mass.begin(), after.bodies.mass.end());
  for (const std::size_t i : after.kept) {
    labels->id.push_back(before.id[i]);
    labels->origin.push_back(before.origin[i]);
  }
  labels->origins = before.origins;
  if (!before.radius.empty()) labels->radius = after.radius;
  labels->units = before.units;
  return labels;
}

double total(const Energies& energies) {
  return energies.kinetic + energies.potential;
}

}  // namespace

std::vector<double> NBodySimulation::radii() const {
  return radii_of(state_.bodies.mass, state_.labels->radius, state_.options, state_.labels->units);
}

void NBodySimulation::colliding_step(double dt, const jobs::Progress& progress) {
  const State before = state_;
  const auto forces = evaluated_;
  try {
    if (state_.options.time_steps == TimeSteps::block) {
      colliding_block_step(dt, progress);
    } else {
      whole_step(dt, progress);
      collide(before.bodies, dt, progress);
    }
  } catch (...) {
    state_ = before;
    evaluated_ = forces;
    next_ = state_.bodies;
    throw;
  }
}

/// Checks each substep, and ends the step early where bodies touch; the rest of it follows.
void NBodySimulation::colliding_block_step(double dt, const jobs::Progress& progress) {
  const bool merge = state_.options.collisions == Collisions::merge;
  // Bodies resting on each other bounce endlessly: beyond this number, collisions wait for the end of the step.
  const std::size_t most_touches = 100 + state_.bodies.size();
  StepWork work;
  std::size_t touches = 0;
  for (double left = dt; left != 0; ++touches) {
    Bodies previous = state_.bodies;
    double passed = 0;
    const auto watch = [&, radius = radii()](const Bodies& there, double part) {
      for (const Contact& each : contacts_between(previous, there, radius)) {
        if (merge || each.approaching) throw Touch{part};
      }
      previous = there;
      passed = part;
    };
    double part = 1;
    if (touches == most_touches) {
      block_step(left, progress);
      collide(previous, left, progress);
    } else {
      try {
        block_step(left, progress, watch);
      } catch (const Touch& touch) {
        part = touch.part;
        block_step(part * left, progress);
        state_.rungs.clear();
        collide(previous, (part - passed) * left, progress);
      }
    }
    work.substeps += work_.substeps;
    work.forces += work_.forces;
    left *= 1 - part;
  }
  work_ = work;
}

void NBodySimulation::collide(const Bodies& before, double dt, const jobs::Progress& progress) {
  const RunOptions& options = state_.options;
  const std::vector<double> radius = radii();
  const std::vector<Contact> contacts = contacts_between(before, state_.bodies, radius);
  if (contacts.empty()) return;
  Collided found = options.collisions == Collisions::merge
                       ? merged(state_.bodies, radius, contacts)
                       : bounced(before, state_.bodies, radius, contacts, options.restitution, dt);
  if (found.collisions == 0) return;
  Evaluated there = evaluated(found.bodies, {}, progress);
  const Energies old = energies_of(state_.bodies, evaluated_->forces.potential),
                 now = energies_of(found.bodies, there.forces.potential);
  state_.energy_lost += total(old) - total(now);
  state_.kinetic_lost += old.kinetic - now.kinetic;
  state_.collisions += found.collisions;
  if (found.kept.size() < state_.bodies.size()) {
    state_.labels = labels_of_kept(*state_.labels, found);
    state_.mass = std::make_shared<const std::vector<double>>(found.bodies.mass);
  }
  state_.bodies = std::move(found.bodies);
  next_ = state_.bodies;
  state_.rungs.clear();
  evaluated_ = std::move(there);
}

namespace {

/// Removes bodies with ids in [first, end).
void remove_ids(std::uint64_t first, std::uint64_t end, Bodies& bodies, BodyLabels& labels) {
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < labels.id.size(); ++i) {
    if (labels.id[i] < first || labels.id[i] >= end) left.push_back(i);
  }
  const auto keep = [&left](auto& values) {
    if (values.empty()) return;
    for (std::size_t row = 0; row < left.size(); ++row) values[row] = values[left[row]];
    values.resize(left.size());
  };
  for (auto* each :
       {&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &labels.radius})
    keep(*each);
  keep(labels.mass);
  keep(labels.id);
  keep(labels.origin);
}

/// Each added body is an origin of its own as long as there is room, so that it has a name.
void append(const AddedBody& body, std::uint64_t id, std::uint64_t number, const RunOptions& options,
            Bodies& bodies, BodyLabels& labels) {
  constexpr std::size_t most_origins = 255;
  const std::string name = fmt::format("added {}", number);
  auto origin = std::ranges::find(labels.origins, name);
  if (origin == labels.origins.end() && labels.origins.size() < most_origins)
    origin = labels.origins.insert(origin, name);
  if (origin == labels.origins.end()) --origin;
  bodies.mass.push_back(body.mass);
  bodies.x.push_back(body.place.x());
  bodies.y.push_back(body.place.y());
  bodies.z.push_back(body.place.z());
  bodies.vx.push_back(body.velocity.x());
  bodies.vy.push_back(body.velocity.y());
  bodies.vz.push_back(body.velocity.z());
  labels.mass.push_back(static_cast<float>(body.mass));
  labels.id.push_back(id);
  labels.origin.push_back(static_cast<std::uint8_t>(origin - labels.origins.begin()));
  if (!labels.radius.empty())
    labels.radius.push_back(radii_of({body.mass}, {}, options, labels.units).front());
}

/// Gives the body `change.of` other values, or removes it.
void apply(const AddedBody& change, Bodies& bodies, BodyLabels& labels) {
  const auto found = std::ranges::find(labels.id, *change.of);
  if (found == labels.id.end())
    throw Error(
        fmt::format("There is no body {} to change or remove. Take it out of the added bodies.", *change.of));
  if (change.removed) {
    if (labels.id.size() == 1) throw Error("The last body cannot be removed.");
    return remove_ids(*change.of, *change.of + 1, bodies, labels);
  }
  const auto row = static_cast<std::size_t>(found - labels.id.begin());
  bodies.mass[row] = change.mass;
  labels.mass[row] = static_cast<float>(change.mass);
  if (change.mass_only) return;
  const auto places = axes(bodies), speeds = velocities(bodies);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    (*places[axis])[row] = change.place[static_cast<Eigen::Index>(axis)];
    (*speeds[axis])[row] = change.velocity[static_cast<Eigen::Index>(axis)];
  }
}

}  // namespace

/// Removes bodies that are no longer in the list, unless they have merged, adds the new ones, and changes others.
void NBodySimulation::take_added(const std::string& before, const std::string& now) {
  if (before == now) return;
  const auto is_change = [](const AddedBody& each) { return each.of.has_value(); };
  const auto wanted = added_bodies(now);
  auto old = added_bodies(before);
  const auto leaves_changes = [&] {
    return std::any_of(std::ranges::mismatch(old, wanted).in1, old.end(), is_change);
  };
  Bodies bodies = state_.bodies;
  BodyLabels labels = *state_.labels;
  auto unchanged = state_.unchanged;
  if (unchanged && leaves_changes()) {
    old = added_bodies(unchanged->added);
    bodies = unchanged->bodies;
    labels = *unchanged->labels;
    unchanged.reset();
  }
  if (leaves_changes())
    throw Error("Bodies were changed or removed at an earlier step. Go back to that step to undo it.");
  const auto [in_old, in_wanted] = std::ranges::mismatch(old, wanted);
  if (!unchanged && std::any_of(in_wanted, wanted.end(), is_change))
    unchanged = std::make_shared<const Unchanged>(
        Unchanged{bodies, std::make_shared<const BodyLabels>(labels), text_of(old)});
  auto number = count_new({old.begin(), in_old});
  remove_ids(first_added_id_ + number, first_added_id_ + count_new(old), bodies, labels);
  for (auto each = in_wanted; each != wanted.end(); ++each) {
    if (each->of) {
      apply(*each, bodies, labels);
    } else {
      append(*each, first_added_id_ + number, number + 1, state_.options, bodies, labels);
      ++number;
    }
  }
  state_.unchanged = std::move(unchanged);
  state_.bodies = std::move(bodies);
  state_.labels = std::make_shared<const BodyLabels>(std::move(labels));
  state_.mass = std::make_shared<const std::vector<double>>(state_.bodies.mass);
  next_ = state_.bodies;
  state_.rungs.clear();
  state_.kept_error.reset();
  evaluated_.reset();
  resident_.reset();
  leaves_devices_ = false;
}

Remarks remarks_on_radii(const BodyLabels& labels, const RunOptions& options) {
  Remarks remarks;
  if (options.collisions == Collisions::none || !labels.radius.empty()) return remarks;
  remarks.assumed(fmt::format("No radii are known: bodies collide as spheres of the density {} {}.",
                              options.density, labels.units ? "g/cm³" : "(mass per cubed length, G = 1)"),
                  labels.mass.size());
  return remarks;
}

}  // namespace isolume::nbody
