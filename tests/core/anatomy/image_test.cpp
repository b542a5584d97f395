#include "core/anatomy/image.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

using volumes::VectorField;

grid::Grid turned_grid() {
  grid::Grid grid;
  grid.dimensions = {9, 8, 7};
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  grid.origin = {-10, 20, 5};
  grid.step = Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix() *
              Eigen::Vector3d(1, 2, 3).asDiagonal();
  return grid;
}

VectorField numbered(const grid::Grid& grid) {
  VectorField field(grid.dimensions);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < grid.point_count(); ++i)
      field.data(axis)[i] = 0.01F * static_cast<float>(i) - static_cast<float>(axis);
  }
  return field;
}

FieldValues ramp(const grid::Grid& grid) {
  FieldValues values;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i) {
        values.push_back(static_cast<float>(grid.position(i, j, k).dot(Eigen::Vector3d(1, 0.5, -2))));
      }
    }
  }
  return values;
}

Image image_of(const grid::Grid& grid, FieldValues values) {
  return {.field = {.grid = grid, .values = std::move(values), .name = {}, .unit = {}}, .remarks = {}};
}

/// The bytes that nifti1.h and ITK prescribe: five dimensions, intent 1007, components one after the other, in mm,
/// LPS.
TEST(AnatomyImage, DisplacementsAreWrittenAsItkReadsThem) {
  const testing::TemporaryFolder folder;
  const grid::Grid grid = turned_grid();
  const VectorField field = numbered(grid);
  const auto path = folder.path() / "field.nii";
  write_displacements(grid, field, path);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t points = grid.point_count();
  ASSERT_EQ(bytes.size(), 352 + 12 * points);
  const auto read = [&]<class Number>(std::size_t at, Number number) {
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
  };
  const std::int16_t expected_dim[] = {5, 9, 8, 7, 1, 3, 1, 1};
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(read(40 + 2 * i, std::int16_t{}), expected_dim[i]);
  EXPECT_EQ(read(68, std::int16_t{}), 1007) << "NIFTI_INTENT_VECTOR";
  EXPECT_EQ(read(70, std::int16_t{}), 16) << "float32";
  EXPECT_NEAR(read(280, 0.F), -grid.step(0, 0), 1e-6) << "sform: RAS";
  EXPECT_NEAR(read(280 + 12, 0.F), 10, 1e-6);
  EXPECT_NEAR(read(280 + 44, 0.F), 5, 1e-6);
  const std::size_t voxel = 123;
  const Eigen::Vector3d mm =
      grid.step * Eigen::Vector3d(field.data(0)[voxel], field.data(1)[voxel], field.data(2)[voxel]);
  for (int row = 0; row < 3; ++row) {
    const std::size_t number = static_cast<std::size_t>(row) * points + voxel;
    EXPECT_NEAR(read(352 + 4 * number, 0.F), mm[row], 1e-5) << "LPS";
  }
}

TEST(AnatomyImage, DisplacementsAreReadAsTheyWereWritten) {
  const testing::TemporaryFolder folder;
  const grid::Grid grid = turned_grid();
  const VectorField field = numbered(grid);
  write_displacements(grid, field, folder.path() / "field.nii.gz");
  const DisplacementImage back = read_displacements(folder.path() / "field.nii.gz");
  EXPECT_TRUE(back.grid.step.isApprox(grid.step, 1e-5));
  EXPECT_TRUE(back.remarks.empty()) << back.remarks.text();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < grid.point_count(); ++i)
      ASSERT_NEAR(back.field.data(axis)[i], field.data(axis)[i], 1e-4);
  }
  EXPECT_THROW(write_displacements(grid, field, folder.path() / "field.png"), Error);
  write_image(grid, ramp(grid), folder.path() / "image.nii");
  EXPECT_THROW(read_displacements(folder.path() / "image.nii"), InputError) << "one number in each voxel";
}

