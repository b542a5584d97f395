// isolume-batch anatomy cut.
#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

/// Two boxes of the values 1 and 2 in 0, on voxels of 2 x 1 x 1 mm.
std::int64_t part_at(int i, int j, int k) {
  const bool is_low = j >= 3 && j <= 12 && k >= 3 && k <= 8;
  return is_low && i >= 2 && i <= 6 ? 1 : is_low && i >= 9 && i <= 13 ? 2 : 0;
}

/// Writes image.nii, and seeds.nii.gz: 7 and 9 in the boxes, 4 outside.
void write_example(const test::Scratch& scratch) {
  grid::Grid grid;
  grid.dimensions = {16, 16, 12};
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  grid.step = Eigen::Vector3d(2, 1, 1).asDiagonal();
  FieldValues values;
  anatomy::Labels seeds{
      .grid = grid, .values = {0, 4, 7, 9}, .indices = {}, .type = images::PixelType::int16, .remarks = {}};
  for (int k = 0; k < 12; ++k) {
    for (int j = 0; j < 16; ++j) {
      for (int i = 0; i < 16; ++i) {
        values.push_back(static_cast<float>(part_at(i, j, k)) + ((i + j + k) % 2 == 0 ? 0.1F : -0.1F));
        const bool is_middle = (i == 4 || i == 11) && j >= 6 && j <= 9 && k == 5;
        seeds.indices.push_back(is_middle ? (i == 4 ? 2 : 3) : j == 0 && k == 0 ? 1 : 0);
      }
    }
  }
  anatomy::write_image(grid, values, scratch.file("image.nii"));
  anatomy::write_labels(seeds, scratch.file("seeds.nii.gz"));
}

/// Whether a label map has 7 and 9 in the boxes and `outside` around them.
bool is_found(const std::string& file, std::int64_t outside) {
  const anatomy::Labels found = anatomy::read_labels(file);
  std::size_t at = 0;
  for (int k = 0; k < 12; ++k) {
    for (int j = 0; j < 16; ++j) {
      for (int i = 0; i < 16; ++i) {
        const std::int64_t part = part_at(i, j, k), label = found.values[found.indices[at++]];
        if (label != (part == 1 ? 7 : part == 2 ? 9 : outside)) return false;
      }
    }
  }
  return true;
}

TEST(AnatomyRegionsBatch, CutsByEachMethod) {
  const test::Scratch scratch;
  write_example(scratch);
  const auto cut = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"anatomy",
                                   "cut",
                                   scratch.file("image.nii"),
                                   "--seeds",
                                   scratch.file("seeds.nii.gz"),
                                   "-o",
                                   scratch.file("labels.nii.gz"),
                                   "--json"};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  };
  const json by_cut = cut({});
  EXPECT_TRUE(by_cut.contains("energy"));
  EXPECT_TRUE(is_found(scratch.file("labels.nii.gz"), 4));
  EXPECT_EQ(by_cut.at("labels").at(1).at("label"), 7);
  EXPECT_EQ(by_cut.at("labels").at(1).at("voxels"), 5 * 10 * 6);
  EXPECT_EQ(by_cut.at("labels").at(1).at("millilitres"), 0.6);
  cut({"--method", "random-walker", "--edge", "0.5", "--background", "4", "--certainty",
       scratch.file("sure.nii")});
  EXPECT_TRUE(is_found(scratch.file("labels.nii.gz"), 0));
  const auto certainty = anatomy::read_image(scratch.file("sure.nii"));
  EXPECT_TRUE(
      std::ranges::all_of(certainty.values(), [](float each) { return each > 0.33F && each < 1.001F; }));
  const json grown = cut({"--method", "region-growing", "--background", "4"});
  EXPECT_TRUE(is_found(scratch.file("labels.nii.gz"), 0));
  EXPECT_EQ(grown.at("intervals").size(), 3U);
  const json joined =
      cut({"--method", "watershed", "--basin-smoothing", "0.5", "--basins", scratch.file("basins.nii.gz")});
  EXPECT_EQ(joined.at("basins"), anatomy::read_labels(scratch.file("basins.nii.gz")).values.size());
  const anatomy::Labels regions = anatomy::read_labels(scratch.file("labels.nii.gz"));
  const auto label_at = [&](std::size_t i, std::size_t k) {
    return regions.values[regions.indices[(k * 16 + 7) * 16 + i]];
  };
  EXPECT_EQ(label_at(4, 5), 7);
  EXPECT_EQ(label_at(11, 6), 9);
  EXPECT_EQ(label_at(0, 5), 4);
  EXPECT_EQ(label_at(11, 11), 4);
  // Gradients at the sides of a box are two voxels wide.
  EXPECT_GE(joined.at("labels").at(1).at("voxels"), 3 * 8 * 4);
  EXPECT_LE(joined.at("labels").at(1).at("voxels"), 7 * 12 * 8);
}

