#include "core/nbody/runs/block_steps.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"
#include "core/simulation/runner.h"
#include "tests/core/nbody/distributions.h"

namespace isolume::nbody {
namespace {

using std::numbers::pi;

InitialConditions plummer_sphere(std::int64_t bodies) {
  SceneOptions options;
  options.bodies = bodies;
  return make_scene(options);
}
InitialConditions orbit(double eccentricity) {
  SceneOptions options;
  options.scene = SceneKind::binary;
  options.eccentricity = eccentricity;
  return make_scene(options);
}

/// Every pair in double precision with `softening`: of Hermite as it is, of leapfrog by the spline.
RunOptions blocks(double dt, double accuracy, Integrator integrator, double softening) {
  RunOptions options;
  options.dt = dt;
  options.time_steps = TimeSteps::block;
  options.accuracy = accuracy;
  options.integrator = integrator;
  options.softening = softening;
  options.solver = SolverKind::direct;
  if (integrator == Integrator::leapfrog) options.softening_kind = SofteningKind::spline;
  return options;
}
RunOptions global(RunOptions options, double dt) {
  options.time_steps = TimeSteps::global;
  options.dt = dt;
  return options;
}

double energy(NBodySimulation& simulation) {
  return simulation.frame(frame_diagnostics)->diagnostics->energy();
}
double root_mean_square_distance(const Bodies& one, const Bodies& other) {
  double sum = 0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    sum += std::pow(one.x[i] - other.x[i], 2) + std::pow(one.y[i] - other.y[i], 2) +
           std::pow(one.z[i] - other.z[i], 2);
  }
  return std::sqrt(sum / static_cast<double>(one.size()));
}
Bodies moved_on(const InitialConditions& start, const RunOptions& options, double time) {
  NBodySimulation simulation(start, options);
  simulation.advance(std::lround(time / options.dt));
  return simulation.bodies();
}

std::vector<std::uint32_t> every(std::uint32_t nth, std::size_t count) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = nth / 2; i < count; i += nth) numbers.push_back(i);
  return numbers;
}

TEST(NBodyActiveForces, AreNearTheReferences) {
  const Bodies bodies = testing::plummer(6000);
  const Forces expected = make_reference_solver()->forces(bodies, {});
  ForceOptions by_error;
  by_error.error = 1e-3;
  for (const auto& [kind, options, limit] : {std::tuple{SolverKind::direct, ForceOptions(), 1e-5},
                                             {SolverKind::barnes_hut, ForceOptions(), 5e-3},
                                             {SolverKind::barnes_hut, by_error, 1e-3}}) {
    const auto solver = make_solver(kind);
    for (const std::uint32_t nth : {2u, 7u, 997u, 4001u}) {
      const auto active = every(nth, bodies.size());
      const Forces found = solver->active_forces(bodies, active, options);
      std::vector<double> errors;
      for (const std::uint32_t i : active) {
        const double error = std::hypot(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i],
                                        found.az[i] - expected.az[i]);
        errors.push_back(error / std::hypot(expected.ax[i], expected.ay[i], expected.az[i]));
        EXPECT_NEAR(found.potential[i] / expected.potential[i], 1, limit);
      }
      std::ranges::sort(errors);
      EXPECT_LT(errors[errors.size() * 99 / 100], limit) << solver->name() << " " << nth;
      const auto all_pairs = static_cast<std::uint64_t>(active.size()) * bodies.size();
      if (kind == SolverKind::direct) {
        EXPECT_EQ(found.body_pairs, all_pairs);
      } else if (active.size() > 600) {
        EXPECT_LT(found.body_pairs, all_pairs / 2);
      }
    }
  }
}

TEST(NBodyActiveForces, OnAllBodiesButOneAreTheReferences) {
  const Bodies bodies = testing::plummer(3000);
  std::vector<std::uint32_t> most(bodies.size() - 1);
  std::iota(most.begin(), most.end(), 1);
  const Forces expected = make_reference_solver()->forces(bodies, {});
  for (const auto& solver : {make_direct_solver(), make_barnes_hut_solver()}) {
    const Forces found = solver->active_forces(bodies, most, {});
    double worst = 0;
    for (const std::uint32_t i : most) {
      const double error = std::hypot(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i],
                                      found.az[i] - expected.az[i]);
      worst = std::max(worst, error / std::hypot(expected.ax[i], expected.ay[i], expected.az[i]));
    }
    EXPECT_LT(worst, solver->name() == "direct" ? 1e-4 : 3e-2) << solver->name();
  }
}

/// In the middle of a figure eight two bodies pull at the third in opposite directions.
TEST(NBodyBlockSteps, OfHermiteBeginWhereNothingPullsForAMoment) {
  const InitialConditions start = make_scene({.scene = SceneKind::figure_eight});
  const RunOptions options = blocks(0.01, 0.02, Integrator::hermite, 0);
  NBodySimulation simulation(start, options);
  simulation.advance(100);
  const Bodies expected = moved_on(start, global(options, 1.0 / 4096), 1);
  EXPECT_LT(root_mean_square_distance(simulation.bodies(), expected), 1e-5);
}

