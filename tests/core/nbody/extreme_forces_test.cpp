#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/forces/pairwise.h"
#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/forces/solver.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"

namespace isolume::nbody {
namespace {

using testing::add;
using testing::largest_potential_error;
using testing::relative_errors;

/// One heavy body, and light ones about it: what the heavy one would exert on itself, softened, is far more than all others
/// do.
Bodies heavy_among_light(int light) {
  Bodies bodies = testing::plummer(static_cast<std::size_t>(light));
  for (double& mass : bodies.mass) mass = 1e-6;
  add(bodies, 1, 0, 0, 0);
  return bodies;
}

std::vector<std::unique_ptr<Solver>> all_solvers() {
  std::vector<std::unique_ptr<Solver>> solvers;
  solvers.push_back(make_direct_solver());
  solvers.push_back(make_barnes_hut_solver());
  solvers.push_back(make_fmm_solver());
  return solvers;
}

TEST(NBodyPotentials, AreThoseOfDoublePrecisionWhateverTheSoftening) {
  for (const int light : {11, 700}) {
    Bodies bodies = heavy_among_light(light);
    for (const bool in_pairs : {false, true}) {
      if (in_pairs) {  // each light body has another one at its place
        for (int i = 0; i < light; ++i) {
          const auto of = static_cast<std::size_t>(i);
          add(bodies, 3e-7, bodies.x[of], bodies.y[of], bodies.z[of]);
        }
      }
      for (const double softening : {0.0, 1e-14, 1e-9, 1e-6, 1e-3, 0.1}) {
        ForceOptions options;
        options.softening = softening;
        options.error = 1e-4;
        const Forces expected = make_reference_solver()->forces(bodies, options);
        for (const auto& solver : all_solvers()) {
          SCOPED_TRACE(std::string(solver->name()) + " softened by " + std::to_string(softening));
          if (solver->name() == "fmm") options.solver = SolverKind::fmm;
          const Forces found = solver->forces(bodies, options);
          // The error that is promised is that of 99 of 100 forces.
          const double bound = solver->name() == "direct" ? 1e-5 : 5 * options.error;
          EXPECT_LT(largest_potential_error(bodies, found, expected), bound);
        }
      }
    }
  }
}

/// The same on some of them alone, and at places.
TEST(NBodyPotentials, OfSomeBodiesAndAtPlacesAreThoseOfDoublePrecision) {
  const Bodies bodies = heavy_among_light(900);
  const std::vector<std::uint32_t> active{3, 500, 900};
  for (const double softening : {1e-9, 1e-3}) {
    ForceOptions options;
    options.softening = softening;
    const Forces expected = make_reference_solver()->forces(bodies, options);
    for (const auto& solver : all_solvers()) {
      SCOPED_TRACE(std::string(solver->name()));
      const Forces found = solver->active_forces(bodies, active, options);
      for (const std::uint32_t i : active)
        EXPECT_NEAR(found.potential[i] / expected.potential[i], 1, 1e-4) << softening;
      const Places places{{0.3, 7}, {0.1, 0}, {0, 0}};
      const Forces at = solver->forces_at(places, bodies, options),
                   exact = testing::by_hand(places, bodies, softening);
      for (const int i : {0, 1})
        EXPECT_NEAR(at.potential[static_cast<std::size_t>(i)] / exact.potential[static_cast<std::size_t>(i)],
                    1, 1e-4);
    }
  }
}

/// Of a hundred on circles about a heavy one, 2 K / |W| is 1 whatever the softening that is far below the radii.
TEST(NBodyPotentials, OrbitsAboutAHeavyBodyAreInEquilibrium) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> angle(0, 6.28), radius(1, 3);
  Bodies bodies;
  add(bodies, 1, 0, 0, 0);
  bodies.vx = bodies.vy = bodies.vz = {0};
  for (int i = 0; i < 100; ++i) {
    const double at = angle(random), r = radius(random), speed = 1 / std::sqrt(r);
    add(bodies, 1e-9, r * std::cos(at), r * std::sin(at), 0);
    bodies.vx.push_back(-speed * std::sin(at));
    bodies.vy.push_back(speed * std::cos(at));
    bodies.vz.push_back(0);
  }
  for (const double softening : {1e-8, 1e-6, 1e-4}) {
    ForceOptions options;
    options.softening = softening;
    for (const auto& solver : all_solvers()) {
      const Diagnostics found = diagnostics_of(bodies, solver->forces(bodies, options).potential);
      EXPECT_NEAR(found.virial_ratio(), 1, 1e-5) << solver->name() << " softened by " << softening;
    }
  }
}

/// Far denser in the middle than the softening is long: what is left of the force there is a small part of what cells exert
/// unsoftened.
Bodies cusp(int count, double least) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> part(0, 1);
  std::normal_distribution<double> normal;
  Bodies bodies;
  for (int i = 0; i < count; ++i) {
    const double r = std::pow(least, part(random));
    const double x = normal(random), y = normal(random), z = normal(random), size = r / std::hypot(x, y, z);
    add(bodies, 1.0 / count, x * size, y * size, z * size);
  }
  return bodies;
}

