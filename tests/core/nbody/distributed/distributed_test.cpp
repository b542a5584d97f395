#include <algorithm>
#include <array>
#include <cmath>
#include <stop_token>

#include <gtest/gtest.h>

#include "core/nbody/distributed/simulation_on_ranks.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/core/nbody/distributed/rank_tests.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"

namespace isolume::nbody {
namespace {

using testing::distributions;
using testing::errors;
using testing::joined;
using testing::largest_potential_error;
using testing::moved;
using testing::plummer;
using testing::relative_errors;

const Ranks& ranks() {
  return isolume::testing::ranks();
}

/// The first rank has them all.
OwnBodies divided_bodies(const Bodies& bodies) {
  return divided(ranks(), dealt(ranks(), ranks().is_first() ? bodies : Bodies()), {});
}

/// Of all bodies, on the first rank.
Forces forces(const Bodies& bodies, const ForceOptions& options) {
  OwnBodies own = divided_bodies(bodies);
  const Forces found = forces_on_ranks(ranks(), own, options);
  return collected(ranks(), own, found);
}

/// Twelve on a line, each at half the distance of the one before, and a quarter as large.
Bodies clustered() {
  Bodies bodies = plummer(1500, 3);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const double by = std::exp2(-static_cast<double>(i % 12));
    bodies.x[i] = bodies.x[i] * by * by + 10 * by;
    bodies.y[i] *= by * by;
    bodies.z[i] *= by * by;
  }
  return bodies;
}

SceneOptions plummer_scene(std::int64_t bodies) {
  SceneOptions scene;
  scene.scene = SceneKind::plummer;
  scene.bodies = bodies;
  scene.seed = 7;
  return scene;
}

TEST(Ranks, HandValuesToEachOther) {
  const auto me = static_cast<std::size_t>(ranks().rank()), count = static_cast<std::size_t>(ranks().count());
  const std::vector<int> own(me, ranks().rank());
  const auto all = ranks().gather<int>(own);
  EXPECT_EQ(all.values.size(), count * (count - 1) / 2);
  for (int rank = 0; rank < ranks().count(); ++rank) {
    EXPECT_EQ(all.of(rank).size(), static_cast<std::size_t>(rank));
    for (const int value : all.of(rank)) EXPECT_EQ(value, rank);
  }
  PerRank<std::array<int, 3>> to_each;
  to_each.begin = {0};
  for (int to = 0; to < ranks().count(); ++to) {
    for (int i = 0; i < to; ++i) to_each.values.push_back({ranks().rank(), to, i});
    to_each.begin.push_back(to_each.values.size());
  }
  const auto from_each = ranks().exchange(to_each);
  for (int from = 0; from < ranks().count(); ++from) {
    ASSERT_EQ(from_each.of(from).size(), me);
    for (std::size_t i = 0; i < me; ++i)
      EXPECT_EQ(from_each.of(from)[i], (std::array{from, ranks().rank(), static_cast<int>(i)}));
  }
}

TEST(Ranks, WhatOneCannotDoAllAreTold) {
  const int last = ranks().count() - 1;
  for (int time = 0; time < 2; ++time) {  // they can go on afterwards
    try {
      ranks().together([&] {
        if (ranks().rank() == last) throw Error("bodies.csv:3: expected 4 numbers.");
      });
      ADD_FAILURE() << "nothing was thrown on rank " << ranks().rank();
    } catch (const FailedOnRank& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("bodies.csv:3: expected 4 numbers."), std::string::npos) << text;
      EXPECT_EQ(text.find("Rank") != std::string::npos, last > 0) << text;
    }
  }
  EXPECT_NO_THROW(ranks().together([] {}));
}

TEST(ForcesOnRanks, BeyondDoublePrecisionAreRefusedWithTheNumberOfTheBody) {
  Bodies bodies = plummer(300);
  for (const double x : {1e-160, -1e-160}) {
    const std::size_t i = x > 0 ? 250 : 270;
    bodies.x[i] = x;
    bodies.y[i] = bodies.z[i] = 0;
  }
  for (const SolverKind solver : {SolverKind::direct, SolverKind::barnes_hut}) {
    OwnBodies own = divided_bodies(bodies);
    ForceOptions options;
    options.solver = solver;
    try {
      forces_on_ranks(ranks(), own, options);
      ADD_FAILURE() << "nothing was thrown on rank " << ranks().rank();
    } catch (const FailedOnRank& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find("The force on body 251 is not finite"), std::string::npos) << text;
    }
  }
}

