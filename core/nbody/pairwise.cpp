#include "core/nbody/pairwise.h"

#include <cmath>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/handover.h"

namespace isolume::nbody {

namespace {

SoftenedPull plummer_pull(double r_squared, double softening) {
  const double inverse = 1 / std::sqrt(r_squared + softening * softening);
  const double cube = inverse * inverse * inverse;
  return {cube, -3 * cube * inverse * inverse, -inverse};
}

/// The kernel W of Monaghan and Lattanzio (1985) with its support h, integrated twice; u = r / h.
SoftenedPull spline_pull(double r_squared, double softening) {
  const double h = 2.8 * softening;
  if (r_squared >= h * h) return plummer_pull(r_squared, 0);
  const double u = std::sqrt(r_squared) / h, u2 = u * u;
  const double h3 = h * h * h;
  if (u < 0.5) {
    return {(32.0 / 3 + u2 * (32 * u - 38.4)) / h3, (96 * u - 76.8) / (h3 * h * h),
            (-2.8 + u2 * (16.0 / 3 + u2 * (6.4 * u - 9.6))) / h};
  }
  const double u3 = u2 * u;
  return {(64.0 / 3 - 48 * u + 38.4 * u2 - 32.0 / 3 * u3 - 1 / (15 * u3)) / h3,
          (-48 + 76.8 * u - 32 * u2 + 0.2 / (u3 * u)) / (u * h3 * h * h),
          (-3.2 + 1 / (15 * u) + u2 * (32.0 / 3 + u * (-16 + u * (9.6 - 32.0 / 15 * u)))) / h};
}

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

SoftenedPull softened_pull(double r_squared, double softening, SofteningKind kind) {
  return kind == SofteningKind::spline && softening > 0 ? spline_pull(r_squared, softening)
                                                        : plummer_pull(r_squared, softening);
}

PairwiseForces pairwise_forces(const Bodies& bodies, const RunOptions& options, bool with_jerks,
                               std::span<const std::uint32_t> active, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
  PairwiseForces found{.forces = no_forces(bodies.size())};
  if (with_jerks) {
    for (auto* values : {&found.jx, &found.jy, &found.jz}) values->assign(bodies.size(), 0);
  }
  const double softening = options.softening;
  const bool spline = options.softening_kind == SofteningKind::spline && softening > 0;
  const std::size_t count = active.empty() ? bodies.size() : active.size();
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
