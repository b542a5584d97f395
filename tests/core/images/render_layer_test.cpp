#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/images/render_slice.h"

namespace isolume::images {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr std::array<std::uint32_t, 5> colours{0xff000000U, 0xff400000U, 0xff804020U, 0xffc08040U,
                                               0xffffffffU};

std::vector<std::uint32_t> layered(const std::vector<float>& values, int width, int height,
                                   const PictureMap& map, const LayerStyle& style,
                                   Interpolation interpolation = Interpolation::nearest) {
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(map.width * map.height), 0x12345678U);
  render_layer(values.data(), width, height, map, interpolation, style, colours, {pixels.data(), map.width});
  return pixels;
}

TEST(RenderLayer, ColoursAreSpreadOverTheRangeAndMissingValuesAreTransparent) {
  const std::vector<float> values{10, 12.4F, 15, 100, -3, nan};
  const auto pixels = layered(values, 3, 2, {.width = 4, .height = 2}, {.low = 10, .high = 20, .opacity = 1});
  const std::vector<std::uint32_t> expected{colours[0], colours[1], colours[2], 0,
                                            colours[4], colours[0], 0,          0};
  EXPECT_EQ(pixels, expected);
}

TEST(RenderLayer, OpacityIsPremultiplied) {
  const auto pixels = layered({15}, 1, 1, {.width = 1, .height = 1}, {.low = 10, .high = 20, .opacity = 0.5});
  EXPECT_EQ(pixels[0], 0x80402010U);
}

TEST(RenderLayer, LargerValuesWaitForTheFront) {
  const std::vector<float> values{0, 1, 2, 3, 4, 5, 6, 7};
  const auto pixels = layered(values, 8, 1, {.width = 8, .height = 1}, {.high = 7, .shown_up_to = 4});
  for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(pixels[i] == 0, i > 4) << i;
}

TEST(RenderLayer, TransposedAndFlippedMapsShowTheSameNumbers) {
  const std::vector<float> values{0, 1, 2, 3, 4, 2};
  const auto plain = layered(values, 3, 2, {.width = 3, .height = 2}, {.high = 4, .opacity = 1});
  const auto turned = layered(values, 3, 2,
                              {.width = 2,
                               .height = 3,
                               .transposed = true,
                               .first_column = 1,
                               .column_step = -1,
                               .first_row = 0,
                               .row_step = 1},
                              {.high = 4, .opacity = 1});
  for (std::size_t y = 0; y < 2; ++y) {
    for (std::size_t x = 0; x < 3; ++x) EXPECT_EQ(turned[x * 2 + (1 - y)], plain[y * 3 + x]);
  }
}

/// A cone: its iso-contours are circles of known radii, wherever the picture's pixels lie.
TEST(RenderLayer, IsoContoursLieAtTheMultiplesOfTheirStep) {
  constexpr int side = 81;
  std::vector<float> values;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x)
      values.push_back(std::hypot(static_cast<float>(x - 40), static_cast<float>(y - 40)));
  }
  const PictureMap map{.width = 403, .height = 403, .column_step = 0.2, .row_step = 0.2};
  const LayerStyle style{.high = 60, .opacity = 1, .level_step = 10, .line_px = 2};
  LayerStyle plain = style;
  plain.level_step = 0;
  const auto with = layered(values, side, side, map, style, Interpolation::linear);
  const auto without = layered(values, side, side, map, plain, Interpolation::linear);
  int lines = 0;
  for (int row = 0; row < 402; ++row) {
    for (int column = 0; column < 402; ++column) {
      const auto at = static_cast<std::size_t>(row * map.width + column);
      const double r = std::hypot(column * 0.2 - 40, row * 0.2 - 40);
      // In pixels of the picture; a circle of radius 0 is none.
      const double off = std::abs(r - std::round(r / 10) * 10) / 0.2;
      if (r < 5 || column >= 400 || row >= 400) continue;
      if (off < 0.8) {
        EXPECT_NE(with[at], without[at]) << column << ' ' << row;
        ++lines;
      } else if (off > 2.5) {
        EXPECT_EQ(with[at], without[at]) << column << ' ' << row;
      }
    }
  }
  EXPECT_GT(lines, 1000);
}

}  // namespace
}  // namespace isolume::images
