#pragma once

#include <string>
#include <vector>

#include "core/nbody/bodies/initial_conditions.h"
#include "core/nbody/forces/solver.h"

namespace isolume::nbody {

enum class Integrator { leapfrog, hermite };

enum class TimeSteps {
  global,  ///< all bodies by dt
  /// Individual steps: dt halved as often as a body needs. Forces are computed for bodies that are due; the others
  /// are at drifted (leapfrog) or predicted (Hermite) positions.
  block
};

/// What happens to bodies that touch, as spheres.
enum class Collisions { none, merge, bounce };

/// Options of a run. All may change between steps.
struct RunOptions : ForceOptions {
  /// Length of a step, above 0: in the unit of time that makes G = 1; in a comoving box, in the natural logarithm of
  /// the scale factor.
  double dt = 0.01;
  TimeSteps time_steps = TimeSteps::global;
  /// Accuracy parameter eta of block steps: a body's step is at most sqrt(2 eta softening / |a|) with leapfrog, and
  /// with Hermite sqrt(eta (|a| |a2| + |a1|^2) / (|a1| |a3| + |a2|^2)), a1 to a3 being derivatives (Aarseth, in
  /// Multiple Time Scales (1985)).
  double accuracy = 0.025;
  /// leapfrog: kick, drift, kick; second order, symplectic, reversible; with any solver.
  /// hermite: fourth order (Makino, Aarseth, PASJ 44, 141 (1992)), predicted, evaluated, corrected and evaluated
  /// again, with every pair in double precision whatever the solver; for few bodies.
  Integrator integrator = Integrator::leapfrog;
  Collisions collisions = Collisions::none;
  double restitution =
      1;  ///< coefficient of restitution of bodies that bounce: the fraction of the approach speed
          ///< that is left
  /// Density of bodies whose radii are not known: in g/cm^3 where they have units, else in mass per cubed length,
  /// with G = 1.
  double density = 1;
  /// Bodies added to those of the start (added_bodies()); those appended during a run join it at that step.
  std::string added;
};

/// Fields of force_schema, and dt, time-steps, accuracy, integrator, collisions, restitution, density, added-bodies.
const parameters::Schema<RunOptions>& run_schema();

/// Keys of run_schema whose values differ, in its order.
std::vector<std::string> differing_keys(const RunOptions& one, const RunOptions& other);

/// Which options were set explicitly, and are not overridden by those that come with the bodies.
struct ChosenOptions {
  bool dt = false, softening = false, solver = false;
  bool steps = false;  ///< the integrator, the kind of its steps or their accuracy, or the softening kernel
};
/// The options with the time step, the integrator and the softening recommended for the bodies, the period of their
/// box, and a solver that works in such a box, or outside.
RunOptions suited_to(const InitialConditions& start, RunOptions options, const ChosenOptions& chosen);

/// Throws Error where an option is out of range or options are incompatible.
void check(const RunOptions& options);

}  // namespace isolume::nbody
