#include "core/nbody/runs/block_steps.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;
/// Ticks in a step of dt; a body on rung n takes steps of this divided by 2^n.
constexpr std::uint32_t whole_step = 1 << 20;

constexpr std::uint32_t ticks(std::uint8_t rung) {
  return whole_step >> rung;
}

Vector3d vector(const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& z,
                std::size_t i) {
  return {x[i], y[i], z[i]};
}
void set(const Vector3d& v, std::vector<double>& x, std::vector<double>& y, std::vector<double>& z,
         std::size_t i) {
  x[i] = v.x(), y[i] = v.y(), z[i] = v.z();
}
Vector3d place(const Bodies& of, std::size_t i) {
  return vector(of.x, of.y, of.z, i);
}
Vector3d velocity(const Bodies& of, std::size_t i) {
  return vector(of.vx, of.vy, of.vz, i);
}
void set_place(const Vector3d& x, Bodies& of, std::size_t i) {
  set(x, of.x, of.y, of.z, i);
}
void set_velocity(const Vector3d& v, Bodies& of, std::size_t i) {
  set(v, of.vx, of.vy, of.vz, i);
}
Vector3d acceleration(const PairwiseForces& of, std::size_t i) {
  return vector(of.forces.ax, of.forces.ay, of.forces.az, i);
}
Vector3d jerk(const PairwiseForces& of, std::size_t i) {
  return vector(of.jx, of.jy, of.jz, i);
}

struct Pull {
  Vector3d acceleration, jerk;
};

template <class Body>
void for_each(std::size_t count, const Body& body) {
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1 << 12), [&](const auto& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) body(i);
  });
}

/// Keeps track of which bodies are due at which time, and of their step lengths.
class Schedule {
 public:
  Schedule(Rungs& rungs, double dt, double accuracy) : rungs_(rungs), dt_(dt), accuracy_(accuracy) {
    for (const std::uint8_t rung : rungs_) ++on_rung_[rung];
  }

  std::uint32_t now() const { return now_; }
  bool at_end() const { return now_ == whole_step; }
  double part() const { return static_cast<double>(now_) / whole_step; }
  double time_of(std::uint32_t duration) const { return dt_ / whole_step * duration; }
  double step_of(std::size_t body) const { return time_of(ticks(rungs_[body])); }

  /// Advances to the next time at which a step ends. Returns the interval, in ticks.
  std::uint32_t go_on() {
    std::uint8_t deepest = deepest_rung;
    while (on_rung_[deepest] == 0) --deepest;
    const std::uint32_t before = now_, shortest = ticks(deepest);
    now_ = (now_ / shortest + 1) * shortest;
    return now_ - before;
  }
  std::vector<std::uint32_t> due() const {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < rungs_.size(); ++i) {
      if (now_ % ticks(rungs_[i]) == 0) found.push_back(static_cast<std::uint32_t>(i));
    }
    return found;
  }
  /// Chooses new steps for the bodies that are due, in their order; `wanted` are upper limits.
  void set_steps(std::span<const std::uint32_t> active, std::span<const double> wanted) {
    for (std::size_t k = 0; k < active.size(); ++k) {
      std::uint8_t& rung = rungs_[active[k]];
      --on_rung_[rung];
      rung = allowed(rung, rung_of(wanted[k], active[k]));
      ++on_rung_[rung];
    }
  }
  std::uint8_t rung_of(double wanted, std::size_t body) const {
    std::uint8_t rung = 0;
    while (rung < deepest_rung && !(std::abs(time_of(ticks(rung))) <= wanted)) ++rung;
    if (std::abs(time_of(ticks(rung))) <= wanted) return rung;
    throw Error(fmt::format(
        "Body {} in the order of the bodies needs a time step of {:.3g}, less than a millionth of {}. Give a "
        "shorter time step, a larger accuracy than {}, or soften gravity more.",
        body + 1, wanted, std::abs(dt_), accuracy_));
  }

 private:
  /// A longer step must begin at a multiple of its length.
  std::uint8_t allowed(std::uint8_t rung, std::uint8_t wanted) const {
    while (rung > wanted && now_ % ticks(static_cast<std::uint8_t>(rung - 1)) == 0) --rung;
    return std::max(rung, wanted);
  }

  Rungs& rungs_;
  double dt_, accuracy_;
  std::uint32_t now_ = 0;
  std::array<std::size_t, deepest_rung + 1> on_rung_ = {};
};

