#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/forces/exact_force.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/app/batch/program.h"
#include "tests/memory_budget.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::run_batch_on_ranks;
using test::Scratch;

/// As many lines as this program said; mpirun has its own to say of programs that end with an error.
std::vector<std::string> said(const test::Result& result) {
  std::vector<std::string> lines;
  std::istringstream text(result.err);
  for (std::string line; std::getline(text, line);) {
    if (line.find("isolume-batch: ") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

void expect_one_complaint(const test::Result& result, const std::string& part) {
  EXPECT_NE(result.code, 0);
  const auto lines = said(result);
  ASSERT_EQ(lines.size(), 1u) << result.err;
  EXPECT_NE(lines.front().find(part), std::string::npos) << lines.front();
  EXPECT_EQ(result.out, "");
}

nbody::InitialConditions sphere(std::int64_t bodies) {
  nbody::SceneOptions scene;
  scene.bodies = bodies;
  return nbody::make_scene(scene);
}

std::vector<std::array<double, 4>> rows(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "ax,ay,az,potential");
  std::vector<std::array<double, 4>> rows;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::array<double, 4> row = {};
    for (double& value : row) {
      std::string cell;
      std::getline(cells, cell, ',');
      value = std::stod(cell);
    }
    rows.push_back(row);
  }
  return rows;
}

TEST(NBodyOnRanks, ForcesAreThoseOfDoubleSums) {
  const Scratch scratch;
  const nbody::Bodies bodies = sphere(3000).bodies;
  nbody::write_bodies_csv(bodies, scratch.file("sphere.csv"));
  for (const int ranks : {2, 3, 4}) {
    for (const auto& how : {std::vector<std::string>{"--error", "1e-3"}, {"--solver", "direct"}}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + how.back());
      std::vector<std::string> words = {
          "nbody", "forces", scratch.file("sphere.csv"), "-o", scratch.file("forces.csv"), "--json"};
      words.insert(words.end(), how.begin(), how.end());
      const auto result = run_batch_on_ranks(ranks, words);
      ASSERT_EQ(result.code, 0) << result.err;
      const json told = json::parse(result.out);
      EXPECT_EQ(told["bodies"], 3000);
      ASSERT_EQ(told["ranks"].size(), static_cast<std::size_t>(ranks));
      EXPECT_NEAR(told["ranks"][0]["bodies"].get<double>(), 3000.0 / ranks, 30);
      const auto found = rows(scratch.file("forces.csv"));
      ASSERT_EQ(found.size(), bodies.size());
      std::vector<double> errors;
      for (std::size_t i = 0; i < found.size(); ++i) {
        const auto exact = nbody::exact_force(bodies, i, 0);
        const Eigen::Vector3d acceleration(found[i].data());
        errors.push_back((acceleration - exact.acceleration).norm() / exact.acceleration.norm());
        EXPECT_NEAR(found[i][3], exact.potential, 1e-3 * std::abs(exact.potential));
      }
      std::ranges::sort(errors);
      EXPECT_LT(errors[errors.size() * 99 / 100], how.back() == "direct" ? 1e-5 : 1e-3);
      EXPECT_LT(told["p99_error"].get<double>(), how.back() == "direct" ? 1e-5 : 1e-3);
    }
  }
}

TEST(NBodyOnRanks, ForcesHaveTheSofteningThatATrajectoryRecords) {
  const Scratch scratch;
  const std::string file = scratch.file("a.h5"), out = scratch.file("out.csv");
  ASSERT_EQ(run_batch({"nbody", "run", "--scene", "plummer", "--bodies", "500", "--steps", "1", "--softening",
                       "0.3", "-o", file})
                .code,
            0);
  const nbody::Bodies bodies = nbody::Trajectory(file).moment(1).bodies;
  const auto result = run_batch_on_ranks(2, {"nbody", "forces", file, "--solver", "direct", "-o", out});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("softening length 0.3 that the file records"), std::string::npos) << result.err;
  const auto found = rows(out);
  ASSERT_EQ(found.size(), bodies.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto exact = nbody::exact_force(bodies, i, 0.3);
    EXPECT_LT((Eigen::Vector3d(found[i].data()) - exact.acceleration).norm(),
              1e-4 * exact.acceleration.norm());
  }
  const auto spline = run_batch_on_ranks(
      2, {"nbody", "forces", file, "--softening-kind", "spline", "--solver", "direct", "-o", out});
  EXPECT_EQ(spline.code, 1);
  EXPECT_NE(spline.err.find("with Plummer softening"), std::string::npos) << spline.err;
}

