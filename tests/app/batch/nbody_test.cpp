#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"
#include "tests/full_disk.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;

test::Result nbody(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "nbody");
  return run_batch(arguments);
}

void expect_complaint(const test::Result& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

/// The numbers of a table, without its first line.
std::vector<std::vector<double>> table(const std::string& path) {
  std::istringstream text(read_text_file(path));
  std::vector<std::vector<double>> rows;
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
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
  EXPECT_TRUE(read_text_file(scratch.file("1.h5")) == read_text_file(scratch.file("3.h5")));
}

TEST(NBodyRun, RefusesWhatMakesNoSense) {
  const Scratch scratch;
  const std::string output = scratch.file("a.h5");
  expect_complaint(nbody({"run", "--steps", "3", "-o", output}), 2, "Give a file or --scene");
  std::ofstream(scratch.file("one.csv")) << "1,0,0,0\n";
  const std::string one = scratch.file("one.csv");
  expect_complaint(nbody({"run", one, "--scene", "king", "--steps", "3", "-o", output}), 2,
                   "Give one of them");
  expect_complaint(nbody({"run", one, "--steps", "3"}), 2, "nothing would be written");
  expect_complaint(nbody({"run", one, "--steps", "3", "-o", one}), 1, "this is the input file");
  expect_complaint(nbody({"run", one, "--steps", "3", "-o", "/dev/full"}), 1,
                   "/dev/full: cannot be written as a file");
  expect_complaint(
      nbody({"run", "--scene", "plummer", "--steps", "3", "--softening-kind", "spline", "-o", output}), 1,
      "Spline softening is not offered");
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
                   1, "Give one from 1e-06 to 0.1");
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
    EXPECT_LE(row["median_error"], row["p99_error"]);
    EXPECT_LT(row["p99_error"], 1e-3) << "the error that is asked for unless another is";
  }
  EXPECT_EQ(rows[0]["solver"], "direct");
  EXPECT_GT(rows[0]["fraction_of_bound"], 0.0);
  EXPECT_EQ(rows[1]["solver"], "barnes-hut");
  EXPECT_TRUE(rows[1]["fraction_of_bound"].is_null()) << "of a tree code nobody knows it";
  EXPECT_EQ(rows[2]["solver"], "fmm");
}

}  // namespace
}  // namespace isolume
