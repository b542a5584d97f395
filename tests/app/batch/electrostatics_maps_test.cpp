// Maps of a potential that are compared with each other.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/text_file.h"
#include "core/electrostatics/maps/map_comparison.h"
#include "core/electrostatics/maps/map_file.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;

const std::string fasciculin = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/1FAS.pqr";

test::Result difference(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"electrostatics", "difference"});
  return run_batch(arguments);
}

/// v = factor * (x + 2 y - z), which trilinear interpolation does not change.
electrostatics::PotentialMap written(const std::string& path, double factor, int points, double spacing,
                                     const std::string& unit) {
  grid::ScalarField map{
      .grid = grid::centred({0, 0, 0}, {points, points, points}, spacing, grid::LengthUnit::angstrom),
      .values = {},
      .name = "potential",
      .unit = unit};
  FieldValues values;
  for (int k = 0; k < points; ++k)
    for (int j = 0; j < points; ++j)
      for (int i = 0; i < points; ++i) {
        const auto at = map.grid.position(i, j, k);
        values.push_back(static_cast<float>(factor * (at.x() + 2 * at.y() - at.z())));
      }
  map.values = std::move(values);
  electrostatics::write_map(map, path);
  return {map, electrostatics::PotentialUnit::kt_per_e, false};
}

