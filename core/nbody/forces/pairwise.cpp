#include "core/nbody/forces/pairwise.h"

#include <cmath>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/bodies/each_axis.h"

namespace isolume::nbody {

namespace {

template <class Pull>
void add_all(const Bodies& bodies, std::size_t on, bool with_jerks, const Pull& pull, PairwiseForces& to) {
  double ax = 0, ay = 0, az = 0, jx = 0, jy = 0, jz = 0, potential = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double x = bodies.x[i] - bodies.x[on], y = bodies.y[i] - bodies.y[on],
                 z = bodies.z[i] - bodies.z[on];
    const double r_squared = x * x + y * y + z * z;
    if (i == on) continue;
    const SoftenedPull by = pull(r_squared);
    if (!std::isfinite(by.pull) && x == 0 && y == 0 && z == 0)
      continue;  // coincident bodies without softening exert no force
    const double mass = bodies.mass[i], strength = mass * by.pull;
    ax += strength * x;
    ay += strength * y;
    az += strength * z;
    potential += mass * by.potential;
    if (!with_jerks) continue;
    const double vx = bodies.vx[i] - bodies.vx[on], vy = bodies.vy[i] - bodies.vy[on],
                 vz = bodies.vz[i] - bodies.vz[on];
    const double change = mass * by.change * (x * vx + y * vy + z * vz);
    jx += strength * vx + change * x;
    jy += strength * vy + change * y;
    jz += strength * vz + change * z;
  }
  to.forces.ax[on] = ax;
  to.forces.ay[on] = ay;
  to.forces.az[on] = az;
  to.forces.potential[on] = potential;
  if (!with_jerks) return;
  to.jx[on] = jx;
  to.jy[on] = jy;
  to.jz[on] = jz;
}

}  // namespace

PairwiseForces pairwise_forces(const Bodies& bodies, const ForceOptions& options, bool with_jerks,
                               std::span<const std::uint32_t> active, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  PairwiseForces found{.forces = no_forces(bodies.size())};
  if (with_jerks) {
    for (auto* values : {&found.jx, &found.jy, &found.jz}) values->assign(bodies.size(), 0);
  }
  const double softening = options.softening;
  const bool spline = options.softening_kind == SofteningKind::spline && softening > 0;
  const std::size_t count = active.empty() ? bodies.size() : active.size();
  const int threads = threads_for(options.threads, count * bodies.size());
  tbb::task_arena(threads).execute([&] {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 16), [&](const auto& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i) {
        const std::size_t on = active.empty() ? i : active[i];
        progress.check();
        if (spline) {
          add_all(
              bodies, on, with_jerks, [&](double r2) { return spline_pull(r2, softening); }, found);
        } else {
          add_all(
              bodies, on, with_jerks, [&](double r2) { return plummer_pull(r2, softening); }, found);
        }
      }
    });
  });
  check_finite(found.forces);
  found.forces.body_pairs = static_cast<std::uint64_t>(count) * bodies.size();
  found.forces.seconds.sums = seconds_since(start);
  found.forces.report = {.who = fmt::format("CPU, every pair in double precision, {} {}", threads,
                                            threads == 1 ? "thread" : "threads")};
  return found;
}

}  // namespace isolume::nbody