/// Volume and greatest distance from a point in a binary STL.
std::pair<double, double> extent_of_stl(const std::string& file, const Eigen::Vector3d& centre) {
  std::ifstream stream(file, std::ios::binary);
  stream.seekg(80);
  std::uint32_t count = 0;
  stream.read(reinterpret_cast<char*>(&count), sizeof count);
  double volume = 0, greatest = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::array<float, 12> numbers{};
    stream.read(reinterpret_cast<char*>(numbers.data()), sizeof numbers);
    stream.ignore(2);
    const Eigen::Matrix3d corners =
        Eigen::Map<const Eigen::Matrix3f>(numbers.data() + 3).cast<double>().colwise() - centre;
    volume += corners.determinant() / 6;
    greatest = std::max(greatest, corners.colwise().norm().maxCoeff());
  }
  EXPECT_TRUE(stream.good());
  return {volume, greatest};
}

TEST(AnatomyRegionsBatch, SurfacesHaveTheVolumesOfTheirVoxels) {
  const test::Scratch scratch;
  anatomy::Labels labels{
      .grid = {}, .values = {0, 3, 5}, .indices = {}, .type = images::PixelType::uint8, .remarks = {}};
  labels.grid.dimensions = {30, 24, 24};
  labels.grid.unit = grid::LengthUnit::millimetre;
  labels.grid.frame = grid::Frame::patient;
  labels.grid.step = Eigen::Vector3d(1, 1.5, 1).asDiagonal();
  // A ball of 8 mm, and a box of 2 x 3 x 2 voxels.
  const Eigen::Vector3d centre(10, 16, 11);
  std::size_t ball = 0;
  for (int k = 0; k < 24; ++k) {
    for (int j = 0; j < 24; ++j) {
      for (int i = 0; i < 30; ++i) {
        const bool is_ball = (labels.grid.position(i, j, k) - centre).norm() < 8;
        const bool is_box = i / 2 == 12 && j / 3 == 2 && k / 2 == 4;
        ball += is_ball ? 1 : 0;
        labels.indices.push_back(is_ball ? 1 : is_box ? 2 : 0);
      }
    }
  }
  anatomy::write_labels(labels, scratch.file("labels.nii"));
  const auto surfaces = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"anatomy", "surfaces", scratch.file("labels.nii"), "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return run_batch(words);
  };
  const auto all = surfaces({"-o", scratch.file("all.stl")});
  ASSERT_EQ(all.code, 0) << all.err;
  EXPECT_EQ(json::parse(all.out).at("surfaces").size(), 2U);
  const double ball_mm3 = 1.5 * static_cast<double>(ball), box_mm3 = 12 * 1.5;
  EXPECT_NEAR(extent_of_stl(scratch.file("all.stl"), centre).first, ball_mm3 + box_mm3,
              0.002 * (ball_mm3 + box_mm3));
  const auto one = surfaces({"-o", scratch.file("ball.stl"), "--label", "3"});
  ASSERT_EQ(one.code, 0) << one.err;
  const auto [volume, greatest] = extent_of_stl(scratch.file("ball.stl"), centre);
  EXPECT_NEAR(volume, ball_mm3, 0.002 * ball_mm3);
  EXPECT_NEAR(greatest, 8, 0.5) << "in the coordinates of the patient";
  EXPECT_NE(surfaces({"-o", scratch.file("none.stl"), "--label", "4"}).err.find("no label 4"),
            std::string::npos);
  EXPECT_NE(surfaces({"-o", scratch.file("none.obj")}).err.find(".stl"), std::string::npos);
}

