#include "core/nbody/runs/nbody_simulation.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/forces/pairwise.h"
#include "core/nbody/scenes/scenes.h"
#include "core/simulation/runner.h"
#include "tests/memory_budget.h"

namespace isolume::nbody {
namespace {

using std::numbers::pi;

SceneOptions scene(SceneKind kind, std::int64_t bodies = 1000) {
  SceneOptions options;
  options.scene = kind;
  options.bodies = bodies;
  return options;
}

/// Steps of `dt`; forces of the direct solver, softened by `softening`.
RunOptions steps_of(double dt, Integrator integrator = Integrator::leapfrog, double softening = 0) {
  RunOptions options;
  options.dt = dt;
  options.integrator = integrator;
  options.solver = SolverKind::direct;
  options.softening = softening;
  return options;
}
/// Every pair in double precision.
RunOptions exact(RunOptions options) {
  options.softening_kind = SofteningKind::spline;
  options.softening = 1e-9;
  return options;
}

/// The farthest that a body is from where it is in the other.
double distance(const Bodies& one, const Bodies& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    most = std::max(most, std::hypot(one.x[i] - other.x[i], one.y[i] - other.y[i], one.z[i] - other.z[i]));
  }
  return most;
}

Bodies after(const InitialConditions& start, const RunOptions& options, std::int64_t steps) {
  NBodySimulation simulation(start, options);
  simulation.advance(steps);
  return simulation.bodies();
}

Diagnostics diagnostics(NBodySimulation& simulation) {
  return *simulation.frame(frame_diagnostics)->diagnostics;
}

TEST(NBodySimulation, TwoBodiesAreBackAfterKeplersPeriod) {
  // Masses of 1/2 at a semi-major axis of 1: the period is 2 pi, the energy -m1 m2 / (2 a).
  const InitialConditions start = make_scene(scene(SceneKind::binary));
  double before[2] = {};
  for (const int steps : {1000, 2000}) {
    const Bodies leapfrog = after(start, exact(steps_of(2 * pi / steps)), steps);
    const Bodies hermite = after(start, steps_of(2 * pi / steps, Integrator::hermite), steps);
    const double errors[2] = {distance(leapfrog, start.bodies), distance(hermite, start.bodies)};
    if (steps == 2000) {
      EXPECT_NEAR(before[0] / errors[0], 4, 0.3) << "second order";
      EXPECT_NEAR(before[1] / errors[1], 16, 2) << "fourth order";
      EXPECT_LT(errors[1], 1e-6);
    }
    std::ranges::copy(errors, before);
  }
  NBodySimulation simulation(start, steps_of(0.001, Integrator::hermite));
  EXPECT_NEAR(diagnostics(simulation).energy(), -0.125, 1e-12);
  EXPECT_NEAR(diagnostics(simulation).angular_momentum.z(), 0.25 * std::sqrt(1 - 0.25), 1e-12);
  double farthest = 0;
  for (int i = 0; i < 63; ++i) {
    simulation.advance(100);
    farthest = std::max(farthest, std::hypot(simulation.bodies().x[0], simulation.bodies().y[0]));
  }
  EXPECT_NEAR(farthest, 0.5 * 1.5, 1e-3) << "the apocentre, a (1 + e) / 2";
}

TEST(NBodySimulation, LeapfrogKeepsTheEnergyFromDriftingAndIsOfSecondOrder) {
  const InitialConditions start = make_scene(scene(SceneKind::binary));
  double error[2] = {};
  for (const int finer : {0, 1}) {
    NBodySimulation simulation(start, exact(steps_of(0.01 / (1 + finer))));
    double late = 0;
    for (int orbit = 0; orbit < 60; ++orbit) {
      for (int part = 0; part < 21; ++part) {
        simulation.advance(30 * (1 + finer));
        const double now = std::abs(diagnostics(simulation).energy() + 0.125) / 0.125;
        (orbit < 30 ? error[finer] : late) = std::max(orbit < 30 ? error[finer] : late, now);
      }
    }
    EXPECT_LT(late, 1.2 * error[finer]) << "no drift";
  }
  EXPECT_NEAR(error[0] / error[1], 4, 0.4);
}

TEST(NBodySimulation, HermiteIsMoreExactOnTheFigureEightWhichCloses) {
  constexpr double period = 6.32591398;
  const InitialConditions start = make_scene(scene(SceneKind::figure_eight));
  constexpr int steps = 3000;
  const Bodies end = after(start, steps_of(period / steps, Integrator::hermite), steps);
  EXPECT_LT(distance(end, start.bodies), 1e-6);
  // A third of the period on, each body is where the next one was.
  const Bodies third = after(start, steps_of(period / steps, Integrator::hermite), steps / 3);
  EXPECT_NEAR(third.x[0], start.bodies.x[2], 1e-5);
  EXPECT_NEAR(third.y[1], start.bodies.y[0], 1e-5);
}

TEST(NBodySimulation, OtherPeriodicOrbitsClose) {
  // Periods as published beside the velocities, both to few digits.
  for (const auto& [kind, period] : {std::pair{SceneKind::butterfly, 6.2356},
                                     {SceneKind::moth, 14.8939},
                                     {SceneKind::yin_yang, 17.3284}}) {
    const InitialConditions start = make_scene(scene(kind));
    const int steps = static_cast<int>(period / 2e-4);
    const Bodies end = after(start, steps_of(period / steps, Integrator::hermite), steps);
    EXPECT_LT(distance(end, start.bodies), 0.04) << period;
  }
}

TEST(NBodySimulation, ARingTurnsAsAWhole) {
  const InitialConditions start = make_scene(scene(SceneKind::ring, 3));
  // Lagrange's triangle: sides of sqrt(3), so the angular speed squared is M / sqrt(27).
  const double period = 2 * pi / std::sqrt(1 / std::sqrt(27.0));
  const Bodies end = after(start, steps_of(period / 2000, Integrator::hermite), 2000);
  EXPECT_LT(distance(end, start.bodies), 1e-8);
}

TEST(NBodySimulation, RunsBackToTheStart) {
  const InitialConditions start = make_scene(scene(SceneKind::plummer, 300));
  for (const auto& [options, error] : {std::pair{steps_of(0.01, Integrator::leapfrog, 0.05), 1e-5},
                                       {exact(steps_of(0.001)), 1e-9},
                                       {steps_of(0.001, Integrator::hermite, 0.05), 1e-7}}) {
    NBodySimulation simulation(start, options);
    simulation.advance(100);
    EXPECT_GT(distance(simulation.bodies(), start.bodies), 0.01);
    EXPECT_EQ(simulation.step(), 100);
    EXPECT_NEAR(simulation.time(), 100 * options.dt, 1e-12);
    simulation.advance(-100);
    EXPECT_LT(distance(simulation.bodies(), start.bodies), error);
    EXPECT_EQ(simulation.step(), 0);
    EXPECT_EQ(simulation.time(), 0);
  }
}

/// For ten times what a body at half the mass, at radius 1.305, takes to cross it at the root of the mean squared speed,
/// sqrt(3 pi / 32).
TEST(NBodySimulation, APlummerSphereStaysAsItIs) {
  RunOptions options = steps_of(0.05, Integrator::leapfrog, 0.05);
  options.solver = SolverKind::barnes_hut;
  NBodySimulation simulation(make_scene(scene(SceneKind::plummer, 4000)), options);
  const double energy = diagnostics(simulation).energy();
  EXPECT_NEAR(energy, -3 * pi / 64, 0.02 * 3 * pi / 64);
  for (int i = 0; i <= 10; ++i) {
    if (i > 0) simulation.advance(48);  // 2.4
    const Diagnostics now = diagnostics(simulation);
    for (const std::size_t k : {1u, 2u, 3u}) {
      const double part = Diagnostics::mass_fractions[k];
      const double analytic = 1 / std::sqrt(std::pow(part, -2.0 / 3) - 1);
      EXPECT_NEAR(now.lagrangian_radii[k], analytic, 0.07 * analytic) << part << " at " << simulation.time();
    }
    EXPECT_NEAR(now.virial_ratio(), 1, 0.05);
    EXPECT_NEAR(now.energy(), energy, 1e-3 * std::abs(energy));
    EXPECT_LT(now.centre_of_mass.norm(), 3e-3);
  }
  EXPECT_NEAR(simulation.time(), 24, 1e-9);
}

TEST(NBodySimulation, MomentaAreConserved) {
  const InitialConditions start = make_scene(scene(SceneKind::plummer, 400));
  for (const auto& [options, error] : {std::pair{steps_of(0.01, Integrator::leapfrog, 0.05), 1e-7},
                                       {steps_of(0.01, Integrator::hermite, 0.05), 1e-14}}) {
    NBodySimulation simulation(start, options);
    const Diagnostics first = diagnostics(simulation);
    simulation.advance(50);
    const Diagnostics now = diagnostics(simulation);
    EXPECT_LT((now.momentum - first.momentum).norm(), error);
    EXPECT_LT((now.angular_momentum - first.angular_momentum).norm(), 1e-6);
  }
}

TEST(NBodySimulation, IsTheSameOnAnyNumberOfThreads) {
  for (const auto& [kind, integrator] : {std::pair{SolverKind::barnes_hut, Integrator::leapfrog},
                                         {SolverKind::direct, Integrator::leapfrog},
                                         {SolverKind::direct, Integrator::hermite}}) {
    const InitialConditions start = make_scene(scene(SceneKind::encounter, 3000));
    RunOptions options = steps_of(0.02, integrator, 0.05);
    options.solver = kind;
    options.threads = 1;
    NBodySimulation one(start, options);
    one.advance(3);
    options.threads = 5;
    NBodySimulation many(start, options);
    many.advance(3);
    EXPECT_EQ(one.bodies().x, many.bodies().x);
    EXPECT_EQ(one.bodies().vz, many.bodies().vz);
    const Diagnostics here = diagnostics(one), there = diagnostics(many);
    EXPECT_EQ(here.energy(), there.energy());
    EXPECT_EQ(here.lagrangian_radii, there.lagrangian_radii);
    EXPECT_EQ(one.frame(simulation::everything)->positions, many.frame(simulation::everything)->positions);
  }
}

TEST(NBodySimulation, GoesOnFromACheckpointBitForBit) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::hermite}) {
    NBodySimulation simulation(make_scene(scene(SceneKind::plummer, 500)), steps_of(0.01, integrator, 0.02));
    simulation.advance(7);
    simulation.set_parameter("dt", 0.005);
    simulation.set_parameter("softening", 0.03);
    const auto checkpoint = simulation.checkpoint();
    const auto branch = simulation.branch();
    simulation.advance(9);
    const Bodies expected = simulation.bodies();
    const double time = simulation.time();
    EXPECT_NEAR(time, 7 * 0.01 + 9 * 0.005, 1e-15);
    branch->set_parameter("softening", 0.0);
    branch->advance(9);
    EXPECT_NE(dynamic_cast<NBodySimulation&>(*branch).bodies().x, expected.x);
    simulation.set_parameter("dt", 0.5);
    simulation.advance(2);
    for (simulation::Simulation* each : {static_cast<simulation::Simulation*>(&simulation), branch.get()}) {
      each->restore(*checkpoint);
      EXPECT_EQ(each->step(), 7);
      each->advance(9);
      EXPECT_EQ(dynamic_cast<NBodySimulation&>(*each).bodies().x, expected.x);
      EXPECT_EQ(dynamic_cast<NBodySimulation&>(*each).bodies().vy, expected.vy);
      EXPECT_EQ(each->time(), time);
    }
  }
  NBodySimulation other(make_scene(scene(SceneKind::plummer, 5)), {});
  NBodySimulation another(make_scene(scene(SceneKind::plummer, 6)), {});
  EXPECT_THROW(other.restore(*another.checkpoint()), Error);
}