TEST(NBodyBlockSteps, WhereNobodyNeedsShorterOnesAreTheGlobalSteps) {
  const InitialConditions start = plummer_sphere(200);
  const RunOptions options = blocks(1e-3, 1, Integrator::leapfrog, 0.1);
  NBodySimulation one(start, options), other(start, global(options, options.dt));
  one.advance(20);
  other.advance(20);
  EXPECT_EQ(one.work().substeps, 1);
  EXPECT_LT(root_mean_square_distance(one.bodies(), other.bodies()), 1e-14);
}

TEST(NBodyBlockSteps, OfLeapfrogAreOfSecondOrder) {
  const InitialConditions start = plummer_sphere(150);
  const Bodies expected = moved_on(start, global(blocks(1, 1, Integrator::leapfrog, 0.05), 1.0 / 8192), 0.5);
  double before = 0;
  for (const int finer : {1, 2, 4}) {
    // A quarter of the accuracy halves what bodies ask for: they are on the same rungs of halved steps.
    const RunOptions options = blocks(1.0 / 16 / finer, 0.02 / (finer * finer), Integrator::leapfrog, 0.05);
    const double error = root_mean_square_distance(moved_on(start, options, 0.5), expected);
    if (finer > 1) {
      EXPECT_NEAR(before / error, 4, 1) << finer;
    }
    before = error;
  }
}

TEST(NBodyBlockSteps, OfHermiteAreOfFourthOrder) {
  const InitialConditions start = plummer_sphere(60);
  const Bodies expected = moved_on(start, global(blocks(1, 1, Integrator::hermite, 0.05), 1.0 / 2048), 0.5);
  double before = 0;
  for (const int finer : {1, 2, 4}) {
    const RunOptions options = blocks(1.0 / 16 / finer, 0.1 / (finer * finer), Integrator::hermite, 0.05);
    const double error = root_mean_square_distance(moved_on(start, options, 0.5), expected);
    if (finer > 1) {
      EXPECT_GT(before / error, 10) << finer;
    }
    before = error;
  }
  EXPECT_LT(before, 1e-8);
}

TEST(NBodyBlockSteps, FollowAnEccentricOrbitThatGlobalStepsLose) {
  // Steps of 1/16 at the pericentre, where the bodies turn in 0.02.
  const InitialConditions start = orbit(0.95);
  const RunOptions options = blocks(2 * pi / 100, 0.005, Integrator::hermite, 0);
  NBodySimulation block(start, options);
  block.advance(100);
  EXPECT_NEAR(energy(block) / -0.125, 1, 1e-5);
  EXPECT_LT(root_mean_square_distance(block.bodies(), start.bodies), 1e-2) << "the period is 2 pi";
  NBodySimulation coarse(start, global(options, options.dt));
  coarse.advance(100);
  EXPECT_GT(std::abs(energy(coarse) / -0.125 - 1), 0.1);
}

TEST(NBodyBlockSteps, ComputeFewerForcesThanTheShortestStepForAll) {
  SceneOptions scene;
  scene.scene = SceneKind::hernquist;
  scene.bodies = 2000;
  NBodySimulation simulation(make_scene(scene), blocks(0.125, 0.01, Integrator::leapfrog, 0.003));
  simulation.advance(1);
  const StepWork& work = simulation.work();
  EXPECT_GE(work.substeps, 32);
  EXPECT_LT(work.forces, work.substeps * 2000 / 4);
}

TEST(NBodyBlockSteps, KeepEnergyAndNearlyMomentum) {
  const InitialConditions start = plummer_sphere(500);
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::hermite}) {
    const RunOptions options = blocks(1.0 / 16, 0.02, integrator, 0.05);
    NBodySimulation simulation(start, options);
    const auto first = *simulation.frame(frame_diagnostics)->diagnostics;
    simulation.advance(32);
    const auto now = *simulation.frame(frame_diagnostics)->diagnostics;
    const bool leapfrog = integrator == Integrator::leapfrog;
    EXPECT_NEAR(now.energy() / first.energy(), 1, leapfrog ? 2e-3 : 1e-6);
    // Pairs do not act at the same moments, so that what one gains the other need not lose.
    const double gained = (now.momentum - first.momentum).norm();
    EXPECT_LT(gained, leapfrog ? 2e-3 : 1e-6);
    EXPECT_GT(gained, 1e-13) << "global steps keep it up to rounding";
  }
}

TEST(NBodyBlockSteps, RunBackNearlyButNotExactly) {
  const InitialConditions start = plummer_sphere(300);
  const RunOptions options = blocks(1.0 / 16, 0.005, Integrator::leapfrog, 0.05);
  NBodySimulation block(start, options), plain(start, global(options, 1.0 / 256));
  block.advance(8);
  EXPECT_GT(root_mean_square_distance(block.bodies(), start.bodies), 0.1);
  block.advance(-8);
  EXPECT_EQ(block.step(), 0);
  const double missed = root_mean_square_distance(block.bodies(), start.bodies);
  EXPECT_LT(missed, 1e-3);
  plain.advance(128);
  plain.advance(-128);
  // Steps are chosen by where they begin, which is elsewhere on the way back.
  EXPECT_GT(missed, 1e3 * root_mean_square_distance(plain.bodies(), start.bodies));
}

