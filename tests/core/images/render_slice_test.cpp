#include "core/images/render_slice.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/images/made_volume.h"

namespace isolume::images {
namespace {

constexpr std::uint32_t background = 0xff102030U;

std::vector<std::uint32_t> rendered(const Volume& volume, SliceId slice, const PictureMap& map,
                                    const Window& window, Interpolation interpolation) {
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(map.width * map.height), 0x12345678U);
  render_slice(volume, slice, map, window, interpolation, {pixels.data(), map.width}, background);
  return pixels;
}

/// The formula for one pixel, in double precision, through Volume::value.
std::uint32_t expected(const Volume& volume, SliceId slice, const PictureMap& map, const Window& window,
                       Interpolation interpolation, int column, int row, double* exact) {
  double x = map.first_column + column * map.column_step, y = map.first_row + row * map.row_step;
  if (map.transposed) std::swap(x, y);
  const SlicePlane plane = slice_plane(volume.geometry, slice);
  if (x < -0.5 || y < -0.5 || x >= plane.columns - 0.5 || y >= plane.rows - 0.5) return background;
  const auto value = [&](int px, int py) {
    px = std::clamp(px, 0, plane.columns - 1);
    py = std::clamp(py, 0, plane.rows - 1);
    if (slice.axis == 0) return volume.value(slice.index, px, py);
    if (slice.axis == 1) return volume.value(px, slice.index, py);
    return volume.value(px, py, slice.index);
  };
  double found = 0;
  if (interpolation == Interpolation::nearest) {
    found = value(static_cast<int>(std::floor(x + 0.5)), static_cast<int>(std::floor(y + 0.5)));
  } else {
    x = std::clamp(x, 0.0, plane.columns - 1.0);
    y = std::clamp(y, 0.0, plane.rows - 1.0);
    const int left = static_cast<int>(std::floor(x)), top = static_cast<int>(std::floor(y));
    const double u = x - left, v = y - top;
    found = (1 - u) * (1 - v) * value(left, top) + u * (1 - v) * value(left + 1, top) +
            (1 - u) * v * value(left, top + 1) + u * v * value(left + 1, top + 1);
  }
  *exact = std::clamp(255 * ((found - window.centre) / window.width + 0.5), 0.0, 255.0);
  return 0;
}

void compare(const Volume& volume, SliceId slice, const PictureMap& map, const Window& window,
             Interpolation interpolation) {
  const auto picture = rendered(volume, slice, map, window, interpolation);
  int differing = 0, inside = 0;
  for (int row = 0; row < map.height; ++row) {
    for (int column = 0; column < map.width; ++column) {
      double exact = -1;
      const auto outside = expected(volume, slice, map, window, interpolation, column, row, &exact);
      const auto pixel = picture[static_cast<std::size_t>(row * map.width + column)];
      if (exact < 0) {
        differing += pixel != outside;
        continue;
      }
      ++inside;
      const auto grey = pixel & 0xffU;
      // Half a level, and what float adds.
      differing += std::abs(grey - exact) > 0.5 + 1e-2 || pixel != (0xff000000U | grey * 0x010101U);
    }
  }
  EXPECT_EQ(differing, 0) << "axis " << slice.axis << ", " << inside << " pixels of the slice";
  EXPECT_GT(inside, 0);
}

Geometry small_volume() {
  Geometry geometry;
  geometry.dimensions = {13, 9, 5};
  return geometry;
}

double waves(int i, int j, int k) {
  return std::round(100 * std::sin(0.9 * i) + 60 * std::cos(1.3 * j + k) + 3 * i * k);
}

template <class Pixel>
class RenderSlice : public testing::Test {};
using Pixels = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                              std::uint32_t, float, double>;
TYPED_TEST_SUITE(RenderSlice, Pixels);

TYPED_TEST(RenderSlice, FollowsTheFormulaForAllAxesTurnsAndInterpolations) {
  auto volume = made_volume<TypeParam>(small_volume(), [](int i, int j, int k) {
    return std::numeric_limits<TypeParam>::is_signed ? waves(i, j, k) / 2 : std::abs(waves(i, j, k)) / 2;
  });
  volume.slope = 2.5;
  volume.intercept = -40;
  for (const int axis : {0, 1, 2}) {
    for (const auto interpolation : {Interpolation::nearest, Interpolation::linear}) {
      for (const bool transposed : {false, true}) {
        const PictureMap magnified{.width = 211,
                                   .height = 157,
                                   .transposed = transposed,
                                   .first_column = -1.37,
                                   .column_step = 0.0711,
                                   .first_row = 9.123,
                                   .row_step = -0.0693};
        compare(volume, {axis, 3}, magnified, {25, 310, {}}, interpolation);
        const PictureMap reduced{.width = 9,
                                 .height = 40,
                                 .transposed = transposed,
                                 .first_column = 12.1,
                                 .column_step = -1.77,
                                 .first_row = -0.4,
                                 .row_step = 0.31};
        compare(volume, {axis, 2}, reduced, {25, 310, {}}, interpolation);
      }
    }
  }
}

TEST(RenderSliceOnce, ANarrowWindowFarFromZeroKeepsItsLevels) {
  const double base = 2e9;
  const auto volume = made_volume<std::int32_t>(small_volume(), [&](int i, int, int) { return base + i; });
  const PictureMap map{.width = 13, .height = 9};
  compare(volume, {2, 0}, map, {base + 6, 12, {}}, Interpolation::nearest);
}

TEST(RenderSliceOnce, NotANumberIsBackground) {
  const auto volume = made_volume<float>(small_volume(), [](int i, int j, int) {
    return i == 4 && j == 4 ? std::numeric_limits<float>::quiet_NaN() : 1.0F;
  });
  const PictureMap map{.width = 13, .height = 9};
  const auto picture = rendered(volume, {2, 0}, map, {0, 1, {}}, Interpolation::nearest);
  EXPECT_EQ(picture[4 * 13 + 4], background);
  EXPECT_EQ(picture[4 * 13 + 5], 0xffffffffU);
}

TEST(RenderSliceOnce, OnePixelWideImagesAreDrawn) {
  Geometry geometry;
  geometry.dimensions = {1, 7, 1};
  const auto volume = made_volume<std::uint8_t>(geometry, [](int, int j, int) { return 30 * j; });
  const PictureMap map{.width = 5,
                       .height = 70,
                       .first_column = -0.4,
                       .column_step = 0.2,
                       .first_row = -0.45,
                       .row_step = 0.1};
  compare(volume, {2, 0}, map, {127.5, 255, {}}, Interpolation::linear);
}

TEST(RenderSliceOnce, ASliceOutsideIsRefused) {
  const auto volume = made_volume<std::uint8_t>(small_volume(), waves);
  EXPECT_THROW(rendered(volume, {2, 5}, {.width = 2, .height = 2}, {}, Interpolation::nearest), Error);
  EXPECT_THROW(rendered(volume, {3, 0}, {.width = 2, .height = 2}, {}, Interpolation::nearest), Error);
}

TEST(RenderSlice, LowValuesAreBrightWhereTheyAreMeantToBe) {
  Geometry row;
  row.dimensions = {3, 1, 1};
  Volume volume = made_volume<std::uint8_t>(row, [](int i, int, int) {
    return std::array{0, 100, 255}[static_cast<std::size_t>(i)];
  });
  volume.is_low_bright = true;
  const auto picture =
      rendered(volume, {2, 0}, {.width = 3, .height = 1}, {127.5, 255, {}}, Interpolation::nearest);
  EXPECT_EQ(picture, (std::vector<std::uint32_t>{0xffffffffU, 0xff9b9b9bU, 0xff000000U}));
}

/// Two slices of 2 x 1 voxels: red, green; blue, orange.
Volume coloured() {
  static constexpr std::array<std::uint8_t, 12> bytes{255, 0, 0, 0, 255, 0, 0, 0, 255, 200, 100, 50};
  Volume volume;
  volume.geometry.dimensions = {2, 1, 2};
  volume.type = PixelType::float32;
  volume.storage = allocate_voxels(volume.geometry, volume.type);
  volume.colours = {bytes.data(), [](const std::uint8_t*) {}};
  volume.full_colour = 510;  // twice the byte
  return volume;
}

TEST(RenderSlice, ColoursAreDrawnAsTheyAreOverTheWholeRange) {
  const PictureMap map{.width = 3, .height = 1};
  const Window whole{255, 510, {}};
  using Picture = std::vector<std::uint32_t>;
  EXPECT_EQ(rendered(coloured(), {2, 0}, map, whole, Interpolation::nearest),
            (Picture{0xffff0000U, 0xff00ff00U, background}));
  EXPECT_EQ(rendered(coloured(), {2, 1}, map, whole, Interpolation::nearest),
            (Picture{0xff0000ffU, 0xffc86432U, background}));
  // The other way round, and along another axis.
  EXPECT_EQ(rendered(coloured(), {2, 1}, map, {255, 510, {}, true}, Interpolation::nearest),
            (Picture{0xffffff00U, 0xff379bcdU, background}));
  EXPECT_EQ(rendered(coloured(), {0, 1}, {.width = 1, .height = 2}, whole, Interpolation::nearest),
            (Picture{0xff00ff00U, 0xffc86432U}));
  EXPECT_EQ(rendered(coloured(), {0, 1}, {.width = 2, .height = 1, .transposed = true}, whole,
                     Interpolation::nearest),
            (Picture{0xff00ff00U, 0xffc86432U}));
  // Half of the range: twice as bright. Between red and green: half of each.
  EXPECT_EQ(rendered(coloured(), {2, 1}, map, {127.5, 255, {}}, Interpolation::nearest)[1], 0xffffc864U);
  EXPECT_EQ(rendered(coloured(), {2, 0}, {.width = 1, .height = 1, .first_column = 0.5}, whole,
                     Interpolation::linear)[0],
            0xff808000U);
}

}  // namespace
}  // namespace isolume::images