TEST(NBodyOnRanks, ARunGoesAsOnOneRank) {
  const Scratch scratch;
  const auto run = [&](const std::string& name) -> std::vector<std::string> {
    return {"nbody",
            "run",
            "--scene",
            "plummer",
            "--bodies",
            "1500",
            "--steps",
            "50",
            "--every",
            "25",
            "-o",
            scratch.file(name + ".h5"),
            "--diagnostics",
            scratch.file(name + ".csv"),
            "--json"};
  };
  const auto alone = run_batch(run("alone"));
  ASSERT_EQ(alone.code, 0) << alone.err;
  const auto together = run_batch_on_ranks(3, run("together"));
  ASSERT_EQ(together.code, 0) << together.err;
  const json told = json::parse(together.out), told_alone = json::parse(alone.out);
  EXPECT_LT(std::abs(told["energy_error"].get<double>()), 1e-3);
  EXPECT_NEAR(told["energy"].get<double>(), told_alone["energy"].get<double>(), 1e-4);
  EXPECT_EQ(told["time"], told_alone["time"]);
  EXPECT_EQ(told["dt"], told_alone["dt"]) << "the scene's";
  const nbody::Trajectory one(scratch.file("alone.h5")), three(scratch.file("together.h5"));
  ASSERT_EQ(three.moments(), one.moments());
  EXPECT_EQ(three.step(), one.step());
  EXPECT_EQ(three.made_by(), one.made_by());
  const auto first = three.moment(0), first_alone = one.moment(0);
  EXPECT_EQ(first.bodies.x, first_alone.bodies.x) << "in the order of the bodies";
  EXPECT_EQ(first.bodies.mass, first_alone.bodies.mass);
  EXPECT_EQ(first.id, first_alone.id);
  EXPECT_EQ(first.origins, first_alone.origins);
  const auto last = three.moment(2).bodies, last_alone = one.moment(2).bodies;
  for (std::size_t i = 0; i < last.size(); ++i) {
    EXPECT_LT(
        std::hypot(last.x[i] - last_alone.x[i], last.y[i] - last_alone.y[i], last.z[i] - last_alone.z[i]),
        1e-2);
  }
}

TEST(NBodyOnRanks, StartWithTheSameBodiesWhoeverMakesThem) {
  const Scratch scratch;
  // Spheres are made by all ranks, other scenes by the first one.
  for (const auto& scene :
       {std::vector<std::string>{"king", "10000"}, {"cube", "4097"}, {"encounter", "600"}}) {
    SCOPED_TRACE(scene[0]);
    const auto run = [&](const std::string& name) -> std::vector<std::string> {
      return {"nbody",
              "run",
              "--scene",
              scene[0],
              "--bodies",
              scene[1],
              "--steps",
              "1",
              "--dt",
              "1e-3",
              "--opening-angle",
              "1",
              "-o",
              scratch.file(name + ".h5"),
              "--diagnostics",
              scratch.file(name + ".csv")};
    };
    const auto alone = run_batch(run("alone")), together = run_batch_on_ranks(3, run("together"));
    ASSERT_EQ(alone.code, 0) << alone.err;
    ASSERT_EQ(together.code, 0) << together.err;
    const nbody::Trajectory one(scratch.file("alone.h5")), three(scratch.file("together.h5"));
    EXPECT_EQ(three.time(), one.time());
    const auto expected = one.moment(0), found = three.moment(0);
    EXPECT_EQ(found.bodies.mass, expected.bodies.mass);
    EXPECT_EQ(found.bodies.x, expected.bodies.x);
    EXPECT_EQ(found.bodies.vz, expected.bodies.vz);
    EXPECT_EQ(found.id, expected.id);
    EXPECT_EQ(found.origin, expected.origin);
    EXPECT_EQ(found.origins, expected.origins);
    const auto later = one.moment(1).bodies, later_together = three.moment(1).bodies;
    for (std::size_t i = 0; i < later.size(); i += 7)
      EXPECT_NEAR(later_together.y[i], later.y[i], 1e-5 * (1 + std::abs(later.y[i])));
  }
}