TEST(NBodyBlockSteps, AreTheSameOnAnyNumberOfThreads) {
  const InitialConditions start = plummer_sphere(3000);
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::hermite}) {
    RunOptions options = blocks(1.0 / 16, 0.02, integrator, 0.02);
    options.softening_kind = SofteningKind::plummer;
    for (const SolverKind solver : {SolverKind::direct, SolverKind::barnes_hut}) {
      if (integrator == Integrator::hermite && solver == SolverKind::barnes_hut) continue;
      options.solver = solver;
      options.threads = 1;
      NBodySimulation one(start, options);
      one.advance(1);
      options.threads = 5;
      NBodySimulation many(start, options);
      many.advance(1);
      EXPECT_GT(one.work().substeps, 1);
      EXPECT_EQ(one.bodies().x, many.bodies().x);
      EXPECT_EQ(one.bodies().vz, many.bodies().vz);
    }
  }
}

TEST(NBodyBlockSteps, GoOnFromACheckpointBitForBit) {
  for (const Integrator integrator : {Integrator::leapfrog, Integrator::hermite}) {
    NBodySimulation simulation(plummer_sphere(200), blocks(1.0 / 16, 0.02, integrator, 0.05));
    simulation.advance(3);
    const auto checkpoint = simulation.checkpoint();
    const auto branch = simulation.branch();
    simulation.advance(4);
    const Bodies expected = simulation.bodies();
    branch->advance(4);
    EXPECT_EQ(dynamic_cast<NBodySimulation&>(*branch).bodies().x, expected.x);
    simulation.set_parameter("accuracy", 0.5);
    simulation.set_parameter("time-steps", std::string("global"));
    simulation.advance(2);
    simulation.restore(*checkpoint);
    EXPECT_EQ(simulation.options().time_steps, TimeSteps::block);
    simulation.advance(4);
    EXPECT_EQ(simulation.bodies().x, expected.x);
    EXPECT_EQ(simulation.bodies().vy, expected.vy);
    EXPECT_EQ(simulation.time(), 7.0 / 16);
  }
}

TEST(NBodyBlockSteps, ARunnerBringsAnyMomentBack) {
  RunOptions options = blocks(1.0 / 16, 0.02, Integrator::leapfrog, 0.05);
  options.softening_kind = SofteningKind::plummer;
  options.solver = SolverKind::barnes_hut;
  NBodySimulation plain(plummer_sphere(600), options);
  std::vector<std::vector<float>> expected;
  for (int step = 0; step <= 12; ++step) {
    expected.push_back(plain.frame(frame_positions)->positions);
    plain.advance(1);
  }
  simulation::RunnerOptions few;
  few.checkpoint_spacing = 4;
  few.frame_slots = 2;
  simulation::Runner runner(std::make_unique<NBodySimulation>(plummer_sphere(600), options), few);
  for (const std::int64_t step : {12, 3, 11, 0, 7}) {
    const auto frame = std::dynamic_pointer_cast<const NBodyFrame>(runner.go_to(step).get());
    EXPECT_EQ(frame->positions, expected[static_cast<std::size_t>(step)]) << step;
  }
}

TEST(NBodyBlockSteps, ACancelledStepIsNotMade) {
  NBodySimulation simulation(plummer_sphere(500), blocks(0.125, 0.01, Integrator::leapfrog, 0.02));
  simulation.advance(1);
  const Bodies before = simulation.bodies();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(simulation.advance(1, jobs::Progress(stop.get_token(), nullptr)), Cancelled);
  EXPECT_EQ(simulation.step(), 1);
  EXPECT_EQ(simulation.bodies().x, before.x);
  EXPECT_EQ(simulation.bodies().vx, before.vx);
}

TEST(NBodyBlockSteps, RefuseWhatMakesNoSense) {
  const auto refusal = [](const InitialConditions& start, const RunOptions& options) -> std::string {
    try {
      NBodySimulation simulation(start, options);
      simulation.advance(1);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  RunOptions options;
  options.time_steps = TimeSteps::block;
  EXPECT_THAT(refusal(plummer_sphere(10), options), ::testing::HasSubstr("the softening, which is 0"));
  options.softening = 1e-30;
  EXPECT_THAT(refusal(plummer_sphere(10), options), ::testing::HasSubstr("needs a time step of"));
  options.softening = 0.1;
  for (const double accuracy : {0.0, -1.0, 2.0, std::nan("")}) {
    options.accuracy = accuracy;
    EXPECT_THAT(refusal(plummer_sphere(10), options), ::testing::HasSubstr("accuracy of block steps"));
  }
  // A body alone is at rest or goes on.
  options.accuracy = 0.01;
  EXPECT_EQ(refusal(plummer_sphere(1), options), "nothing was thrown");
  options.integrator = Integrator::hermite;
  EXPECT_EQ(refusal(plummer_sphere(1), options), "nothing was thrown");
}

}  // namespace
}  // namespace isolume::nbody
