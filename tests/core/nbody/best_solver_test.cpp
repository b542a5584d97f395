// Which solver SolverKind::best stands for, and that its forces are exact enough.
#include "core/nbody/engines/best_solver.h"

#include <gtest/gtest.h>

#include "core/nbody/forces/sampled_error.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "tests/core/nbody/distributions.h"

namespace isolume::nbody {
namespace {

/// Offers what a GPU does, without one.
class OnDevices final : public Engine {
 public:
  std::string_view name() const override { return "devices"; }
  std::string description(int) const override { return "Devices"; }
  std::unique_ptr<Solver> solver(SolverKind kind) const override {
    const bool offered = kind == SolverKind::direct || kind == SolverKind::barnes_hut;
    return offered ? make_solver(kind) : nullptr;
  }
  std::string leaves_to_others(std::size_t bodies) const override {
    return bodies < 2000 ? "few bodies are faster elsewhere" : "";
  }
};

EngineRegistry with_devices() {
  EngineRegistry engines;
  engines.add(std::make_unique<OnDevices>());
  engines.add(make_cpu_engine());
  return engines;
}

ForceOptions asking(double error, std::string engine = "auto") {
  ForceOptions options;
  options.error = error;
  options.engine = std::move(engine);
  return options;
}

TEST(BestSolver, IsTheDirectSumForFewBodiesAndTheFastMultipoleMethodForManyByError) {
  const auto best = [](std::size_t bodies, double error) {
    return with_best_solver(*cpu_engines(), bodies, asking(error)).solver;
  };
  for (const double error : {0.0, 1e-2, 1e-4}) EXPECT_EQ(best(100, error), SolverKind::direct) << error;
  for (const double error : {1e-2, 1e-3, 1e-4, 1e-6})
    EXPECT_EQ(best(1'000'000, error), SolverKind::fmm) << error;
  EXPECT_EQ(best(1'000'000, 0), SolverKind::barnes_hut) << "whose opening angle it is";
  for (const std::size_t bodies : {2U, 100U, 1'000'000U})
    EXPECT_EQ(best(bodies, 1e-9), SolverKind::fmm) << "which alone keeps such an error";
  EXPECT_EQ(best(5000, 1e-3), SolverKind::barnes_hut);
}

TEST(BestSolver, WithSofteningIsBarnesHut) {
  ForceOptions options = asking(1e-3);
  options.softening = 0.05;
  EXPECT_EQ(with_best_solver(*cpu_engines(), 1'000'000, options).solver, SolverKind::barnes_hut);
  options.error = 1e-9;
  EXPECT_EQ(with_best_solver(*cpu_engines(), 1'000'000, options).solver, SolverKind::fmm);
  options.softening_kind = SofteningKind::spline;
  EXPECT_EQ(with_best_solver(*cpu_engines(), 1000, options).solver, SolverKind::direct)
      << "in double precision; the fast multipole method has no such softening";
  options.error = 1e-3;
  EXPECT_EQ(with_best_solver(*cpu_engines(), 1'000'000, options).solver, SolverKind::barnes_hut);
  EXPECT_NO_THROW(check(options));
}

TEST(BestSolver, OnDevicesIsOneOfTheirs) {
  const EngineRegistry engines = with_devices();
  const auto best = [&](std::size_t bodies, const ForceOptions& options) {
    return with_best_solver(engines, bodies, options).solver;
  };
  EXPECT_EQ(best(1'000'000, asking(1e-3)), SolverKind::barnes_hut);
  EXPECT_EQ(best(20'000, asking(1e-3)), SolverKind::direct);
  EXPECT_EQ(best(1'000'000, asking(1e-3, "cpu")), SolverKind::fmm);
  EXPECT_EQ(best(1'000'000, asking(1e-9)), SolverKind::fmm);
  EXPECT_EQ(best(100, asking(1e-3)), SolverKind::direct);
}

TEST(BestSolver, LeavesAChosenOneAndOtherOptionsAsTheyAre) {
  ForceOptions options = asking(1e-3);
  options.solver = SolverKind::barnes_hut;
  options.softening = 0.25;
  const ForceOptions found = with_best_solver(*cpu_engines(), 10, options);
  EXPECT_EQ(found.solver, SolverKind::barnes_hut);
  EXPECT_EQ(found.softening, 0.25);
  EXPECT_EQ(found.error, 1e-3);
}

TEST(BestSolver, OfStepsOfTheirOwnCanLeaveBodiesOut) {
  RunOptions run;
  run.error = 1e-3;
  EXPECT_EQ(with_best_solver(*cpu_engines(), 1'000'000, run).solver, SolverKind::fmm);
  run.time_steps = TimeSteps::block;
  EXPECT_EQ(with_best_solver(*cpu_engines(), 1'000'000, run).solver, SolverKind::barnes_hut);
}

TEST(BestSolver, IsNamedAndHidesWhatIsNotUsed) {
  const auto narrowed = [](const char* key, std::size_t bodies, const RunOptions& run) {
    parameters::Description description = run_schema().at(key).description;
    narrow_to_used(description, *cpu_engines(), bodies, run);
    return description;
  };
  const auto is_relevant = [&](const char* key, std::size_t bodies, RunOptions run) {
    return parameters::relevant(narrowed(key, bodies, run),
                                parameters::StructParameters<RunOptions>(run_schema(), run));
  };
  RunOptions run;
  EXPECT_EQ(narrowed("solver", 500, run).choices.front().label, "Fastest: Direct sum");
  EXPECT_EQ(narrowed("solver", 5000, run).choices.front().label, "Fastest: Barnes-Hut");
  EXPECT_FALSE(is_relevant("opening-angle", 500, run));
  EXPECT_TRUE(is_relevant("opening-angle", 5000, run));
  EXPECT_TRUE(is_relevant("error", 5000, run));
  run.error = 1e-3;
  EXPECT_FALSE(is_relevant("opening-angle", 5000, run));
  run.error = 0;
  run.solver = SolverKind::barnes_hut;
  EXPECT_TRUE(is_relevant("opening-angle", 500, run));
  run.integrator = Integrator::hermite;
  for (const char* key : {"solver", "opening-angle", "error"})
    EXPECT_FALSE(is_relevant(key, 500, run)) << key;
}

TEST(BestSolver, KeepsTheErrorInARunAndNamesItself) {
  for (const auto& [bodies, error, solver, name] : {std::tuple{500, 1e-4, SolverKind::direct, "direct sum"},
                                                    {20000, 1e-4, SolverKind::fmm, "fast multipole method"},
                                                    {20000, 0.0, SolverKind::barnes_hut, "Barnes-Hut"},
                                                    {500, 1e-8, SolverKind::fmm, "fast multipole method"}}) {
    SCOPED_TRACE(::testing::Message() << bodies << " bodies, error " << error);
    RunOptions options;
    options.error = error;
    NBodySimulation simulation({.bodies = testing::plummer(static_cast<std::size_t>(bodies))}, options);
    simulation.advance(1);
    const auto frame = simulation.frame(frame_diagnostics | frame_force_error);
    EXPECT_EQ(frame->solver, solver);
    EXPECT_EQ(frame->options.solver, SolverKind::best) << "as it was chosen";
    EXPECT_TRUE(frame->computed_by.find(name) != std::string::npos) << frame->computed_by;
    ASSERT_TRUE(frame->force_error);
    EXPECT_LT(frame->force_error->p99, error > 0 ? error : 1e-2);
    if (error > 0) {
      EXPECT_EQ(simulation.kept_error().solver, solver);
    }
  }
}

}  // namespace
}  // namespace isolume::nbody
