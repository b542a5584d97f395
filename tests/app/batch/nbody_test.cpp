#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include <Eigen/Core>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#ifdef ISOLUME_WITH_PICTURES
#include <QImage>

#include "core/base/viridis.h"
#include "tests/app/pictures/decoded_movie.h"
#endif
#include "core/base/text_file.h"
#include "core/nbody/engines/run_options.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/forces/exact_force.h"
#include "tests/app/batch/program.h"
#include "tests/full_disk.h"
#include "tests/memory_budget.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;

test::Result nbody(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "nbody");
  return run_batch(arguments);
}

/// One line, and others for what was assumed or left out on reading files.
void expect_complaint(const test::Result& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code);
  std::istringstream lines(result.err);
  int complaints = 0;
  for (std::string line; std::getline(lines, line);) {
    const bool of_reading =
        std::ranges::any_of(std::array{"The file names no units", "does not name its columns",
                                       "are not used:", "the last one is used"},
                            [&](const char* remark) { return line.find(remark) != std::string::npos; });
    complaints += of_reading ? 0 : 1;
  }
  EXPECT_EQ(complaints, 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

/// The numbers of a table, without comments, its heading and names; NaN where there is none.
std::vector<std::vector<double>> table(const std::string& path) {
  std::istringstream text(read_text_file(path));
  std::vector<std::vector<double>> rows;
  std::string line;
  while (std::getline(text, line) && line.starts_with('#')) {
  }
  const bool has_names = line.ends_with(",name");
  while (std::getline(text, line)) {
    if (has_names) line.erase(line.rfind(','));
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');)
      rows.back().push_back(cell.empty() ? std::nan("") : std::stod(cell));
  }
  return rows;
}

TEST(NBodyWords, OneBodyIsNotSeveral) {
  const Scratch scratch;
  std::ofstream(scratch.file("one.csv")) << "mass,x,y,z\n1,0,0,0\n";
  std::ofstream(scratch.file("place.csv")) << "x,y,z\n2,0,0\n";
  const auto converted = nbody({"convert", scratch.file("one.csv"), "-o", scratch.file("one.xyz")});
  EXPECT_NE(converted.out.find(": 1 body at time 0"), std::string::npos) << converted.out << converted.err;
  const auto forces = nbody({"forces", scratch.file("one.csv"), "--at", scratch.file("place.csv"), "-o",
                             scratch.file("field.csv")});
  EXPECT_TRUE(forces.out.starts_with("1 body at 1 point, ")) << forces.out << forces.err;
  EXPECT_NE(forces.out.find("sampled at 1 place:"), std::string::npos) << forces.out;
}

/// Those that read a file, which is not there.
TEST(NBodyManual, ExamplesHaveOptionsThatThereAre) {
  std::ifstream manual(ISOLUME_MANUAL "/nbody.md");
  int examples = 0;
  for (std::string line; std::getline(manual, line);) {
    std::istringstream words(line.substr(0, line.find(" #")));
    std::vector<std::string> all;
    for (std::string word; words >> word;) all.push_back(word);
    if (all.size() < 4 || all[0] != "isolume-batch" || all[1] != "nbody" || all[3].starts_with("-")) continue;
    ++examples;
    const auto result = nbody({all.begin() + 2, all.end()});
    EXPECT_EQ(result.code, 1) << line;
    EXPECT_NE(result.err.find("no such file"), std::string::npos) << line << "\n" << result.err;
  }
  EXPECT_GE(examples, 10);
}

TEST(NBodyRun, BodiesMergeAndBodiesAreAdded) {
  const Scratch scratch;
  const auto result = nbody({"run",
                             "--scene",
                             "collapse",
                             "--bodies",
                             "100",
                             "--steps",
                             "80",
                             "--dt",
                             "0.02",
                             "--collisions",
                             "merge",
                             "--density",
                             "5",
                             "--added-bodies",
                             "0.01 3 0 0 0 0.5 0",
                             "--every",
                             "40",
                             "-o",
                             scratch.file("a.h5"),
                             "--diagnostics",
                             scratch.file("a.csv"),
                             "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("spheres of the density 5"), std::string::npos) << result.err;
  const json told = json::parse(result.out);
  const auto collisions = told["collisions"].get<int>();
  EXPECT_GT(collisions, 5);
  EXPECT_EQ(told["bodies"], 101 - collisions);
  EXPECT_LT(std::abs(told["energy_error"].get<double>()), 0.05);
  EXPECT_GT(told["kinetic_energy_lost_in_collisions"].get<double>(), 0.01);
  EXPECT_GT(told["potential_energy_change_in_collisions"].get<double>(), 0.01);
  ASSERT_EQ(nbody({"convert", scratch.file("a.h5"), "-o", scratch.file("end.csv")}).code, 0);
  const auto rows = table(scratch.file("end.csv"));
  EXPECT_EQ(rows.size(), told["bodies"].get<std::size_t>());
  double mass = 0;
  for (const auto& row : rows) mass += row[0];
  EXPECT_NEAR(mass, 1.01, 1e-12);
  EXPECT_EQ(table(scratch.file("a.csv")).back()[5], collisions);
  expect_complaint(nbody({"run", "--scene", "cosmological-box", "--steps", "1", "--collisions", "merge", "-o",
                          scratch.file("b.h5")}),
                   1, "do not collide");
}

TEST(NBodyRun, ARunFromASceneIsRecorded) {
  const Scratch scratch;
  const auto result =
      nbody({"run", "--scene", "plummer", "--bodies", "2000", "--seed", "5", "--steps", "40", "--dt", "0.01",
             "--every", "10", "-o", scratch.file("a.h5"), "--diagnostics", scratch.file("a.csv"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json told = json::parse(result.out);
  EXPECT_EQ(told["bodies"], 2000);
  EXPECT_NEAR(told["time"].get<double>(), 0.4, 1e-12);
  EXPECT_LT(std::abs(told["energy_error"].get<double>()), 1e-3);
  EXPECT_NEAR(told["virial_ratio"].get<double>(), 1, 0.1);
  EXPECT_GT(told["seconds"]["sums"].get<double>(), 0);
  const auto rows = table(scratch.file("a.csv"));
  ASSERT_EQ(rows.size(), 5u);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i][0], 10.0 * static_cast<double>(i));
  // The force's error was measured at every moment, the last one of them is the run's.
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 24u);
    EXPECT_GT(row[21], 0);
    EXPECT_LE(row[21], row[22]);
    EXPECT_LE(row[22], row[23]);
    EXPECT_LT(row[23], 2e-2);
  }
  EXPECT_EQ(rows.back()[23], told["p99_error"].get<double>());
  // Energy of a Plummer sphere of mass and length 1.
  EXPECT_NEAR(rows[0][4], -3 * 3.14159265 / 64, 0.01);

  // What was recorded at step 20 goes on as the run did.
  const auto later = nbody({"run", scratch.file("a.h5"), "--moment", "2", "--steps", "20", "--dt", "0.01",
                            "--softening", std::to_string(0.98 * std::pow(2000, -0.26)), "--every", "20",
                            "--diagnostics", scratch.file("b.csv")});
  ASSERT_EQ(later.code, 0) << later.err;
  const auto again = table(scratch.file("b.csv"));
  EXPECT_NEAR(again[0][1], 0.2, 1e-12) << "the time goes on, too";
  EXPECT_NEAR(again[1][2], rows[4][2], 1e-5);
}

/// A run that would take hours, ended once some moments are there.
class EndedRun {
 public:
  explicit EndedRun(int signal) {
    std::vector<std::string> words{"nbody", "run"};
    words.insert(words.end(), start.begin(), start.end());
    words.insert(words.end(),
                 {"--steps", "200000", "-o", scratch.file("a.h5"), "--diagnostics", scratch.file("a.csv")});
    ended = test::run_batch_signalled(words, signal, [this] { return lines("a.partial.csv") > 3; });
  }
  std::size_t lines(const std::string& name) const {
    std::error_code failed;
    if (!std::filesystem::exists(scratch.file(name), failed)) return 0;
    std::ifstream file(scratch.file(name));
    return static_cast<std::size_t>(std::count(std::istreambuf_iterator<char>(file), {}, '\n'));
  }
  /// Continued by 17 steps, it is what a run is that was never ended.
  void expect_to_go_on(std::int64_t step) const {
    const std::string steps = std::to_string(step + 17);
    const auto went_on = nbody({"run", "--resume", "-o", scratch.file("a.h5"), "--diagnostics",
                                scratch.file("a.csv"), "--steps", steps});
    ASSERT_EQ(went_on.code, 0) << went_on.err;
    EXPECT_EQ(went_on.err, "");
    std::vector<std::string> words{"run"};
    words.insert(words.end(), start.begin(), start.end());
    words.insert(words.end(),
                 {"--steps", steps, "-o", scratch.file("b.h5"), "--diagnostics", scratch.file("b.csv")});
    const auto whole = nbody(words);
    ASSERT_EQ(whole.code, 0) << whole.err;
    EXPECT_EQ(read_text_file(scratch.file("a.csv")), read_text_file(scratch.file("b.csv")));
    for (const char* name : {"a", "b"}) {
      const auto end = nbody({"convert", scratch.file(std::string(name) + ".h5"), "-o",
                              scratch.file(std::string(name) + "e.csv")});
      ASSERT_EQ(end.code, 0) << end.err;
      EXPECT_EQ(std::ranges::count(end.err, '\n'), 1) << end.err;
      EXPECT_NE(end.err.find("the last one is used"), std::string::npos) << end.err;
    }
    EXPECT_EQ(read_text_file(scratch.file("ae.csv")), read_text_file(scratch.file("be.csv")));
    EXPECT_FALSE(std::filesystem::exists(scratch.file("a.partial.h5")));
    EXPECT_FALSE(std::filesystem::exists(scratch.file("a.partial.csv")));
  }

  Scratch scratch;
  const std::vector<std::string> start{"--scene",      "plummer", "--bodies", "300",
                                       "--time-steps", "block",   "--every",  "5"};
  test::Result ended;
};

TEST(NBodyRun, AnInterruptedOneIsThereAndGoesOnBitForBit) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const EndedRun run(signal);
    expect_complaint(run.ended, 130, "a.h5 holds the run up to step ");
    EXPECT_NE(run.ended.err.find("isolume-batch nbody run --resume -o " + run.scratch.file("a.h5")),
              std::string::npos);
    EXPECT_EQ(run.scratch.files().size(), 2u);
    std::int64_t step = 0;
    const std::string before = "up to step ";
    std::istringstream(run.ended.err.substr(run.ended.err.find(before) + before.size())) >> step;
    EXPECT_GE(step, 10);
    const auto again = nbody({"run", "--resume", "-o", run.scratch.file("a.h5"), "--softening", "0.5"});
    expect_complaint(again, 2, "--softening differs from the option");
    expect_complaint(nbody({"run", "--resume", "-o", run.scratch.file("a.h5"), "--steps", "3"}), 2,
                     "is already at step");
    expect_complaint(nbody({"run", "--resume", "-o", run.scratch.file("a.h5"), "--scene", "king"}), 2,
                     "was started from");
    run.expect_to_go_on(step);
  }
}