/// Copies the results for the active bodies from `found` to `to`.
void take_over(std::span<const std::uint32_t> active, PairwiseForces&& found, PairwiseForces& to) {
  if (active.size() == to.forces.ax.size()) {
    to = std::move(found);
    return;
  }
  for (const std::uint32_t i : active) {
    set(acceleration(found, i), to.forces.ax, to.forces.ay, to.forces.az, i);
    if (!to.jx.empty()) set(jerk(found, i), to.jx, to.jy, to.jz, i);
  }
  to.forces.seconds = found.forces.seconds;
}

void add(const ForceSeconds& seconds, ForceSeconds& to) {
  to.sort += seconds.sort;
  to.tree += seconds.tree;
  to.sums += seconds.sums;
}

double leapfrog_step(const MovingBodies& moving, const RunOptions& options, std::size_t i) {
  return std::sqrt(2 * options.accuracy * options.softening / acceleration(moving.forces, i).norm());
}

class BlockStep {
 public:
  BlockStep(MovingBodies& moving, const RunOptions& options, double dt, const ForcesOn& forces_on,
            const WatchStep& watch)
      : moving_(with_rungs(moving, options, dt)),
        options_(options),
        forces_on_(forces_on),
        watch_(watch),
        schedule_(moving.rungs, dt, options.accuracy),
        count_(moving.bodies.size()) {}

  StepWork leapfrog() {
    for_each(count_, [&](std::size_t i) { kick(i); });
    while (!schedule_.at_end()) {
      const double drift = schedule_.time_of(schedule_.go_on());
      for_each(count_, [&](std::size_t i) {
        set_place(place(moving_.bodies, i) + drift * velocity(moving_.bodies, i), moving_.bodies, i);
      });
      if (watch_) watch_(moving_.bodies, schedule_.part());
      const auto active = schedule_.due();
      evaluate(moving_.bodies, active);
      std::vector<double> wanted(active.size());
      for_each(active.size(), [&](std::size_t k) {
        kick(active[k]);
        wanted[k] = leapfrog_step(moving_, options_, active[k]);
      });
      schedule_.set_steps(active, wanted);
      if (schedule_.at_end()) break;
      for_each(active.size(), [&](std::size_t k) { kick(active[k]); });
    }
    return finished();
  }

  StepWork hermite() {
    std::vector<std::uint32_t> since(count_, 0);  // when its current step began
    Bodies there = moving_.bodies;
    while (!schedule_.at_end()) {
      schedule_.go_on();
      for_each(count_,
               [&](std::size_t i) { predict(i, schedule_.time_of(schedule_.now() - since[i]), there); });
      if (watch_) watch_(there, schedule_.part());
      const auto active = schedule_.due();
      const std::vector<Pull> first = pulls(active);
      const PairwiseForces predicted = forces_on_(there, active);
      add(predicted.forces.seconds, seconds_);
      for_each(active.size(), [&](std::size_t k) { correct(active[k], predicted, there); });
      evaluate(there, active);
      work_.forces += static_cast<std::int64_t>(active.size());
      std::vector<double> wanted(active.size());
      for_each(active.size(), [&](std::size_t k) {
        const std::uint32_t i = active[k];
        wanted[k] = aarseth_step(first[k], i);
        set_place(place(there, i), moving_.bodies, i);
        set_velocity(velocity(there, i), moving_.bodies, i);
        since[i] = schedule_.now();
      });
      schedule_.set_steps(active, wanted);
    }
    return finished();
  }

