// Trajectories in a window, and what sessions keep of a run's way.
#include <QDir>
#include <QFile>
#include <QTest>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <vector>

#include <gtest/gtest.h>

#include "app/workbench/window/banner.h"
#include "app/workbench/window/main_window.h"
#include "core/base/text_file.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/app/lab_window_test.h"
#include "tests/app/pictures/decoded_movie.h"

namespace isolume::labs::nbody {

workbench::LabEntry lab_entry();

namespace {

namespace science = isolume::nbody;

constexpr std::size_t body_count = 300;
constexpr std::int64_t steps_a_moment = 5, moment_count = 6;
constexpr double recorded_dt = 0.03, recorded_softening = 0.08;

science::RunOptions recorded_options() {
  science::RunOptions options;
  options.dt = recorded_dt;
  options.softening = recorded_softening;
  options.opening_angle = 0.5;
  options.solver = science::SolverKind::barnes_hut;
  return options;
}

class RecordingTest : public LabWindowTest {
 protected:
  RecordingTest() : LabWindowTest({lab_entry()}) {}

  static science::NBodySimulation run_of_file() {
    return science::NBodySimulation(
        science::make_scene({.scene = science::SceneKind::plummer, .bodies = body_count, .seed = 5}),
        recorded_options());
  }
  /// As `isolume-batch nbody run` writes it.
  std::string trajectory() {
    science::NBodySimulation simulation = run_of_file();
    science::TrajectoryWriter writer(path("t.h5"), simulation, "a test");
    for (std::int64_t moment = 0; moment < moment_count; ++moment) {
      if (moment > 0) simulation.advance(steps_a_moment);
      writer.add(simulation);
    }
    writer.finish();
    return path("t.h5");
  }
  /// At a step of that run, which goes on with another opening angle from `change` on.
  static science::Bodies followed(std::int64_t step, std::int64_t change = 0, double opening_angle = 0.5) {
    science::NBodySimulation simulation = run_of_file();
    simulation.advance(change);
    simulation.set_parameter("opening-angle", opening_angle);
    simulation.advance(step - change);
    return simulation.bodies();
  }
  void open() {
    ASSERT_EQ(run({"file.open " + trajectory(), "parameter.set solver barnes-hut",
                   "parameter.set opening-angle 0.5"}),
              "");
  }
  science::Bodies exported(const char* name = "bodies.csv") {
    EXPECT_EQ(run({"file.export " + path(name)}), "");
    return science::read_bodies_csv(path(name));
  }
  void reopen() {
    ASSERT_EQ(run({"session.save " + path("work.isolume")}), "");
    open_window();
    ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  }
  void wait_for_status(const std::string& begin) {
    ASSERT_TRUE(QTest::qWaitFor([&] { return status().starts_with(begin); }, patience_ms)) << status();
  }
};

void expect_same(const science::Bodies& one, const science::Bodies& other) {
  EXPECT_EQ(one.x, other.x);
  EXPECT_EQ(one.y, other.y);
  EXPECT_EQ(one.vz, other.vz);
}

TEST_F(RecordingTest, ATrajectoryIsShownFromItsFirstMomentAndSought) {
  open();
  EXPECT_TRUE(status().starts_with("Snapshot 0 of 0 to 5, step 0, t = 0 (G = 1) | 300 bodies")) << status();
  EXPECT_EQ(value("dt"), "0.03") << "of the file";
  EXPECT_EQ(value("softening"), "0.08");
  ASSERT_EQ(run({"nbody.seek 3"}), "");
  EXPECT_TRUE(status().starts_with("Snapshot 3 of 0 to 5, step 15, t = 0.45 ")) << status();
  expect_same(exported(), followed(15));
  ASSERT_EQ(run({"nbody.step -2"}), "");
  expect_same(exported(), followed(5));
  ASSERT_EQ(run({"nbody.step 77"}), "");
  EXPECT_TRUE(status().starts_with("Snapshot 5 of 0 to 5, step 25,")) << status();
  ASSERT_EQ(run({"nbody.seek -1"}), "");
  EXPECT_TRUE(status().starts_with("Snapshot 0 of 0 to 5")) << status();
}

TEST_F(RecordingTest, ATrajectoryIsPlayedUpToItsEnd) {
  open();
  ASSERT_TRUE(window->run("nbody.play"));
  EXPECT_TRUE(window->lab().moving());
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window->lab().moving(); }, patience_ms));
  wait_for_status("Snapshot 5 of 0 to 5");
  ASSERT_TRUE(window->run("nbody.play"));
  EXPECT_TRUE(window->lab().moving()) << "again, from the start";
  ASSERT_EQ(run({"nbody.stop", "nbody.seek 4", "nbody.reverse"}), "");
  ASSERT_TRUE(window->run("nbody.play"));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window->lab().moving(); }, patience_ms));
  wait_for_status("Snapshot 0 of 0 to 5");
}

