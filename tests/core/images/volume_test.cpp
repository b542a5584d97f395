#include "core/images/volume.h"

#include <algorithm>
#include <limits>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "tests/core/images/made_volume.h"
#include "tests/core/images/test_files.h"

namespace isolume::images {
namespace {

using testing::counting_volume;
using testing::error_of;

TEST(Volume, SlicesOfAllAxesHoldTheVoxelsValues) {
  Volume volume = counting_volume<std::int16_t>(PixelType::int16, {40, 21, 35}, -500);
  volume.slope = 2;
  volume.intercept = -1024;
  const auto expected = [](int i, int j, int k) {
    return static_cast<float>(2 * (-500 + i + 40 * (j + 21 * k)) - 1024);
  };
  const SliceImage sagittal = extract_slice(volume, {0, 39});
  const SliceImage coronal = extract_slice(volume, {1, 20});
  const SliceImage axial = extract_slice(volume, {2, 34});
  for (int k = 0; k < 35; ++k) {
    for (int j = 0; j < 21; ++j) ASSERT_EQ(sagittal.at(j, k), expected(39, j, k));
    for (int i = 0; i < 40; ++i) ASSERT_EQ(coronal.at(i, k), expected(i, 20, k));
  }
  for (int j = 0; j < 21; ++j) {
    for (int i = 0; i < 40; ++i) ASSERT_EQ(axial.at(i, j), expected(i, j, 34));
  }
  EXPECT_EQ(volume.value(3, 2, 1), expected(3, 2, 1));
}

TEST(Volume, IsAFieldOfItsValues) {
  Volume volume = counting_volume<std::int16_t>(PixelType::int16, {40, 21, 35}, -500);
  volume.geometry.origin = {1, 2, 3};
  volume.geometry.set_spacing({0.5, 1, 2});
  volume.slope = 2;
  volume.intercept = -1024;
  volume.unit = "HU";
  const grid::ScalarField field = field_of(volume);
  EXPECT_EQ(field.grid, volume.geometry);
  EXPECT_EQ(field.unit, "HU");
  EXPECT_EQ(field.at(3, 2, 1), 2 * (-500 + 3 + 40 * (2 + 21 * 1)) - 1024);
  EXPECT_EQ(field.at(39, 20, 34), 2 * (-500 + 40 * 21 * 35 - 1) - 1024);
}

TEST(Volume, OfAFieldSharesItsMemory) {
  auto field = std::make_shared<grid::ScalarField>();
  field->grid = grid::centred({0, 0, 0}, {4, 3, 2}, 0.25, grid::LengthUnit::angstrom);
  field->values = FieldValues(24, 0.5F);
  field->values[23] = -2;
  field->unit = "kT/e";
  const grid::Grid grid = field->grid;
  const float* const memory = field->values.data();
  const Volume volume = volume_of(std::move(field));
  EXPECT_EQ(volume.pixels<float>(), memory);
  EXPECT_EQ(static_cast<const grid::Grid&>(volume.geometry), grid);
  EXPECT_EQ(volume.unit, "kT/e");
  EXPECT_EQ(volume.value(3, 2, 1), -2);
  EXPECT_EQ(extract_slice(volume, {2, 1}).at(3, 2), -2);
  EXPECT_EQ(value_range(volume).high, 0.5);
}

TEST(Volume, SliceOutsideIsAnErrorWithNumbers) {
  const Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {4, 3, 2});
  EXPECT_NE(error_of([&] { extract_slice(volume, {2, 2}); }).find("4 × 3 × 2"), std::string::npos);
  EXPECT_THROW(extract_slice(volume, {2, -1}), Error);
  EXPECT_THROW(extract_slice(volume, {3, 0}), Error);
}

template <class Pixel>
Volume line_of(PixelType type, const std::vector<Pixel>& values) {
  Volume volume = counting_volume<Pixel>(type, {static_cast<int>(values.size()), 1, 1});
  const std::shared_ptr<std::byte> memory = allocate_voxels(volume.geometry, type);
  std::ranges::copy(values, reinterpret_cast<Pixel*>(memory.get()));
  volume.storage = memory;
  return volume;
}

TEST(ValueRange, AppliesSlopeAndIntercept) {
  Volume volume = line_of<std::int16_t>(PixelType::int16, {5, -32768, 32767, 0});
  EXPECT_EQ(value_range(volume).low, -32768);
  EXPECT_EQ(value_range(volume).high, 32767);
  volume.slope = -2;
  volume.intercept = 1;
  EXPECT_EQ(value_range(volume).low, -2 * 32767 + 1);
  EXPECT_EQ(value_range(volume).high, 2 * 32768 + 1);
}

TEST(ValueRange, PassesOverNaNAndInfinities) {
  const float nan = std::numeric_limits<float>::quiet_NaN(),
              infinity = std::numeric_limits<float>::infinity();
  const ValueRange range =
      value_range(line_of<float>(PixelType::float32, {nan, 2.5F, -infinity, -7.25F, infinity}));
  EXPECT_EQ(range.low, -7.25);
  EXPECT_EQ(range.high, 2.5);
  const ValueRange none = value_range(line_of<float>(PixelType::float32, {nan, infinity}));
  EXPECT_EQ(none.low, 0);
  EXPECT_EQ(none.high, 0);
  EXPECT_EQ(value_range(line_of<float>(PixelType::float32, {infinity, 3e38F})).high, 3e38F);
}

TEST(ValueRange, FindsOneVoxelAmongMany) {
  std::vector<std::uint16_t> values(1'000'000, 7);
  values[654'321] = 65535;
  values[999'999] = 3;
  const ValueRange range = value_range(line_of(PixelType::uint16, values));
  EXPECT_EQ(range.low, 3);
  EXPECT_EQ(range.high, 65535);
}

TEST(CopySlice, HasTheVoxelsAndThePlaceOfTheSlice) {
  Geometry geometry;
  geometry.dimensions = {5, 4, 3};
  geometry.origin = {1, -2, 3};
  geometry.set_spacing({0.5, 2, 7});
  geometry.set_directions(Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, -2, 3).normalized()).toRotationMatrix());
  Volume volume =
      made_volume<std::int16_t>(geometry, [](int i, int j, int k) { return 100 * i + 10 * j + k; });
  volume.slope = 2;
  volume.intercept = -7;
  for (int axis = 0; axis < 3; ++axis) {
    for (int index = 0; index < geometry.dimensions[static_cast<std::size_t>(axis)]; ++index) {
      const SliceImage wanted = extract_slice(volume, {axis, index});
      const SliceImage copied = extract_slice(copy_slice(volume, {axis, index}), {axis, 0});
      EXPECT_EQ(copied.values, wanted.values);
      const Eigen::Vector2d corner(wanted.plane.columns - 1, wanted.plane.rows - 1);
      for (const Eigen::Vector2d& place : {Eigen::Vector2d(0, 0), corner}) {
        EXPECT_LT((copied.plane.position(place) - wanted.plane.position(place)).norm(), 1e-12);
      }
    }
  }
  EXPECT_NE(error_of([&] { copy_slice(volume, {1, 4}); }).find("5 × 4 × 3"), std::string::npos);
}

}  // namespace
}  // namespace isolume::images
