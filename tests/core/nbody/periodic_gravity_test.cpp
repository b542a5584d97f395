#include "core/nbody/forces/periodic_gravity.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/engines/probed_force.h"
#include "core/nbody/forces/particle_mesh.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/forces/solver.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"

namespace isolume::nbody {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

Vector3d place_of(const Bodies& bodies, std::size_t i) {
  return {bodies.x[i], bodies.y[i], bodies.z[i]};
}

/// Ewald's sum with images and waves counted out, no table and no series: as in any textbook.
ExactForce ewald(const Bodies& bodies, std::size_t on, double side) {
  const double alpha = 2.5 / side;
  constexpr int images = 3, waves = 6;
  ExactForce force;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    for (int x = -images; x <= images; ++x) {
      for (int y = -images; y <= images; ++y) {
        for (int z = -images; z <= images; ++z) {
          const Vector3d to = place_of(bodies, i) + side * Vector3d(x, y, z) - place_of(bodies, on);
          const double r = to.norm();
          if (r == 0) continue;
          force.potential -= bodies.mass[i] * std::erfc(alpha * r) / r;
          force.acceleration +=
              bodies.mass[i] * to / (r * r * r) *
              (std::erfc(alpha * r) + 2 * alpha * r / std::sqrt(pi) * std::exp(-alpha * alpha * r * r));
        }
      }
    }
    for (int x = -waves; x <= waves; ++x) {
      for (int y = -waves; y <= waves; ++y) {
        for (int z = -waves; z <= waves; ++z) {
          if (x == 0 && y == 0 && z == 0) continue;
          const Vector3d k = 2 * pi / side * Vector3d(x, y, z);
          const double phase = k.dot(place_of(bodies, i) - place_of(bodies, on));
          const double weight = 4 * pi / (side * side * side) *
                                std::exp(-k.squaredNorm() / (4 * alpha * alpha)) / k.squaredNorm();
          force.potential -= bodies.mass[i] * weight * std::cos(phase);
          force.acceleration += bodies.mass[i] * weight * std::sin(phase) * k;
        }
      }
    }
    force.potential += bodies.mass[i] * pi / (alpha * alpha * side * side * side);
  }
  force.potential += bodies.mass[on] * 2 * alpha / std::sqrt(pi);
  return force;
}

Bodies random_in_box(std::size_t count, double side, std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  Bodies bodies;
  for (std::size_t i = 0; i < count; ++i)
    testing::add(bodies, 0.5 + uniform(random), side * uniform(random), side * uniform(random),
                 side * uniform(random));
  return bodies;
}

/// Half of them in clumps a hundredth of the side wide, one of which lies across the box's corner.
Bodies clumped(std::size_t count, double side) {
  Bodies bodies = random_in_box(count / 2, side, 5);
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, side / 100);
  for (std::size_t i = count / 2; i < count; ++i) {
    const double at = static_cast<double>(i % 4) * side / 5;
    testing::add(bodies, 1, at + normal(random), at + normal(random), at + normal(random));
  }
  return bodies;
}

ForceOptions periodic(double side, double softening = 0) {
  ForceOptions options;
  options.solver = SolverKind::particle_mesh;
  options.period = side;
  options.softening = softening;
  return options;
}

TEST(PeriodicGravity, IsTheTextbooksEwaldSum) {
  const double side = 3;
  const Bodies bodies = random_in_box(40, side);
  const PeriodicGravity gravity(bodies, side, 0);
  for (std::size_t i = 0; i < bodies.size(); i += 7) {
    const ExactForce found = gravity.on(i), expected = ewald(bodies, i, side);
    EXPECT_LT((found.acceleration - expected.acceleration).norm(), 3e-6 * expected.acceleration.norm());
    EXPECT_NEAR(found.potential, expected.potential, 1e-5 * std::abs(expected.potential));
  }
}

TEST(PeriodicGravity, OfOneBodyIsThatOfALattice) {
  // A cubic lattice of point masses in an even background: -2.837297 m / side (Nijboer, de Wette, Physica 23, 309
  // (1957), among others).
  Bodies one;
  testing::add(one, 2, 1, 1, 1);
  EXPECT_NEAR(PeriodicGravity(one, 4, 0).on(0).potential, 2 * 2.837297 / 4, 1e-5);
  const Forces forces = make_particle_mesh_solver()->forces(one, periodic(4));
  EXPECT_NEAR(forces.potential[0], 2 * 2.837297 / 4, 5e-3);
  EXPECT_NEAR(forces.ax[0], 0, 1e-12);
}