TEST_F(RecordingTest, ATrajectoryIsFilmed) {
  open();
  ASSERT_EQ(run({"nbody.seek 2", "file.export-movie " + path("a.webm") + " size=160x120"}), "");
  EXPECT_EQ(test::decode_movie(path("a.webm")).frames.size(), static_cast<std::size_t>(moment_count));
  EXPECT_EQ(window->lab().passage()->now, 2) << "as before";
}

/// Of every pair, in double precision.
double energy_of(const science::Bodies& bodies) {
  double energy = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    energy += bodies.mass[i] / 2 *
              (bodies.vx[i] * bodies.vx[i] + bodies.vy[i] * bodies.vy[i] + bodies.vz[i] * bodies.vz[i]);
    for (std::size_t j = 0; j < i; ++j) {
      const double r2 = std::pow(bodies.x[i] - bodies.x[j], 2) + std::pow(bodies.y[i] - bodies.y[j], 2) +
                        std::pow(bodies.z[i] - bodies.z[j], 2) + recorded_softening * recorded_softening;
      energy -= bodies.mass[i] * bodies.mass[j] / std::sqrt(r2);
    }
  }
  return energy;
}

/// Columns of a table, without names.
std::vector<std::vector<double>> rows_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::vector<std::vector<double>> rows;
  while (std::getline(file, line)) {
    rows.emplace_back();
    for (const QString& cell : QString::fromStdString(line).split(','))
      rows.back().push_back(cell.toDouble());
  }
  return rows;
}

TEST_F(RecordingTest, DiagnosticsOfAllMomentsAreComputed) {
  open();
  ASSERT_EQ(
      run({"parameter.set solver direct", "nbody.diagnose", "file.export " + path("all.diagnostics.csv")}),
      "");
  const auto rows = rows_of(path("all.diagnostics.csv"));
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(moment_count));
  for (std::size_t moment = 0; moment < rows.size(); ++moment) {
    const auto step = static_cast<std::int64_t>(moment) * steps_a_moment;
    EXPECT_EQ(rows[moment][0], static_cast<double>(moment));
    EXPECT_NEAR(rows[moment][1], static_cast<double>(step) * recorded_dt, 1e-12);
    EXPECT_NEAR(rows[moment][4], energy_of(followed(step)), 1e-6);
  }
}

TEST_F(RecordingTest, AnotherSofteningGivesOtherEnergiesOfAllMoments) {
  open();
  const auto potential = [&] {
    EXPECT_EQ(run({"nbody.diagnose", "file.export " + path("p.diagnostics.csv")}), "");
    std::vector<double> column;
    for (const auto& row : rows_of(path("p.diagnostics.csv"))) column.push_back(row[3]);
    return column;
  };
  const auto before = potential();
  ASSERT_EQ(run({"nbody.seek 2", "parameter.set softening 2"}), "");
  const auto after = potential();
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < after.size(); ++i) EXPECT_GT(after[i], 0.7 * before[i]) << "they are below 0";
  EXPECT_TRUE(status().starts_with("Snapshot 2 of 0 to 5")) << status();
}

/// Bit for bit where the run itself would have gone.
TEST_F(RecordingTest, ItGoesOnFromAnyMoment) {
  open();
  ASSERT_EQ(run({"nbody.seek 3", "nbody.rewind"}), "");
  EXPECT_TRUE(status().starts_with("Step 3, t = 0.45 ")) << status();
  ASSERT_EQ(run({"nbody.step 4"}), "");
  EXPECT_TRUE(status().starts_with("Step 7, t = 0.57 ")) << status();
  expect_same(exported(), followed(19));
  reopen();
  wait_for_status("Step 7, t = 0.57 ");
  expect_same(exported(), followed(19));
  ASSERT_EQ(run({"nbody.recording"}), "");
  EXPECT_TRUE(status().starts_with("Snapshot 3 of 0 to 5")) << status();
  expect_same(exported(), followed(15));
}

