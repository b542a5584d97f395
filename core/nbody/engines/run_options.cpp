#include "core/nbody/engines/run_options.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nbody/bodies/added_bodies.h"

namespace isolume::nbody {

const parameters::Schema<RunOptions>& run_schema() {
  using O = RunOptions;
  using parameters::field;
  static const parameters::Schema<O> schema(
      {field("dt", &O::dt, "Time step")
           .range(1e-100, 1e100)
           .usual(1e-4, 0.1)
           .logarithmic()
           .group("Integration")
           .help("Time step, in the unit that makes G = 1; in a cosmological box, a step of the logarithm of "
                 "the scale factor."),
       field("time-steps", &O::time_steps, "Time steps",
             {{"global", "The same for all bodies"}, {"block", "Individual, dt divided by a power of two"}})
           .group("Integration")
           .help("Block: bodies that need shorter steps take them, and only their forces are computed then."),
       field("accuracy", &O::accuracy, "Step accuracy")
           .range(1e-8, 1)
           .usual(1e-3, 0.1)
           .logarithmic()
           .group("Integration")
           .only_when("time-steps", {"block"})
           .help(
               "Accuracy parameter eta: a quarter of it halves the steps of all bodies with steps below dt."),
       field("integrator", &O::integrator, "Integrator",
             {{"leapfrog", "Leapfrog"}, {"hermite", "Hermite, fourth order"}})
           .group("Integration")
           .help("Leapfrog conserves energy over long times and is reversible; Hermite is more accurate, for "
                 "few bodies."),
       field("collisions", &O::collisions, "Collisions",
             {{"none", "None"}, {"merge", "Bodies merge"}, {"bounce", "Bodies bounce"}})
           .group("Collisions")
           .help("What happens when two bodies touch, as spheres: nothing, they merge into one, or they "
                 "bounce. Momentum is conserved."),
       field("restitution", &O::restitution, "Restitution")
           .range(0, 1)
           .group("Collisions")
           .only_when("collisions", {"bounce"})
           .help("Speed of two bodies along the line of centres after a collision, divided by the speed "
                 "before; 1 is elastic."),
       field("density", &O::density, "Density of bodies")
           .range(1e-100, 1e100)
           .usual(1e-2, 1e2)
           .logarithmic()
           .unit("g/cm³")
           .group("Collisions")
           .only_when("collisions", {"merge", "bounce"})
           .help(
               "Density that gives a body its radius where none is known. For bodies without units: mass per "
               "cubed length, with G = 1."),
       field("added-bodies", &O::added, "Added bodies")
           .group("Integration")
           .help("Bodies besides those of the start: mass x y z vx vy vz of each, with G = 1, @ and the step "
                 "at which it joins a run, and a semicolon between two. Without a step, they join at the "
                 "start. #7 before the values, or before a mass, changes body 7; #7 alone removes it.")},
      force_schema());
  return schema;
}

std::vector<std::string> differing_keys(const RunOptions& one, const RunOptions& other) {
  std::vector<std::string> keys;
  for (const auto& field : run_schema().fields()) {
    if (field.get(one) != field.get(other)) keys.push_back(field.description.key);
  }
  return keys;
}

namespace {

void suit_steps(const InitialConditions& start, bool dt_is_chosen, RunOptions& options) {
  const RunOptions usual;
  options.integrator = usual.integrator;
  options.time_steps = usual.time_steps;
  options.accuracy = usual.accuracy;
  options.softening_kind = usual.softening_kind;
  if (start.recorded_softening && start.recorded_softening->kind)
    options.softening_kind = *start.recorded_softening->kind;
  // Hermite's forces are only computed on the CPU.
  const bool on_processor = options.engine == "auto" || options.engine == "cpu";
  if (!start.few_body_steps || !on_processor) return;
  options.integrator = Integrator::hermite;
  options.time_steps = TimeSteps::block;
  options.accuracy = start.few_body_steps->accuracy;
  if (!dt_is_chosen) options.dt = start.few_body_steps->dt;
}

}  // namespace

RunOptions suited_to(const InitialConditions& start, RunOptions options, const ChosenOptions& chosen) {
  if (!chosen.dt && start.time_step > 0) options.dt = start.time_step;
  if (!chosen.steps) suit_steps(start, chosen.dt, options);
  if (!chosen.softening) options.softening = start.softening;
  options.period = start.box ? start.box->side : 0;
  if (!chosen.solver) {
    if (start.box) {
      options.solver = SolverKind::particle_mesh;
    } else if (options.solver == SolverKind::particle_mesh) {
      options.solver = RunOptions().solver;
    }
  }
  return options;
}

void check(const RunOptions& options) {
  const bool hermite = options.integrator == Integrator::hermite;
  ForceOptions sums = options;
  if (hermite) sums.softening_kind = SofteningKind::plummer;  // either kind, whatever the solver
  check(sums);
  if (!added_bodies(options.added).empty() && options.period > 0)
    throw Error("No body can be added to a comoving box. Leave the added bodies empty.");
  if (options.period > 0 && options.collisions != Collisions::none) {
    throw Error(
        "Bodies in a comoving box stand for smooth matter and do not collide. Choose the collisions "
        "\"none\".");
  }
  if (!(options.restitution >= 0 && options.restitution <= 1))
    throw Error(fmt::format("The restitution is {}. Give one from 0 to 1.", options.restitution));
  if (!(options.density > 0 && std::isfinite(options.density)))
    throw Error(fmt::format("The density of bodies is {}. Give one above 0.", options.density));
  if (options.period > 0 &&
      (options.integrator != Integrator::leapfrog || options.time_steps != TimeSteps::global)) {
    throw Error(
        "Bodies in a comoving box are followed by leapfrog with the same time step for all. Choose the "
        "integrator \"leapfrog\" and the time steps \"global\".");
  }
  if (!(options.dt > 0 && std::isfinite(options.dt))) {
    throw Error(fmt::format("A time step of {} is not possible. Give a number above 0.", options.dt));
  }
  if (!(options.accuracy >= 1e-8 && options.accuracy <= 1)) {
    throw Error(fmt::format("The accuracy of block steps is {}. Give one from 1e-8 to 1.", options.accuracy));
  }
  if (options.time_steps == TimeSteps::block && options.integrator == Integrator::leapfrog &&
      options.softening == 0) {
    throw Error(
        "Leapfrog's block steps follow from the softening, which is 0. Soften gravity, or take global steps "
        "or the Hermite integrator.");
  }
  if (hermite && options.engine != "auto" && options.engine != "cpu") {
    throw Error(fmt::format(
        "The Hermite integrator sums in double precision on the CPU, the engine {} was asked for. Choose the "
        "engine \"auto\" or \"cpu\", or leapfrog.",
        isolume::quoted(options.engine)));
  }
}

}  // namespace isolume::nbody