/// A window offers the other volumes; this lab uses the first one.
TEST(AnatomyImage, OfSeveralVolumesTheFirstIsUsed) {
  const testing::TemporaryFolder folder;
  const grid::Grid grid = turned_grid();
  write_displacements(grid, numbered(grid), folder.path() / "several.nii");
  const Image image = read_image(folder.path() / "several.nii");
  ASSERT_EQ(image.remarks.size(), 1U) << image.remarks.text();
  EXPECT_EQ(image.remarks[0].text, "It has 3 volumes, and the first one is used.");
  EXPECT_EQ(image.remarks[0].count, 2U);
}

/// At p, the value at p + displacement, by positions in mm: exact for a ramp on any grid.
TEST(AnatomyImage, MovedLooksUpPositionsInMillimetres) {
  grid::Grid finer = turned_grid();
  finer.step *= 0.5;
  finer.dimensions = {19, 17, 15};
  const Image image = image_of(finer, ramp(finer));
  DisplacementImage by{.grid = turned_grid(), .field = VectorField(turned_grid().dimensions), .remarks = {}};
  for (std::size_t axis = 0; axis < 3; ++axis) std::ranges::fill(by.field.components[axis], 0.3F);
  const FieldValues result = moved(image, by, false);
  const Eigen::Vector3d place = by.grid.position(3.3, 4.3, 2.3);
  EXPECT_NEAR(result[static_cast<std::size_t>((2 * 8 + 4) * 9 + 3)], place.dot(Eigen::Vector3d(1, 0.5, -2)),
              1e-3);
  const FieldValues labels = moved(image, by, true);
  const Eigen::Vector3d nearest = finer.position(7, 9, 5);  // of 6.6, 8.6, 4.6
  EXPECT_NEAR(labels[static_cast<std::size_t>((2 * 8 + 4) * 9 + 3)], nearest.dot(Eigen::Vector3d(1, 0.5, -2)),
              1e-3);
}

TEST(AnatomyImage, MovedRefusesWhatHasNothingToShow) {
  const Image image = image_of(turned_grid(), ramp(turned_grid()));
  DisplacementImage by{.grid = turned_grid(), .field = VectorField(turned_grid().dimensions), .remarks = {}};
  for (auto& component : by.field.components) std::ranges::fill(component, 100.F);
  EXPECT_THROW(moved(image, by, false), Error);
  EXPECT_THROW(moved(image, by, true), Error);
  grid::Grid column = turned_grid();
  column.dimensions = {1, 8, 7};
  for (auto& component : by.field.components) std::ranges::fill(component, 0.F);
  EXPECT_THROW(moved(image_of(column, ramp(column)), by, false), Error);
}

TEST(AnatomyImage, ResampledTellsWhatItDid) {
  grid::Grid shifted = turned_grid();
  shifted.origin += 4 * shifted.step.col(0);
  const Image image = image_of(shifted, ramp(shifted));
  const Resampled result = resampled(image, "moving.nii", turned_grid(), "fixed.nii");
  ASSERT_EQ(result.remarks.size(), 1U);
  EXPECT_NE(result.remarks[0].text.find("55.6 %"), std::string::npos) << result.remarks[0].text;
  EXPECT_EQ(result.values[0], *std::ranges::min_element(image.values())) << "outside";
  grid::Grid rounded = shifted;
  rounded.step *= 1 + 1e-7;
  EXPECT_TRUE(resampled(image, "a", rounded, "b").remarks.empty()) << "the same grid, as headers round it";
}