TEST(NBodySimulation, ARunnerBringsAnyMomentBack) {
  RunOptions options = steps_of(0.01, Integrator::leapfrog, 0.05);
  options.solver = SolverKind::barnes_hut;
  NBodySimulation plain(make_scene(scene(SceneKind::plummer, 800)), options);
  std::vector<std::vector<float>> expected;
  for (int step = 0; step <= 30; ++step) {
    if (step == 12) plain.set_parameter("opening-angle", 0.9);
    expected.push_back(plain.frame(frame_positions)->positions);
    plain.advance(1);
  }
  simulation::RunnerOptions few;
  few.checkpoint_spacing = 5;
  few.frame_slots = 2;
  simulation::Runner runner(
      std::make_unique<NBodySimulation>(make_scene(scene(SceneKind::plummer, 800)), options), few);
  runner.go_to(12).get();
  runner.set_parameter("opening-angle", 0.9);
  for (const std::int64_t step : {30, 4, 13, 29, 11, 0, 12}) {
    const auto frame = std::dynamic_pointer_cast<const NBodyFrame>(runner.go_to(step).get());
    EXPECT_EQ(frame->positions, expected[static_cast<std::size_t>(step)]) << step;
    EXPECT_EQ(frame->labels->id[0], 1u);
    EXPECT_LT(frame->force_error->median, 0.02);
    EXPECT_GT(frame->force_error->median, 0);
  }
}