TEST(Ranks, AreCancelledTogetherAndErrorsComeFirst) {
  std::stop_source stop;
  if (ranks().is_first()) stop.request_stop();
  const jobs::Progress progress(stop.get_token(), {});
  const Bodies bodies = plummer(2000);
  OwnBodies own = dealt(ranks(), ranks().is_first() ? bodies : Bodies());
  EXPECT_THROW(forces_on_ranks(ranks(), own, {}, progress), CancelledOnRank);
  if (ranks().count() == 1) return;
  EXPECT_THROW(ranks().together([&] {
    if (ranks().is_first()) throw Cancelled();
    throw Error("There is something wrong.");
  }),
               FailedOnRank);
}

TEST(BodiesOnRanks, AreDividedEvenlyAndNoneIsLost) {
  for (const auto& [name, bodies] : distributions()) {
    SCOPED_TRACE(name);
    if (bodies.size() == 0) continue;
    const OwnBodies own = divided_bodies(bodies);
    const auto sizes = ranks().gather<std::uint64_t>(std::array{static_cast<std::uint64_t>(own.size())});
    const double share = static_cast<double>(bodies.size()) / ranks().count();
    const auto [least, most] = std::ranges::minmax(sizes.values);
    EXPECT_GE(static_cast<double>(least), std::floor(0.95 * share) - 1);
    EXPECT_LE(static_cast<double>(most), std::ceil(1.05 * share) + 1);
    auto numbers = ranks().gather<std::uint64_t>(own.number).values;
    std::ranges::sort(numbers);
    ASSERT_EQ(numbers.size(), bodies.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], i);
    for (std::size_t i = 0; i < own.size(); ++i) {
      ASSERT_EQ(own.bodies.x[i], bodies.x[own.number[i]]);
      ASSERT_EQ(own.bodies.mass[i], bodies.mass[own.number[i]]);
    }
    const Bodies all = collected(ranks(), own);
    if (!ranks().is_first()) continue;
    EXPECT_TRUE(all.y == bodies.y && all.z == bodies.z && all.mass == bodies.mass);
  }
}

TEST(BodiesOnRanks, ComeInOrderPartByPart) {
  const Bodies bodies = plummer(1000);
  const OwnBodies own = divided_bodies(bodies);
  const BodiesInOrder in_order(ranks(), own);
  Bodies joined_again;
  for (std::uint64_t first = 0; first < 1000; first += 300)
    joined_again = joined(joined_again, in_order.part(first, std::min<std::uint64_t>(1000, first + 300)));
  const Bodies none = in_order.part(1000, 2000);
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(joined_again.x, ranks().is_first() ? bodies.x : std::vector<double>());
  EXPECT_EQ(joined_again.mass, ranks().is_first() ? bodies.mass : std::vector<double>());
}

TEST(BodiesOnRanks, AreFewerWhereTheirWorkIsMore) {
  const Bodies bodies = plummer(6000);
  OwnBodies own = divided_bodies(bodies);
  for (std::size_t i = 0; i < own.size(); ++i) own.work[i] = own.bodies.x[i] < 0 ? 1 : 9;
  own = divided(ranks(), own, {});
  double work = 0;
  for (const float each : own.work) work += static_cast<double>(each);
  std::array all = {work};
  ranks().sum(all);
  EXPECT_NEAR(work, all[0] / ranks().count(), 0.05 * all[0] / ranks().count());
}