 private:
  static MovingBodies& with_rungs(MovingBodies& moving, const RunOptions& options, double dt) {
    if (!moving.rungs.empty()) return moving;
    const Schedule none(moving.rungs, dt, options.accuracy);
    Rungs rungs(moving.bodies.size());
    std::vector<std::size_t> pulled_at_by_nothing;
    for (std::size_t i = 0; i < rungs.size(); ++i) {
      if (options.integrator == Integrator::leapfrog) {
        rungs[i] = none.rung_of(leapfrog_step(moving, options, i), i);
        continue;
      }
      // Hermite does not know the higher derivatives yet at the first step.
      const double a = acceleration(moving.forces, i).norm(), j = jerk(moving.forces, i).norm();
      if (a == 0) {
        pulled_at_by_nothing.push_back(i);
      } else {
        rungs[i] = none.rung_of(options.accuracy * a / j, i);
      }
    }
    // The force is momentarily small, as midway between two others, whose steps suit such a body too.
    const std::uint8_t of_others = rungs.empty() ? std::uint8_t{0} : std::ranges::max(rungs);
    for (const std::size_t i : pulled_at_by_nothing) rungs[i] = of_others;
    moving.rungs = std::move(rungs);
    return moving;
  }

  /// Kick by half of the body's step.
  void kick(std::size_t i) {
    set_velocity(velocity(moving_.bodies, i) + schedule_.step_of(i) / 2 * acceleration(moving_.forces, i),
                 moving_.bodies, i);
  }
  void predict(std::size_t i, double t, Bodies& to) const {
    const Vector3d v = velocity(moving_.bodies, i), a = acceleration(moving_.forces, i),
                   j = jerk(moving_.forces, i);
    set_place(place(moving_.bodies, i) + t * (v + t / 2 * (a + t / 3 * j)), to, i);
    set_velocity(v + t * (a + t / 2 * j), to, i);
  }
  void correct(std::size_t i, const PairwiseForces& predicted, Bodies& to) const {
    const double t = schedule_.step_of(i);
    const Vector3d v = velocity(moving_.bodies, i), a = acceleration(moving_.forces, i),
                   a_there = acceleration(predicted, i);
    const Vector3d v_there =
        v + t / 2 * (a + a_there) + t * t / 12 * (jerk(moving_.forces, i) - jerk(predicted, i));
    set_place(place(moving_.bodies, i) + t / 2 * (v + v_there) + t * t / 12 * (a - a_there), to, i);
    set_velocity(v_there, to, i);
  }
  std::vector<Pull> pulls(std::span<const std::uint32_t> active) const {
    std::vector<Pull> found;
    for (const std::uint32_t i : active)
      found.push_back({acceleration(moving_.forces, i), jerk(moving_.forces, i)});
    return found;
  }
  /// Uses the derivatives at the end of a step, from the cubic through accelerations and jerks at both ends; `first`
  /// are those at its start.
  double aarseth_step(const Pull& first, std::size_t i) const {
    const double t = schedule_.step_of(i);
    const Vector3d a = acceleration(moving_.forces, i), j = jerk(moving_.forces, i);
    const Vector3d fall = first.acceleration - a, j0 = first.jerk;
    const Vector3d third = (12 * fall + 6 * t * (j0 + j)) / (t * t * t);
    const Vector3d second = (-6 * fall - t * (4 * j0 + 2 * j)) / (t * t) + t * third;
    const double up = a.norm() * second.norm() + j.squaredNorm(),
                 down = j.norm() * third.norm() + second.squaredNorm();
    return down > 0 ? std::sqrt(options_.accuracy * up / down) : std::abs(schedule_.time_of(whole_step));
  }

  void evaluate(const Bodies& bodies, std::span<const std::uint32_t> active) {
    take_over(active, forces_on_(bodies, active), moving_.forces);
    add(moving_.forces.forces.seconds, seconds_);
    ++work_.substeps;
    work_.forces += static_cast<std::int64_t>(active.size());
  }
  StepWork finished() {
    moving_.forces.forces.seconds = seconds_;
    return work_;
  }

  MovingBodies& moving_;
  const RunOptions& options_;
  const ForcesOn& forces_on_;
  const WatchStep& watch_;
  Schedule schedule_;
  std::size_t count_;
  StepWork work_ = {};
  ForceSeconds seconds_ = {};
};

}  // namespace

StepWork take_block_step(MovingBodies& moving, const RunOptions& options, double dt,
                         const ForcesOn& forces_on, const WatchStep& watch) {
  BlockStep step(moving, options, dt, forces_on, watch);
  return options.integrator == Integrator::leapfrog ? step.leapfrog() : step.hermite();
}

}  // namespace isolume::nbody