TEST_F(RecordingTest, ABranchLeavesItAtAnyMoment) {
  open();
  ASSERT_EQ(run({"nbody.seek 2", "nbody.branch opening-angle=1.2", "nbody.seek 4"}), "");
  EXPECT_NE(run({"nbody.rewind"}).find("begins at step 2"), std::string::npos);
  const auto expected = followed(20, 10, 1.2);
  EXPECT_NE(expected.x, followed(20).x) << "the angle would matter";
  ASSERT_EQ(run({"nbody.branch-keep"}), "");
  EXPECT_TRUE(status().starts_with("Step 12, t = 0.6 ")) << "at the time of moment 4: " << status();
  expect_same(exported(), expected);
  ASSERT_EQ(run({"nbody.step 3"}), "");
  reopen();
  wait_for_status("Step 15, t = 0.69 ");
  EXPECT_EQ(value("opening-angle"), "1.2");
  expect_same(exported(), followed(23, 10, 1.2));
}

TEST_F(RecordingTest, ASessionBringsAMomentBack) {
  open();
  ASSERT_EQ(run({"nbody.seek 4"}), "");
  reopen();
  wait_for_status("Snapshot 4 of 0 to 5");
  expect_same(exported(), followed(20));
}

TEST_F(RecordingTest, ASessionOfBeforeGoesOnFromTheLastMoment) {
  open();
  ASSERT_EQ(run({"session.save " + path("work.isolume")}), "");
  auto session = nlohmann::json::parse(read_text_file(path("work.isolume")));
  for (auto& document : session.at("documents")) {
    document.at("state").erase("recorded");
    document.at("state")["step"] = 2;
  }
  std::ofstream(path("work.isolume")) << session;
  open_window();
  ASSERT_EQ(run({"session.open " + path("work.isolume")}), "");
  wait_for_status("Step 2, t = 0.81 ");
  expect_same(exported(), followed(27));
}

TEST_F(RecordingTest, AFileThatIsCutOffIsRefused) {
  const std::string bytes = read_text_file(trajectory());
  std::ofstream(path("cut.h5"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_NE(run({"file.open " + path("cut.h5")}).find("cut.h5"), std::string::npos);
}

// The run of the window as a trajectory.

class RecordTest : public RecordingTest {
 protected:
  void begin() {
    ASSERT_EQ(run({"lab.show nbody", "nbody.scene plummer 200 7", "parameter.set dt 0.01",
                   "parameter.set softening 0.05", "parameter.set opening-angle 0.6"}),
              "");
  }
  /// What `begin` starts.
  static science::NBodySimulation same() {
    science::RunOptions options;
    options.dt = 0.01;
    options.softening = 0.05;
    options.opening_angle = 0.6;
    return science::NBodySimulation(
        science::make_scene({.scene = science::SceneKind::plummer, .bodies = 200, .seed = 7}), options);
  }
};

TEST_F(RecordTest, TheRunIsWrittenAsATrajectory) {
  begin();
  ASSERT_EQ(run({"nbody.step 5", "parameter.set dt 0.02", "nbody.step 2",
                 "nbody.record " + path("run.h5") + " 2 9"}),
            "");
  EXPECT_TRUE(status().starts_with("Step 7,")) << "it shows what it showed: " << status();
  const science::Trajectory found(path("run.h5"));
  EXPECT_EQ(found.step(), (std::vector<double>{0, 2, 4, 6, 8, 9}));
  EXPECT_NE(found.made_by().find("--scene plummer"), std::string::npos) << found.made_by();
  science::NBodySimulation expected = same();
  for (std::size_t moment = 0; moment < found.moments(); ++moment) {
    const auto step = static_cast<std::int64_t>(found.step()[moment]);
    if (expected.step() < 5 && step >= 5) {
      expected.advance(5 - expected.step());
      expected.set_parameter("dt", 0.02);
    }
    expected.advance(step - expected.step());
    const auto there = found.moment(moment);
    expect_same(there.bodies, expected.bodies());
    EXPECT_EQ(there.time, expected.time());
    EXPECT_EQ(there.time_step, step < 5 ? 0.01 : 0.02) << "from which it can go on";
    EXPECT_EQ(there.softening, 0.05);
  }
}

TEST_F(RecordTest, StepsBeforeTheStartAreWrittenToo) {
  begin();
  ASSERT_EQ(run({"nbody.step -2", "nbody.seek 0", "file.export " + path("run.h5")}), "");
  const science::Trajectory found(path("run.h5"));
  EXPECT_EQ(found.step(), (std::vector<double>{-2, -1, 0}));
  science::NBodySimulation expected = same();
  for (const std::size_t moment : {2U, 1U, 0U}) {
    expect_same(found.moment(moment).bodies, expected.bodies());
    expected.advance(-1);
  }
}

TEST_F(RecordTest, WhatCannotBeWrittenIsToldAndLeavesNothing) {
  begin();
  std::ofstream(path("before.h5")) << "what was there";
  EXPECT_NE(run({"nbody.record " + path("before.h5") + " 1 9000000000000"}).find("every tenth"),
            std::string::npos);
  EXPECT_EQ(read_text_file(path("before.h5")), "what was there");
  EXPECT_NE(run({"nbody.record " + path("none/run.h5")}), "");
  EXPECT_NE(run({"nbody.record " + path("run.h5") + " 1 -1"}).find("begins at step 0"), std::string::npos);
  EXPECT_FALSE(QFile::exists(QString::fromStdString(path("run.h5"))));
  EXPECT_NE(run({"nbody.recording"}).find("Open a trajectory"), std::string::npos);
  open();
  EXPECT_NE(run({"nbody.record " + path("run.h5")}).find("t.h5"), std::string::npos) << "it is one already";
}

TEST_F(RecordTest, ARecordingThatIsCancelledKeepsItsSteps) {
  begin();
  ASSERT_TRUE(window->run("nbody.record", std::vector<std::string>{path("run.h5"), "1", "100000"}));
  constexpr double of_three_steps = 3.0 / 100000;
  ASSERT_TRUE(QTest::qWaitFor(
      [&] {
        const auto active = window->jobs().active();
        return std::ranges::any_of(active, [](const auto& job) { return job.fraction > of_three_steps; });
      },
      patience_ms));
  for (const auto& job : window->jobs().active()) window->jobs().cancel(job.id);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->jobs().active().empty(); }, patience_ms));
  EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("run.h5"));
  const isolume::nbody::Trajectory kept(path("run.h5"));
  ASSERT_GE(kept.moments(), 2u);
  EXPECT_EQ(kept.step().back(), static_cast<double>(kept.moments() - 1));
  EXPECT_GT(kept.moment(kept.moments() - 1).time, 0);
}

