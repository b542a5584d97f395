// isolume-batch anatomy, as a person calls it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/anatomy/landmark_files.h"
#include "core/anatomy/phantom.h"
#include "core/anatomy/transform_files.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

std::string bullseye(int number) {
  return std::string(ISOLUME_TEST_REFERENCES) + "/anatomy/bullseye-0" + std::to_string(number) + ".mha";
}

double root_mean_square(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
  return std::sqrt(sum / static_cast<double>(a.size()));
}

TEST(AnatomyBatch, RegistersWarpsAndMeasures) {
  const test::Scratch scratch;
  const auto registered = run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o",
                                     scratch.file("warped.nii.gz"), "--field", scratch.file("field.nii.gz"),
                                     "--linear", "none", "--levels", "2", "--smoothness", "4", "--json"});
  ASSERT_EQ(registered.code, 0) << registered.err;
  const auto told = json::parse(registered.out);
  EXPECT_LT(told.at("mismatch").at("after").get<double>(),
            0.15 * told.at("mismatch").at("before").get<double>());
  EXPECT_GT(told.at("jacobian").at("least").get<double>(), 0);
  EXPECT_EQ(told.at("jacobian").at("folded"), 0);
  ASSERT_EQ(told.at("levels").size(), 2U);
  EXPECT_EQ(told.at("levels")[0].at("counts"), json({16, 16, 18}));
  EXPECT_EQ(told.at("levels")[1].at("counts"), json({32, 31, 36}));
  EXPECT_TRUE(told.at("remarks").empty()) << told.at("remarks");

  // What it says of the mismatch is what the files show.
  const auto fixed = anatomy::read_image(bullseye(1)), moving = anatomy::read_image(bullseye(0));
  const auto warped = anatomy::read_image(scratch.file("warped.nii.gz"));
  const auto largest =
      std::max(*std::ranges::max_element(fixed.values()), *std::ranges::max_element(moving.values()));
  EXPECT_NEAR(root_mean_square(fixed.values(), moving.values()) / static_cast<double>(largest),
              told.at("mismatch").at("before").get<double>(), 0.01);
  EXPECT_NEAR(root_mean_square(fixed.values(), warped.values()) / static_cast<double>(largest),
              told.at("mismatch").at("after").get<double>(), 0.01);

  // The field gives the same image again, and its inverse leads back.
  ASSERT_EQ(run_batch({"anatomy", "warp", bullseye(0), scratch.file("field.nii.gz"), "-o",
                       scratch.file("again.nrrd")})
                .code,
            0);
  EXPECT_LT(root_mean_square(anatomy::read_image(scratch.file("again.nrrd")).values(), warped.values()),
            1e-4 * static_cast<double>(largest));
  const auto back = run_batch({"anatomy", "warp", scratch.file("warped.nii.gz"), scratch.file("field.nii.gz"),
                               "-o", scratch.file("back.mha"), "--inverse", "--json"});
  ASSERT_EQ(back.code, 0) << back.err;
  EXPECT_LT(json::parse(back.out).at("inverse_residual_voxels").get<double>(), 0.01);
  EXPECT_LT(root_mean_square(anatomy::read_image(scratch.file("back.mha")).values(), moving.values()),
            0.08 * static_cast<double>(largest));

  const auto measured = run_batch(
      {"anatomy", "jacobian", scratch.file("field.nii.gz"), "-o", scratch.file("jacobian.nii"), "--json"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_NEAR(json::parse(measured.out).at("least").get<double>(),
              told.at("jacobian").at("least").get<double>(), 1e-3);
  const auto determinants = anatomy::read_image(scratch.file("jacobian.nii"));
  EXPECT_NEAR(*std::ranges::min_element(determinants.values()),
              json::parse(measured.out).at("least").get<double>(), 1e-6);
}

TEST(AnatomyBatch, MasksLeaveAnArtefactOut) {
  const test::Scratch scratch;
  auto fixed = anatomy::read_image(bullseye(1));
  const auto& counts = fixed.grid().dimensions;
  FieldValues values(fixed.values().begin(), fixed.values().end()), mask(values.size(), 1.F);
  const float greatest = *std::ranges::max_element(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<int>(i % static_cast<std::size_t>(counts[0])),
               y = static_cast<int>(i / static_cast<std::size_t>(counts[0]) %
                                    static_cast<std::size_t>(counts[1]));
    if (x >= 22 && y < 12) values[i] = 2 * greatest, mask[i] = 0;
  }
  anatomy::write_image(fixed.grid(), values, scratch.file("artefact.nii"));
  anatomy::write_image(fixed.grid(), mask, scratch.file("mask.nii"));
  const auto registered = [&](const std::string& image, bool is_masked, const char* output) {
    std::vector<std::string> words{
        "anatomy",  "register", image,      bullseye(0), "-o",           scratch.file(output),
        "--linear", "none",     "--levels", "2",         "--iterations", "40",
        "--json"};
    if (is_masked) words.insert(words.end(), {"--fixed-mask", scratch.file("mask.nii")});
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return anatomy::read_image(scratch.file(output));
  };
  const auto clean = registered(bullseye(1), true, "clean.nii"),
             with = registered(scratch.file("artefact.nii"), true, "with.nii"),
             without = registered(scratch.file("artefact.nii"), false, "without.nii");
  EXPECT_LT(root_mean_square(with.values(), clean.values()), 1e-3 * static_cast<double>(greatest));
  EXPECT_GT(root_mean_square(without.values(), clean.values()), 0.02 * static_cast<double>(greatest));
  std::ranges::fill(mask, 0.F);
  anatomy::write_image(fixed.grid(), mask, scratch.file("none.nii"));
  const auto refused = run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o",
                                  scratch.file("no.nii"), "--moving-mask", scratch.file("none.nii")});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("0 everywhere"), std::string::npos) << refused.err;
}