TEST(NBodyOnRanks, AnErrorOnOneEndsAllWithOneLine) {
  const Scratch scratch;
  std::ofstream(scratch.file("bad.csv")) << "mass,x,y,z\n1,0,0,0\n1,0,here,0\n";
  expect_one_complaint(
      run_batch_on_ranks(3, {"nbody", "forces", scratch.file("bad.csv"), "-o", scratch.file("f.csv")}),
      "bad.csv:3:");
  expect_one_complaint(run_batch_on_ranks(3, {"nbody", "run", scratch.file("missing.csv"), "--steps", "2",
                                              "-o", scratch.file("run.h5")}),
                       "missing.csv");
  nbody::write_bodies_csv(sphere(100).bodies, scratch.file("sphere.csv"));
  expect_one_complaint(run_batch_on_ranks(2, {"nbody", "forces", scratch.file("sphere.csv"), "-o",
                                              scratch.file("f.csv"), "--solver", "fmm"}),
                       "fast multipole method");
  expect_one_complaint(run_batch_on_ranks(2, {"nbody", "forces", scratch.file("sphere.csv"), "-o",
                                              scratch.file("f.csv"), "--solver", "particle-mesh"}),
                       "particle mesh does not work on several ranks");
  expect_one_complaint(
      run_batch_on_ranks(2, {"nbody", "forces", scratch.file("sphere.csv"), "-o", scratch.file("f.csv"),
                             "--solver", "particle-mesh", "--period", "100"}),
      "periodic or comoving box");
  expect_one_complaint(run_batch_on_ranks(2, {"nbody", "forces", scratch.file("sphere.csv"), "-o",
                                              scratch.file("f.csv"), "--at", scratch.file("sphere.csv")}),
                       "--at");
  expect_one_complaint(
      run_batch_on_ranks(2, {"nbody", "run", "--scene", "cosmological-box", "--particles-per-side", "8",
                             "--steps", "2", "-o", scratch.file("box.h5")}),
      "periodic or comoving box");
  expect_one_complaint(run_batch_on_ranks(2, {"nbody", "forces", scratch.file("sphere.csv"), "-o",
                                              scratch.file("no/such/folder/f.csv")}),
                       "no/such/folder");
  expect_one_complaint(run_batch_on_ranks(2, {"nbody", "forces", "-o", "f.csv"}), "FILE is required");
  {
    const isolume::testing::MemoryBudget budget("1MiB");
    expect_one_complaint(run_batch_on_ranks(2, {"nbody", "run", "--scene", "plummer", "--bodies", "50000",
                                                "--steps", "2", "-o", scratch.file("run.h5")}),
                         "A scene of 2");
  }
  // One body is thrown beyond all bounds, on whichever rank it is.
  std::ofstream(scratch.file("fast.csv"))
      << "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,0,0\n1,2,0,0,1e149,0,0\n";
  expect_one_complaint(run_batch_on_ranks(3, {"nbody", "run", scratch.file("fast.csv"), "--units", "g1",
                                              "--steps", "2", "--dt", "1000", "-o", scratch.file("run.h5")}),
                       "body 3 flies away");
  auto left = scratch.files();
  std::ranges::sort(left);
  EXPECT_EQ(left, (std::vector<std::string>{"bad.csv", "fast.csv", "sphere.csv"})) << "nothing was written";
}

TEST(NBodyOnRanks, AnInterruptEndsAllAndNothingIsWritten) {
  const Scratch scratch;
  const auto result = run_batch_on_ranks(3,
                                         {"nbody", "run", "--scene", "plummer", "--bodies", "20000",
                                          "--steps", "1000000", "-o", scratch.file("a.h5")},
                                         std::chrono::seconds(4));
  EXPECT_NE(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(scratch.files().empty()) << scratch.files().front();
}

}  // namespace
}  // namespace isolume