TEST(ForcesOnRanks, OfBarnesHutAreNearTheReferences) {
  auto sets = distributions();
  sets.emplace_back("clusters in clusters", clustered());
  sets.emplace_back("three bodies", plummer(3));
  for (const auto& [name, bodies] : sets) {
    SCOPED_TRACE(name);
    if (bodies.size() == 0) continue;
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    for (const double softening : {0.0, 0.1 * extent}) {
      ForceOptions options;
      options.opening_angle = 0.5;
      options.softening = softening;
      const Forces found = forces(bodies, options);
      if (!ranks().is_first()) continue;
      const Forces expected = make_reference_solver()->forces(bodies, options);
      EXPECT_LT(errors(bodies, found, expected, softening).back(), 7e-3);
      EXPECT_LT(largest_potential_error(bodies, found, expected), 2e-3);
    }
  }
}

TEST(ForcesOnRanks, OfTheDirectSumAreTheReferences) {
  for (const auto& [name, bodies] : distributions()) {
    SCOPED_TRACE(name);
    if (bodies.size() == 0) continue;
    ForceOptions options;
    options.solver = SolverKind::direct;
    options.softening = bodies.size() > 1 ? 0.1 * std::abs(bodies.x[0] - bodies.x[1]) : 1;
    const Forces found = forces(bodies, options);
    if (!ranks().is_first()) continue;
    const Forces expected = make_reference_solver()->forces(bodies, options);
    EXPECT_LT(errors(bodies, found, expected, options.softening).back(), 1e-5);
    EXPECT_LT(largest_potential_error(bodies, found, expected), 1e-5);
  }
}

TEST(ForcesOnRanks, NinetyNineOfAHundredAreAsExactAsWasAskedFor) {
  for (const auto& bodies :
       {plummer(4000), joined(plummer(2500), moved(plummer(1500, 2), 20)), clustered()}) {
    for (const double error : {1e-4, 1e-3, 1e-2}) {
      ForceOptions options;
      options.error = error;
      const Forces found = forces(bodies, options);
      if (!ranks().is_first()) continue;
      const auto relative = relative_errors(found, make_reference_solver()->forces(bodies, {}));
      EXPECT_LT(relative[relative.size() * 99 / 100], error);
    }
  }
}

TEST(ForcesOnRanks, AreAsExactAsTheySay) {
  const Bodies bodies = plummer(3000);
  OwnBodies own = divided_bodies(bodies);
  const ForceOptions options;
  const Forces found = forces_on_ranks(ranks(), own, options);
  const SampledErrors errors = sampled_errors(ranks(), own, found, 0, 100);
  const Forces all = collected(ranks(), own, found);
  if (!ranks().is_first()) return;
  const SampledErrors expected = sampled_errors(bodies, all, options, 100);
  EXPECT_EQ(errors.samples, expected.samples);
  EXPECT_NEAR(errors.median, expected.median, 1e-9);
  EXPECT_NEAR(errors.p99, expected.p99, 1e-9);
}

// The region of all bodies counts, of which each rank has a part.
TEST(ForcesOnRanks, OfASofteningBeyondSinglePrecisionAreRefused) {
  Bodies pair;
  pair.mass = {1, 1};
  pair.x = {0, 5};
  pair.y = pair.z = {0, 0};
  OwnBodies own = dealt(ranks(), ranks().is_first() ? pair : Bodies());
  ForceOptions options;
  options.solver = SolverKind::direct;
  options.softening = 1e13;
  try {
    forces_on_ranks(ranks(), own, options);
    FAIL() << "forces that single precision cannot hold";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("A softening length of 1e+13 is too large for bodies in a region of 5"),
              std::string::npos)
        << error.what();
  }
  options.softening = 1e12;
  EXPECT_NO_THROW(forces_on_ranks(ranks(), own, options));
}

TEST(ForcesOnRanks, AreRefusedWhereSeveralRanksHaveNoSuchSolver) {
  ForceOptions options;
  options.solver = SolverKind::fmm;
  EXPECT_THROW(check_on_ranks(options), Error);
  options.solver = SolverKind::particle_mesh;
  EXPECT_THROW(check_on_ranks(options), Error);
  options.period = 1;
  EXPECT_NO_THROW(check(options));
  EXPECT_THROW(check_on_ranks(options), Error);
  RunOptions run;
  run.integrator = Integrator::hermite;
  EXPECT_THROW(check_on_ranks(run), Error);
}

struct Followed {
  Bodies bodies;  ///< at the end, on the first rank
  Diagnostics first, last;
};