TEST(AnatomyBatch, PlansAnAtlasWithoutComputingIt) {
  const test::Scratch scratch;
  const std::vector<std::string> atlas{
      "anatomy",  "atlas", bullseye(0),    bullseye(1), bullseye(2), "-o", scratch.file("mean.nii"),
      "--levels", "2",     "--iterations", "4",         "--plan"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), atlas.begin(), atlas.end());
    return run_batch(more);
  };
  const auto result = with({"--json", "--engine", "cpu", "--weight", "1", "--weight", "0", "--weight", "2"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto levels = json::parse(result.out).at("levels");
  ASSERT_EQ(levels.size(), 2U);
  EXPECT_EQ(levels[0].at("iterations"), 4);
  EXPECT_EQ(levels[1].at("devices").at(0).at("images"), (std::vector<int>{1, 2})) << "one has no weight";
  EXPECT_GT(levels[1].at("seconds").get<double>(), 0) << "by dry iterations";
  EXPECT_FALSE(std::filesystem::exists(scratch.file("mean.nii")));
  EXPECT_NE(with({"--model", "lddmm"}).code, 0);
  const auto unknown = with({"--engine", "none"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("no engine named"), std::string::npos) << unknown.err;
}

TEST(AnatomyBatch, AveragesAtAnAge) {
  const test::Scratch scratch;
  {
    std::ofstream table(scratch.file("ages.csv"));
    table << "image,age\n";
    for (int i = 0; i < 4; ++i) table << "bullseye-0" << i << "," << 50 + 6 * i << "\n";
  }
  const auto result = run_batch({"anatomy",
                                 "atlas",
                                 bullseye(0),
                                 bullseye(1),
                                 bullseye(2),
                                 bullseye(3),
                                 "-o",
                                 scratch.file("mean.nii"),
                                 "--linear",
                                 "none",
                                 "--levels",
                                 "2",
                                 "--iterations",
                                 "10",
                                 "--ages",
                                 scratch.file("ages.csv"),
                                 "--age",
                                 "53",
                                 "--kernel-years",
                                 "3",
                                 "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told.at("images"), 3) << "68 years is 5 standard deviations away";
  ASSERT_EQ(told.at("ages").at("weights").size(), 4U);
  EXPECT_NEAR(told.at("ages").at("weights")[0].get<double>(), 1, 1e-9);
  EXPECT_NEAR(told.at("ages").at("weights")[2].get<double>(), std::exp(-4.0), 1e-6)
      << "relative to the nearest";
  EXPECT_FALSE(told.at("remarks").empty());
  const auto alone =
      run_batch({"anatomy", "atlas", bullseye(0), bullseye(1), "-o", scratch.file("no.nii"), "--age", "53"});
  EXPECT_NE(alone.code, 0);
  EXPECT_NE(alone.err.find("belong together"), std::string::npos) << alone.err;
}

TEST(AnatomyBatch, LabelsKeepTheirValues) {
  const test::Scratch scratch;
  auto labels = anatomy::read_image(bullseye(0));
  FieldValues numbers(labels.values().begin(), labels.values().end());
  for (float& each : numbers) each = each > 0.5F ? 7.F : 3.F;
  anatomy::write_image(labels.grid(), numbers, scratch.file("labels.nii"));
  ASSERT_EQ(run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o", scratch.file("warped.nii"),
                       "--field", scratch.file("field.nii"), "--iterations", "20"})
                .code,
            0);
  ASSERT_EQ(run_batch({"anatomy", "warp", scratch.file("labels.nii"), scratch.file("field.nii"), "-o",
                       scratch.file("moved.nii"), "--nearest"})
                .code,
            0);
  const auto moved = anatomy::read_image(scratch.file("moved.nii"));
  EXPECT_EQ(std::ranges::count(moved.values(), 7.F) + std::ranges::count(moved.values(), 3.F),
            static_cast<std::ptrdiff_t>(moved.values().size()));
  EXPECT_NE(std::ranges::count(moved.values(), 7.F), std::ranges::count(numbers, 7.F));
}

TEST(AnatomyBatch, AveragesImages) {
  const test::Scratch scratch;
  const auto result =
      run_batch({"anatomy", "atlas", bullseye(0), bullseye(1), bullseye(2), bullseye(3), "-o",
                 scratch.file("mean.nii"), "--variance", scratch.file("variance.nii"), "--levels", "2",
                 "--iterations", "60", "--largest-step", "0.25", "--linear", "none", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told.at("images"), 4);
  EXPECT_LT(told.at("spread").at("after").get<double>(), 0.3 * told.at("spread").at("before").get<double>());
  const auto variance = anatomy::read_image(scratch.file("variance.nii"));
  double sum = 0;
  for (const float each : variance.values()) sum += static_cast<double>(each);
  EXPECT_NEAR(std::sqrt(sum / static_cast<double>(variance.values().size())),
              told.at("spread").at("after").get<double>(), 1e-4);
  const auto wrong = run_batch(
      {"anatomy", "atlas", bullseye(0), bullseye(1), "-o", scratch.file("other.nii"), "--weight", "1"});
  EXPECT_NE(wrong.code, 0);
  EXPECT_NE(wrong.err.find("2 images and 1 weight"), std::string::npos) << wrong.err;
}

/// Flows of images that are read one by one write the same files as those of images in memory.
TEST(AnatomyBatch, StreamsImagesThatDoNotFit) {
  const test::Scratch scratch;
  json told;
  for (const auto& [name, memory] : {std::pair("streamed", "0.027"), std::pair("kept", "0")}) {
    std::vector<std::string> words{"anatomy", "atlas"};
    for (int i = 0; i < 4; ++i) words.push_back(bullseye(i));
    for (int i = 0; i < 4; ++i) {
      words.emplace_back("--field");
      words.push_back(scratch.file(std::string(name) + std::to_string(i) + ".nrrd"));
    }
    for (const char* word : {"--linear", "none", "--model", "lddmm", "--levels", "2", "--iterations", "4",
                             "--json", "--memory", memory, "-o"})
      words.emplace_back(word);
    words.push_back(scratch.file(std::string(name) + ".nrrd"));
    const auto result = run_batch(words);
    ASSERT_EQ(result.code, 0) << result.err;
    const bool is_streamed = std::string(name) == "streamed";
    if (is_streamed) told = json::parse(result.out);
    EXPECT_EQ(json::parse(result.out).contains("stream"), is_streamed);
  }
  for (const char* end : {".nrrd", "0.nrrd", "3.nrrd"}) {
    const auto bytes_of = [&](const char* name) {
      std::ifstream file(scratch.file(std::string(name) + end), std::ios::binary);
      return std::string(std::istreambuf_iterator<char>(file), {});
    };
    EXPECT_GT(bytes_of("kept").size(), 1000U);
    EXPECT_TRUE(bytes_of("streamed") == bytes_of("kept")) << end;
  }
  EXPECT_EQ(told.at("distances_mm").size(), 4U);
  const json& stream = told.at("stream");
  EXPECT_GE(stream.at("seconds").at("elapsed"), stream.at("seconds").at("least"));
  EXPECT_GE(stream.at("longest_pass").size(), 8U) << "four images are read and worked on, or written, too";
}

/// The same head twice, 24 mm apart: both are brought to the middle, by 12 mm each.
TEST(AnatomyBatch, BringsAveragedImagesOntoEachOther) {
  const test::Scratch scratch;
  constexpr int side = 32;
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 6, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  anatomy::write_image(grid, anatomy::head_phantom(side, 0), scratch.file("here.nrrd"));
  grid.origin += Eigen::Vector3d(24, 0, 0);
  anatomy::write_image(grid, anatomy::head_phantom(side, 0), scratch.file("there.nrrd"));
  const auto result =
      run_batch({"anatomy", "atlas", scratch.file("here.nrrd"), scratch.file("there.nrrd"), "-o",
                 scratch.file("mean.nrrd"), "--field", scratch.file("a.nrrd"), "--field",
                 scratch.file("b.nrrd"), "--linear", "rigid", "--iterations", "0", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_LT(json::parse(result.out).at("spread").at("after").get<double>(), 0.02);
  constexpr std::size_t middle = 16 + 32 * (16 + 32 * 16);
  const auto a = anatomy::read_displacements(scratch.file("a.nrrd")),
             b = anatomy::read_displacements(scratch.file("b.nrrd"));
  EXPECT_NEAR(a.field.components[0][middle] * 6, -12, 0.5);
  EXPECT_NEAR(b.field.components[0][middle] * 6, 12, 0.5);
}

TEST(AnatomyBatch, FindsALinearMapAndWritesIt) {
  // The same head 40 mm away and turned: the map is known.
  const test::Scratch scratch;
  constexpr int side = 32;
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 6, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  Eigen::Affine3d map(Eigen::AngleAxisd(0.2, Eigen::Vector3d(1, -1, 2).normalized()));
  map.pretranslate(Eigen::Vector3d(40, -12, 7));
  grid::Grid turned = grid;
  turned.origin = map * grid.origin;
  turned.step = map.linear() * grid.step;
  anatomy::write_image(grid, anatomy::head_phantom(side, 0), scratch.file("fixed.nii.gz"));
  anatomy::write_image(turned, anatomy::head_phantom(side, 0), scratch.file("moving.nii.gz"));
  const auto found = run_batch(
      {"anatomy", "register", scratch.file("fixed.nii.gz"), scratch.file("moving.nii.gz"), "-o",
       scratch.file("out.nii.gz"), "--field", scratch.file("field.nii.gz"), "--linear", "rigid",
       "--similarity", "correlation", "--affine-only", "--linear-map", scratch.file("map.tfm"), "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const auto told = json::parse(found.out);
  EXPECT_EQ(told.at("linear").at("model"), "rigid");
  EXPECT_EQ(told.at("linear").at("similarity").at("measure"), "correlation");
  EXPECT_GT(told.at("linear").at("similarity").at("after").get<double>(), 0.99);
  const Eigen::Affine3d written = anatomy::read_linear(scratch.file("map.tfm"));
  const auto field = anatomy::read_displacements(scratch.file("field.nii.gz"));
  for (const Eigen::Vector3d& place : {Eigen::Vector3d(-60, 40, 50), Eigen::Vector3d(50, 60, -60)}) {
    EXPECT_LT((written * place - map * place).norm(), 1) << "mm, of voxels of 6 mm";
    const Eigen::Vector3d index = grid.index_at(place).array().round();
    const auto at = static_cast<std::size_t>((index.z() * side + index.y()) * side + index.x());
    const Eigen::Vector3d by = grid.step * Eigen::Vector3d(static_cast<double>(field.field.data(0)[at]),
                                                           static_cast<double>(field.field.data(1)[at]),
                                                           static_cast<double>(field.field.data(2)[at]));
    const Eigen::Vector3d voxel = grid.position(index);
    EXPECT_LT((voxel + by - written * voxel).norm(), 1e-3) << "the field is the whole map";
  }
  // A map to begin with, and nothing else.
  const auto kept = run_batch({"anatomy", "register", scratch.file("fixed.nii.gz"),
                               scratch.file("moving.nii.gz"), "-o", scratch.file("kept.nii.gz"), "--initial",
                               scratch.file("map.tfm"), "--linear", "none", "--affine-only", "--json"});
  ASSERT_EQ(kept.code, 0) << kept.err;
  EXPECT_EQ(root_mean_square(anatomy::read_image(scratch.file("kept.nii.gz")).values(),
                             anatomy::read_image(scratch.file("out.nii.gz")).values()),
            0);
}

TEST(AnatomyBatch, RegistersBySplines) {
  const test::Scratch scratch;
  constexpr int side = 32;
  const grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 6, grid::LengthUnit::millimetre);
  const std::string fixed = scratch.file("fixed.nrrd"), moving = scratch.file("moving.nrrd");
  anatomy::write_image(grid, anatomy::head_phantom(side, 0), fixed);
  anatomy::write_image(grid, anatomy::head_phantom(side, 0.06), moving);
  const auto result =
      run_batch({"anatomy", "register", fixed, moving, "-o", scratch.file("out.nii"), "--linear", "none",
                 "--model", "b-spline", "--control-spacing", "20", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told.at("model"), "b-spline");
  EXPECT_LT(told.at("mismatch").at("after").get<double>(),
            0.35 * told.at("mismatch").at("before").get<double>());
  EXPECT_GT(told.at("jacobian").at("least").get<double>(), 0);
  const auto ignored = run_batch({"anatomy", "register", fixed, moving, "-o", scratch.file("other.nii"),
                                  "--model", "b-spline", "--smoothness", "3"});
  EXPECT_NE(ignored.code, 0);
  EXPECT_NE(ignored.err.find("smoothness"), std::string::npos) << ignored.err;
}

TEST(AnatomyBatch, RegistersByTheEngineThatIsNamed) {
  const test::Scratch scratch;
  const std::vector<std::string> verb{
      "anatomy",  "register", bullseye(1), bullseye(0), "-o",           scratch.file("warped.nii.gz"),
      "--linear", "none",     "--levels",  "1",         "--iterations", "3",
      "--json"};
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> all = verb;
    all.insert(all.end(), more.begin(), more.end());
    return run_batch(all);
  };
  const auto by_cpu = with({"--engine", "cpu"});
  ASSERT_EQ(by_cpu.code, 0) << by_cpu.err;
  const auto told = json::parse(by_cpu.out);
  EXPECT_EQ(told.at("engine").get<std::string>().rfind("CPU, ", 0), 0U) << told.at("engine");
  ASSERT_EQ(told.at("devices").size(), 1U);
  EXPECT_EQ(told.at("devices")[0].at("tiles"), 1) << "a level";
  const auto unknown = with({"--engine", "abacus"});
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("\"cpu\""), std::string::npos) << "names those there are: " << unknown.err;
  EXPECT_NE(with({"--engine", "cpu", "--devices", "1"}).code, 0) << "no GPU is used";
}

TEST(AnatomyBatch, WritesTheImagesOfAFlow) {
  const test::Scratch scratch;
  const auto result =
      run_batch({"anatomy", "register", bullseye(3), bullseye(0), "-o", scratch.file("out.nii"), "--linear",
                 "none", "--model", "lddmm", "--time-steps", "3", "--flow", scratch.file("flow.nii.gz"),
                 "--iterations", "30", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told.at("flow").at("kinetic_energies_mm2").size(), 3U);
  EXPECT_GT(told.at("flow").at("distance_mm").get<double>(), 0);
  const auto moving = anatomy::read_image(bullseye(0));
  EXPECT_LT(root_mean_square(anatomy::read_image(scratch.file("flow-0.nii.gz")).values(), moving.values()),
            1e-6);
  const auto end = anatomy::read_image(scratch.file("flow-3.nii.gz"));
  EXPECT_LT(root_mean_square(end.values(), anatomy::read_image(scratch.file("out.nii")).values()), 1e-4);
  const double way = root_mean_square(end.values(), moving.values());
  for (const char* name : {"flow-1.nii.gz", "flow-2.nii.gz"})
    EXPECT_LT(root_mean_square(anatomy::read_image(scratch.file(name)).values(), moving.values()), way);
  const auto without = run_batch({"anatomy", "register", bullseye(3), bullseye(0), "-o",
                                  scratch.file("other.nii"), "--flow", scratch.file("flow.nii.gz")});
  EXPECT_NE(without.err.find("--model lddmm"), std::string::npos) << without.err;
}

TEST(AnatomyBatch, BringsLandmarksTogether) {
  const test::Scratch scratch;
  // The outermost boundary along two axes, and a point that images would not move.
  anatomy::write_landmarks({{{-230, -167, 87}, {-232, -167, 87}, "left"},
                            {{-246, -150, 87}, {-246, -153, 87}, "back"},
                            {{-246, -167, 87}, {-243, -166, 89}, "centre"},
                            {{500, 0, 0}, {500, 0, 0}, "far"}},
                           scratch.file("pairs.csv"));
  const auto result =
      run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o", scratch.file("out.nii"), "--linear",
                 "none", "--landmarks", scratch.file("pairs.csv"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  const auto& pairs = told.at("landmarks").at("pairs");
  ASSERT_EQ(pairs.size(), 4U);
  EXPECT_EQ(pairs[2].at("name"), "centre");
  EXPECT_NEAR(pairs[2].at("before_mm").get<double>(), std::sqrt(14.0), 1e-4);
  EXPECT_EQ(pairs[2].at("linear_mm"), pairs[2].at("before_mm"));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(pairs[i].at("after_mm").get<double>(), 0.7) << i;
  EXPECT_EQ(told.at("jacobian").at("folded"), 0);
  ASSERT_EQ(told.at("remarks").size(), 1U);
  EXPECT_EQ(told.at("remarks")[0].at("kind"), "dropped") << "the far one";
  const auto missing = run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o",
                                  scratch.file("other.nii"), "--similarity", "landmarks"});
  EXPECT_NE(missing.err.find("no pair of landmarks"), std::string::npos) << missing.err;
}

/// A ball that looks the same in both images, and another one inside, which only the labels show.
TEST(AnatomyBatch, BringsSurfacesOfLabelsTogether) {
  const test::Scratch scratch;
  constexpr int side = 24;
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 2, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  FieldValues ball;
  anatomy::Labels labels[2];
  for (anatomy::Labels& each : labels)
    each = {.grid = grid, .values = {0, 3, 4}, .indices = {}, .remarks = {}};
  for (std::size_t i = 0; i < grid.point_count(); ++i) {
    const Eigen::Vector3d at =
        grid.position(static_cast<double>(i % side), static_cast<double>(i / side % side),
                      static_cast<double>(i / side / side));
    ball.push_back(static_cast<float>(std::clamp((18 - at.norm()) / 2 + 0.5, 0.0, 1.0)));
    for (const int image : {0, 1}) {
      const double inner = (at - Eigen::Vector3d(3 * image, 0, 0)).norm();
      labels[image].indices.push_back(inner < 8 ? 2U : at.norm() < 18 ? 1U : 0U);
    }
  }
  anatomy::write_image(grid, ball, scratch.file("ball.nii"));
  anatomy::write_labels(labels[0], scratch.file("fixed.nii"));
  anatomy::write_labels(labels[1], scratch.file("moving.nii"));
  const std::string image = scratch.file("ball.nii");
  const auto call = [&](std::vector<std::string> more) {
    std::vector<std::string> all{"anatomy",  "register", image, image, "-o", scratch.file("out.nii"),
                                 "--linear", "none"};
    all.insert(all.end(), more.begin(), more.end());
    return run_batch(all);
  };
  const std::string fixed = scratch.file("fixed.nii"), moving = scratch.file("moving.nii");
  const auto result =
      call({"--fixed-labels", fixed, "--moving-labels", moving, "--surface-labels", "4", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  ASSERT_EQ(told.at("surfaces").size(), 1U);
  const auto& inner = told.at("surfaces")[0];
  EXPECT_EQ(inner.at("name"), "4");
  EXPECT_GT(inner.at("before").at("mean_mm").get<double>(), 1.2);
  EXPECT_LT(inner.at("after").at("mean_mm").get<double>(), 0.5);
  EXPECT_LT(inner.at("after").at("greatest_mm").get<double>(), 2);
  EXPECT_EQ(told.at("jacobian").at("folded"), 0);
  const auto& levels = told.at("levels");
  EXPECT_LT(levels.back().at("surfaces_after").get<double>(),
            levels.back().at("surfaces_before").get<double>());
  // What does not fit is refused.
  EXPECT_NE(call({"--fixed-labels", fixed}).err.find("--moving-labels"), std::string::npos);
  EXPECT_NE(call({"--kernel-width", "3"}).err.find("need surfaces"), std::string::npos);
  EXPECT_NE(call({"--fixed-labels", fixed, "--moving-labels", moving, "--model", "b-spline"})
                .err.find("--model fluid"),
            std::string::npos);
  EXPECT_NE(
      call({"--fixed-labels", fixed, "--moving-labels", moving, "--surface-labels", "9"}).err.find("Label 9"),
      std::string::npos);
}

/// An image whose contrast is inverted and not linear, and one with its own contrast, are deformed by about the same map.
TEST(AnatomyBatch, ClassesAlignImagesOfOtherContrast) {
  const test::Scratch scratch;
  const auto fixed = anatomy::read_image(bullseye(1)), moving = anatomy::read_image(bullseye(0));
  FieldValues other(moving.values().begin(), moving.values().end());
  const float high = std::ranges::max(other);
  for (float& each : other) each = (high - each) * (high - each) / high;
  anatomy::write_image(moving.grid(), other, scratch.file("other.nii"));
  const auto result = run_batch({"anatomy", "register", bullseye(1), scratch.file("other.nii"), "-o",
                                 scratch.file("out.nii"), "--field", scratch.file("field.nii.gz"), "--linear",
                                 "none", "--levels", "2", "--smoothness", "4", "--classes", "2", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out).at("classes"), 2);
  ASSERT_EQ(run_batch({"anatomy", "warp", bullseye(0), scratch.file("field.nii.gz"), "-o",
                       scratch.file("warped.nii")})
                .code,
            0);
  const auto warped = anatomy::read_image(scratch.file("warped.nii"));
  EXPECT_LT(root_mean_square(fixed.values(), warped.values()),
            0.4 * root_mean_square(fixed.values(), moving.values()));
  const auto one = run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o", scratch.file("one.nii"),
                              "--fixed-class", bullseye(1)});
  EXPECT_NE(one.err.find("--moving-class"), std::string::npos) << one.err;
  // Probabilities from files: those images themselves, here.
  const auto given =
      run_batch({"anatomy", "register", bullseye(1), scratch.file("other.nii"), "-o",
                 scratch.file("given.nii"), "--linear", "none", "--levels", "2", "--smoothness", "4",
                 "--fixed-class", bullseye(1), "--moving-class", bullseye(0), "--json"});
  ASSERT_EQ(given.code, 0) << given.err;
  const auto mismatch = json::parse(given.out).at("mismatch");
  EXPECT_NEAR(mismatch.at("before").get<double>(), root_mean_square(fixed.values(), moving.values()), 1e-3);
  EXPECT_LT(mismatch.at("after").get<double>(), 0.3 * mismatch.at("before").get<double>());
  for (float& each : other) each *= 255 / high;
  anatomy::write_image(moving.grid(), other, scratch.file("bytes.nii"));
  const auto bytes =
      run_batch({"anatomy", "register", bullseye(1), bullseye(0), "-o", scratch.file("bytes-out.nii"),
                 "--fixed-class", bullseye(1), "--moving-class", scratch.file("bytes.nii")});
  EXPECT_NE(bytes.code, 0);
  EXPECT_NE(bytes.err.find("bytes.nii: its values go from 0 to 255"), std::string::npos) << bytes.err;
}

TEST(AnatomyBatch, RefusesInOneLine) {
  const test::Scratch scratch;
  auto image = anatomy::read_image(bullseye(0));
  anatomy::write_image(image.grid(), FieldValues(image.values().size(), 5.F), scratch.file("constant.nii"));
  auto far = image.grid();
  far.origin[0] += 1000;
  anatomy::write_image(far, FieldValues(image.values().begin(), image.values().end()),
                       scratch.file("far.nii"));
  const auto error_of = [&](const std::string& fixed, const std::string& moving, const std::string& linear) {
    const auto result =
        run_batch({"anatomy", "register", fixed, moving, "-o", scratch.file("out.nii"), "--linear", linear});
    EXPECT_NE(result.code, 0);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(std::ranges::count(scratch.files(), "out.nii"), 0);
    return result.err;
  };
  for (const char* linear : {"none", "affine"}) {
    EXPECT_NE(error_of(bullseye(0), scratch.file("constant.nii"), linear).find("the value 5 everywhere"),
              std::string::npos);
    EXPECT_NE(error_of(bullseye(0), scratch.file("none.nii"), linear).find("no such file"),
              std::string::npos);
  }
  EXPECT_NE(error_of(bullseye(0), scratch.file("far.nii"), "none").find("do not overlap"), std::string::npos);
  const auto both = run_batch({"anatomy", "register", bullseye(0), bullseye(1), "-o", scratch.file("out.nii"),
                               "--affine-only", "--iterations", "20"});
  EXPECT_NE(both.err.find("--affine-only leaves out the deformation"), std::string::npos) << both.err;
  const auto named = run_batch({"anatomy", "register", bullseye(0), bullseye(1), "-o",
                                scratch.file("out.nii"), "--linear-map", scratch.file("map.nii")});
  EXPECT_NE(named.err.find(".tfm"), std::string::npos) << named.err;
  const auto replaced =
      run_batch({"anatomy", "register", bullseye(1), scratch.file("far.nii"), "-o", scratch.file("far.nii")});
  EXPECT_NE(replaced.code, 0) << "the output would replace an input";
}

TEST(AnatomyBatch, TimesItsParts) {
  const auto result = run_batch({"bench", "anatomy", "--sizes", "20", "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto size = json::parse(result.out).at("sizes").at(0);
  EXPECT_EQ(size.at("side"), 20);
  EXPECT_GT(size.at("iteration").at("median_ms").get<double>(), 0);
  EXPECT_LT(size.at("registration").at("mismatch_ratio").get<double>(), 0.5);
}

}  // namespace
}  // namespace isolume
