// Collisions of the bodies of a simulation: when they are looked for, and what becomes of energies and labels.
#include <utility>

#include <fmt/format.h>

#include "core/nbody/collisions.h"
#include "core/nbody/nbody_simulation.h"

namespace isolume::nbody {
namespace {

/// Bodies touch at this part of a step.
struct Touch {
  double part;
};

/// Of bodies that are left, rising.
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

/// Each substep is looked at, and the step ends early where bodies touch; what is left of it follows.
void NBodySimulation::colliding_block_step(double dt, const jobs::Progress& progress) {
  const bool merge = state_.options.collisions == Collisions::merge;
  // Bodies that settle on each other bounce without end: from then on collisions wait for the end of the step.
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
  state_.energy_lost += total(energies_of(state_.bodies, evaluated_->forces.potential)) -
                        total(energies_of(found.bodies, there.forces.potential));
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

Remarks remarks_on_radii(const BodyLabels& labels, const RunOptions& options) {
  Remarks remarks;
  if (options.collisions == Collisions::none || !labels.radius.empty()) return remarks;
  remarks.assumed(fmt::format("No radii are known: bodies collide as spheres of the density {} {}.",
                              options.density, labels.units ? "g/cm³" : "(mass per cubed length, G = 1)"),
                  labels.mass.size());
  return remarks;
}

}  // namespace isolume::nbody