TEST(NBodySimulation, ACancelledStepIsNotMade) {
  NBodySimulation simulation(make_scene(scene(SceneKind::plummer, 3000)), steps_of(0.01));
  simulation.advance(1);
  const Bodies before = simulation.bodies();
  std::stop_source stop;
  // Its forces report from the middle of the step.
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) { stop.request_stop(); });
  EXPECT_THROW(simulation.advance(5, progress), Cancelled);
  EXPECT_TRUE(simulation.step() == 1 || simulation.step() == 2);
  if (simulation.step() == 1) {
    EXPECT_EQ(simulation.bodies().x, before.x);
  }
  NBodySimulation same(make_scene(scene(SceneKind::plummer, 3000)), steps_of(0.01));
  same.advance(4);
  simulation.advance(4 - simulation.step());
  EXPECT_EQ(simulation.bodies().x, same.bodies().x);
}

TEST(NBodySimulation, FramesHoldWhatIsWanted) {
  InitialConditions start = make_scene(scene(SceneKind::binary));
  for (double& x : start.bodies.x) x += 1e9;
  start.id = {7, 9};
  NBodySimulation simulation(start, steps_of(0.001, Integrator::hermite));
  const auto frame = simulation.frame(frame_positions | frame_speeds | frame_potentials);
  EXPECT_EQ(frame->centre.x(), 1e9);
  // At the pericentre: 1/4 from the middle each, relative speed sqrt(3).
  EXPECT_NEAR(frame->positions[0], 0.25, 1e-6);
  EXPECT_NEAR(frame->positions[3], -0.25, 1e-6);
  EXPECT_NEAR(frame->speeds[1], std::sqrt(3.0) / 2, 1e-6);
  EXPECT_NEAR(frame->potentials[0], -1, 1e-6);
  EXPECT_EQ(frame->labels->id, (std::vector<std::uint64_t>{7, 9}));
  EXPECT_FALSE(frame->diagnostics);
  EXPECT_FALSE(frame->force_error);
  EXPECT_TRUE(simulation.frame(frame_diagnostics)->positions.empty());
  const Diagnostics all = *simulation.frame(frame_diagnostics)->diagnostics,
                    totals = *simulation.frame(frame_totals)->diagnostics;
  EXPECT_EQ(totals.energy(), all.energy());
  EXPECT_EQ(totals.angular_momentum, all.angular_momentum);
  EXPECT_GT(all.lagrangian_radii.back(), 0);
  EXPECT_EQ(totals.lagrangian_radii.back(), 0);
}

