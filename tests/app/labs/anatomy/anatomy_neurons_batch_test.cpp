// isolume-batch anatomy neuron and neuron-phantom.
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/labels.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

/// Positions in micrometres of a file of centre lines, by tree and slice of 0.03 micrometres.
std::vector<std::map<int, std::array<double, 2>>> trees_of(const std::string& file) {
  std::vector<std::map<int, std::array<double, 2>>> trees;
  std::ifstream stream(file);
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    int number = 0, type = 0, parent = 0;
    double x = 0, y = 0, z = 0, radius = 0;
    words >> number >> type >> x >> y >> z >> radius >> parent;
    if (parent == -1) trees.emplace_back();
    trees.back()[static_cast<int>(std::lround(z / 0.03))] = {x, y};
  }
  return trees;
}

TEST(AnatomyNeuronsBatch, FollowsTheNeuronsOfThePhantom) {
  const test::Scratch scratch;
  const auto made = run_batch({"anatomy", "neuron-phantom", "-o", scratch.file("stack.nii.gz"), "--truth",
                               scratch.file("truth.swc"), "--side", "96", "--slices", "16", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  std::vector<std::string> words{"anatomy",
                                 "neuron",
                                 scratch.file("stack.nii.gz"),
                                 "--voxels",
                                 "-o",
                                 scratch.file("found.swc"),
                                 "--labels",
                                 scratch.file("labels.nii.gz"),
                                 "--table",
                                 scratch.file("table.csv"),
                                 "--json"};
  const json inside = json::parse(made.out)["voxels_inside"];
  for (const json& each : inside) {
    words.insert(words.end(), {"--at", each[0].dump() + "," + each[1].dump() + "," + each[2].dump()});
  }
  const auto result = run_batch(words);
  ASSERT_EQ(result.code, 0) << result.err;
  const json neurons = json::parse(result.out)["neurons"];
  ASSERT_EQ(neurons.size(), inside.size());
  const auto truth = trees_of(scratch.file("truth.swc")), found = trees_of(scratch.file("found.swc"));
  ASSERT_EQ(found.size(), truth.size());
  for (std::size_t n = 0; n < truth.size(); ++n) {
    EXPECT_EQ(neurons[n]["sections"], 16);
    EXPECT_TRUE(neurons[n]["ends"].empty());
    for (const auto& [slice, at] : truth[n]) {
      const auto& here = found[n].at(slice);
      EXPECT_NEAR(std::hypot(here[0] - at[0], here[1] - at[1]), 0, 0.005) << "half a pixel of 10 nm";
    }
  }
  const anatomy::Labels labels = anatomy::read_labels(scratch.file("labels.nii.gz"));
  const auto volumes = anatomy::label_volumes(labels);
  ASSERT_EQ(volumes.size(), neurons.size());
  for (std::size_t n = 0; n < volumes.size(); ++n) EXPECT_EQ(volumes[n].voxels, neurons[n]["voxels"]);
  std::ifstream table(scratch.file("table.csv"));
  std::string header;
  std::getline(table, header);
  EXPECT_EQ(header, "neuron,first_slice,last_slice,length_mm,mean_width_mm,volume_mm3,ends");
}

TEST(AnatomyNeuronsBatch, RefusesWhatCannotBe) {
  const test::Scratch scratch;
  ASSERT_EQ(run_batch({"anatomy", "neuron-phantom", "-o", scratch.file("stack.nrrd"), "--side", "64",
                       "--slices", "3"})
                .code,
            0);
  const auto at = [&](const std::string& where) {
    return run_batch({"anatomy", "neuron", scratch.file("stack.nrrd"), "--voxels", "--at", where, "-o",
                      scratch.file("found.swc")})
        .err;
  };
  EXPECT_NE(at("1,2").find("is not a position"), std::string::npos);
  EXPECT_NE(at("1,2").find("separated by colons"), std::string::npos);
  EXPECT_NE(at("1,2,30").find("lies outside of the image"), std::string::npos);
}

TEST(AnatomySurfacesBatch, OptimisedTrianglesKeepTheVolume) {
  const test::Scratch scratch;
  anatomy::Labels labels;
  labels.grid.dimensions = {20, 20, 20};
  labels.grid.unit = grid::LengthUnit::millimetre;
  labels.grid.frame = grid::Frame::patient;
  labels.values = {0, 3};
  for (int i = 0; i < 8000; ++i) {
    const double x = i % 20 - 9.5, y = i / 20 % 20 - 9.5, z = i / 400 - 9.5;
    labels.indices.push_back(x * x + y * y + 2 * z * z < 60 ? 1 : 0);
  }
  anatomy::write_labels(labels, scratch.file("labels.nrrd"));
  const auto result = run_batch({"anatomy", "surfaces", scratch.file("labels.nrrd"), "-o",
                                 scratch.file("surface.ply"), "--optimise-mesh", "--json"});
  if (result.err.find("built without") != std::string::npos) GTEST_SKIP() << result.err;
  ASSERT_EQ(result.code, 0) << result.err;
  const json surface = json::parse(result.out)["surfaces"][0];
  const json& ratio = surface["radius_ratio"];
  EXPECT_GT(ratio["after"]["least"], 2 * ratio["before"]["least"].get<double>());
  EXPECT_GT(ratio["after"]["mean"], ratio["before"]["mean"].get<double>());
  EXPECT_LE(surface["largest_move_mm"], 1);
  const double voxels = surface["voxels_millilitres"];
  EXPECT_NEAR(surface["millilitres"].get<double>(), voxels, 0.01 * voxels);
  const auto both = run_batch({"anatomy", "surfaces", scratch.file("labels.nrrd"), "-o",
                               scratch.file("surface.ply"), "--optimise-mesh", "--touching"});
  EXPECT_NE(both.err.find("Leave out one"), std::string::npos) << both.err;
}

}  // namespace
}  // namespace isolume