TEST(NBodyRun, AKilledOneOpensAndGoesOnBitForBit) {
  const EndedRun run(SIGKILL);
  EXPECT_EQ(run.ended.code, 128 + SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(run.scratch.file("a.h5")));
  const auto opened =
      nbody({"convert", run.scratch.file("a.partial.h5"), "-o", run.scratch.file("there.csv")});
  EXPECT_EQ(opened.code, 0) << opened.err;
  EXPECT_NE(opened.err.find("The run was ended at step "), std::string::npos) << opened.err;
  expect_complaint(
      nbody({"run", "--scene", "plummer", "--bodies", "300", "--steps", "2", "-o", run.scratch.file("a.h5")}),
      1, "a.partial.h5: this file is being written by a run, or one that was ended has left it");
  run.expect_to_go_on(static_cast<std::int64_t>(5 * run.lines("a.partial.csv")));
}

TEST(NBodyRun, OnlyARunIsContinued) {
  const Scratch scratch;
  expect_complaint(nbody({"run", "--resume", "-o", scratch.file("none.h5")}), 1, "none.h5");
  expect_complaint(nbody({"run", "--resume", "--diagnostics", scratch.file("none.csv")}), 2,
                   "Name the trajectory with -o");
  expect_complaint(nbody({"run", "--scene", "plummer", "-o", scratch.file("a.h5")}), 2,
                   "--steps is required");
  EXPECT_TRUE(scratch.files().empty());
}

TEST(NBodyRun, KeplersEllipseFromATable) {
  const Scratch scratch;
  std::ofstream(scratch.file("two.csv")) << "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n0,1,0,0,0,1,0\n";
  // Once around a circle of radius 1 about a mass of 1.
  const auto result =
      nbody({"run", scratch.file("two.csv"), "--steps", "1000", "--dt", "0.006283185307179587",
             "--integrator", "hermite", "-o", scratch.file("two.h5")});
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(nbody({"convert", scratch.file("two.h5"), "-o", scratch.file("end.csv")}).code, 0);
  const auto end = table(scratch.file("end.csv"));
  EXPECT_NEAR(end[1][1], 1, 1e-8);
  EXPECT_NEAR(end[1][2], 0, 1e-7);
  EXPECT_NEAR(end[1][5], 1, 1e-7);
  ASSERT_EQ(nbody({"convert", scratch.file("two.h5"), "--moment", "50", "-o", scratch.file("half.csv")}).code,
            0);
  EXPECT_NEAR(table(scratch.file("half.csv"))[1][1], -1, 1e-8);
}

TEST(NBodyRun, IsTheSameOnAnyNumberOfThreads) {
  const Scratch scratch;
  for (const char* threads : {"1", "3"}) {
    const auto result = nbody({"run", "--scene", "encounter", "--bodies", "3000", "--steps", "5", "--threads",
                               threads, "-o", scratch.file(std::string(threads) + ".h5"), "--diagnostics",
                               scratch.file(std::string(threads) + ".csv")});
    ASSERT_EQ(result.code, 0) << result.err;
  }
  EXPECT_EQ(read_text_file(scratch.file("1.csv")), read_text_file(scratch.file("3.csv")));
  // Trajectories also hold the options of their run, the number of threads among them.
  for (const std::string run : {"1", "3"}) {
    const auto end = nbody({"convert", scratch.file(run + ".h5"), "-o", scratch.file(run + "-end.csv")});
    ASSERT_EQ(end.code, 0) << end.err;
  }
  EXPECT_EQ(read_text_file(scratch.file("1-end.csv")), read_text_file(scratch.file("3-end.csv")));
}

TEST(NBodyRun, BlockStepsComputeFewerForces) {
  const Scratch scratch;
  const auto forces = [&](std::vector<std::string> how) {
    std::vector<std::string> words = {
        "run",    "--scene",     "hernquist", "--bodies",      "1000",
        "--json", "--softening", "0.003",     "--diagnostics", scratch.file("a.csv")};
    words.insert(words.end(), how.begin(), how.end());
    const auto result = nbody(words);
    EXPECT_EQ(result.code, 0) << result.err;
    const auto out = nlohmann::json::parse(result.out);
    EXPECT_LT(std::abs(out["energy_error"].get<double>()), 1e-3);
    EXPECT_NEAR(out["time"].get<double>(), 0.25, 1e-12);
    return std::pair(out["substeps"].get<std::int64_t>(), out["forces_on_bodies"].get<std::int64_t>());
  };
  const auto [substeps, few] =
      forces({"--steps", "2", "--dt", "0.125", "--time-steps", "block", "--accuracy", "0.01"});
  const auto [steps, all] = forces({"--steps", "64", "--dt", "0.00390625"});
  EXPECT_GE(substeps, 32);
  EXPECT_EQ(steps, 64);
  EXPECT_EQ(all, 64000);
  EXPECT_LT(few, all / 2);
  expect_complaint(nbody({"run", "--scene", "binary", "--steps", "1", "--time-steps", "block", "-o",
                          scratch.file("b.h5")}),
                   1, "Leapfrog's block steps follow from the softening, which is 0");
}

