#include "core/nbody/distributed/simulation_on_ranks.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;

/// Between divisions bodies move, so that the ranks' boxes overlap and their work becomes unequal.
constexpr std::int64_t steps_between_divisions = 8;

void kick(OwnBodies& own, const Forces& forces, double dt) {
  Bodies& bodies = own.bodies;
  for (std::size_t i = 0; i < own.size(); ++i) {
    bodies.vx[i] += dt * forces.ax[i];
    bodies.vy[i] += dt * forces.ay[i];
    bodies.vz[i] += dt * forces.az[i];
  }
}

void drift(OwnBodies& own, double dt) {
  Bodies& bodies = own.bodies;
  for (std::size_t i = 0; i < own.size(); ++i) {
    bodies.x[i] += dt * bodies.vx[i];
    bodies.y[i] += dt * bodies.vy[i];
    bodies.z[i] += dt * bodies.vz[i];
  }
}

Totals totals_of_all(const Ranks& ranks, const Totals& own) {
  std::array<double, 12> sums = {own.mass, own.kinetic, own.potential};
  const auto vector = [&](std::size_t at) { return Eigen::Map<Vector3d>(&sums[at]); };
  vector(3) = own.place;
  vector(6) = own.momentum;
  vector(9) = own.angular_momentum;
  ranks.sum(sums);
  return {sums[0], sums[1], sums[2], vector(3), vector(6), vector(9)};
}

/// Mass enclosed by spheres about a position.
class MassWithin {
 public:
  MassWithin(const Bodies& bodies, const Vector3d& about) : within_(bodies.size()) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const Vector3d place(bodies.x[i], bodies.y[i], bodies.z[i]);
      within_[i] = {(place - about).norm(), bodies.mass[i]};
    }
    std::ranges::sort(within_, {}, &Shell::radius);
    double mass = 0;
    for (Shell& shell : within_) shell.mass = mass += shell.mass;
  }

  double operator()(double radius) const {
    const auto beyond = std::ranges::upper_bound(within_, radius, {}, &Shell::radius);
    return beyond == within_.begin() ? 0 : std::prev(beyond)->mass;
  }

 private:
  struct Shell {
    double radius, mass;
  };
  std::vector<Shell> within_;
};

/// Bisection on the bit patterns: positive floating-point numbers are ordered as their bits, so that 63 steps find
/// the exact body.
void set_lagrangian_radii(const Ranks& ranks, const Bodies& bodies, double mass, Diagnostics& diagnostics) {
  constexpr std::size_t count = Diagnostics::mass_fractions.size();
  const MassWithin within(bodies, diagnostics.centre_of_mass);
  std::array<std::uint64_t, count> low = {}, high = {};  // bounds of the search, inclusive
  high.fill(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::max()));
  for (int bit = 0; bit < 64; ++bit) {
    std::array<double, count> masses = {};
    std::array<std::uint64_t, count> middle = {};
    for (std::size_t i = 0; i < count; ++i) {
      middle[i] = low[i] + (high[i] - low[i]) / 2;
      masses[i] = within(std::bit_cast<double>(middle[i]));
    }
    ranks.sum(masses);
    for (std::size_t i = 0; i < count; ++i) {
      const bool enough = masses[i] >= Diagnostics::mass_fractions[i] * mass;
      (enough ? high : low)[i] = enough ? middle[i] : std::min(middle[i] + 1, high[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) diagnostics.lagrangian_radii[i] = std::bit_cast<double>(high[i]);
}

}  // namespace

void check_on_ranks(const RunOptions& options) {
  check(options);
  check_on_ranks(static_cast<const ForceOptions&>(options));
  if (options.integrator != Integrator::leapfrog || options.time_steps != TimeSteps::global ||
      options.collisions != Collisions::none || !options.added.empty()) {
    throw Error(
        "Several ranks follow bodies by leapfrog with steps that are the same for all, without collisions "
        "and added bodies. Choose these, or start the program without mpirun.");
  }
}

SimulationOnRanks::SimulationOnRanks(const Ranks& ranks, OwnBodies own, RunOptions options, double time,
                                     const jobs::Progress& progress)
    : ranks_(ranks), options_(std::move(options)), own_(std::move(own)), start_(time) {
  check_on_ranks(options_);
  options_.error_factor = 1;
  options_.solver = solver_on_ranks(options_.solver);
  divide(progress);
  std::array count = {static_cast<double>(own_.size())};
  ranks_.sum(count);
  const std::size_t samples = bodies_to_compare(static_cast<std::size_t>(count[0]));
  ForcesWithinError found = forces_within_error(
      options_,
      [&](const ForceOptions& stricter) { return forces_on_ranks(ranks_, own_, stricter, progress); },
      [&](const Forces& forces) {
        return sampled_errors(ranks_, own_, forces, options_.softening, samples, progress);
      });
  options_.error_factor = found.error.factor;
  kept_error_ = found.error;
  take(std::move(found.forces));
}

void SimulationOnRanks::divide(const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  own_ = divided(ranks_, own_, progress);
  seconds_.division += seconds_since(start);
}

void SimulationOnRanks::evaluate(const jobs::Progress& progress) {
  take(forces_on_ranks(ranks_, own_, options_, progress));
}

void SimulationOnRanks::take(Forces forces) {
  forces_ = std::move(forces);
  seconds_.forces.sort += forces_.seconds.sort;
  seconds_.forces.tree += forces_.seconds.tree;
  seconds_.forces.sums += forces_.seconds.sums;
}

void SimulationOnRanks::advance(const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  ranks_.together([&] {
    progress.check();
    kick(own_, forces_, options_.dt / 2);
    drift(own_, options_.dt);
    if (const auto gone = body_without_end(own_.bodies))
      throw flies_away(step_, own_.number[*gone] + 1, options_.dt);
  });
  seconds_.integration += seconds_since(start);
  if (step_ % steps_between_divisions == 0) divide(progress);  // at first by the work of the initial forces
  evaluate(progress);
  kick(own_, forces_, options_.dt / 2);
  ++step_;
}

Diagnostics SimulationOnRanks::diagnostics() const {
  Totals own;
  tbb::task_arena arena(ranks_.threads());
  ranks_.together([&] { arena.execute([&] { own = totals_of(own_.bodies, forces_.potential); }); });
  const Totals totals = totals_of_all(ranks_, own);
  Diagnostics found = diagnostics_of(totals);
  if (totals.mass > 0) set_lagrangian_radii(ranks_, own_.bodies, totals.mass, found);
  return found;
}

}  // namespace isolume::nbody
