// What acts on one body or at one place, beside what acts there exactly.
#include "core/nbody/engines/probed_force.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/nbody/distributions.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;

RunOptions with(SolverKind solver, double softening = 0) {
  RunOptions options;
  options.solver = solver;
  options.softening = softening;
  return options;
}

/// In long double, as it is defined; a body that is there is left out.
Vector3d pull_by_hand(const Bodies& bodies, const Vector3d& at, double softening) {
  long double x = 0, y = 0, z = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const long double dx = bodies.x[i] - at.x(), dy = bodies.y[i] - at.y(), dz = bodies.z[i] - at.z();
    if (dx == 0 && dy == 0 && dz == 0) continue;
    const long double squared = dx * dx + dy * dy + dz * dz + static_cast<long double>(softening) * softening;
    const long double pull = bodies.mass[i] / (squared * std::sqrt(squared));
    x += pull * dx;
    y += pull * dy;
    z += pull * dz;
  }
  return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
}

TEST(NBodyProbe, OfTwoBodiesIsNewtonsLaw) {
  Bodies bodies;
  testing::add(bodies, 2, 1, 1, 1);
  testing::add(bodies, 3, 1, 1, 3);
  for (const SolverKind kind : {SolverKind::direct, SolverKind::barnes_hut, SolverKind::fmm}) {
    const ProbedForce on = probed_force(*cpu_engines(), bodies, 0, with(kind));
    EXPECT_NEAR(on.acceleration.z(), 3.0 / 4, 1e-6);
    EXPECT_NEAR(on.potential, -3.0 / 2, 1e-6);
    EXPECT_NEAR((on.exact.acceleration - Vector3d(0, 0, 3.0 / 4)).norm(), 0, 1e-15);
    EXPECT_NEAR(on.exact.potential, -3.0 / 2, 1e-15);
    EXPECT_LT(on.error().value(), 1e-6);
    const ProbedForce at = probed_force(*cpu_engines(), bodies, Vector3d(1, 1, 2), with(kind));
    EXPECT_NEAR(at.acceleration.z(), 3 - 2, 1e-5);
    EXPECT_NEAR(at.potential, -5, 1e-5);
    EXPECT_NEAR(at.exact.acceleration.z(), 1, 1e-15);
  }
}

TEST(NBodyProbe, ItsErrorIsThatOfTheSolver) {
  const Bodies bodies = testing::plummer(3000);
  for (const SolverKind kind : {SolverKind::barnes_hut, SolverKind::fmm}) {
    RunOptions options = with(kind, 0.01);
    options.opening_angle = 0.9;
    const Forces all = make_solver(kind)->forces(bodies, options);
    for (const std::size_t on : {0u, 1234u, 2999u}) {
      const ProbedForce found = probed_force(*cpu_engines(), bodies, on, options);
      const Vector3d here(bodies.x[on], bodies.y[on], bodies.z[on]), exact = pull_by_hand(bodies, here, 0.01);
      const Vector3d summed(all.ax[on], all.ay[on], all.az[on]);
      EXPECT_EQ(found.acceleration, summed);
      EXPECT_LT((found.exact.acceleration - exact).norm(), 1e-12 * exact.norm());
      const double error = (summed - exact).norm() / exact.norm();
      EXPECT_GT(error, 1e-9) << "there is something to measure";
      EXPECT_NEAR(found.error().value(), error, 1e-9);
    }
    const Vector3d place(0.3, -0.2, 0.9);
    const ProbedForce at = probed_force(*cpu_engines(), bodies, place, options);
    const Vector3d exact = pull_by_hand(bodies, place, 0.01);
    EXPECT_LT((at.exact.acceleration - exact).norm(), 1e-12 * exact.norm());
    EXPECT_NEAR(at.error().value(), (at.acceleration - exact).norm() / exact.norm(), 1e-9);
    EXPECT_LT(at.error().value(), 0.02);
  }
}

TEST(NBodyProbe, FollowsHowTheRunSums) {
  Bodies bodies;
  testing::add(bodies, 2, 0, 0, 0);
  testing::add(bodies, 3, 1, 0, 0);
  RunOptions options = with(SolverKind::direct, 0.3);
  options.softening_kind = SofteningKind::spline;
  // Exact from 2.8 softening lengths on, where Plummer's is 13 % weaker.
  const ProbedForce spline = probed_force(*cpu_engines(), bodies, 0, options);
  EXPECT_NEAR(spline.acceleration.x(), 3, 1e-14);
  EXPECT_EQ(spline.error(), 0);
  EXPECT_NEAR(probed_force(*cpu_engines(), bodies, Vector3d(-1, 0, 0), options).acceleration.x(), 2 + 3.0 / 4,
              1e-14);
  options.softening_kind = SofteningKind::plummer;
  options.integrator = Integrator::hermite;
  const ProbedForce hermite = probed_force(*cpu_engines(), bodies, 0, options);
  EXPECT_NEAR(hermite.acceleration.x(), 3 / std::pow(1.09, 1.5), 1e-14);
  EXPECT_LT(hermite.error().value(), 1e-15);
}

TEST(NBodyProbe, WhereNothingPullsThereIsNoError) {
  Bodies bodies;
  testing::add(bodies, 2, 0, 0, 0);
  EXPECT_EQ(probed_force(*cpu_engines(), bodies, 0, with(SolverKind::direct)).error(), std::nullopt);
  testing::add(bodies, 2, 2, 0, 0);
  EXPECT_EQ(probed_force(*cpu_engines(), bodies, Vector3d(1, 0, 0), with(SolverKind::direct)).error(),
            std::nullopt);
  EXPECT_THROW(probed_force(*cpu_engines(), bodies, Vector3d(std::numeric_limits<double>::infinity(), 0, 0),
                            with(SolverKind::direct)),
               Error);
}

}  // namespace
}  // namespace isolume::nbody