TEST(NBodyForces, OfTheFastMultipoleMethodKeepTheirErrorWithinTheSoftening) {
  for (const double least : {1e-6, 1e-3}) {
    const Bodies bodies = cusp(2000, least);
    for (const double softening : {1e-4, 1e-2, 0.3, 5.0}) {
      ForceOptions options;
      options.solver = SolverKind::fmm;
      options.softening = softening;
      const Forces expected = make_reference_solver()->forces(bodies, options);
      for (const double error : {1e-2, 1e-3, 1e-4, 1e-6, 1e-9}) {
        options.error = error;
        const auto errors = relative_errors(make_fmm_solver()->forces(bodies, options), expected);
        EXPECT_LT(errors[errors.size() * 99 / 100], error) << softening << ", " << least;
      }
    }
  }
}

void expect_the_references(const Bodies& bodies, double softening = 0) {
  ForceOptions options;
  options.softening = softening;
  const Forces expected = make_reference_solver()->forces(bodies, options);
  options.error = 1e-5;
  for (const auto& solver : all_solvers()) {
    SCOPED_TRACE(std::string(solver->name()));
    if (solver->name() == "fmm") options.solver = SolverKind::fmm;
    const Forces found = solver->forces(bodies, options);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const double size = testing::length(expected.ax[i], expected.ay[i], expected.az[i]);
      EXPECT_LT(testing::length(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i],
                                found.az[i] - expected.az[i]),
                1e-4 * size)
          << i;
      EXPECT_NEAR(found.potential[i], expected.potential[i], 1e-5 * std::abs(expected.potential[i])) << i;
    }
  }
}

/// Cubes of these distances, or of their inverses, are no numbers of single precision.
TEST(NBodyForces, BeyondSinglePrecisionAreThoseOfDouble) {
  Bodies pair;
  add(pair, 1, 0, 0, 0);
  add(pair, 1, 1e-11, 0, 0);
  expect_the_references(pair);
  add(pair, 1, 1, 0, 0);
  expect_the_references(pair);
  for (const double distance : {1e-15, 1e-25, 1e-60}) {
    Bodies close;
    add(close, 1, distance, 0, 0);
    add(close, 1, -distance, 0, 0);
    add(close, 1, 1, 0, 0);
    expect_the_references(close);
    expect_the_references(close, 0.5 * distance);
    Bodies far;
    add(far, 1, 0, 0, 0);
    add(far, 1, 1e-3, 0, 0);
    add(far, 1, 0, 0, 1e-3 / distance);
    expect_the_references(far);
  }
  Bodies line;
  for (int i = 0; i < 130; ++i) add(line, 1, 1e-20 * std::pow(1.42, i), 0, 0);
  expect_the_references(line);
  Bodies light;
  add(light, 1, 0, 0, 0);
  add(light, 1e-40, 1, 0, 0);
  add(light, 2e-40, 0, 2, 0);
  expect_the_references(light);
}

TEST(NBodyForces, BeyondDoublePrecisionAreRefused) {
  for (const double distance : {1e-160, 1e-170, 1e-300}) {
    Bodies bodies;
    add(bodies, 1, 0, 0, 0);
    add(bodies, 1, distance, 0, 0);
    add(bodies, 1, 5, 0, 0);
    bodies.vx = bodies.vy = bodies.vz = {0, 0, 0};
    for (const auto& solver : all_solvers())
      EXPECT_THROW(solver->forces(bodies, {}), Error) << solver->name() << ", " << distance;
    EXPECT_THROW(make_reference_solver()->forces(bodies, {}), Error) << distance;
    EXPECT_THROW(pairwise_forces(bodies, {}, true), Error) << distance;
    ForceOptions periodic;
    periodic.solver = SolverKind::particle_mesh;
    periodic.period = 10;
    EXPECT_THROW(make_particle_mesh_solver()->forces(bodies, periodic), Error) << distance;
  }
}

TEST(SampledErrors, AreFiniteWhereTheSquareOfAForceIsNot) {
  Bodies bodies;
  add(bodies, 1, 0, 0, 0);
  add(bodies, 1, 1e-150, 0, 0);
  add(bodies, 1, 5, 0, 0);
  const Forces forces = make_direct_solver()->forces(bodies, {});
  EXPECT_NEAR(forces.ax[0] / 1e300, 1, 1e-6);
  const SampledErrors errors = sampled_errors(bodies, forces, {}, 3);
  EXPECT_EQ(errors.samples, 3u);
  EXPECT_LT(errors.p99, 1e-5);
}

TEST(SampledErrors, WhatIsNoNumberIsAnError) {
  const Bodies bodies = testing::plummer(100);
  Forces forces = make_reference_solver()->forces(bodies, {});
  for (double& value : forces.ay) value = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::isinf(sampled_errors(bodies, forces, {}, 50).median));
}

}  // namespace
}  // namespace isolume::nbody
