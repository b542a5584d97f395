// Bodies that something else moves for a simulation: when they are fetched, and what becomes of faults.
#include "core/nbody/runs/resident_run.h"

#include <cmath>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/dispatch/dispatch.h"
#include "core/nbody/engines/engine.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/simulation/runner.h"

namespace isolume::nbody {
namespace {

/// One body on a spring, x'' = -x, that something far away moves. Fails where it is told to.
struct FarAway {
  enum class Fault { none, lost, error, cancelled, not_resident };
  int puts = 0, steps = 0, fetches = 0;
  int fault_at = -1;  ///< which step, counted from the first one of all
  Fault fault = Fault::none;
  bool for_good = false;  ///< puts are refused from then on
};

class Spring final : public ResidentBodies {
 public:
  explicit Spring(FarAway& far) : far_(far) {}

  void put(const Bodies& bodies, const jobs::Progress&) override {
    if (far_.for_good) throw NotResident("nothing is left");
    ++far_.puts;
    x_ = bodies.x[0];
    v_ = bodies.vx[0];
  }
  std::optional<std::size_t> step(double dt, const jobs::Progress& progress) override {
    progress.check();
    if (far_.steps++ == far_.fault_at) fail();
    v_ -= 0.5 * dt * x_;
    x_ += dt * v_;
    v_ -= 0.5 * dt * x_;
    return std::nullopt;
  }
  void fetch(Bodies& bodies, const jobs::Progress&) override {
    ++far_.fetches;
    bodies.x = {x_};
    bodies.y = bodies.z = bodies.vy = bodies.vz = {0};
    bodies.vx = {v_};
  }
  Forces forces(const jobs::Progress&) override {
    Forces forces = no_forces(1);
    forces.ax = {-x_};
    return forces;
  }
  ForceSeconds seconds() const override { return {}; }
  std::string who() const override { return "a spring"; }
  std::string where() const override { return "far away"; }

 private:
  void fail() {
    x_ = v_ = std::nan("");
    switch (far_.fault) {
      case FarAway::Fault::lost:
        throw dispatch::DeviceLost("gone");
      case FarAway::Fault::cancelled:
        throw Cancelled();
      case FarAway::Fault::not_resident:
        far_.for_good = true;
        throw NotResident("no room");
      default:
        throw Error("not this time");
    }
  }

  FarAway& far_;
  double x_ = 0, v_ = 0;
};

Bodies at_one() {
  Bodies bodies;
  bodies.mass = {1};
  bodies.x = {1};
  bodies.y = bodies.z = bodies.vx = bodies.vy = bodies.vz = {0};
  return bodies;
}

Bodies undisturbed(int steps, double dt) {
  FarAway far;
  Spring spring(far);
  Bodies bodies = at_one();
  spring.put(bodies, {});
  for (int step = 0; step < steps; ++step) spring.step(dt, {});
  spring.fetch(bodies, {});
  return bodies;
}

TEST(ResidentRun, FetchesBodiesWhereTheyAreAskedForAndNowAndThen) {
  FarAway far;
  ResidentRun run(std::make_unique<Spring>(far));
  Bodies host = at_one();
  for (int step = 1; step <= 10; ++step) {
    run.step(host, 0.1, {});
    EXPECT_EQ(run.behind(), step);
  }
  EXPECT_EQ(far.puts, 1);
  EXPECT_EQ(far.fetches, 0);
  run.fetch(host, {});
  run.fetch(host, {});
  EXPECT_EQ(far.fetches, 1) << "they have not moved since";
  EXPECT_EQ(host.x, undisturbed(10, 0.1).x);
  EXPECT_NEAR(host.x[0], std::cos(1.0), 2e-3);
  EXPECT_EQ(host.mass, at_one().mass);
  for (int step = 0; step < 3 * ResidentRun::most_behind; ++step) run.step(host, 0.1, {});
  EXPECT_EQ(run.behind(), ResidentRun::most_behind);
  EXPECT_EQ(far.fetches, 3);
  run.step(host, -0.1, {});
  EXPECT_EQ(far.fetches, 4) << "all steps since then have one length";
  EXPECT_EQ(run.behind(), -1);
}

TEST(ResidentRun, TakesStepsAgainAfterAFault) {
  for (const auto fault : {FarAway::Fault::lost, FarAway::Fault::error}) {
    FarAway far{.fault_at = 7, .fault = fault};
    ResidentRun run(std::make_unique<Spring>(far));
    Bodies host = at_one();
    for (int step = 0; step < 12; ++step) run.step(host, 0.1, {});
    EXPECT_EQ(far.puts, 2);
    EXPECT_EQ(far.steps, 12 + 8) << "seven that are taken again, and the one that was not taken";
    run.fetch(host, {});
    EXPECT_EQ(host.x, undisturbed(12, 0.1).x);
    EXPECT_EQ(host.vx, undisturbed(12, 0.1).vx);
  }
}

TEST(ResidentRun, TellsWhatFailsTwice) {
  struct Broken final : ResidentBodies {
    void put(const Bodies&, const jobs::Progress&) override {}
    std::optional<std::size_t> step(double, const jobs::Progress&) override { throw Error("never"); }
    void fetch(Bodies&, const jobs::Progress&) override {}
    Forces forces(const jobs::Progress&) override { throw ResourceError("no room for them"); }
    ForceSeconds seconds() const override { return {}; }
    std::string who() const override { return {}; }
    std::string where() const override { return {}; }
  };
  ResidentRun run(std::make_unique<Broken>());
  Bodies host = at_one();
  EXPECT_THROW(run.step(host, 0.1, {}), Error);
  EXPECT_EQ(run.behind(), 0);
  EXPECT_THROW(run.forces(host, {}), NotResident) << "the host may have room";
}

TEST(ResidentRun, IsWhereItWasAfterACancel) {
  FarAway far{.fault_at = 3, .fault = FarAway::Fault::lost};
  ResidentRun run(std::make_unique<Spring>(far));
  Bodies host = at_one();
  for (int step = 0; step < 3; ++step) run.step(host, 0.1, {});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(run.step(host, 0.1, jobs::Progress(stop.get_token(), nullptr)), Cancelled);
  EXPECT_EQ(run.behind(), 3);
  run.step(host, 0.1, {});  // fails first, as it was told to
  run.fetch(host, {});
  EXPECT_EQ(host.x, undisturbed(4, 0.1).x);
}

/// Gravity of the CPU, and a spring far away.
class SpringEngine final : public Engine {
 public:
  explicit SpringEngine(FarAway& far) : far_(far) {}
  std::string_view name() const override { return "spring"; }
  std::string description(int) const override { return "A spring"; }
  std::unique_ptr<Solver> solver(SolverKind kind) const override { return make_solver(kind); }
  std::unique_ptr<ResidentBodies> resident(const ForceOptions&) const override {
    return std::make_unique<Spring>(far_);
  }

