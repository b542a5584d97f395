#pragma once

#include <string>
#include <vector>

#include "core/nbody/initial_conditions.h"
#include "core/nbody/solver.h"

namespace isolume::nbody {

enum class Integrator { leapfrog, hermite };

/// How gravity weakens near a body.
enum class SofteningKind {
  /// Of Plummer spheres: everywhere a little weaker, by 1 % at 12 softening lengths.
  plummer,
  /// Of a spline kernel with the support 2.8 softening lengths: exact from there on. The potential in the
  /// middle is Plummer's, -m / softening (Hernquist, Katz, ApJS 70, 419 (1989); Springel, MNRAS 364, 1105 (2005)).
  spline
};

enum class TimeSteps {
  global,  ///< all bodies by dt
  /// Each body by dt, halved as often as it needs: those that are due are computed, the others are where they
  /// drift to (leapfrog) or are expected (Hermite).
  block
};

/// What becomes of bodies that touch, as spheres.
enum class Collisions { none, merge, bounce };

/// How a system is followed. All of it may change between steps.
struct RunOptions : ForceOptions {
  /// Of one step, above 0: in the unit of time that makes G = 1; in a comoving box of the natural logarithm of the
  /// scale factor.
  double dt = 0.01;
  TimeSteps time_steps = TimeSteps::global;
  /// Of block steps, eta: a body's step is at most sqrt(2 eta softening / |a|) with leapfrog, and with Hermite
  /// sqrt(eta (|a| |a2| + |a1|^2) / (|a1| |a3| + |a2|^2)), a1 to a3 being derivatives (Aarseth, in Multiple Time
  /// Scales (1985)).
  double accuracy = 0.025;
  /// leapfrog: kick, drift, kick; second order, symplectic, reversible; with any solver.
  /// hermite: fourth order (Makino, Aarseth, PASJ 44, 141 (1992)), predicted, evaluated, corrected and evaluated
  /// again, with every pair in double precision whatever the solver; for few bodies.
  Integrator integrator = Integrator::leapfrog;
  /// spline: summed over every pair in double precision, so only with hermite or the direct solver.
  SofteningKind softening_kind = SofteningKind::plummer;
  Collisions collisions = Collisions::none;
  double restitution = 1;  ///< of bodies that bounce: the part of the approaching speed that is left
  /// Of bodies whose radii are not known: g/cm^3 where their units are, else in masses per cubed length, with G = 1.
  double density = 1;
  /// Bodies besides those of the start (added_bodies()); those that are appended during a run join it at that step.
  std::string added;
};

/// Those of force_schema, dt, time-steps, accuracy, integrator, softening-kind, collisions, restitution, density, added-bodies.
const parameters::Schema<RunOptions>& run_schema();

/// Keys of run_schema whose values are not the same, in its order.
std::vector<std::string> differing_keys(const RunOptions& one, const RunOptions& other);

/// What somebody has set, and bodies do not bring with them.
struct ChosenOptions {
  bool dt = false, softening = false, solver = false;
  bool steps = false;  ///< the integrator, the kind of its steps or their accuracy
};
/// The options with the time step, the integrator and the softening that suit the bodies, the period of the box that they are in, and
/// a solver that sums in such a box, or outside.
RunOptions suited_to(const InitialConditions& start, RunOptions options, const ChosenOptions& chosen);

/// Throws Error where an option is out of its range or options do not go together.
void check(const RunOptions& options);

}  // namespace isolume::nbody
