#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/recorded_run.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/diagnostics_table.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/temporary_folder.h"

namespace isolume::nbody {
namespace {

using isolume::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct Case {
  InitialConditions start;
  RunPlan plan;
};

Case plummer(std::int64_t steps, std::int64_t every) {
  SceneOptions scene;
  scene.scene = SceneKind::plummer;
  scene.bodies = 200;
  Case run{make_scene(scene), {.options = {}, .steps = steps, .every = every}};
  run.plan.options = suited_to(run.start, {}, {});
  run.plan.options.dt = 0.013;
  return run;
}

Case block(Integrator integrator) {
  Case run = plummer(12, 4);
  run.plan.options.time_steps = TimeSteps::block;
  run.plan.options.integrator = integrator;
  return run;
}

Case box() {
  SceneOptions scene;
  scene.scene = SceneKind::cosmological_box;
  scene.particles_per_side = 8;
  scene.box_size = 40;
  Case run{make_scene(scene), {.options = {}, .steps = 12, .every = 4}};
  run.plan.options = suited_to(run.start, {}, {});
  return run;
}

/// Some of the bodies merge.
Case merging(Case run) {
  run.plan.options.collisions = Collisions::merge;
  run.plan.options.density = 8;
  run.plan.options.dt = 0.04;
  return run;
}

/// With radii that are known.
Case merging_spheres() {
  Case run = merging(plummer(12, 4));
  run.start.radius.assign(run.start.bodies.size(), 0.05);
  return run;
}

bool merges(const Case& run) {
  return run.plan.options.collisions == Collisions::merge;
}

bool is_moment(const Case& run, std::int64_t step) {
  return step % run.plan.every == 0 || step == run.plan.steps;
}

/// What the disk would hold if the program were killed now.
using Killed = std::function<void()>;

/// Takes the run to its end. Steps between two moments are kept, too.
void follow(const Case& run, NBodySimulation& simulation, TrajectoryWriter& writer, const Killed& killed) {
  while (simulation.step() < run.plan.steps) {
    simulation.advance(1);
    if (!is_moment(run, simulation.step())) {
      writer.keep(simulation);
    } else if (merges(run)) {
      writer.add(simulation);
    } else {
      writer.begin(TrajectoryWriter::moment_of(simulation));
      killed();  // in the middle of a moment
      writer.add_part(0, simulation.bodies());
    }
    killed();
  }
  writer.finish();
}

void start(const Case& run, const std::filesystem::path& path, const Killed& killed) {
  NBodySimulation simulation(run.start, run.plan.options);
  TrajectoryWriter writer(path, *simulation.labels(), simulation.bodies().size(), "a test", run.plan);
  writer.add_labels(0, simulation.bodies().mass, simulation.labels()->id, simulation.labels()->origin);
  writer.add(simulation);
  killed();
  follow(run, simulation, writer, killed);
}

/// From the partial file of `path`, or from itself.
void continue_run(const std::filesystem::path& path) {
  const bool killed = std::filesystem::exists(partial_name(path));
  const Trajectory trajectory(killed ? partial_name(path) : path);
  Case run{trajectory.moment(0), *trajectory.plan()};
  NBodySimulation simulation(run.start, run.plan.options);
  auto last = trajectory.checkpoint();
  simulation.put(std::move(last.bodies), std::move(last.moment), last.labels);
  TrajectoryWriter writer(path, trajectory, run.plan);
  follow(run, simulation, writer, [] {});
}

class KilledRun : public ::testing::TestWithParam<std::function<Case()>> {};

TEST_P(KilledRun, IsBitForBitTheRunThatWasNotKilled) {
  const Case run = GetParam()();
  const TemporaryFolder folder;
  const auto path = folder / "t.h5";
  int kills = 0;
  start(run, path, [&] {
    EXPECT_FALSE(std::filesystem::exists(path));
    std::filesystem::copy_file(partial_name(path), folder / (std::to_string(kills++) + ".partial.h5"));
  });
  EXPECT_FALSE(std::filesystem::exists(partial_name(path)));
  const std::string whole = read_text_file(path);
  EXPECT_TRUE(Trajectory(path).remarks().empty());
  ASSERT_GT(kills, merges(run) ? 10 : 12);
  std::int64_t before = 0;
  std::size_t moments = 1;
  for (int i = 0; i < kills; ++i) {
    const auto killed = folder / (std::to_string(i) + ".h5");
    {
      const Trajectory left(partial_name(killed));
      // While a moment is written, what was kept last may be what is written over.
      EXPECT_GE(left.last_step(), before - run.plan.every) << "what was kept stays";
      EXPECT_GE(left.moments(), moments);
      moments = left.moments();
      before = left.last_step();
      const std::size_t bodies = left.moment(left.moments() - 1).bodies.size();
      EXPECT_LE(bodies, run.start.bodies.size());
      EXPECT_TRUE(merges(run) || bodies == run.start.bodies.size());
      ASSERT_EQ(left.remarks().size(), before < run.plan.steps ? 1u : 0u);
    }
    continue_run(killed);
    EXPECT_TRUE(read_text_file(killed) == whole) << "killed at step " << before;
  }
  EXPECT_GE(before, run.plan.steps - 1);
}

INSTANTIATE_TEST_SUITE_P(Of, KilledRun,
                         ::testing::Values([] { return plummer(14, 4); },  // ends between two moments
                                           [] { return block(Integrator::leapfrog); },
                                           [] { return block(Integrator::hermite); }, box,
                                           [] { return merging(plummer(14, 4)); },
                                           [] { return merging(block(Integrator::hermite)); },
                                           merging_spheres));

TEST(RecordedRun, HasTheBodiesThatAreLeft) {
  const Case run = merging_spheres();
  const TemporaryFolder folder;
  start(run, folder / "t.h5", [] {});
  NBodySimulation alone(run.start, run.plan.options);
  const Trajectory found(folder / "t.h5");
  ASSERT_EQ(found.moments(), 4u);
  for (std::size_t moment = 0; moment < 4; ++moment) {
    const InitialConditions there = found.moment(moment);
    EXPECT_EQ(there.bodies.mass, alone.bodies().mass);
    EXPECT_EQ(there.bodies.vy, alone.bodies().vy);
    EXPECT_EQ(there.id, alone.labels()->id);
    EXPECT_EQ(there.radius, alone.labels()->radius);
    EXPECT_EQ(found.collisions(moment), alone.collisions());
    EXPECT_EQ(found.energy_lost(moment), alone.energy_lost());
    EXPECT_EQ(found.kinetic_lost(moment), alone.kinetic_lost());
    alone.advance(4);
  }
  EXPECT_LT(found.moment(3).bodies.size(), 195u);
  RecordedRun recorded(std::make_shared<Trajectory>(folder / "t.h5"), run.plan.options, {});
  const std::size_t sizes[]{found.moment(0).bodies.size(), found.moment(3).bodies.size()};
  EXPECT_EQ(recorded.frame(frame_positions)->size(), sizes[0]);
  recorded.advance(3);
  const auto last = recorded.frame(frame_positions | frame_diagnostics);
  EXPECT_EQ(last->size(), sizes[1]);
  EXPECT_EQ(last->positions.size(), 3 * sizes[1]);
  EXPECT_EQ(last->diagnostics->collisions.count, found.collisions(3));
  EXPECT_EQ(last->diagnostics->collisions.kinetic_lost, found.kinetic_lost(3));
  recorded.advance(-3);
  EXPECT_EQ(recorded.frame(frame_positions)->size(), sizes[0]) << "back again";
}

TEST(RecordedRun, HasTheEnergiesOfItsSofteningKernel) {
  Case run = plummer(4, 4);
  run.plan.options.softening = 0.3;
  run.plan.options.softening_kind = SofteningKind::spline;
  const TemporaryFolder folder;
  start(run, folder / "t.h5", [] {});
  NBodySimulation alone(run.start, run.plan.options);
  const double spline = alone.frame(frame_diagnostics)->diagnostics->energy();
  const auto trajectory = std::make_shared<Trajectory>(folder / "t.h5");
  EXPECT_EQ(RecordedRun(trajectory, {}, {}).frame(frame_diagnostics)->diagnostics->energy(), spline);
  RecordedRun with_plummer(trajectory, {}, {});
  with_plummer.set_parameter("softening-kind", std::string("plummer"));
  EXPECT_NE(with_plummer.frame(frame_diagnostics)->diagnostics->energy(), spline);
  EXPECT_EQ(suited_to(make_scene({}), run.plan.options, {}).softening_kind, SofteningKind::plummer)
      << "which does not go with other bodies";
}

TEST(ContinuedRun, HoldsWhatASimulationWithoutAFileHolds) {
  const Case run = plummer(12, 4);
  const TemporaryFolder folder;
  std::string killed;
  start(run, folder / "t.h5", [&] {
    if (killed.empty() || Trajectory(partial_name(folder / "t.h5")).last_step() <= 6)
      killed = read_text_file(partial_name(folder / "t.h5"));
  });
  std::filesystem::remove(folder / "t.h5");
  folder.write("t.partial.h5", killed);
  continue_run(folder / "t.h5");
  NBodySimulation alone(run.start, run.plan.options);
  const Trajectory found(folder / "t.h5");
  ASSERT_EQ(found.moments(), 4u);
  for (std::size_t moment = 0; moment < 4; ++moment) {
    EXPECT_EQ(found.time()[moment], alone.time());
    const Bodies there = found.moment(moment).bodies;
    EXPECT_EQ(there.x, alone.bodies().x);
    EXPECT_EQ(there.vz, alone.bodies().vz);
    alone.advance(4);
  }
}

TEST(ContinuedRun, TellsHowFarItCameAndHowItGoesOn) {
  const Case run = plummer(14, 4);
  const TemporaryFolder folder;
  std::string killed;
  start(run, folder / "t.h5", [&] {
    if (killed.empty() || Trajectory(partial_name(folder / "t.h5")).last_step() <= 6)
      killed = read_text_file(partial_name(folder / "t.h5"));
  });
  folder.write("u.partial.h5", killed);
  const InitialConditions found = read_bodies(folder / "u.partial.h5");
  ASSERT_EQ(found.remarks.size(), 2u);
  EXPECT_THAT(found.remarks[1].text, HasSubstr("the last one is used"));
  EXPECT_THAT(found.remarks[0].text, HasSubstr("ended at step 6 of 14"));
  EXPECT_THAT(found.remarks[0].text, HasSubstr("last recorded moment is that of step 4"));
  EXPECT_THAT(found.remarks[0].text, HasSubstr("nbody run --resume -o "));
  EXPECT_THAT(found.remarks[0].text, HasSubstr("u.h5"));
}

TEST(ContinuedRun, GoesOnBeyondItsEnd) {
  const Case longer = plummer(12, 4);
  Case run = longer;
  run.plan.steps = 8;
  const TemporaryFolder folder;
  start(longer, folder / "whole.h5", [] {});
  start(run, folder / "t.h5", [] {});
  {
    const Trajectory trajectory(folder / "t.h5");
    NBodySimulation simulation(run.start, run.plan.options);
    auto last = trajectory.checkpoint();
    simulation.put(std::move(last.bodies), std::move(last.moment));
    TrajectoryWriter writer(folder / "t.h5", trajectory, longer.plan);
    follow(longer, simulation, writer, [] {});
  }
  const Trajectory found(folder / "t.h5"), whole(folder / "whole.h5");
  EXPECT_EQ(found.plan()->steps, 12);
  EXPECT_EQ(found.time(), whole.time());
  EXPECT_EQ(found.moment(3).bodies.y, whole.moment(3).bodies.y);
  EXPECT_TRUE(found.remarks().empty());
}

TEST(ContinuedRun, AcceptsAFileOfBeforeWithoutTheKineticEnergyLost) {
  Case run = merging_spheres();
  run.plan.steps = 8;
  const TemporaryFolder folder;
  start(run, folder / "t.h5", [] {});
  const hid_t file = H5Fopen((folder / "t.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(H5Ldelete(file, "kinetic_energy_lost", H5P_DEFAULT), 0);
  H5Fclose(file);
  {
    const Trajectory trajectory(folder / "t.h5");
    EXPECT_TRUE(std::isnan(trajectory.kinetic_lost(2))) << "and not 0, which it was not";
    NBodySimulation simulation(run.start, run.plan.options);
    auto last = trajectory.checkpoint();
    simulation.put(std::move(last.bodies), std::move(last.moment), last.labels);
    run.plan.steps = 12;
    TrajectoryWriter writer(folder / "t.h5", trajectory, run.plan);
    follow(run, simulation, writer, [] {});
  }
  NBodySimulation alone(run.start, run.plan.options);
  alone.advance(12);
  EXPECT_EQ(Trajectory(folder / "t.h5").energy_lost(3), alone.energy_lost());
}

/// What is said where a recorded run of 12 steps is opened to be continued after a change with nothing but libhdf5.
std::string refusal_after(const std::function<void(hid_t file)>& change) {
  const TemporaryFolder folder;
  start(plummer(12, 4), folder / "t.h5", [] {});
  const hid_t file = H5Fopen((folder / "t.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  change(file);
  H5Fclose(file);
  try {
    Trajectory(folder / "t.h5").checkpoint();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

void overwrite(hid_t file, const char* name, const std::vector<double>& values) {
  const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
  EXPECT_GE(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  H5Dclose(dataset);
}

TEST(ContinuedRun, StepsAndTimesThatAreNotThoseOfTheRunAreRefused) {
  const auto with = [](const char* name, const std::vector<double>& values) {
    return refusal_after([&](hid_t file) { overwrite(file, name, values); });
  };
  EXPECT_EQ(with("step", {0, 4, 8, 12}), "nothing was thrown");
  EXPECT_THAT(with("step", {0, 4, 8, 7}),
              HasSubstr("t.h5: row 3 of step (counted from 0) is 7, but must be above 8, the row before"));
  EXPECT_THAT(with("step", {0, 4, 8.5, 12}), HasSubstr("row 2 of step (counted from 0) is 8.5, not a whole"));
  EXPECT_THAT(with("time", {0, 0.052, 0.04, 0.156}),
              HasSubstr("row 2 of time (counted from 0) is 0.04, but"));
  EXPECT_THAT(with("time", {0, 0.052, 0.104, 99}),
              HasSubstr("row 3 of time (counted from 0) is 99, but step 12"));
}

TEST(ContinuedRun, WhatIsMissingIsNamedBeforeAnythingIsAppended) {
  for (const char* name : {"softening", "time_step", "velocity"}) {
    EXPECT_THAT(refusal_after([&](hid_t file) { H5Ldelete(file, name, H5P_DEFAULT); }),
                AllOf(HasSubstr(std::string("t.h5: the dataset ") + name + " is missing"),
                      HasSubstr("isolume-batch nbody run ")));
  }
  EXPECT_THAT(refusal_after([](hid_t file) { H5Adelete(file, "version"); }),
              AllOf(HasSubstr("the attribute version"), HasSubstr("is missing")));
  EXPECT_THAT(refusal_after([](hid_t file) {
                H5Adelete(file, "run_options");
                const hid_t text = H5Tcopy(H5T_C_S1), one = H5Screate(H5S_SCALAR);
                H5Tset_size(text, 5);
                const hid_t attribute = H5Acreate2(file, "run_options", text, one, H5P_DEFAULT, H5P_DEFAULT);
                EXPECT_GE(H5Awrite(attribute, text, "{bad}"), 0);
                H5Aclose(attribute);
                H5Sclose(one);
                H5Tclose(text);
              }),
              AllOf(HasSubstr("make no sense: \"{bad}\" is not JSON. Write"), Not(HasSubstr("exception"))));
}

TEST(ContinuedRun, DoesNotThrowAwayWhatAnotherHasLeft) {
  const TemporaryFolder folder;
  folder.write("t.partial.h5", "hours of work");
  try {
    start(plummer(4, 4), folder / "t.h5", [] {});
    ADD_FAILURE() << "it was overwritten";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("t.partial.h5"));
    EXPECT_THAT(error.what(), HasSubstr("--resume"));
  }
  EXPECT_EQ(read_text_file(folder / "t.partial.h5"), "hours of work");
}

TEST(ContinuedRun, LeavesNothingWhereItDoesNotBegin) {
  const TemporaryFolder folder;
  const Case run = plummer(4, 4);
  {
    const NBodySimulation simulation(run.start, run.plan.options);
    const TrajectoryWriter writer(folder / "t.h5", *simulation.labels(), 200, "a test", run.plan);
    const DiagnosticsTable table(folder / "t.csv", PartialFile::Start::fresh);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(DiagnosticsTable, GoesOnBehindALine) {
  const TemporaryFolder folder;
  const Case run = plummer(3, 1);
  NBodySimulation simulation(run.start, run.plan.options);
  const NBodyFrame first = *simulation.frame(frame_diagnostics);
  const auto units = units_by(UnitsChoice::planetary);
  {
    DiagnosticsTable whole(folder / "whole.csv"), killed(folder / "t.csv", PartialFile::Start::fresh);
    whole.set_units(units);
    killed.set_units(units);
    for (int i = 0; i < 4; ++i) {
      const auto frame = simulation.frame(frame_diagnostics);
      whole.add(*frame);
      if (i < 3) killed.add(*frame);
      simulation.advance(1);
    }
    whole.finish();
  }
  const std::string whole = read_text_file(folder / "whole.csv");
  EXPECT_TRUE(whole.starts_with(read_text_file(folder / "t.partial.csv"))) << "each line is there at once";
  NBodySimulation again(run.start, run.plan.options);
  again.advance(2);
  {
    EXPECT_THROW(DiagnosticsTable(folder / "t.csv", 1, *first.diagnostics, run.plan.options, std::nullopt),
                 InputError)
        << "lines in other units";
    DiagnosticsTable table(folder / "t.csv", 1, *first.diagnostics, run.plan.options, units);
    for (int i = 0; i < 2; ++i) {
      table.add(*again.frame(frame_diagnostics));
      again.advance(1);
    }
    table.finish();
  }
  EXPECT_EQ(read_text_file(folder / "t.csv"), whole);
  EXPECT_THROW(DiagnosticsTable(folder / "t.csv", 7, *first.diagnostics, run.plan.options, units),
               InputError);
}

}  // namespace
}  // namespace isolume::nbody