TEST(NBodyRun, ACosmologicalBoxTellsItsRedshiftAndGoesOn) {
  const Scratch scratch;
  const auto result = nbody({"run", "--scene", "cosmological-box", "--particles-per-side", "8", "--box-size",
                             "40", "--start-redshift", "19", "--steps", "100", "--every", "2", "-o",
                             scratch.file("box.h5"), "--diagnostics", scratch.file("box.csv"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json told = json::parse(result.out);
  EXPECT_EQ(told["bodies"], 512);
  // Half of the two hundred steps to today, in the logarithm of the scale factor.
  EXPECT_NEAR(told["scale_factor"].get<double>(), std::sqrt(0.05), 1e-9);
  EXPECT_NEAR(told["redshift"].get<double>(), 1 / std::sqrt(0.05) - 1, 1e-9);
  EXPECT_NEAR(told["time"].get<double>(), std::log(0.05) / 2, 1e-9);
  EXPECT_EQ(told["box_side_mpc_per_h"], 40);
  EXPECT_FALSE(told.contains("virial_ratio"));
  EXPECT_LT(std::abs(told["energy_error"].get<double>()), 0.02);
  EXPECT_LT(told["p99_error"].get<double>(), 1e-2);
  EXPECT_EQ(told["computed_by"].get<std::string>().substr(0, 18), "CPU, particle mesh");
  const auto rows = table(scratch.file("box.csv"));
  ASSERT_EQ(rows.size(), 51u);
  EXPECT_NEAR(rows[0][1], 0.05, 1e-12);
  EXPECT_NEAR(rows[0][2], 19, 1e-9);
  EXPECT_EQ(rows[0].size(), 13u)
      << "errors are measured at the end alone; the last empty cell is not counted";
  EXPECT_TRUE(std::isnan(rows[0][11]));
  ASSERT_EQ(rows[50].size(), 14u);
  EXPECT_EQ(rows[50][13], told["p99_error"].get<double>());
  const auto later =
      nbody({"run", scratch.file("box.h5"), "--steps", "5", "--diagnostics", scratch.file("c.csv")});
  ASSERT_EQ(later.code, 0) << later.err;
  EXPECT_NE(later.out.find("5 steps to redshift"), std::string::npos) << later.out;
  EXPECT_NEAR(table(scratch.file("c.csv"))[0][1], std::sqrt(0.05), 1e-9);
  EXPECT_NEAR(table(scratch.file("c.csv")).back()[1], std::sqrt(0.05) * std::pow(20, 5 / 200.0), 1e-9)
      << "five more of these steps";
}

TEST(NBodyRun, ACosmologicalBoxHasOneSolver) {
  const Scratch scratch;
  const auto with = [&](const std::string& side, const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "run", "--scene", "cosmological-box",  "--particles-per-side", side, "--steps",
        "1",   "-o",      scratch.file("a.h5")};
    all.insert(all.end(), more.begin(), more.end());
    return nbody(all);
  };
  expect_complaint(with("8", {"--solver", "direct"}), 1, "particle-mesh");
  expect_complaint(with("8", {"--integrator", "hermite"}), 1, "leapfrog");
  expect_complaint(with("14", {}), 1, "16 is the next");
  expect_complaint(nbody({"run", "--scene", "plummer", "--solver", "particle-mesh", "--steps", "1", "-o",
                          scratch.file("a.h5")}),
                   1, "periodic box");
  ASSERT_EQ(with("8", {}).code, 0);
  expect_complaint(nbody({"convert", scratch.file("a.h5"), "-o", scratch.file("a.tipsy")}), 1,
                   "comoving box");
  EXPECT_EQ(nbody({"convert", scratch.file("a.h5"), "-o", scratch.file("a.hdf5")}).code, 0);
  EXPECT_EQ(nbody({"convert", scratch.file("a.h5"), "-o", scratch.file("a.csv")}).code, 0);
}

TEST(NBodyForcesVerb, GivesForcesAtPlaces) {
  const Scratch scratch;
  std::ofstream(scratch.file("two.csv")) << "mass,x,y,z\n2,1,1,1\n3,1,1,3\n";
  std::ofstream(scratch.file("at.csv")) << "x,y,z\n1,1,1\n1,1,2\n5,1,1\n";
  for (const char* solver : {"direct", "barnes-hut", "fmm"}) {
    const auto result = nbody({"forces", scratch.file("two.csv"), "--at", scratch.file("at.csv"), "--solver",
                               solver, "-o", scratch.file("out.csv"), "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(json::parse(result.out)["places"], 3);
    const auto rows = table(scratch.file("out.csv"));
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1][2], 2) << "the place itself";
    EXPECT_NEAR(rows[0][5], 3.0 / 4, 1e-6) << "the body there is left out";
    EXPECT_NEAR(rows[1][5], 1, 1e-6);
    EXPECT_NEAR(rows[1][6], -5, 1e-5);
    EXPECT_NEAR(rows[2][3], -2.0 / 16 - 3 * 4 / std::pow(20, 1.5), 1e-6);
  }
  std::ofstream(scratch.file("bad.csv")) << "1,2\n";
  expect_complaint(nbody({"forces", scratch.file("two.csv"), "--at", scratch.file("bad.csv"), "-o",
                          scratch.file("out.csv")}),
                   1, "expected 3 columns");
}

TEST(NBodyForcesVerb, SaysWhatWasAssumedAndTakesUnits) {
  const Scratch scratch;
  std::ofstream(scratch.file("two.csv")) << "mass,x,y,z,colour\n1,0,0,0,1\n0,1,0,0,2\n";
  const auto pull = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"forces", scratch.file("two.csv"), "-o", scratch.file("f.csv"),
                                       "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = nbody(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return std::pair{table(scratch.file("f.csv"))[1][0], json::parse(result.out)["remarks"]};
  };
  const auto [usual, remarks] = pull({});
  EXPECT_NEAR(usual, -1, 1e-6);
  ASSERT_EQ(remarks.size(), 2u);
  EXPECT_EQ(remarks[0]["kind"], "dropped");
  EXPECT_EQ(remarks[1]["kind"], "assumed");
  // Of the Sun at the Earth, in au and years: 4 pi^2 by Kepler's third law.
  const auto [planetary, told] = pull({"--units", "au"});
  EXPECT_NEAR(planetary, -39.478, 0.01);
  EXPECT_EQ(told.size(), 1u);
}

/// Two equal bodies fall towards each other; a step as long as the fall is of no use.
TEST(NBodyForcesVerb, UsesTheSofteningThatATrajectoryRecords) {
  using nbody::SofteningKind;
  const Scratch scratch;
  const std::string file = scratch.file("a.h5"), out = scratch.file("out.csv");
  ASSERT_EQ(nbody({"run", "--scene", "plummer", "--bodies", "300", "--steps", "2", "--softening", "0.2",
                   "--softening-kind", "spline", "-o", file})
                .code,
            0);
  const nbody::Bodies bodies = nbody::read_bodies(file).bodies;
  const auto expect = [&](std::vector<std::string> given, double softening, SofteningKind kind,
                          const std::string& remark) {
    given.insert(given.begin(), {"forces", file, "--solver", "direct", "-o", out});
    const auto result = nbody(given);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err.find("softening length") != std::string::npos, !remark.empty()) << result.err;
    EXPECT_NE(result.err.find(remark), std::string::npos) << result.err;
    const auto rows = table(out);
    ASSERT_EQ(rows.size(), bodies.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto exact = nbody::exact_force(bodies, i, softening, kind);
      const Eigen::Vector3d found(rows[i].data());
      EXPECT_LT((found - exact.acceleration).norm(), 1e-4 * exact.acceleration.norm()) << i;
    }
  };
  expect({}, 0.2, SofteningKind::spline, "softening length 0.2 that the file records (spline kernel)");
  expect({"--softening-kind", "plummer"}, 0.2, SofteningKind::plummer, "(plummer kernel)");
  expect({"--softening", "0.05", "--softening-kind", "spline"}, 0.05, SofteningKind::spline, "");
  expect({"--softening", "0"}, 0, SofteningKind::plummer, "");
}