TEST(ElectrostaticsDifference, IsToldInNumbersAndWrittenWhereBothAreKnown) {
  const Scratch scratch;
  const std::string one = scratch.file("one.dx"), other = scratch.file("other.vti"),
                    output = scratch.file("difference.ccp4");
  // 7 points from -3 to 3, of which those from -2 to 2 lie within the other map, which is in millivolts.
  written(one, 1.5, 7, 1, "kT/e");
  written(other, 25.692579, 9, 0.5, "mV");
  const auto result = difference({one, other, "-o", output, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told["unit"], "kT/e");
  EXPECT_EQ(told["points"], 343);
  EXPECT_EQ(told["compared"], 125);
  EXPECT_NEAR(told["share_compared"].get<double>(), 125 / 343.0, 1e-9);
  EXPECT_EQ(told["resampled"], true);
  EXPECT_TRUE(told["unit_is_assumed_of"].empty());
  // Half of x + 2 y - z, where x, y and z have a mean square of 2 each; at a corner it is 4.
  EXPECT_NEAR(told["rms"].get<double>(), 0.5 * std::sqrt(2 * (1 + 4 + 1)), 1e-5);
  EXPECT_NEAR(std::abs(told["largest"].get<double>()), 4, 1e-5);
  EXPECT_EQ(std::abs(told["largest_at_angstrom"][2].get<double>()), 2);
  EXPECT_NEAR(told["correlation"].get<double>(), 1, 1e-6);
  const auto map = electrostatics::read_map(output);
  EXPECT_EQ(map.field.grid.dimensions, (std::array{5, 5, 5}));
  const auto at = map.field.grid.position(4, 1, 0);
  EXPECT_LT((at - Eigen::Vector3d(2, -1, -2)).norm(), 1e-5);
  EXPECT_NEAR(map.field.at(4, 1, 0), 0.5 * (2 - 2 + 2), 1e-5);
  // In another unit, and at another temperature.
  const auto again = difference({one, other, "--unit", "mV", "--temperature", "596.3", "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NEAR(json::parse(again.out)["rms"].get<double>(), 2 * 25.692579 * std::sqrt(2 * (1 + 4 + 1)), 1e-3);
  const auto people = difference({one, other});
  EXPECT_NE(people.out.find("125 of 343 points compared, between points"), std::string::npos) << people.out;
}

TEST(ElectrostaticsDifference, WhatFilesDoNotSayIsAssumedAloudOrGiven) {
  const Scratch scratch;
  const std::string one = scratch.file("one.dx"), other = scratch.file("other.cube");
  written(one, 1, 3, 1, "");
  written(other, 1, 3, 1, "");
  const auto told = json::parse(difference({one, other, "--json"}).out);
  EXPECT_EQ(told["unit_is_assumed_of"], json::array({one, other}));
  EXPECT_EQ(told["resampled"], false);
  // A hartree is 27.2114 eV: 1059.12 kT at 298.15 K.
  EXPECT_NEAR(told["rms"].get<double>(), 1058.1 * std::sqrt(4.0), 0.1 * 20);
  const auto people = difference({one, other});
  EXPECT_NE(people.err.find("one.dx: the map names no unit; kT/e is assumed"), std::string::npos)
      << people.err;
  EXPECT_NE(people.err.find("other.cube: the map names no unit; Eh/e is assumed"), std::string::npos);
  const auto same =
      json::parse(difference({one, other, "--other-unit", "kT/e", "--map-unit", "kT/e", "--json"}).out);
  EXPECT_LT(same["rms"].get<double>(), 1e-4);
  EXPECT_TRUE(same["unit_is_assumed_of"].empty());
}

TEST(ElectrostaticsDifference, MapsThatArePlacedTwiceAreNamed) {
  const Scratch scratch;
  const std::string map = scratch.file("one.ccp4");
  written(map, 1, 3, 1, "kT/e");
  // Its first indices are -1; words 50 to 52 of the header become 0.25 angstrom, little-endian.
  std::fstream file(map, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(49 * 4);
  for (int i = 0; i < 3; ++i) file.write("\0\0\x80\x3e", 4);
  file.close();
  const auto result = difference({map, map, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("one.ccp4: Its header places the first point twice"), std::string::npos)
      << result.err;
  EXPECT_EQ(json::parse(result.out)["remarks"].size(), 1U);
  const auto like = run_batch(
      {"electrostatics", "potential", fasciculin, "--like", map, "-o", scratch.file("l.dx"), "--json"});
  ASSERT_EQ(like.code, 0) << like.err;
  EXPECT_NE(like.out.find("places the first point twice"), std::string::npos) << like.out;
}

TEST(ElectrostaticsDifference, WhatMakesNoSenseIsRefused) {
  const Scratch scratch;
  const std::string one = scratch.file("one.dx"), far = scratch.file("far.dx");
  auto map = written(one, 1, 3, 1, "kT/e").field;
  map.grid.origin.x() += 100;
  electrostatics::write_map(map, far);
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& part) {
    const auto result = difference(std::move(arguments));
    EXPECT_EQ(result.code, code);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
    EXPECT_EQ(result.out, "");
  };
  refused({one, far}, 1, "do not overlap");
  refused({one, fasciculin}, 1, "1FAS.pqr");
  refused({one, one, "-o", one}, 1, "this is the input file");
  refused({one, far, "-o", scratch.file("d.txt")}, 2, "d.txt");
  refused({one}, 2, "OTHER");
  // All in one unit, or in units without kT: the temperature would change nothing.
  const std::string volts = scratch.file("volts.dx");
  written(volts, 1, 3, 1, "mV");
  for (const auto& maps :
       {std::vector{one, one}, std::vector{volts, volts, std::string("--unit"), std::string("Eh/e")}}) {
    auto arguments = maps;
    arguments.insert(arguments.end(), {"--temperature", "310"});
    refused(arguments, 2, "--temperature applies to conversions from or to kT/e only");
  }
  EXPECT_EQ(difference({one, volts, "--temperature", "310"}).code, 0);
  EXPECT_EQ(difference({volts, volts, "--unit", "kT/e", "--temperature", "310"}).code, 0);
  std::filesystem::remove(volts);
  EXPECT_EQ(scratch.files().size(), 2U);
}

#ifdef ISOLUME_WITH_PICTURES
TEST(ElectrostaticsDifference, APictureShowsItAndTellsItsNumbers) {
  const Scratch scratch;
  const std::string map = scratch.file("map.dx.gz"), picture = scratch.file("d.png"),
                    vertices = scratch.file("v.csv");
  const std::vector<std::string> how{"--method", "debye-hueckel", "--salt", "0.1"};
  auto arguments = std::vector<std::string>{"electrostatics", "potential", fasciculin, "--spacing", "1",
                                            "--margin",       "6",         "-o",       map};
  arguments.insert(arguments.end(), how.begin(), how.end());
  ASSERT_EQ(run_batch(arguments).code, 0);
  // What another salt concentration makes: the map of the file is on the same grid.
  const auto drawn = run_batch({"electrostatics", "render", fasciculin, "--method", "debye-hueckel", "--salt",
                                "0.5", "--map", map, "--sample-height", "1", "--vertices", vertices, "-o",
                                picture, "--size", "160x120", "--json"});
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const auto told = json::parse(drawn.out);
  arguments = {"electrostatics",
               "potential",
               fasciculin,
               "--like",
               map,
               "--method",
               "debye-hueckel",
               "--salt",
               "0.5",
               "-o",
               scratch.file("ours.dx")};
  ASSERT_EQ(run_batch(arguments).code, 0);
  const auto apart = json::parse(difference({scratch.file("ours.dx"), map, "--json"}).out);
  EXPECT_NEAR(told["map"]["rms"].get<double>(), apart["rms"].get<double>(),
              1e-3 * apart["rms"].get<double>());
  EXPECT_GT(apart["rms"].get<double>(), 0.01);
  EXPECT_EQ(told["map"]["compared"], apart["compared"]);
  EXPECT_EQ(told["map"]["unit"], "kT/e");
  EXPECT_EQ(told["map"]["unit_is_assumed"], false);
  EXPECT_LT(told["on_surface"]["rms"].get<double>(), apart["largest"].get<double>() + 10);
  const std::string table = read_text_file(vertices);
  EXPECT_NE(table.find("1 angstrom above the surface (Difference to map.dx.gz)"), std::string::npos)
      << table.substr(0, 200);
  EXPECT_NE(table.find(",THR A 1\n"), std::string::npos);
  const auto refused = [&](std::vector<std::string> words, const std::string& part) {
    words.insert(words.begin(), {"electrostatics", "render", fasciculin, "-o", scratch.file("none.png")});
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 2);
    EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  };
  refused({"--compare", "map"}, "Give --map FILE");
  refused({"--compare", "direct", "--map", map}, "Give one of them");
}
#endif

}  // namespace
}  // namespace isolume