TEST(AnatomyRegionsBatch, TouchingSurfacesHaveNoGap) {
  const test::Scratch scratch;
  // A ball of 12 mm in three parts: one half, and the other in two.
  anatomy::Labels labels{
      .grid = {}, .values = {0, 3, 5, 9}, .indices = {}, .type = images::PixelType::uint8, .remarks = {}};
  labels.grid.dimensions = {36, 30, 24};
  labels.grid.unit = grid::LengthUnit::millimetre;
  labels.grid.frame = grid::Frame::patient;
  labels.grid.step = Eigen::Vector3d(0.8, 1, 1.25).asDiagonal();
  const Eigen::Vector3d centre = labels.grid.position(17.5, 14.5, 11.5);
  for (int k = 0; k < 24; ++k) {
    for (int j = 0; j < 30; ++j) {
      for (int i = 0; i < 36; ++i) {
        const Eigen::Vector3d p = labels.grid.position(i, j, k) - centre;
        labels.indices.push_back(p.norm() > 12 ? 0 : p.x() < 0 ? 1 : p.y() < 0 ? 2 : 3);
      }
    }
  }
  anatomy::write_labels(labels, scratch.file("labels.nii"));
  const auto result = run_batch({"anatomy", "surfaces", scratch.file("labels.nii"), "-o",
                                 scratch.file("all.stl"), "--touching", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json report = json::parse(result.out).at("surfaces");
  ASSERT_EQ(report.size(), 3U);
  double sum = 0;
  for (const json& each : report) {
    const double expected = each.at("voxels_millilitres");
    EXPECT_NEAR(each.at("millilitres"), expected, 0.04 * expected) << each;
    sum += each.at("millilitres").get<double>();
  }
  const auto [volume, greatest] = extent_of_stl(scratch.file("all.stl"), centre);
  EXPECT_NEAR(volume / 1000, sum, 1e-3 * sum);
  EXPECT_NEAR(greatest, 12, 0.8);
  // Within the ball, each triangle is there twice, once for either label, also along the line of three labels.
  std::map<std::array<float, 9>, int> sides;
  std::ifstream stream(scratch.file("all.stl"), std::ios::binary);
  stream.seekg(84);
  int inside = 0, alone = 0;
  for (std::array<char, 50> record{}; stream.read(record.data(), record.size());) {
    std::array<std::array<float, 3>, 3> corners{};
    std::memcpy(corners.data(), record.data() + 12, sizeof corners);
    std::ranges::sort(corners);
    std::array<float, 9> key{};
    std::memcpy(key.data(), corners.data(), sizeof key);
    ++sides[key];
  }
  for (const auto& [corners, count] : sides) {
    bool is_between_two = true;
    for (std::size_t k = 0; k < 9; k += 3) {
      const Eigen::Vector3d p = Eigen::Vector3d(corners[k], corners[k + 1], corners[k + 2]) - centre;
      is_between_two = is_between_two && p.norm() < 9;
    }
    if (!is_between_two) continue;
    ++inside;
    alone += count == 2 ? 0 : 1;
  }
  EXPECT_GT(inside, 100);
  EXPECT_EQ(alone, 0);
}

TEST(AnatomyRegionsBatch, RefusesInOneLine) {
  const test::Scratch scratch;
  write_example(scratch);
  const auto error_of = [&](const std::string& image, const std::string& seeds,
                            const std::vector<std::string>& more) {
    std::vector<std::string> words{"anatomy",           "cut", scratch.file(image),     "--seeds",
                                   scratch.file(seeds), "-o",  scratch.file("none.nii")};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_batch(words);
    EXPECT_NE(result.code, 0);
    EXPECT_EQ(std::ranges::count(scratch.files(), "none.nii"), 0);
    return result.err;
  };
  EXPECT_NE(error_of("image.nii", "image.nii", {}).find("not a whole number"), std::string::npos);
  EXPECT_NE(error_of("image.nii", "seeds.nii.gz", {"--background", "5"}).find("no seeds of the label 5"),
            std::string::npos);
  EXPECT_NE(error_of("image.nii", "seeds.nii.gz", {"--certainty", scratch.file("sure.nii")}).find("--method"),
            std::string::npos);
  EXPECT_NE(error_of("image.nii", "seeds.nii.gz", {"--basins", scratch.file("basins.nii")}).find("--method"),
            std::string::npos);
  grid::Grid other;
  other.dimensions = {16, 16, 12};
  other.unit = grid::LengthUnit::millimetre;
  anatomy::write_image(other, FieldValues(16 * 16 * 12, 0.F), scratch.file("empty.nii"));
  EXPECT_NE(error_of("image.nii", "empty.nii", {}).find("another grid"), std::string::npos);
  EXPECT_NE(error_of("empty.nii", "empty.nii", {}).find("There are no seeds"), std::string::npos);
  const auto large = test::run_batch_by({"/usr/bin/env", "ISOLUME_MEMORY_BUDGET=64KiB"},
                                        {"anatomy", "cut", scratch.file("image.nii"), "--seeds",
                                         scratch.file("seeds.nii.gz"), "-o", scratch.file("none.nii")});
  EXPECT_NE(large.code, 0);
  EXPECT_NE(large.err.find("The graph cut needs"), std::string::npos) << large.err;
}

}  // namespace
}  // namespace isolume