TEST_F(RecordTest, ARecordingThatIsCancelledLeavesAnEarlierFile) {
  begin();
  std::ofstream(path("run.h5")) << "what was there";
  ASSERT_TRUE(window->run("nbody.record", std::vector<std::string>{path("run.h5"), "1", "10000000"}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window->jobs().active().empty(); }, patience_ms));
  for (const auto& job : window->jobs().active()) window->jobs().cancel(job.id);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->jobs().active().empty(); }, patience_ms));
  EXPECT_EQ(read_text_file(path("run.h5")), "what was there");
  EXPECT_EQ(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden), QStringList("run.h5"));
}

// Parameters that are changed on the way.

TEST_F(RecordTest, ASessionKeepsWhatWasChangedOnTheWay) {
  begin();
  ASSERT_EQ(run({"nbody.step 4", "parameter.set opening-angle 1.1", "nbody.step 3", "parameter.set dt 0.02",
                 "parameter.set softening 0.3", "nbody.step 3", "nbody.seek 8"}),
            "");
  reopen();
  wait_for_status("Step 8, t = 0.09 ");
  EXPECT_EQ(value("opening-angle"), "1.1");
  EXPECT_EQ(value("dt"), "0.02");
  EXPECT_EQ(value("softening"), "0.3");
  science::NBodySimulation expected = same();
  std::vector<science::Bodies> steps;
  for (int step = 0; step <= 12; ++step) {
    if (step == 4) expected.set_parameter("opening-angle", 1.1);
    if (step == 7) {
      expected.set_parameter("dt", 0.02);
      expected.set_parameter("softening", 0.3);
    }
    steps.push_back(expected.bodies());
    expected.advance(1);
  }
  for (const int step : {8, 2, 5, 7}) {
    ASSERT_EQ(run({"nbody.seek " + std::to_string(step)}), "");
    expect_same(exported(), steps[static_cast<std::size_t>(step)]);
  }
  ASSERT_EQ(run({"nbody.step 5"}), "");
  expect_same(exported(), steps[12]);
  ASSERT_EQ(run({"nbody.seek 5", "nbody.rewind"}), "");
  EXPECT_EQ(value("dt"), "0.01") << "as it was then";
  reopen();
  wait_for_status("Step 5, t = 0.05 ");
  ASSERT_EQ(run({"nbody.step 7"}), "");
  science::NBodySimulation unchanged = same();
  unchanged.advance(4);
  unchanged.set_parameter("opening-angle", 1.1);
  unchanged.advance(8);
  expect_same(exported(), unchanged.bodies());
}

