#include "app/pictures/png_file.h"

#include <cstdio>
#include <filesystem>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <png.h>

#include "core/base/error.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace isolume::pictures {
namespace {

/// As libpng's own reader returns it, without conversions.
struct Stored {
  png_uint_32 width = 0, height = 0, dots_per_metre_x = 0, dots_per_metre_y = 0;
  int bits = 0, colour_type = 0, unit = -1, rendering_intent = -1;
  std::vector<std::uint8_t> bytes;
};

Stored read(const std::filesystem::path& path) {
  Stored stored;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_get_IHDR(png, info, &stored.width, &stored.height, &stored.bits, &stored.colour_type, nullptr, nullptr,
               nullptr);
  png_get_pHYs(png, info, &stored.dots_per_metre_x, &stored.dots_per_metre_y, &stored.unit);
  png_get_sRGB(png, info, &stored.rendering_intent);
  png_bytepp rows = png_get_rows(png, info);
  for (png_uint_32 y = 0; y < stored.height; ++y)
    stored.bytes.insert(stored.bytes.end(), rows[y], rows[y] + png_get_rowbytes(png, info));
  png_destroy_read_struct(&png, &info, nullptr);
  return stored;
}

class PngFile : public ::testing::Test {
 protected:
  std::filesystem::path path() const { return folder.path() / "a.png"; }
  testing::TemporaryFolder folder;
};

// Two rows of three pixels, whose fourth bytes are 4, 8, 12 ...
const std::vector<std::uint8_t> rgba{1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                     13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
const std::vector<std::uint8_t> rgb{1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23};
const std::vector<std::uint8_t> rgb_from_bottom{13, 14, 15, 17, 18, 19, 21, 22, 23,
                                                1,  2,  3,  5,  6,  7,  9,  10, 11};

TEST_F(PngFile, HasColoursOpacityAndResolution) {
  write_png({.bytes = rgba, .width = 3, .height = 2, .fourth = FourthByte::opacity}, path(), 300);
  const Stored stored = read(path());
  EXPECT_EQ(stored.width, 3U);
  EXPECT_EQ(stored.height, 2U);
  EXPECT_EQ(stored.bits, 8);
  EXPECT_EQ(stored.colour_type, PNG_COLOR_TYPE_RGB_ALPHA);
  EXPECT_EQ(stored.bytes, rgba);
  EXPECT_EQ(stored.dots_per_metre_x, 11811U) << "300 dots per 0.0254 m";
  EXPECT_EQ(stored.dots_per_metre_y, 11811U);
  EXPECT_EQ(stored.unit, PNG_RESOLUTION_METER);
  EXPECT_EQ(stored.rendering_intent, PNG_sRGB_INTENT_PERCEPTUAL);
}

TEST_F(PngFile, LeavesOutAnUnusedFourthByteAndAnUnknownResolution) {
  write_png({.bytes = rgba, .width = 3, .height = 2, .fourth = FourthByte::unused}, path());
  const Stored stored = read(path());
  EXPECT_EQ(stored.colour_type, PNG_COLOR_TYPE_RGB);
  EXPECT_EQ(stored.bytes, rgb);
  EXPECT_EQ(stored.unit, -1);
}

TEST_F(PngFile, BeginsAtTheTopOrAtTheBottom) {
  write_png({.bytes = rgb, .width = 3, .height = 2}, path());
  EXPECT_EQ(read(path()).bytes, rgb);
  write_png({.bytes = rgb, .width = 3, .height = 2, .first = FirstRow::bottom}, path());
  EXPECT_EQ(read(path()).bytes, rgb_from_bottom);
}

TEST_F(PngFile, LeavesNothingBehindWhenItCannotBeWritten) {
  EXPECT_THROW(write_png({.bytes = rgb, .width = 3, .height = 2}, folder.path() / "missing" / "a.png"),
               Error);
  EXPECT_THROW(write_png({.bytes = rgb, .width = 3, .height = 2}, path(), 0), Error);
  EXPECT_THROW(write_png({.bytes = rgb, .width = 0, .height = 2}, path()), Error) << "libpng refuses it";
  {
    std::vector<std::uint8_t> noise(std::size_t{300} * 1000);
    std::uint32_t state = 1;
    for (auto& each : noise) each = static_cast<std::uint8_t>((state = 1664525 * state + 1013904223) >> 24U);
    const testing::FileSizeLimit limit(64U << 10U);
    EXPECT_THROW(write_png({.bytes = noise, .width = 1000, .height = 100}, path()), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace isolume::pictures