TEST(NBodyRunVerb, WarnsOfAnEnergyThatIsNotConserved) {
  const Scratch scratch;
  std::ofstream(scratch.file("two.csv")) << "x,y,z,vx,vy,vz,mass\n-1,0,0,0,0.1,0,1\n1,0,0,0,-0.1,0,1\n";
  const auto remarks_with = [&](const std::string& dt) {
    const auto result = nbody({"run", scratch.file("two.csv"), "--softening", "0.01", "--steps", "2", "--dt",
                               dt, "-o", scratch.file("o.h5"), "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out)["remarks"].dump();
  };
  EXPECT_NE(remarks_with("2").find("The energy has changed by"), std::string::npos);
  EXPECT_EQ(remarks_with("0.01").find("The energy has changed by"), std::string::npos);
}

TEST(NBodyForcesVerb, WhatNoNumberStandsForIsAnError) {
  const Scratch scratch;
  std::ofstream(scratch.file("close.csv")) << "1,1e-160,0,0\n1,-1e-160,0,0\n1,1,0,0\n";
  for (const char* solver : {"direct", "barnes-hut", "fmm"}) {
    expect_complaint(
        nbody({"forces", scratch.file("close.csv"), "--solver", solver, "-o", scratch.file("f.csv")}), 1,
        "is not finite");
    EXPECT_FALSE(std::filesystem::exists(scratch.file("f.csv")));
  }
}

// In single precision 1/softening^3 vanishes, for any solver: 1e-60 is far below 1e-38.
TEST(NBodyForcesVerb, TooLargeASofteningIsNamed) {
  const Scratch scratch;
  std::ofstream(scratch.file("three.csv")) << "1,0,0,0\n1,1,0,0\n1,0,2,0\n";
  std::ofstream(scratch.file("one.csv")) << "1,0,0,0\n";
  const auto at = [&](const char* file, const std::string& solver, const char* softening) {
    return nbody({"forces", scratch.file(file), "--solver", solver, "--softening", softening, "-o",
                  scratch.file("f.csv")});
  };
  for (const char* solver : {"direct", "barnes-hut", "fmm"}) {
    expect_complaint(at("three.csv", solver, "1e20"), 1,
                     "A softening length of 1e+20 is too large for bodies in a region of 2");
    expect_complaint(at("three.csv", solver, "1e14"), 1, "Give at most 2e+12");
    EXPECT_FALSE(std::filesystem::exists(scratch.file("f.csv")));
  }
  ASSERT_EQ(at("three.csv", "direct", "1e12").code, 0);
  const auto rows = table(scratch.file("f.csv"));
  EXPECT_NEAR(rows[0][0] * 1e36, 1, 1e-5);
  EXPECT_NEAR(rows[0][1] * 1e36, 2, 1e-5);
  expect_complaint(at("one.csv", "barnes-hut", "1e20"), 1, "for bodies in a region of 0");
  EXPECT_EQ(at("one.csv", "barnes-hut", "1e15").code, 0);
}

TEST(NBodyForcesVerb, SumsAPeriodicBox) {
  const Scratch scratch;
  // Halfway between two equal masses and halfway to their images nothing pulls.
  std::ofstream(scratch.file("two.csv")) << "mass,x,y,z\n1,1,1,1\n1,3,1,1\n";
  std::ofstream(scratch.file("at.csv")) << "2,1,1\n0,1,1\n1.5,1,1\n";
  const auto result = nbody({"forces", scratch.file("two.csv"), "--at", scratch.file("at.csv"), "--solver",
                             "particle-mesh", "--period", "4", "-o", scratch.file("out.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = table(scratch.file("out.csv"));
  EXPECT_NEAR(rows[0][3], 0, 1e-3);
  EXPECT_NEAR(rows[1][3], 0, 1e-3);
  EXPECT_LT(rows[2][3], -1) << "towards the nearer";
}

/// Ewald's sum, with a uniform background, of bodies with mass, x, y, z in each row.
std::array<double, 3> ewald(const std::vector<std::vector<double>>& bodies, const std::array<double, 3>& at,
                            double side) {
  constexpr double pi = 3.14159265358979323846;
  constexpr int images = 1, waves = 5;
  const double alpha = 2.4 / side, unit = 2 * pi / side;
  std::array<double, 3> sum = {};
  const auto over = [](int most, const auto& each) {
    for (int i = -most; i <= most; ++i)
      for (int j = -most; j <= most; ++j)
        for (int k = -most; k <= most; ++k) each(i, j, k);
  };
  for (const auto& body : bodies) {
    std::array<double, 3> d;
    for (std::size_t axis = 0; axis < 3; ++axis) d[axis] = std::remainder(body[axis + 1] - at[axis], side);
    over(images, [&](int i, int j, int k) {
      const std::array to{d[0] + i * side, d[1] + j * side, d[2] + k * side};
      const double r2 = to[0] * to[0] + to[1] * to[1] + to[2] * to[2], r = std::sqrt(r2);
      if (r == 0) return;
      const double pull =
          std::erfc(alpha * r) / (r2 * r) + 2 * alpha / std::sqrt(pi) * std::exp(-alpha * alpha * r2) / r2;
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += body[0] * pull * to[axis];
    });
    over(waves, [&](int i, int j, int k) {
      if (i == 0 && j == 0 && k == 0) return;
      const std::array wave{unit * i, unit * j, unit * k};
      const double k2 = wave[0] * wave[0] + wave[1] * wave[1] + wave[2] * wave[2];
      const double pull = 4 * pi / (side * side * side) * std::exp(-k2 / (4 * alpha * alpha)) / k2 *
                          std::sin(wave[0] * d[0] + wave[1] * d[1] + wave[2] * d[2]);
      for (std::size_t axis = 0; axis < 3; ++axis) sum[axis] += body[0] * pull * wave[axis];
    });
  }
  return sum;
}

double relative_error(const std::array<double, 3>& exact, const std::vector<double>& row, std::size_t first) {
  double difference = 0, size = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    difference += std::pow(row[first + axis] - exact[axis], 2);
    size += exact[axis] * exact[axis];
  }
  return std::sqrt(difference / size);
}

/// Sixty-four bodies, as PKDGRAV has them: the side is 1, the mean density 0.3, the time is the scale factor.
void write_tipsy_box(const std::string& path) {
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](auto value) {
    std::array<char, sizeof(value)> bytes;
    std::memcpy(bytes.data(), &value, sizeof(value));
    file.write(bytes.data(), bytes.size());
  };
  put(0.5);
  for (const std::int32_t each : {64, 3, 0, 64, 0, 0}) put(each);
  for (int i = 0; i < 64; ++i) {
    put(0.3F / 64);
    for (const int cell : {i % 4, i / 4 % 4, i / 16})
      put(0.33F * static_cast<float>(cell) - 0.495F +
          0.03F * std::sin(static_cast<float>(i * i % 17)) * (cell == 0 || cell == 3 ? 0.0F : 1.0F));
    for (int zero = 0; zero < 5; ++zero) put(0.0F);
  }
}

TEST(NBodyForcesVerb, ComovingBoxesOfFilesArePeriodic) {
  const Scratch scratch;
  const std::string box = scratch.file("box.h5"), out = scratch.file("out.csv");
  ASSERT_EQ(nbody({"run", "--scene", "cosmological-box", "--particles-per-side", "8", "--box-size", "40",
                   "--start-redshift", "1", "--steps", "3", "-o", box})
                .code,
            0);
  ASSERT_EQ(nbody({"convert", box, "-o", scratch.file("box.hdf5")}).code, 0);
  write_tipsy_box(scratch.file("box.tipsy"));
  std::ofstream(scratch.file("at.csv")) << "x,y,z\n13,7,31\n";
  for (const auto& [name, side] :
       {std::pair{"box.h5", 40.0}, std::pair{"box.hdf5", 40.0}, std::pair{"box.tipsy", 100.0}}) {
    const std::string file = scratch.file(name);
    ASSERT_EQ(nbody({"convert", file, "-o", scratch.file("bodies.csv")}).code, 0);
    const auto bodies = table(scratch.file("bodies.csv"));
    const auto result = nbody({"forces", file, "--softening", "0", "-o", out, "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const json told = json::parse(result.out);
    EXPECT_EQ(told["solver"], "particle-mesh");
    EXPECT_NEAR(told["box_side_mpc_per_h"].get<double>(), side, 1e-6);
    EXPECT_LT(told["p99_error"].get<double>(), 5e-3);
    EXPECT_NE(told["remarks"].dump().find("gravity is periodic"), std::string::npos) << told["remarks"];
    EXPECT_NE(read_text_file(out).find("in (100 km/s)^2/(Mpc/h)"), std::string::npos);
    const auto rows = table(out);
    ASSERT_EQ(rows.size(), bodies.size());
    for (std::size_t i = 0; i < rows.size(); i += rows.size() / 16) {
      const auto exact = ewald(bodies, {bodies[i][1], bodies[i][2], bodies[i][3]}, side);
      EXPECT_LT(relative_error(exact, rows[i], 0), 5e-3) << name << " body " << i;
    }
    const auto at = nbody({"forces", file, "--softening", "0", "--at", scratch.file("at.csv"), "-o", out});
    ASSERT_EQ(at.code, 0) << at.err;
    EXPECT_NE(at.err.find("comoving positions in Mpc/h"), std::string::npos) << at.err;
    EXPECT_LT(relative_error(ewald(bodies, {13, 7, 31}, side), table(out)[0], 3), 5e-3) << name;
  }
  expect_complaint(nbody({"forces", box, "--solver", "direct", "-o", out}), 2, "Leave out --solver");
  expect_complaint(nbody({"forces", box, "--period", "50", "-o", out}), 2,
                   "is not the side of the comoving box");
  expect_complaint(nbody({"forces", box, "--error", "1e-3", "-o", out}), 2, "--error");
}

TEST(NBodyRun, EnergiesAreInTheUnitsThatItNames) {
  const Scratch scratch;
  std::ofstream(scratch.file("two.csv")) << "mass,x,y,z\n1,-1,0,0\n1,1,0,0\n";
  const auto result = nbody({"run", scratch.file("two.csv"), "--units", "au", "--softening", "0", "--steps",
                             "1", "--dt", "1e-6", "-o", scratch.file("a.h5"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json told = json::parse(result.out);
  EXPECT_EQ(told["units"]["length"], "au");
  // By Kepler's third law G is 4 pi^2, and two suns that are at rest 2 au apart have the energy -G/2.
  EXPECT_NEAR(told["units"]["gravitation"].get<double>(), 39.478, 0.01);
  EXPECT_NEAR(told["energy"].get<double>(), -39.478 / 2, 0.01);
}

TEST(NBodyRun, RefusesWhatMakesNoSense) {
  const Scratch scratch;
  const std::string output = scratch.file("a.h5");
  expect_complaint(nbody({"run", "--steps", "3", "-o", output}), 2, "Give a file or --scene");
  std::ofstream(scratch.file("one.csv")) << "1,0,0,0\n";
  const std::string one = scratch.file("one.csv");
  expect_complaint(nbody({"run", one, "--scene", "king", "--steps", "3", "-o", output}), 2,
                   "Give one of them");
  expect_complaint(nbody({"run", one, "--steps", "3"}), 2, "no output was named");
  expect_complaint(nbody({"run", one, "--steps", "3", "--diagnostics", one}), 1, "this is the input file");
  expect_complaint(nbody({"run", one, "--steps", "3", "-o", scratch.file("a.csv")}), 2, "trajectory in HDF5");
  expect_complaint(nbody({"run", one, "--steps", "3", "-o", "/dev/full"}), 1,
                   "/dev/full: cannot be written as a file");
  expect_complaint(nbody({"run", "--scene", "plummer", "--steps", "3", "--softening-kind", "spline",
                          "--solver", "fmm", "-o", output}),
                   1, "Spline softening is not offered");
  expect_complaint(nbody({"run", "--scene", "galaxy", "--bodies", "3", "--steps", "3", "-o", output}), 1,
                   "Give 10 bodies or more");
  std::ofstream(scratch.file("bad.csv")) << "1,0,0,nan\n";
  expect_complaint(nbody({"run", scratch.file("bad.csv"), "--steps", "3", "-o", output}), 1,
                   "bad.csv:1: column 4");
  for (const char* dt : {"0", "-1", "nan", "inf"}) {
    EXPECT_NE(nbody({"run", one, "--steps", "3", "--dt", dt, "-o", output}).code, 0) << dt;
  }
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST(NBodyRun, AFullDiskIsToldInOneLine) {
  const Scratch scratch;
  const testing::FileSizeLimit limit(150000);
  expect_complaint(
      nbody({"run", "--scene", "plummer", "--bodies", "500", "--steps", "20", "-o", scratch.file("a.h5")}), 1,
      "a.h5: could not be written (");
  EXPECT_TRUE(scratch.files().empty());
}

TEST(NBodyForces, OfTheFastMultipoleMethodAreAsExactAsWasAskedFor) {
  const Scratch scratch;
  ASSERT_EQ(nbody({"convert", "--scene", "plummer", "--bodies", "5000", "-o", scratch.file("p.csv")}).code,
            0);
  for (const char* error : {"1e-4", "1e-9"}) {
    const auto result = nbody({"forces", scratch.file("p.csv"), "--solver", "fmm", "--error", error, "-o",
                               scratch.file("f.csv"), "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const json told = json::parse(result.out);
    EXPECT_EQ(told["solver"], "fmm");
    EXPECT_GT(told["expansion_order"], 2);
    EXPECT_LT(told["p99_error"].get<double>(), std::stod(error));
    EXPECT_EQ(table(scratch.file("f.csv")).size(), 5000u);
  }
  expect_complaint(nbody({"forces", scratch.file("p.csv"), "--solver", "fmm", "--opening-angle", "1", "-o",
                          scratch.file("f.csv")}),
                   1, "Give one from 0.05 to 0.9");
  expect_complaint(nbody({"forces", scratch.file("p.csv"), "--solver", "barnes-hut", "--error", "1e-9", "-o",
                          scratch.file("f.csv")}),
                   1, "Give one from 1e-6 to 0.1");
}

TEST(NBodyBench, TimesAllSolversAndSaysHowExactTheyWere) {
  const auto result = run_batch({"bench", "nbody", "--bodies", "3000", "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out);
  ASSERT_EQ(rows.size(), 3U);
  for (const auto& row : rows) {
    EXPECT_EQ(row["bodies"], 3000);
    EXPECT_EQ(row["threads"], 1);
    EXPECT_GT(row["seconds"], 0.0);
    EXPECT_GT(row["interactions_per_second"], 0.0);
    EXPECT_NEAR(row["bodies_per_second"].get<double>() * row["seconds"].get<double>(), 3000, 1e-6);
    EXPECT_EQ(row["fraction_of_bound"].is_null(), row.contains("why_no_fraction_of_bound"));
    EXPECT_LE(row["median_error"], row["p99_error"]);
    EXPECT_LT(row["p99_error"], 1e-3) << "the error that is asked for unless another is";
  }
  EXPECT_EQ(rows[0]["solver"], "direct");
  EXPECT_GT(rows[0]["fraction_of_bound"], 0.0);
  EXPECT_EQ(rows[1]["solver"], "barnes-hut");
  EXPECT_TRUE(rows[1]["fraction_of_bound"].is_null()) << "of a tree code nobody knows it";
  EXPECT_EQ(rows[2]["solver"], "fmm");
}

TEST(NBodyBench, TimesSoftenedForces) {
  const auto result = run_batch({"bench", "nbody", "--bodies", "2000", "--threads", "1", "--softening", "0.3",
                                 "--softening-kind", "spline", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = nlohmann::json::parse(result.out);
  ASSERT_EQ(rows.size(), 2U) << "the fast multipole method has no spline";
  for (const auto& row : rows) {
    EXPECT_NE(row["solver"], "fmm");
    EXPECT_EQ(row["softening"], 0.3);
    EXPECT_LT(row["p99_error"], 1e-3);
  }
  expect_complaint(run_batch({"bench", "nbody", "--bodies", "2000", "--softening", "0.3", "--softening-kind",
                              "spline", "--solver", "fmm"}),
                   1, "Spline softening is not offered");
  expect_complaint(run_batch({"bench", "nbody", "--crossover", "--softening", "0.3"}), 2,
                   "Leave out --softening");
}

TEST(NBodyRun, MoreBodiesThanMemoryAreRefused) {
  const Scratch scratch;
  const isolume::testing::MemoryBudget budget("10MiB");
  expect_complaint(
      nbody({"run", "--scene", "plummer", "--bodies", "200000", "--steps", "1", "-o", scratch.file("a.h5")}),
      1, "A scene of 200000 bodies");
  expect_complaint(
      nbody({"run", "--scene", "plummer", "--bodies", "50000", "--steps", "1", "-o", scratch.file("a.h5")}),
      1, "A simulation of 50000 bodies");
  ASSERT_EQ(nbody({"convert", "--scene", "plummer", "--bodies", "90000", "-o", scratch.file("a.tipsy")}).code,
            0);
  expect_complaint(nbody({"forces", scratch.file("a.tipsy"), "-o", scratch.file("f.csv")}), 1,
                   "Forces on 90000 bodies (Barnes-Hut)");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.h5")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("f.csv")));
}

TEST(NBodyBench, ComparesTheSolversWithMoreAndMoreBodies) {
  const auto result = run_batch(
      {"bench", "nbody", "--crossover", "--bodies", "1024", "--error", "1e-2", "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = nlohmann::json::parse(result.out);
  EXPECT_EQ(told["bodies"], (std::vector{512, 1024}));
  for (const char* solver : {"direct", "barnes-hut", "fmm"}) {
    ASSERT_EQ(told["solvers"][solver]["seconds"].size(), 2U);
    EXPECT_GT(told["solvers"][solver]["seconds"][1], 0.0);
    EXPECT_LT(told["solvers"][solver]["p99_error"][1], 1e-2);
  }
  EXPECT_EQ(told["crossings"].size(), 3U);
  expect_complaint(run_batch({"bench", "nbody", "--crossover", "--solver", "fmm"}), 2, "Leave out --solver");
}

TEST(NBodyForcesVerb, RefusesAnEngineThatIsNotHere) {
  const Scratch scratch;
  ASSERT_EQ(nbody({"convert", "--scene", "plummer", "--bodies", "50", "-o", scratch.file("a.csv")}).code, 0);
  const auto forces = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments{"forces", scratch.file("a.csv"), "-o", scratch.file("f.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nbody(arguments);
  };
  expect_complaint(forces({"--engine", "abacus"}), 1, "There is no engine named \"abacus\" here.");
  expect_complaint(forces({"--engine", "cpu", "--devices", "3"}), 1, "devices: the engine \"cpu\"");
  expect_complaint(nbody({"run", "--scene", "plummer", "--bodies", "50", "--steps", "1", "--engine", "abacus",
                          "--diagnostics", scratch.file("d.csv")}),
                   1, "There is no engine named \"abacus\" here.");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("f.csv")));
}

#ifdef ISOLUME_WITH_EMULATED_GPUS

TEST(NBodyForcesVerb, SaysWhichGpusDidIt) {
  const Scratch scratch;
  ASSERT_EQ(nbody({"convert", "--scene", "plummer", "--bodies", "900", "-o", scratch.file("a.csv")}).code, 0);
  setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
  for (const char* solver : {"direct", "barnes-hut"}) {
    const auto result = nbody({"forces", scratch.file("a.csv"), "-o", scratch.file("f.csv"), "--solver",
                               solver, "--engine", "emulated", "--devices", "1,2", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const json told = json::parse(result.out);
    EXPECT_TRUE(told["computed_by"].get<std::string>().starts_with("Emulated GPU")) << told;
    EXPECT_NE(told["reason"], "");
    EXPECT_EQ(told["devices"].size(), 2u);
    EXPECT_LT(told["p99_error"].get<double>(), std::string(solver) == "direct" ? 1e-5 : 2e-2);
  }
  unsetenv("ISOLUME_EMULATED_DEVICES");
}

TEST(NBodyBench, TimesStepsOfBodiesThatStayOnAGpu) {
  setenv("ISOLUME_EMULATED_DEVICES", "1x sm90 1GiB", 1);
  const auto result = run_batch(
      {"bench", "nbody", "--solver", "direct", "--bodies", "300", "--engine", "emulated", "--json"});
  unsetenv("ISOLUME_EMULATED_DEVICES");
  ASSERT_EQ(result.code, 0) << result.err;
  const json steps = json::parse(result.out).at(0).at("steps");
  EXPECT_EQ(steps["stays_on"], "GPU 0");
  EXPECT_GT(steps["step"]["median_ms"], 0.0);
  EXPECT_GT(steps["frame"]["median_ms"], 0.0);
  EXPECT_GT(steps["per_second"], 0.0);
}

TEST(NBodyRunVerb, SaysWhereTheBodiesStay) {
  const Scratch scratch;
  setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
  const auto run = [&](const char* integrator, const char* engine, std::vector<std::string> more) {
    std::vector<std::string> arguments{
        "run",      "--scene",  "plummer",  "--bodies",      "300",
        "--steps",  "3",        "--solver", "direct",        "--integrator",
        integrator, "--engine", engine,     "--diagnostics", scratch.file("d.csv")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = nbody(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  const json on_gpus = json::parse(run("leapfrog", "emulated", {"--devices", "1,2", "--json"}));
  EXPECT_EQ(on_gpus["stays_on"], "GPUs 0 and 1");
  EXPECT_EQ(on_gpus["reason"], "the bodies stay on GPUs 0 and 1");
  EXPECT_LT(on_gpus["p99_error"].get<double>(), 1e-5);
  EXPECT_LT(std::abs(on_gpus["energy_error"].get<double>()), 1e-3);
  EXPECT_NE(run("leapfrog", "emulated", {"--devices", "2"}).find("direct sum, resident on GPU 1:"),
            std::string::npos);
  EXPECT_EQ(json::parse(run("hermite", "auto", {"--json"}))["stays_on"], "host");
  unsetenv("ISOLUME_EMULATED_DEVICES");
}

#endif

#ifdef ISOLUME_WITH_PICTURES
/// Three bodies on a line, 2 and 1 apart.
std::string write_three(const Scratch& scratch) {
  std::ofstream(scratch.file("three.csv")) << "mass,x,y,z\n1,-1,0,0\n1,1,0,0\n1,2,0,0\n";
  return scratch.file("three.csv");
}

/// Columns in which light is brightest, from the left: the middles of what is brighter than half.
std::vector<double> bright_columns(const QImage& picture) {
  std::vector<double> columns;
  constexpr double above_scale_bar = 0.8;
  double light = 0, sum = 0;
  for (int x = 0; x <= picture.width(); ++x) {
    double here = 0;
    for (int y = 0; x < picture.width() && y < above_scale_bar * picture.height(); ++y)
      here += qGray(picture.pixel(x, y));
    light += here;
    sum += here * x;
    if (here > 0 || light == 0) continue;
    columns.push_back(sum / light);
    light = sum = 0;
  }
  return columns;
}

TEST(NBodyRender, DrawsBodiesWhereTheyAre) {
  const Scratch scratch;
  const auto result =
      nbody({"render", write_three(scratch), "--camera", "front", "--colour-by", "origin", "--brightness",
             "20", "--size", "600x400", "-o", scratch.file("a.png"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["bodies"], 3);
  const QImage picture(QString::fromStdString(scratch.file("a.png")));
  ASSERT_EQ(picture.size(), QSize(600, 400));
  const auto columns = bright_columns(picture);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_NEAR((columns[1] - columns[0]) / (columns[2] - columns[1]), 2, 0.05);
  // The middle of the three is in the middle of the picture.
  EXPECT_NEAR((columns[0] + columns[1] + columns[2]) / 3, 300, 2);
}

/// A snapshot of other programs may have dark matter alone, as those have that we write: then it is shown.
TEST(NBodyRender, DrawsASnapshotOfDarkMatterAlone) {
  const Scratch scratch;
  ASSERT_EQ(nbody({"convert", write_three(scratch), "-o", scratch.file("a.hdf5")}).code, 0);
  const auto drawn = nbody({"render", scratch.file("a.hdf5"), "--camera", "front", "--colour-by", "origin",
                            "--brightness", "20", "--size", "600x400", "-o", scratch.file("a.png")});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  EXPECT_EQ(bright_columns(QImage(QString::fromStdString(scratch.file("a.png")))).size(), 3U);
}

#ifdef ISOLUME_WITH_EMULATED_GPUS
TEST(NBodyRender, BodiesMoveOnTheEngineThatIsNamed) {
  const Scratch scratch;
  setenv("ISOLUME_EMULATED_DEVICES", "1x sm90 1GiB", 1);
  const auto drawn =
      nbody({"render", "--scene", "plummer", "--bodies", "64", "--engine", "emulated", "--solver", "direct",
             "--steps", "2", "--size", "64x48", "-o", scratch.file("a.png")});
  unsetenv("ISOLUME_EMULATED_DEVICES");
  EXPECT_EQ(drawn.code, 0) << drawn.err;
}
#endif

TEST(NBodyRender, ATimeOfATrajectoryIsItsNearestMoment) {
  const Scratch scratch;
  const std::string run = scratch.file("a.h5");
  ASSERT_EQ(nbody({"run", "--scene", "plummer", "--bodies", "300", "--steps", "40", "--dt", "0.01", "--every",
                   "10", "-o", run})
                .code,
            0);
  const auto picture = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"render", run, "--size", "160x120", "-o", scratch.file("p.png"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = nbody(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out)["time"].get<double>();
  };
  EXPECT_NEAR(picture({"--time", "0.21"}), 0.2, 1e-12);
  EXPECT_NEAR(picture({"--moment", "3"}), 0.3, 1e-12);
  EXPECT_NEAR(picture({"--moment", "3", "--steps", "-5", "--dt", "0.01"}), 0.25, 1e-12);
  EXPECT_NEAR(picture({}), 0.4, 1e-12);
  expect_complaint(nbody({"render", run, "--time", "0.2", "--moment", "1", "-o", scratch.file("p.png")}), 2,
                   "Give --time alone");
}

TEST(NBodyRender, ASessionIsDrawnAsItWasLeft) {
  const Scratch scratch;
  const std::string session = scratch.file("work.isolume");
  const json document{{"lab", "nbody"},
                      {"front", true},
                      {"camera", "top"},
                      {"parameters",
                       {{"scene", "plummer"},
                        {"bodies", "400"},
                        {"seed", "9"},
                        {"dt", "0.02"},
                        {"softening", "0.1"},
                        {"colour-by", "density"}}},
                      {"state", {{"step", 6}, {"speed", 1}, {"reversed", false}}}};
  std::ofstream(session) << json{
      {"isolume-session", 2}, {"shown", "nbody"}, {"layout", ""}, {"documents", {document}}};
  const std::string drawn = scratch.file("a.png"), told = scratch.file("b.png");
  const auto result = run_batch({"render", session, "--size", "200x150", "-o", drawn});
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(nbody({"render", "--scene",  "plummer",     "--bodies", "400",         "--seed",  "9",
                   "--dt",   "0.02",     "--softening", "0.1",      "--colour-by", "density", "--steps",
                   "6",      "--camera", "top",         "--size",   "200x150",     "-o",      told})
                .code,
            0);
  EXPECT_EQ(read_text_file(drawn), read_text_file(told));
  json of_before = document;
  of_before["parameters"]["size"] = "4";
  std::ofstream(session) << json{
      {"isolume-session", 2}, {"shown", "nbody"}, {"layout", ""}, {"documents", {of_before}}};
  const auto larger = run_batch({"render", session, "--size", "200x150", "-o", drawn});
  ASSERT_EQ(larger.code, 0) << larger.err;
  EXPECT_EQ(larger.err, "") << "the size of bodies has a new key";
  EXPECT_NE(read_text_file(drawn), read_text_file(told));
  ASSERT_EQ(run_batch({"render", session, "--steps", "0", "--size", "200x150", "-o", drawn}).code, 0);
  EXPECT_NE(read_text_file(drawn), read_text_file(told)) << "the command line has the last word";
  // What a window alone writes.
  for (const std::string where : {"window", "pictures"}) {
    json of_window = document;
    of_window["parameters"]["read-out"] = where;
    std::ofstream(session) << json{
        {"isolume-session", 2}, {"shown", "nbody"}, {"layout", ""}, {"documents", {of_window}}};
    const auto plain = run_batch({"render", session, "--size", "200x150", "-o", drawn});
    ASSERT_EQ(plain.code, 0) << plain.err;
    EXPECT_EQ(plain.err.find("read-out") != std::string::npos, where == "pictures") << plain.err;
    EXPECT_EQ(read_text_file(drawn), read_text_file(told));
  }
}

TEST(NBodyRender, ASessionIsDrawnByTheWayThatItWent) {
  const Scratch scratch;
  nbody::RunOptions options;
  json start;
  for (const auto& field : nbody::run_schema().fields())
    start[field.description.key] = parameters::to_text(field.get(options));
  start["dt"] = "0.01";
  start["softening"] = "0.1";
  const json course{{"version", 1}, {"start", start},
                    {"begin", 0},   {"way", json::array()},
                    {"origin", 0},  {"changes", {{{"step", 2}, {"values", {{"dt", "0.02"}}}}}}};
  const json document{
      {"lab", "nbody"},
      {"front", true},
      {"camera", "top"},
      {"parameters", {{"scene", "plummer"}, {"bodies", "400"}, {"dt", "0.02"}, {"softening", "0.1"}}},
      {"state", {{"step", 6}, {"speed", 1}, {"reversed", false}, {"course", course}}}};
  const std::string session = scratch.file("work.isolume"), drawn = scratch.file("a.png"),
                    told = scratch.file("b.png"), moment = scratch.file("a.h5");
  std::ofstream(session) << json{
      {"isolume-session", 2}, {"shown", "nbody"}, {"layout", ""}, {"documents", {document}}};
  const auto result = run_batch({"render", session, "--size", "200x150", "-o", drawn});
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(nbody({"run", "--scene", "plummer", "--bodies", "400", "--dt", "0.01", "--softening", "0.1",
                   "--steps", "2", "-o", moment})
                .code,
            0);
  ASSERT_EQ(nbody({"render", moment, "--dt", "0.02", "--steps", "4", "--camera", "top", "--size", "200x150",
                   "-o", told})
                .code,
            0);
  EXPECT_EQ(read_text_file(drawn), read_text_file(told));
  const auto later = nbody({"render", session, "--size", "64x48", "-o", drawn, "--json"});
  ASSERT_EQ(later.code, 0) << later.err;
  EXPECT_NEAR(json::parse(later.out)["time"].get<double>(), 2 * 0.01 + 4 * 0.02, 1e-12);
  json bad = document;
  bad["state"]["course"]["version"] = 2;
  std::ofstream(session) << json{
      {"isolume-session", 2}, {"shown", "nbody"}, {"layout", ""}, {"documents", {bad}}};
  EXPECT_NE(run_batch({"render", session, "-o", drawn}).err.find("a newer version"), std::string::npos);
}

TEST(NBodyRender, ASessionOfARecordingIsDrawnAtItsMoment) {
  const Scratch scratch;
  const std::string run = scratch.file("a.h5"), session = scratch.file("work.isolume");
  ASSERT_EQ(nbody({"run", "--scene", "plummer", "--bodies", "100", "--steps", "40", "--dt", "0.01", "--every",
                   "10", "-o", run})
                .code,
            0);
  const auto time_of = [&](const json& state) {
    const json document{{"lab", "nbody"},
                        {"front", true},
                        {"camera", "top"},
                        {"data", {{"path", run}, {"beside", ""}, {"bytes", 1}, {"xxh3", ""}}},
                        {"parameters", {{"dt", "0.01"}}},
                        {"state", state}};
    std::ofstream(session) << json{
        {"isolume-session", 2}, {"shown", "nbody"}, {"layout", ""}, {"documents", {document}}};
    const auto result = nbody({"render", session, "--size", "64x48", "-o", scratch.file("p.png"), "--json"});
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out)["time"].get<double>();
  };
  const json recorded{{"dt_chosen", false}, {"softening_chosen", false}};
  EXPECT_NEAR(time_of({{"step", 3}, {"recorded", recorded}}), 0.3, 1e-12);
  EXPECT_NEAR(time_of({{"step", 99}, {"recorded", recorded}}), 0.4, 1e-12) << "the last one that there is";
  EXPECT_NEAR(time_of({{"step", 2}}), 0.42, 1e-12) << "sessions of before went on from the last one";
}

/// Red, green and blue, as a movie's frames.
std::vector<std::uint8_t> rgb_of(const std::string& png) {
  const QImage picture = QImage(QString::fromStdString(png)).convertToFormat(QImage::Format_RGB888);
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < picture.height(); ++y)
    rgb.insert(rgb.end(), picture.constScanLine(y), picture.constScanLine(y) + 3 * picture.width());
  return rgb;
}

TEST(NBodyRender, AMovieIsThePicturesOfItsMoments) {
  const Scratch scratch;
  const std::vector<std::string> scene{"render", "--scene", "figure-eight", "--dt", "0.02",
                                       "--size", "320x240", "--brightness", "5",    "--body-size",
                                       "3"};
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), scene.begin(), scene.end());
    const auto result = nbody(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  };
  const auto told =
      run({"--steps", "60", "--every", "5", "--fps", "10", "--movie", scratch.file("a.webm"), "--json"});
  EXPECT_EQ(json::parse(told.out)["frames"], 13);
  const auto movie = test::decode_movie(scratch.file("a.webm"));
  ASSERT_EQ(movie.frames.size(), 13U);
  EXPECT_EQ(movie.width, 320);
  EXPECT_EQ(movie.height, 240);
  EXPECT_NEAR(movie.seconds, 1.3, 0.01);
  run({"-o", scratch.file("first.png")});
  EXPECT_LT(test::mean_difference(movie.frames.front(), rgb_of(scratch.file("first.png"))), 2);
  run({"--steps", "60", "--movie", scratch.file("f/%02d.png"), "--every", "30"});
  EXPECT_LT(test::mean_difference(movie.frames[6], rgb_of(scratch.file("f/01.png"))), 2);
  EXPECT_LT(test::mean_difference(movie.frames[12], rgb_of(scratch.file("f/02.png"))), 2);
  EXPECT_GT(test::mean_difference(movie.frames[12], movie.frames[0]),
            2 * test::mean_difference(movie.frames[12], rgb_of(scratch.file("f/02.png"))));
}

TEST(NBodyRender, AColourMeansTheSameInAllFramesOfAMovie) {
  const Scratch scratch;
  const auto run = [](std::vector<std::string> more) {
    more.insert(more.begin(),
                {"render", "--scene", "figure-eight", "--dt", "0.02", "--size", "320x240", "--json"});
    const auto result = nbody(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  };
  const json first = run({"-o", scratch.file("0.png")})["colours"];
  const json second = run({"--steps", "30", "-o", scratch.file("30.png")})["colours"];
  ASSERT_NE(first, second);
  const auto movie = [&](const std::string& name, std::vector<std::string> colours) {
    colours.insert(colours.end(),
                   {"--steps", "30", "--every", "30", "--movie", scratch.file(name + "%d.png")});
    run(colours);
    return rgb_of(scratch.file(name + "1.png"));
  };
  const auto range = [](double low, double high) {
    return std::vector<std::string>{"--lowest-colour", fmt::format("{}", low), "--highest-colour",
                                    fmt::format("{}", high)};
  };
  const auto of_both = range(std::min(first["low"].get<double>(), second["low"].get<double>()),
                             std::max(first["high"].get<double>(), second["high"].get<double>()));
  const auto widened = movie("widened", {});
  EXPECT_EQ(widened, movie("both", of_both));
  EXPECT_NE(widened, movie("far", range(0, 100)));
  auto picture = range(0, 100);
  picture.insert(picture.end(), {"-o", scratch.file("far.png")});
  run(picture);
  EXPECT_EQ(rgb_of(scratch.file("far0.png")), rgb_of(scratch.file("far.png")));
}

TEST(NBodyRender, ARangeOfColoursMustMakeSense) {
  const Scratch scratch;
  const auto refused = [&](std::vector<std::string> more, const char* why) {
    more.insert(more.begin(), {"render", "--scene", "figure-eight", "-o", scratch.file("a.png")});
    expect_complaint(nbody(more), 2, why);
  };
  refused({"--lowest-colour", "1"}, "give both of them");
  refused({"--lowest-colour", "2", "--highest-colour", "1"}, "must be below --highest-colour 1");
  refused({"--lowest-colour", "0", "--highest-colour", "1", "--colour-by", "origin"},
          "not coloured by a range of values");
  refused({"--lowest-colour", "0", "--highest-colour", "1", "--colour-by", "density"},
          "Give a value above 0");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("a.png")));
}

TEST(NBodyRender, TheCameraTurnsAndNumbersSweepDuringAMovie) {
  const Scratch scratch;
  const std::string three = write_three(scratch);
  const auto run = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"render", three, "--camera", "front", "--colour-by", "origin", "--brightness",
                               "20", "--size", "600x400"});
    const auto result = nbody(more);
    EXPECT_EQ(result.code, 0) << result.err;
  };
  run({"--seconds", "0.4", "--fps", "10", "--turn", "360", "--movie", scratch.file("turn/%d.png")});
  const auto columns = [&](const char* name) {
    return bright_columns(QImage(QString::fromStdString(scratch.file(name))));
  };
  const auto before = columns("turn/0.png"), behind = columns("turn/2.png");
  ASSERT_EQ(before.size(), 3U);
  ASSERT_EQ(behind.size(), 3U);
  EXPECT_EQ(columns("turn/1.png").size(), 1U) << "from the side all are at one place";
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(behind[2 - i], 600 - before[i], 2.5) << i;
  run({"--seconds", "0.2", "--fps", "10", "--turn", "180", "--movie", scratch.file("half/%d.png")});
  EXPECT_EQ(columns("half/0.png"), before);
  EXPECT_EQ(columns("half/1.png"), behind) << "half a turn has its end";

  run({"--seconds", "0.3", "--fps", "10", "--sweep", "exposure=0.1:10", "--movie",
       scratch.file("sweep/%d.png")});
  const auto light = [&](const char* name) {
    double sum = 0;
    for (const auto each : rgb_of(scratch.file(name))) sum += each;
    return sum;
  };
  EXPECT_LT(light("sweep/0.png"), light("sweep/1.png"));
  EXPECT_LT(light("sweep/1.png"), light("sweep/2.png"));
}

TEST(NBodyRender, SurfaceDensityIsTheMassOnASquare) {
  const Scratch scratch;
  // An even sheet of 2 by 2 and mass 1.
  std::ofstream table(scratch.file("sheet.csv"));
  constexpr int side = 200;
  for (int i = 0; i < side; ++i) {
    for (int k = 0; k < side; ++k)
      table << 1.0 / (side * side) << ',' << (i + 0.5) * 2 / side - 1 << ',' << (k + 0.5) * 2 / side - 1
            << ",0\n";
  }
  table.close();
  const auto result = nbody({"render", scratch.file("sheet.csv"), "--surface-density", "--camera", "top",
                             "--size", "400x300", "-o", scratch.file("a.png"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json range = json::parse(result.out)["surface_density"];
  const double low = range["low"], high = range["high"];
  EXPECT_NEAR(high / low, 1e4, 1);
  const double place = std::log(0.25 / low) / std::log(high / low) * (viridis.size() - 1);
  ASSERT_GT(place, 1);
  ASSERT_LT(place, viridis.size() - 2.0);
  const auto first = static_cast<std::size_t>(place);
  const QImage picture(QString::fromStdString(scratch.file("a.png")));
  for (int shift = 0; shift < 24; shift += 8) {
    const auto channel = [shift](std::uint32_t colour) {
      return static_cast<double>(colour >> shift & 255U);
    };
    const double wanted =
        std::lerp(channel(viridis[first]), channel(viridis[first + 1]), place - static_cast<double>(first));
    double found = 0;
    constexpr int half = 20;
    for (int x = -half; x < half; ++x) {
      for (int y = -half; y < half; ++y)
        found += channel(picture.pixel(200 + x, 150 + y)) / (4 * half * half);
    }
    EXPECT_NEAR(found, wanted, 5) << shift;
  }
}

TEST(NBodyRender, RefusesWhatMakesNoPicture) {
  const Scratch scratch;
  const std::string three = write_three(scratch), movie = scratch.file("a.mp4");
  expect_complaint(nbody({"render", three}), 2, "Give one of them");
  expect_complaint(nbody({"render", three, "-o", scratch.file("a.png"), "--movie", movie}), 2,
                   "Give one of them");
  expect_complaint(nbody({"render", "-o", scratch.file("a.png")}), 2, "Give a file or --scene");
  expect_complaint(nbody({"render", three, "-o", three}), 1, "this is the input file");
  expect_complaint(nbody({"render", three, "--movie", movie}), 2, "would stand still");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--size", "101x100", "--movie", movie}), 1,
                   "Use 100 × 100");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--movie", scratch.file("a.gif")}), 1,
                   "Use .mp4, .webm");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--sweep", "glow=1:2", "--movie", movie}), 1,
                   "glow");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--sweep", "exposure=0:2", "--movie", movie}), 1,
                   "exposure");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--sweep", "exposure", "--movie", movie}), 2,
                   "NAME=FROM:TO");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--sweep", "trail-steps=1:9", "--movie", movie}),
                   2, "not a continuous number");
  expect_complaint(nbody({"render", three, "--seconds", "1", "--steps", "9", "--movie", movie}), 2,
                   "--seconds sets the length of a movie only if the bodies do not move");
  for (const char* flag : {"--fps", "--every", "--turn", "--seconds"}) {
    expect_complaint(nbody({"render", three, "-o", scratch.file("a.png"), flag, "2"}), 2,
                     std::string(flag) + " is for movies only");
  }
  expect_complaint(nbody({"render", three, "-o", scratch.file("a.png"), "--sweep", "exposure=1:2"}), 2,
                   "--sweep is for movies only");
  EXPECT_EQ(scratch.files(), (std::vector<std::string>{"three.csv"}));
}

/// A movie that would take hours, interrupted once `when` is true.
test::Result interrupted_movie(const std::string& path, const std::function<bool()>& when) {
  return test::run_batch_signalled({"nbody", "render", "--scene", "plummer", "--bodies", "500", "--steps",
                                    "100000", "--size", "320x240", "--movie", path},
                                   SIGINT, when);
}

TEST(NBodyRender, AMovieThatIsInterruptedKeepsItsFrames) {
  const Scratch scratch;
  const auto video = interrupted_movie(scratch.file("a.webm"), [&] {
    constexpr std::uintmax_t head = 4000;
    const auto files = scratch.files();
    std::error_code failed;
    return !files.empty() && std::filesystem::file_size(scratch.file(files.front()), failed) > head &&
           !failed;
  });
  expect_complaint(video, 130, "a.partial.webm holds the first ");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"a.partial.webm"});
  const auto frames = test::decode_movie(scratch.file("a.partial.webm")).frames.size();
  EXPECT_GT(frames, 0u);
  EXPECT_NE(video.err.find(fmt::format("the first {} of 100001 frames", frames)), std::string::npos)
      << video.err;

  const auto pictures = interrupted_movie(scratch.file("f/%d.png"), [&] {
    std::error_code failed;
    const std::filesystem::recursive_directory_iterator all(scratch.file("f"), failed);
    return !failed && std::distance(begin(all), end(all)) > 4;
  });
  expect_complaint(pictures, 130, "holds the first ");
  EXPECT_TRUE(std::filesystem::exists(scratch.file("f/0.png")));
  EXPECT_TRUE(std::filesystem::exists(scratch.file("f/2.png")));
}

TEST(NBodyRender, AMovieThatIsInterruptedAtOnceLeavesNothing) {
  const Scratch scratch;
  const auto result = interrupted_movie(scratch.file("a.webm"), [&] { return !scratch.files().empty(); });
  EXPECT_EQ(result.code, 130) << result.err;
  for (const std::string& each : scratch.files()) EXPECT_EQ(each, "a.partial.webm");
}
#endif

}  // namespace
}  // namespace isolume
