// Verbs of isolume-batch anatomy that use transforms and label maps.
#include <algorithm>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/image.h"
#include "core/anatomy/transform_files.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

grid::Grid cube() {
  grid::Grid grid;
  grid.dimensions = {16, 16, 16};
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  grid.step = Eigen::Vector3d(2, 1, 1).asDiagonal();
  return grid;
}

/// A box of `value` from (4, 4, 4) to (9, 7, 7), shifted along x; 0 elsewhere.
void write_box(const std::string& file, float value, int shift = 0) {
  FieldValues values;
  for (int k = 0; k < 16; ++k) {
    for (int j = 0; j < 16; ++j) {
      for (int i = 0; i < 16; ++i) {
        const bool is_inside = std::min(j, k) >= 4 && std::max(j, k) <= 7 && i >= 4 + shift && i <= 9 + shift;
        values.push_back(is_inside ? value : 0);
      }
    }
  }
  anatomy::write_image(cube(), values, file);
}

std::string text_of(const std::string& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A translation of the box by whole voxels, in all three kinds of file.
TEST(AnatomyTransformsBatch, WarpsByEachKindOfTransform) {
  const test::Scratch scratch;
  write_box(scratch.file("box.nii"), 7);
  write_box(scratch.file("shifted.nii"), 7, 3);
  // The output shows at p what the box has at p - 6 mm: 3 voxels.
  anatomy::write_linear(Eigen::Affine3d(Eigen::Translation3d(-4, 0, 0)), scratch.file("part.tfm"));
  anatomy::write_linear(Eigen::Affine3d(Eigen::Translation3d(-2, 0, 0)), scratch.file("rest.mat"));
  ASSERT_EQ(run_batch({"anatomy", "compose", scratch.file("part.tfm"), scratch.file("rest.mat"), "-o",
                       scratch.file("all.h5")})
                .code,
            0);
  EXPECT_TRUE(anatomy::read_linear(scratch.file("all.h5"))
                  .isApprox(Eigen::Affine3d(Eigen::Translation3d(-6, 0, 0)), 1e-14));
  const auto composed = run_batch({"anatomy", "compose", scratch.file("all.h5"), "-o",
                                   scratch.file("field.mha"), "--like", scratch.file("box.nii"), "--json"});
  ASSERT_EQ(composed.code, 0) << composed.err;
  EXPECT_NEAR(json::parse(composed.out).at("largest_displacement_mm").get<double>(), 6, 1e-5);
  const auto expected = anatomy::read_image(scratch.file("shifted.nii"));
  for (const std::vector<std::string>& transforms :
       {std::vector<std::string>{"part.tfm", "rest.mat"}, {"all.h5"}, {"field.mha"}}) {
    std::vector<std::string> words{"anatomy", "warp", scratch.file("box.nii")};
    for (const std::string& each : transforms) words.push_back(scratch.file(each));
    words.insert(words.end(),
                 {"-o", scratch.file("warped.nii"), "--like", scratch.file("box.nii"), "--labels"});
    const auto warped = run_batch(words);
    ASSERT_EQ(warped.code, 0) << warped.err;
    const auto found = anatomy::read_image(scratch.file("warped.nii"));
    EXPECT_TRUE(std::ranges::equal(found.values(), expected.values())) << transforms.front();
  }
  const auto without = run_batch(
      {"anatomy", "warp", scratch.file("box.nii"), scratch.file("all.h5"), "-o", scratch.file("none.nii")});
  EXPECT_NE(without.code, 0);
  EXPECT_NE(without.err.find("--like"), std::string::npos) << without.err;
}

TEST(AnatomyTransformsBatch, InvertsAndMeasures) {
  const test::Scratch scratch;
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.linear().diagonal() << 1.1, 0.9, 1;
  map.translation() << 1, -2, 3;
  anatomy::write_linear(map, scratch.file("map.tfm"));
  write_box(scratch.file("box.nii"), 7);
  const auto inverse =
      run_batch({"anatomy", "invert", scratch.file("map.tfm"), "-o", scratch.file("inverse.tfm"), "--json"});
  ASSERT_EQ(inverse.code, 0) << inverse.err;
  EXPECT_NEAR(json::parse(inverse.out).at("determinant").get<double>(), 1 / 0.99, 1e-12);
  EXPECT_TRUE(anatomy::read_linear(scratch.file("inverse.tfm")).isApprox(map.inverse(), 1e-14));
  ASSERT_EQ(run_batch({"anatomy", "compose", scratch.file("map.tfm"), "-o", scratch.file("field.nii.gz"),
                       "--like", scratch.file("box.nii")})
                .code,
            0);
  const auto by_field = run_batch(
      {"anatomy", "invert", scratch.file("field.nii.gz"), "-o", scratch.file("inverse.nii.gz"), "--json"});
  ASSERT_EQ(by_field.code, 0) << by_field.err;
  EXPECT_LT(json::parse(by_field.out).at("inverse_residual_voxels").get<double>(), 1e-3);
  const auto measured = run_batch(
      {"anatomy", "jacobian", scratch.file("field.nii.gz"), "-o", scratch.file("jacobian.nii"), "--json"});
  ASSERT_EQ(measured.code, 0) << measured.err;
  EXPECT_NEAR(json::parse(measured.out).at("mean").get<double>(), 0.99, 1e-5);
  const auto refused =
      run_batch({"anatomy", "invert", scratch.file("field.nii.gz"), "-o", scratch.file("inverse.mat")});
  EXPECT_NE(refused.code, 0);
  EXPECT_NE(refused.err.find("the map is not linear"), std::string::npos) << refused.err;
  const auto unknown =
      run_batch({"anatomy", "invert", scratch.file("map.tfm"), "-o", scratch.file("inverse.lta")});
  EXPECT_NE(unknown.code, 0);
  EXPECT_NE(unknown.err.find("Choose one of these"), std::string::npos) << unknown.err;
}

TEST(AnatomyTransformsBatch, ConvertsMatricesOfFsl) {
  const test::Scratch scratch;
  write_box(scratch.file("box.nii"), 7);
  std::ofstream(scratch.file("flirt.mat")) << "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
  const auto found =
      run_batch({"anatomy", "compose", scratch.file("flirt.mat"), "-o", scratch.file("map.tfm"),
                 "--fsl-fixed", scratch.file("box.nii"), "--fsl-moving", scratch.file("box.nii")});
  ASSERT_EQ(found.code, 0) << found.err;
  // The voxels' axes are right-handed, so that FSL counts x from the other end: 4 mm are -4 mm in LPS, and the map
  // leads from the fixed image to the moving one.
  EXPECT_TRUE(anatomy::read_linear(scratch.file("map.tfm"))
                  .isApprox(Eigen::Affine3d(Eigen::Translation3d(4, 0, 0)), 1e-6));
  const auto without =
      run_batch({"anatomy", "compose", scratch.file("flirt.mat"), "-o", scratch.file("a.tfm")});
  EXPECT_NE(without.err.find("--fsl-fixed"), std::string::npos) << without.err;
}

TEST(AnatomyTransformsBatch, ReportsLabels) {
  const test::Scratch scratch;
  write_box(scratch.file("first.nii"), 7);
  write_box(scratch.file("second.nii"), 7, 2);
  std::ofstream(scratch.file("names.txt")) << "7 \"Left, upper\"\n";
  const auto found =
      run_batch({"anatomy", "labels", scratch.file("first.nii"), scratch.file("second.nii"), "--names",
                 scratch.file("names.txt"), "--csv", scratch.file("table.csv"), "--distances", "--json"});
  ASSERT_EQ(found.code, 0) << found.err;
  const auto rows = json::parse(found.out).at("labels");
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].at("name"), "Left, upper");
  EXPECT_EQ(rows[0].at("voxels"), 6 * 4 * 4);
  EXPECT_NEAR(rows[0].at("millilitres").get<double>(), 96 * 2.0 / 1000, 1e-9);
  EXPECT_NEAR(rows[0].at("dice").get<double>(), 4.0 / 6, 1e-12);
  EXPECT_NEAR(json::parse(found.out).at("mean_dice").get<double>(), 4.0 / 6, 1e-12);
  EXPECT_NEAR(rows[0].at("surface_distance_mm").at("largest").get<double>(), 4, 1e-12);
  EXPECT_NE(text_of(scratch.file("table.csv")).find("\n7,\"Left, upper\",96,0.192,13,5.5,5.5,96,"),
            std::string::npos)
      << text_of(scratch.file("table.csv"));
}

}  // namespace
}  // namespace isolume