TEST_F(RecordTest, ASessionKeepsTheWayThroughStepsBeforeTheStart) {
  begin();
  ASSERT_EQ(run({"nbody.step -3", "parameter.set dt 0.02", "nbody.step -2", "nbody.seek -4", "nbody.rewind",
                 "parameter.set opening-angle 0.9", "nbody.step 9"}),
            "");
  science::NBodySimulation expected = same();
  expected.advance(-3);
  expected.set_parameter("dt", 0.02);
  expected.advance(-1);
  expected.set_parameter("opening-angle", 0.9);
  expected.advance(9);
  expect_same(exported(), expected.bodies());
  reopen();
  wait_for_status("Step 5,");
  expect_same(exported(), expected.bodies());
  EXPECT_EQ(value("dt"), "0.02");
}

TEST_F(RecordTest, ASessionKeepsTheWayToABranchThatWasKept) {
  begin();
  ASSERT_EQ(run({"nbody.step 4", "parameter.set opening-angle 1.1", "nbody.step 4", "nbody.seek 6",
                 "nbody.branch dt=0.02 softening=0.3", "nbody.seek 8", "nbody.branch-keep", "nbody.step 2",
                 "parameter.set opening-angle 0.4", "nbody.step 2"}),
            "");
  science::NBodySimulation expected = same();
  expected.advance(4);
  expected.set_parameter("opening-angle", 1.1);
  expected.advance(2);
  expected.set_parameters({{"dt", 0.02}, {"softening", 0.3}});
  expected.advance(3);  // one until the time of step 8, and two
  expected.set_parameter("opening-angle", 0.4);
  expected.advance(2);
  expect_same(exported(), expected.bodies());
  reopen();
  wait_for_status("Step 11,");
  expect_same(exported(), expected.bodies());
}

TEST_F(RecordTest, AChangeActsAfterThoseThatASessionBrings) {
  begin();
  ASSERT_EQ(run({"nbody.step 4", "parameter.set opening-angle 1.1", "nbody.seek 1"}), "");
  reopen();
  wait_for_status("Step 1,");
  ASSERT_EQ(run({"parameter.set dt 0.03", "nbody.step 5"}), "");
  science::NBodySimulation expected = same();
  expected.advance(4);
  expected.set_parameter("opening-angle", 1.1);
  expected.set_parameter("dt", 0.03);
  expected.advance(2);
  expect_same(exported(), expected.bodies());
}

/// The way to its first step takes a second; whether the hand is faster does not matter.
TEST_F(RecordTest, AChangeWhileTheBodiesOfASessionArePreparedIsNotLost) {
  begin();
  ASSERT_EQ(run({"nbody.step 4", "parameter.set opening-angle 1.1", "nbody.seek 1",
                 "session.save " + path("work.isolume")}),
            "");
  auto session = nlohmann::json::parse(read_text_file(path("work.isolume")));
  session.at("documents").at(0).at("state").at("course")["way"] = {
      {{"step", -400}, {"values", nlohmann::json::object()}}};
  std::ofstream(path("work.isolume")) << session;
  open_window();
  ASSERT_TRUE(window->run("session.open", {path("work.isolume")}));
  ASSERT_TRUE(QTest::qWaitFor([&] { return value("opening-angle") == "1.1"; }, patience_ms));
  ASSERT_TRUE(window->run("parameter.set", {"dt", "0.03"}));
  wait_for_status("Step 1,");
  ASSERT_EQ(run({"nbody.step 5"}), "");
  science::NBodySimulation expected = same();
  expected.advance(-400);
  expected.advance(404);
  expected.set_parameter("opening-angle", 1.1);
  expected.set_parameter("dt", 0.03);
  expected.advance(2);
  expect_same(exported(), expected.bodies());
  EXPECT_EQ(value("dt"), "0.03");
}

TEST_F(RecordTest, ACourseThatMakesNoSenseIsToldAndTheRestIsRestored) {
  begin();
  ASSERT_EQ(run({"nbody.step 4", "parameter.set opening-angle 1.1", "nbody.step 3",
                 "session.save " + path("work.isolume")}),
            "");
  auto session = nlohmann::json::parse(read_text_file(path("work.isolume")));
  session.at("documents").at(0).at("state").at("course").at("start").erase("dt");
  std::ofstream(path("bad.isolume")) << session;
  open_window();
  ASSERT_EQ(run({"session.open " + path("bad.isolume")}), "");
  wait_for_status("Step 7,");
  EXPECT_EQ(value("opening-angle"), "1.1");
  const QString told = window->findChild<workbench::Banner*>("warning-banner")->text();
  EXPECT_TRUE(told.contains("Some of the session could not be restored") && told.contains("dt is missing"))
      << told.toStdString();
}

}  // namespace
}  // namespace isolume::labs::nbody