 private:
  FarAway& far_;
};

NBodySimulation spring_simulation(FarAway& far) {
  auto engines = std::make_shared<EngineRegistry>();
  engines->add(std::make_unique<SpringEngine>(far));
  InitialConditions start;
  start.bodies = at_one();
  RunOptions options;
  options.dt = 0.1;
  return NBodySimulation(std::move(start), options, engines);
}

TEST(ResidentSimulation, AsksForBodiesNoMoreOftenThanSomebodyLooks) {
  FarAway far;
  auto simulation = spring_simulation(far);
  simulation.advance(5);
  EXPECT_EQ(far.fetches, 0);
  const auto frame = simulation.frame(frame_positions);
  EXPECT_EQ(frame->stays_on, "far away");
  EXPECT_EQ(frame->computed_by, "a spring");
  EXPECT_EQ(simulation.bodies().x, undisturbed(5, 0.1).x);
  EXPECT_EQ(simulation.forces().ax[0], -simulation.bodies().x[0]);
  EXPECT_EQ(far.fetches, 1);
  EXPECT_EQ(far.puts, 1);
}

TEST(ResidentSimulation, TakesStepsAgainOnTheHostWhereNothingIsLeft) {
  FarAway far{.fault_at = 4, .fault = FarAway::Fault::not_resident};
  auto simulation = spring_simulation(far);
  simulation.advance(6);
  EXPECT_EQ(simulation.step(), 6);
  EXPECT_DOUBLE_EQ(simulation.time(), 0.6);
  EXPECT_EQ(simulation.bodies().x[0], 1) << "the host's gravity does not move one body alone";
  EXPECT_EQ(simulation.frame(frame_positions)->stays_on, "");
}

TEST(ResidentSimulation, OfARunnerIsThereAtAnyMomentBitForBit) {
  FarAway far{.fault_at = 23, .fault = FarAway::Fault::lost};
  simulation::RunnerOptions options;
  options.checkpoint_spacing = 8;
  options.frame_slots = 4;
  FarAway other;
  simulation::Runner runner(spring_simulation(far).branch(), options);
  for (const std::int64_t step : {40, 13, 27, 40}) {
    const auto frame = std::dynamic_pointer_cast<const NBodyFrame>(runner.go_to(step).get());
    auto alone = spring_simulation(other);
    alone.advance(step);
    EXPECT_EQ(frame->step, step);
    EXPECT_EQ(frame->velocities, alone.frame(frame_velocities)->velocities) << step;
  }
  EXPECT_EQ(runner.status().faults, 0u) << "it went back by itself";
}

}  // namespace
}  // namespace isolume::nbody