TEST(ParticleMesh, ForcesAreEwalds) {
  const double side = 10;
  for (const auto& [name, bodies] :
       {std::pair{"random", random_in_box(1500, side)}, {"clumped", clumped(1500, side)}}) {
    SCOPED_TRACE(name);
    for (const double softening : {0.0, side / 1000}) {
      const ForceOptions options = periodic(side, softening);
      const Forces found = make_particle_mesh_solver()->forces(bodies, options),
                   expected = make_reference_solver()->forces(bodies, options);
      const auto errors = testing::relative_errors(found, expected);
      const double p99 = errors[errors.size() * 99 / 100], median = errors[errors.size() / 2];
      EXPECT_LT(p99, 1e-3);
      EXPECT_LT(median, 2e-4);
      const SampledErrors sampled = sampled_errors(bodies, found, options, bodies.size());
      EXPECT_NEAR(sampled.p99, p99, 1e-12);
      double scale = 0, off = 0;
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        scale += std::abs(expected.potential[i]);
        off = std::max(off, std::abs(found.potential[i] - expected.potential[i]));
      }
      EXPECT_LT(off, 1e-3 * scale / static_cast<double>(bodies.size()));
    }
  }
}

TEST(ParticleMesh, AProbedPlaceIsBesideEwaldsSum) {
  constexpr double side = 2;
  const Bodies bodies = random_in_box(300, side);
  const Vector3d place(0.3, 1.9, 1.1);
  RunOptions options;
  options.solver = SolverKind::particle_mesh;
  options.period = side;
  const ProbedForce found = probed_force(*cpu_engines(), bodies, place, options);
  const Bodies with_place = with_places(bodies, {{place.x()}, {place.y()}, {place.z()}});
  const ExactForce expected = ewald(with_place, bodies.size(), side);
  EXPECT_LT((found.exact.acceleration - expected.acceleration).norm(), 3e-6 * expected.acceleration.norm());
  EXPECT_NEAR(found.exact.potential, expected.potential, 1e-5 * std::abs(expected.potential));
  EXPECT_LT((found.acceleration - expected.acceleration).norm(), 2e-3 * expected.acceleration.norm());
  EXPECT_LT(found.error().value(), 2e-3);
  const Vector3d image = place + Vector3d(side, -side, 0);
  EXPECT_NEAR(probed_force(*cpu_engines(), bodies, image, options).error().value(), found.error().value(),
              1e-9);
}

TEST(ParticleMesh, SofteningMakesTheMeshCoarserWhereItReachesFar) {
  const double side = 10, softening = side / 90;
  EXPECT_LT(mesh_plan(1500, side, softening).side, mesh_plan(1500, side, 0).side);
  const Bodies bodies = clumped(1500, side);
  const ForceOptions options = periodic(side, softening);
  const SampledErrors errors =
      sampled_errors(bodies, make_particle_mesh_solver()->forces(bodies, options), options, bodies.size());
  EXPECT_LT(errors.p99, 3e-3);
}

TEST(ParticleMesh, MomentumIsKeptAndWrappingChangesNothing) {
  const double side = 10;
  Bodies bodies = clumped(2000, side);
  const auto solver = make_particle_mesh_solver();
  const Forces forces = solver->forces(bodies, periodic(side));
  Vector3d sum(0, 0, 0);
  double all = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Vector3d force = bodies.mass[i] * Vector3d(forces.ax[i], forces.ay[i], forces.az[i]);
    sum += force;
    all += force.norm();
  }
  EXPECT_LT(sum.norm(), 1e-12 * all);
  for (std::size_t i = 0; i < bodies.size(); i += 3) bodies.x[i] += 2 * side;
  const Forces moved = solver->forces(bodies, periodic(side));
  for (std::size_t i = 0; i < bodies.size(); i += 11)
    EXPECT_NEAR(moved.ax[i], forces.ax[i], 1e-9 * std::abs(forces.ax[i]) + 1e-9);
}

TEST(ParticleMesh, IsTheSameOnAnyNumberOfThreads) {
  const Bodies bodies = clumped(4000, 7);
  ForceOptions options = periodic(7, 0.01);
  options.threads = 1;
  const Forces one = make_particle_mesh_solver()->forces(bodies, options);
  options.threads = 3;
  const Forces three = make_particle_mesh_solver()->forces(bodies, options);
  EXPECT_EQ(one.ax, three.ax);
  EXPECT_EQ(one.az, three.az);
  EXPECT_EQ(one.potential, three.potential);
}

TEST(ParticleMesh, WhatItCannotSumIsRefused) {
  const Bodies bodies = random_in_box(100, 1);
  const auto solver = make_particle_mesh_solver();
  EXPECT_THROW(solver->forces(bodies, periodic(0)), Error);
  EXPECT_THROW(solver->forces(bodies, periodic(-1)), Error);
  EXPECT_THROW(solver->forces(bodies, periodic(1, 0.1)), Error) << "softer than the mesh reaches";
  ForceOptions tree = periodic(1);
  tree.solver = SolverKind::barnes_hut;
  EXPECT_THROW(make_barnes_hut_solver()->forces(bodies, tree), Error);
}

}  // namespace
}  // namespace isolume::nbody
