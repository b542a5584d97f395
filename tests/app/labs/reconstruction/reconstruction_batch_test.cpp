// isolume-batch reconstruction: scans that are written and reconstructed, and input that does not suit.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/tomography/analytic.h"
#include "core/tomography/scan_files.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

const std::vector<std::string> small_scan{"--columns",   "64", "--rows",  "48",
                                          "--all-views", "90", "--pixel", "5.6"};

test::Result simulated(const std::string& output, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"reconstruction", "simulate", "-o", output};
  words.insert(words.end(), small_scan.begin(), small_scan.end());
  words.insert(words.end(), more.begin(), more.end());
  return run_batch(words);
}

void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
}

/// A NumPy file of float32.
void write_numpy(const std::string& path, std::array<int, 3> shape, const std::vector<float>& values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(shape[0]) +
                       ", " + std::to_string(shape[1]) + ", " + std::to_string(shape[2]) + "), }";
  header.resize(118, ' ');
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(118) << '\0' << header;
  file.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(4 * values.size()));
}

TEST(ReconstructionBatch, ASimulatedScanGivesThePhantom) {
  const test::Scratch scratch;
  const auto made = simulated(scratch.file("scan.mha"),
                              {"--phantom", scratch.file("truth.nrrd"), "--size", "48", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(json::parse(made.out).at("views"), 90);
  const auto found = run_batch({"reconstruct", "ct", scratch.file("scan.mha"), "-o", scratch.file("fdk.nrrd"),
                                "--size", "48", "--filter", "hann", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const json told = json::parse(found.out);
  EXPECT_EQ(told.at("counts")[0], 48);
  EXPECT_TRUE(told.at("remarks").empty()) << told.at("remarks");
  const auto volume = tomography::read_stack(scratch.file("fdk.nrrd")),
             truth = tomography::read_stack(scratch.file("truth.nrrd"));
  ASSERT_EQ(volume.values.size(), truth.values.size());
  double sum = 0, squares = 0, content = 0;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    const double value = static_cast<double>(truth.values[i]),
                 difference = static_cast<double>(volume.values[i]) - value;
    sum += difference;
    squares += difference * difference;
    content += value;
  }
  EXPECT_LT(std::abs(sum / content), 0.05) << "FDK loses a few percent far from the source's plane";
  EXPECT_LT(std::sqrt(squares / static_cast<double>(truth.values.size())), 0.0025) << "the skull has 0.02";

  const auto iterated =
      run_batch({"reconstruction", "ct", scratch.file("scan.mha"), "-o", scratch.file("sirt.nrrd"), "--size",
                 "48", "--method", "os-sirt", "--iterations", "3", "--json"});
  ASSERT_EQ(iterated.code, 0) << iterated.err;
  const json residuals = json::parse(iterated.out).at("residuals");
  ASSERT_EQ(residuals.size(), 3U);
  EXPECT_LT(residuals[2], residuals[0]);
}

TEST(ReconstructionBatch, FormsOfGeometryAndStacksAgree) {
  const test::Scratch scratch;
  ASSERT_EQ(simulated(scratch.file("scan.mha"), {"--views", "30"}).code, 0);
  const auto stack = tomography::read_stack(scratch.file("scan.mha"));
  ASSERT_EQ(stack.count, 30);
  json angles = json::array();
  std::string views;
  for (int i = 0; i < 30; ++i) {
    angles.push_back(12 * i);
    views += "<Projection><GantryAngle>" + std::to_string(12 * i) + "</GantryAngle></Projection>\n";
  }
  write_text(scratch.file("circle.json"), json{{"beam", "cone"},
                                               {"source_to_axis_mm", 600},
                                               {"source_to_detector_mm", 1000},
                                               {"pixel_mm", {5.6, 5.6}},
                                               {"angles_deg", angles}}
                                              .dump());
  write_text(scratch.file("rtk.xml"),
             "<?xml version=\"1.0\"?>\n<!DOCTYPE RTKGEOMETRY>\n<RTKThreeDCircularGeometry version=\"3\">\n"
             "<SourceToIsocenterDistance>600</SourceToIsocenterDistance>\n"
             "<SourceToDetectorDistance>1000</SourceToDetectorDistance>\n" +
                 views + "</RTKThreeDCircularGeometry>\n");
  const auto written = tomography::read_geometry(scratch.file("scan.json"), stack);
  for (const char* other : {"circle.json", "rtk.xml"}) {
    const auto read = tomography::read_geometry(scratch.file(other), stack);
    ASSERT_EQ(read.views.size(), 30U);
    for (std::size_t i = 0; i < 30; ++i) {
      EXPECT_LT((read.views[i].source - written.views[i].source).norm(), 1e-6) << other << ", view " << i;
      EXPECT_LT((read.views[i].pixel(63, 47) - written.views[i].pixel(63, 47)).norm(), 1e-3)
          << other << ", view " << i;
    }
  }
  write_numpy(scratch.file("scan.npy"), {30, 48, 64}, {stack.values.begin(), stack.values.end()});
  const auto array = tomography::read_stack(scratch.file("scan.npy"));
  EXPECT_EQ(array.columns, 64);
  EXPECT_EQ(array.count, 30);
  EXPECT_EQ(array.values, stack.values);
  const auto rtk_error = [&](const std::string& entry, const char* version, const tomography::Stack& of) {
    write_text(scratch.file("wrong.xml"), "<RTKThreeDCircularGeometry version=\"" + std::string(version) +
                                              "\">\n" + entry + views + "</RTKThreeDCircularGeometry>\n");
    try {
      tomography::read_geometry(scratch.file("wrong.xml"), of);
      return std::string();
    } catch (const InputError& error) {
      return std::string(error.what());
    }
  };
  EXPECT_NE(rtk_error("", "3", array).find("spacing and origin"), std::string::npos);
  EXPECT_NE(rtk_error("", "2", stack).find("version 2"), std::string::npos);
  EXPECT_NE(
      rtk_error("<RadiusCylindricalDetector>1000</RadiusCylindricalDetector>", "3", stack).find("curved"),
      std::string::npos);
}

TEST(ReconstructionBatch, ASimulatedShiftOfTheAxisIsFound) {
  const test::Scratch scratch;
  ASSERT_EQ(simulated(scratch.file("scan.mha"), {"--axis-shift", "3"}).code, 0);
  const auto found = run_batch({"reconstruction", "ct", scratch.file("scan.mha"), "-o",
                                scratch.file("v.nrrd"), "--size", "16", "--find-axis", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  EXPECT_NEAR(json::parse(found.out).at("axis_shift_px").get<double>(), 3, 0.1);
}

TEST(ReconstructionBatch, IntensitiesNeedTheirFlatField) {
  const test::Scratch scratch;
  ASSERT_EQ(simulated(scratch.file("scan.mha"), {"--views", "20"}).code, 0);
  auto stack = tomography::read_stack(scratch.file("scan.mha"));
  std::vector<float> counts;
  for (const float each : stack.values) counts.push_back(100 + 5000 * std::exp(-each));
  counts[7] = std::nanf("");
  write_numpy(scratch.file("counts.npy"), {20, 48, 64}, counts);
  write_numpy(scratch.file("flat.npy"), {1, 48, 64}, std::vector<float>(48 * 64, 5100));
  write_numpy(scratch.file("dark.npy"), {1, 48, 64}, std::vector<float>(48 * 64, 100));
  const std::string geometry = scratch.file("scan.json");
  const auto scan = tomography::read_scan({.projections = scratch.file("counts.npy"),
                                           .geometry = geometry,
                                           .flat = scratch.file("flat.npy"),
                                           .dark = scratch.file("dark.npy")});
  ASSERT_EQ(scan.remarks.size(), 1U) << scan.remarks.text();
  const auto again = tomography::stacked(scan.projections);
  for (std::size_t i = 0; i < again.size(); i += 97) EXPECT_NEAR(again[i], stack.values[i], 1e-3);
  const auto refused = run_batch({"reconstruction", "ct", scratch.file("counts.npy"), "-o",
                                  scratch.file("v.mha"), "--geometry", geometry, "--intensities"});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("flat field"), std::string::npos) << refused.err;
}

TEST(ReconstructionBatch, BadInputIsNamed) {
  const test::Scratch scratch;
  ASSERT_EQ(simulated(scratch.file("scan.mha"), {"--views", "4"}).code, 0);
  const auto error_with = [&](const std::string& geometry, const std::vector<std::string>& more = {}) {
    write_text(scratch.file("g.json"), geometry);
    std::vector<std::string> words{"reconstruction",
                                   "ct",
                                   scratch.file("scan.mha"),
                                   "-o",
                                   scratch.file("v.mha"),
                                   "--geometry",
                                   scratch.file("g.json"),
                                   "--size",
                                   "8"};
    words.insert(words.end(), more.begin(), more.end());
    const auto done = run_batch(words);
    EXPECT_NE(done.code, 0);
    return done.err;
  };
  const auto circle = [](const std::string& angles,
                         const std::string& distances = "600, \"source_to_detector_mm\": 1000") {
    return "{\"pixel_mm\": [5, 5], \"source_to_axis_mm\": " + distances + ", \"angles_deg\": " + angles + "}";
  };
  EXPECT_NE(error_with(circle("[0, 90, 180]")).find("3 views, and there are 4"), std::string::npos);
  EXPECT_NE(error_with(circle("[0, 90, 180, \"x\"]")).find("angles_deg[3]"), std::string::npos);
  EXPECT_NE(error_with(circle("[7, 7, 7, 7]")).find("same angle"), std::string::npos);
  EXPECT_NE(error_with(circle("[0, 90, 180, 270]", "1000, \"source_to_detector_mm\": 600"))
                .find("has to exceed that from source to axis"),
            std::string::npos);
  EXPECT_NE(error_with("{\"pixels\": 1}").find("pixels"), std::string::npos);
  EXPECT_NE(error_with("{").find("g.json"), std::string::npos);
  EXPECT_NE(error_with(circle("[0, 90, 180, 270]"), {"--views", "1"}).find("One view"), std::string::npos);
  std::filesystem::remove(scratch.file("scan.json"));
  const auto lonely =
      run_batch({"reconstruction", "ct", scratch.file("scan.mha"), "-o", scratch.file("v.mha")});
  EXPECT_NE(lonely.err.find("geometry is missing"), std::string::npos) << lonely.err;
  write_numpy(scratch.file("short.npy"), {4, 48, 64}, std::vector<float>(100));
  EXPECT_THROW(tomography::read_stack(scratch.file("short.npy")), InputError);
  // A header of 65,000 spaces, which a regular expression would follow on the stack.
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::string(65'000, ' ') + ")}";
  std::string file = std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size() % 256) +
                     static_cast<char>(header.size() / 256) + header;
  write_text(scratch.file("long.npy"), file);
  EXPECT_THROW(tomography::read_stack(scratch.file("long.npy")), InputError);
  simulated(scratch.file("wide.mha"));
  const auto wide = run_batch({"reconstruction", "ct", scratch.file("wide.mha"), "-o", scratch.file("v.mha"),
                               "--size", "8", "--spacing", "200"});
  EXPECT_NE(wide.err.find("the source turns at 600 mm"), std::string::npos) << wide.err;
}

}  // namespace
}  // namespace isolume