std::string error_of(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(AnatomyImage, RefusesImagesWithoutACommonVoxel) {
  grid::Grid far = turned_grid();
  far.origin += Eigen::Vector3d(500, 0, 0);
  const std::string text =
      error_of([&] { resampled(image_of(far, ramp(far)), "moving.nii", turned_grid(), "fixed.nii"); });
  EXPECT_NE(text.find("moving.nii and fixed.nii do not overlap"), std::string::npos) << text;
}

TEST(AnatomyImage, RefusesGridsThatItCannotUse) {
  grid::Grid slice = turned_grid();
  slice.dimensions[2] = 1;
  EXPECT_NE(error_of([&] {
              resampled(image_of(slice, ramp(slice)), "one.nii", turned_grid(), "many.nii");
            }).find("a single slice cannot be aligned with a volume"),
            std::string::npos);
  EXPECT_EQ(error_of([&] { require_registrable(slice, "slice.nii"); }), "none");
  grid::Grid sheared = turned_grid();
  sheared.step.col(2) += 0.5 * sheared.step.col(1);
  EXPECT_NE(error_of([&] { require_registrable(sheared, "ct"); }).find("right angles"), std::string::npos);
  grid::Grid thin = turned_grid();
  thin.dimensions[0] = 1;
  EXPECT_NE(error_of([&] { require_registrable(thin, "thin"); }).find("1 x 8 x 7 voxels"), std::string::npos);
  grid::Grid atomic = turned_grid();
  atomic.unit = grid::LengthUnit::angstrom;
  EXPECT_NE(error_of([&] { require_registrable(atomic, "map"); }).find("angstrom"), std::string::npos);
}

TEST(AnatomyImage, ReplacesValuesThatAreNotFinite) {
  const testing::TemporaryFolder folder;
  FieldValues values = ramp(turned_grid());
  const float least = *std::ranges::min_element(values);
  values[40] = std::numeric_limits<float>::quiet_NaN();
  values[50] = std::numeric_limits<float>::infinity();
  write_image(turned_grid(), values, folder.path() / "image.nii");
  const Image image = read_image(folder.path() / "image.nii");
  EXPECT_EQ(image.values()[40], least);
  EXPECT_EQ(image.values()[50], least);
  EXPECT_NE(image.remarks.text().find("2 values are not finite"), std::string::npos) << image.remarks.text();
  EXPECT_EQ(image.remarks.text().find("leave them out"), std::string::npos) << "nothing else becomes of them";
  write_image(turned_grid(), FieldValues(values.size(), std::numeric_limits<float>::quiet_NaN()),
              folder.path() / "nan.nii");
  EXPECT_THROW(read_image(folder.path() / "nan.nii"), InputError);
}

/// A file of nifti1.h's RGB24: what becomes of colours is stated.
TEST(AnatomyImage, ColoursAreTakenAsTheirLuminance) {
  const testing::TemporaryFolder folder;
  std::vector<char> bytes(352);
  const auto put = [&](std::size_t at, auto value) { std::memcpy(bytes.data() + at, &value, sizeof value); };
  put(0, std::int32_t{348});
  const std::array<std::int16_t, 4> counts{3, 2, 2, 2};
  for (std::size_t i = 0; i < counts.size(); ++i) put(40 + 2 * i, counts[i]);
  put(70, std::int16_t{128});
  put(72, std::int16_t{24});
  for (std::size_t i = 0; i < 4; ++i) put(76 + 4 * i, 1.F);
  put(108, 352.F);
  put(123, std::int8_t{2});
  put(254, std::int16_t{1});
  for (std::size_t axis = 0; axis < 3; ++axis) put(280 + 20 * axis, 1.F);
  std::memcpy(bytes.data() + 344, "n+1", 4);
  for (int voxel = 0; voxel < 8; ++voxel) {
    bytes.push_back(static_cast<char>(10 * voxel));
    bytes.push_back(100);
    bytes.push_back(static_cast<char>(50 - voxel));
  }
  std::ofstream(folder.path() / "colours.nii", std::ios::binary).write(bytes.data(), std::ssize(bytes));
  const Image image = read_image(folder.path() / "colours.nii");
  EXPECT_NE(image.remarks.text().find("luminance"), std::string::npos) << image.remarks.text();
  EXPECT_NEAR(image.values()[3], 0.3 * 30 + 0.59 * 100 + 0.11 * 47, 1e-3);
}

}  // namespace
}  // namespace isolume::anatomy