TEST(NBodySimulation, SoftenedForcesAreSlopesOfTheirPotentials) {
  constexpr double softening = 0.7, h = 1e-5;
  for (const SofteningKind kind : {SofteningKind::plummer, SofteningKind::spline}) {
    const auto at = [&](double r) { return softened_pull(r * r, softening, kind); };
    EXPECT_NEAR(at(0).potential, -1 / softening, 1e-12);
    for (const double u : {0.01, 0.3, 0.4999, 0.5001, 0.8, 0.9999, 1.0001, 1.7}) {
      const double r = u * 2.8 * softening;
      EXPECT_NEAR((at(r + h).potential - at(r - h).potential) / (2 * h), at(r).pull * r, 1e-8) << u;
      EXPECT_NEAR((at(r + h).pull - at(r - h).pull) / (2 * h), at(r).change * r, 1e-6) << u;
    }
    if (kind == SofteningKind::spline) {
      EXPECT_DOUBLE_EQ(at(2).pull, 1.0 / 8) << "2.8 x 0.7 = 1.96";
    }
  }
}

TEST(NBodySimulation, MoreBodiesThanMemoryAreRefused) {
  const InitialConditions start = make_scene(scene(SceneKind::plummer, 1000));
  {
    const isolume::testing::MemoryBudget budget("300KiB");
    try {
      NBodySimulation simulation(start, {});
      ADD_FAILURE() << "nothing was thrown";
    } catch (const ResourceError& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("A simulation of 1000 bodies"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr("300 KiB"));
    }
  }
  const isolume::testing::MemoryBudget budget("600KiB");
  NBodySimulation simulation(start, {});
  simulation.advance(1);
}

TEST(NBodySimulation, RefusesWhatMakesNoSense) {
  const auto refusal = [](InitialConditions start, const RunOptions& options) -> std::string {
    try {
      NBodySimulation simulation(std::move(start), options);
      simulation.advance(20);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  InitialConditions start = make_scene(scene(SceneKind::plummer, 20));
  InitialConditions bad = start;
  bad.bodies.vy[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(bad, {}), "Body 4: vy is nan. Give a finite number.");
  bad = start;
  bad.id = {1, 2};
  EXPECT_THAT(refusal(bad, {}), ::testing::HasSubstr("20 bodies have 2 numbers"));
  EXPECT_THAT(refusal({}, {}), ::testing::HasSubstr("There is no body"));
  for (const double dt : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    EXPECT_THAT(refusal(start, steps_of(dt)), ::testing::HasSubstr("time step of")) << dt;
  }
  EXPECT_THAT(refusal(start, steps_of(1e80)), ::testing::HasSubstr("flies away to infinity"));
  RunOptions options;
  options.solver = SolverKind::fmm;
  NBodySimulation simulation(start, options);
  options.softening_kind = SofteningKind::spline;
  EXPECT_THAT(refusal(start, options),
              ::testing::HasSubstr("Spline softening is not offered by this solver"));
  EXPECT_THROW(simulation.set_parameter("dt", -1.0), Error);
  EXPECT_THROW(simulation.set_parameter("softening-kind", std::string("spline")), Error);
  EXPECT_EQ(simulation.options().softening_kind, SofteningKind::plummer);
}

}  // namespace
}  // namespace isolume::nbody