Followed follow(const InitialConditions& start, const RunOptions& options, int steps) {
  SimulationOnRanks simulation(ranks(), dealt(ranks(), ranks().is_first() ? start.bodies : Bodies()), options,
                               start.time);
  Followed found;
  found.first = simulation.diagnostics();
  while (simulation.step() < steps) simulation.advance();
  found.last = simulation.diagnostics();
  found.bodies = collected(ranks(), simulation.own());
  EXPECT_NEAR(simulation.time(), steps * options.dt, 1e-12);
  return found;
}

TEST(SimulationOnRanks, GoesAsOnOneRank) {
  const InitialConditions start = make_scene(plummer_scene(1200));
  RunOptions options;
  options.dt = start.time_step;
  options.softening = start.softening;
  for (const auto solver : {SolverKind::direct, SolverKind::barnes_hut}) {
    options.solver = solver;
    const Followed found = follow(start, options, 50);
    NBodySimulation alone(start, options);
    const Diagnostics first = *alone.frame(frame_diagnostics)->diagnostics;
    alone.advance(50);
    const Diagnostics last = *alone.frame(frame_diagnostics)->diagnostics;
    EXPECT_NEAR(found.first.energy(), first.energy(), 1e-5 * std::abs(first.energy()));
    const double drift = (found.last.energy() - found.first.energy()) / first.energy();
    const double drift_alone = (last.energy() - first.energy()) / first.energy();
    EXPECT_LT(std::abs(drift), 1e-3);
    EXPECT_NEAR(drift, drift_alone, 1e-4);
    if (!ranks().is_first()) continue;
    double farthest = 0;
    for (std::size_t i = 0; i < found.bodies.size(); ++i) {
      farthest = std::max(farthest, std::hypot(found.bodies.x[i] - alone.bodies().x[i],
                                               found.bodies.y[i] - alone.bodies().y[i],
                                               found.bodies.z[i] - alone.bodies().z[i]));
    }
    EXPECT_LT(farthest, solver == SolverKind::direct ? 1e-4 : 1e-2) << "of a sphere of radius 1";
  }
}

TEST(SimulationOnRanks, DiagnosticsAreThoseOfAllBodies) {
  const InitialConditions start = make_scene(plummer_scene(2999));
  RunOptions options;
  options.softening = start.softening;
  SimulationOnRanks simulation(ranks(), dealt(ranks(), ranks().is_first() ? start.bodies : Bodies()), options,
                               0);
  const Diagnostics found = simulation.diagnostics();
  const Forces all = collected(ranks(), simulation.own(), simulation.forces());
  if (!ranks().is_first()) return;
  const Diagnostics expected = diagnostics_of(start.bodies, all.potential);
  EXPECT_NEAR(found.kinetic, expected.kinetic, 1e-13);
  EXPECT_NEAR(found.potential, expected.potential, 1e-13);
  EXPECT_LT((found.momentum - expected.momentum).norm(), 1e-13);
  EXPECT_LT((found.angular_momentum - expected.angular_momentum).norm(), 1e-13);
  EXPECT_LT((found.centre_of_mass - expected.centre_of_mass).norm(), 1e-13);
  // Of as many bodies no fraction of the mass is that of a whole number of them, which rounding would decide about.
  for (std::size_t i = 0; i < expected.lagrangian_radii.size(); ++i)
    EXPECT_NEAR(found.lagrangian_radii[i], expected.lagrangian_radii[i], 1e-12) << i;
}

TEST(SimulationOnRanks, EndsOnAllWhereABodyFliesAwayOnOne) {
  InitialConditions start = make_scene(plummer_scene(100));
  start.bodies.vx[50] = 1e149;
  RunOptions options;
  options.dt = 1e3;
  SimulationOnRanks simulation(ranks(), dealt(ranks(), ranks().is_first() ? start.bodies : Bodies()), options,
                               0);
  try {
    simulation.advance();
    ADD_FAILURE() << "nothing was thrown on rank " << ranks().rank();
  } catch (const FailedOnRank& error) {
    EXPECT_NE(std::string(error.what()).find("body 51 flies away"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace isolume::nbody
