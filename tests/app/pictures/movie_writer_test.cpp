#include "app/pictures/movie_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <png.h>

#include "core/base/error.h"
#include "tests/app/pictures/decoded_movie.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace isolume::pictures {
namespace {

using test::decode_movie;
using test::mean_difference;
namespace fs = std::filesystem;

constexpr int width = 128, height = 96;

/// Even colours with a white square that goes to the right, 8 pixels a frame; the upper half is another colour.
std::vector<std::uint8_t> picture(int frame) {
  std::vector<std::uint8_t> rgb;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool square = y >= 16 && y < 48 && x >= 8 * frame && x < 8 * frame + 32;
      const std::array<std::uint8_t, 3> colour = square           ? std::array<std::uint8_t, 3>{255, 255, 255}
                                                 : y < height / 2 ? std::array<std::uint8_t, 3>{180, 20, 40}
                                                                  : std::array<std::uint8_t, 3>{10, 60, 200};
      rgb.insert(rgb.end(), colour.begin(), colour.end());
    }
  }
  return rgb;
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& each : fs::directory_iterator(folder)) names.push_back(each.path().filename().string());
  std::ranges::sort(names);
  return names;
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

class Sequences : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return (folder.path() / name).string(); }
  testing::TemporaryFolder folder;
};

class Movies : public Sequences, public ::testing::WithParamInterface<const char*> {};

TEST_P(Movies, HoldWhatWasPutIn) {
  const std::string file = path(std::string("a") + GetParam());
  MovieWriter writer(file, {width, height, 25});
  constexpr int count = 12;
  for (int i = 0; i < count; ++i) writer.add(picture(i));
  EXPECT_FALSE(fs::exists(file)) << "before it is whole";
  writer.finish();
  const auto movie = decode_movie(file);
  EXPECT_EQ(movie.width, width);
  EXPECT_EQ(movie.height, height);
  EXPECT_NEAR(movie.frames_per_second, 25, 1e-9);
  EXPECT_NEAR(movie.seconds, count / 25.0, 0.002);
  ASSERT_EQ(movie.frames.size(), std::size_t{count});
  for (int i = 0; i < count; ++i) {
    EXPECT_LT(mean_difference(movie.frames[i], picture(i)), 3) << i;
    EXPECT_GT(mean_difference(movie.frames[i], picture(i + 1)), 5) << i;
  }
  const std::string codec = codec_of(file);
  EXPECT_EQ(movie.codec, codec == "VP9" ? "vp9" : "h264") << codec;
  EXPECT_EQ(files_in(folder.path()).size(), 1U);
}

TEST_P(Movies, LeaveNothingBehindWhenTheyAreGivenUp) {
  const std::string file = path(std::string("a") + GetParam());
  std::ofstream(file) << "an older one";
  {
    MovieWriter writer(file, {width, height, 25});
    for (int i = 0; i < 30; ++i) writer.add(picture(i % 8));
  }
  EXPECT_EQ(fs::file_size(file), 12U) << "what was there stays";
  EXPECT_EQ(files_in(folder.path()).size(), 1U);
}

TEST_P(Movies, SayThatTheDiskIsFull) {
  const std::string file = path(std::string("a") + GetParam());
  const std::string error = error_of([&] {
    const testing::FileSizeLimit limit(3000);
    MovieWriter writer(file, {width, height, 25});
    for (int i = 0; i < 200; ++i) {
      auto noise = picture(i % 8);
      for (std::size_t k = 0; k < noise.size(); ++k)
        noise[k] ^= static_cast<std::uint8_t>((k * 2654435761U + i) >> 13);
      writer.add(noise);
    }
    writer.finish();
  });
  EXPECT_NE(error.find("could not be written"), std::string::npos) << error;
  EXPECT_NE(error.find("Free some space"), std::string::npos) << error;
  EXPECT_TRUE(files_in(folder.path()).empty());
}

INSTANTIATE_TEST_SUITE_P(Formats, Movies, ::testing::Values(".mp4", ".webm"));

TEST_F(Sequences, AreAPngForEachFrame) {
  const std::string name = path("frames/p%03d.png");
  MovieWriter writer(name, {width, height - 1, 25});  // an odd number will do
  for (int i = 0; i < 3; ++i) {
    auto rgb = picture(i);
    rgb.resize(std::size_t{3} * width * (height - 1));
    writer.add(rgb);
  }
  writer.finish();
  EXPECT_EQ(files_in(path("frames")), (std::vector<std::string>{"p000.png", "p001.png", "p002.png"}));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_file(&image, path("frames/p002.png").c_str()), 0);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
  ASSERT_NE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr), 0);
  auto wanted = picture(2);
  wanted.resize(rgb.size());
  EXPECT_EQ(rgb, wanted);
  EXPECT_NE(error_of([&] {
              MovieWriter(name, {width, height, 25});
            }).find("is there already"),
            std::string::npos);
}

TEST_F(Sequences, DoNotMixWithOlderOnesWhateverTheirNumbers) {
  fs::create_directory(path("frames"));
  std::ofstream(path("frames/p0001.png")) << "an older one";
  std::ofstream(path("frames/p1.png.txt")) << "no picture";
  EXPECT_NE(error_of([&] {
              MovieWriter(path("frames/p%04d.png"), {width, height, 25});
            }).find("p0001.png is"),
            std::string::npos);
  fs::remove(path("frames/p0001.png"));
  const std::string error = error_of([&] {
    MovieWriter writer(path("frames/p%04d.png"), {width, height, 25});
    for (int i = 0; i < 3; ++i) writer.add(picture(i));
    std::ofstream(path("frames/p0002.png")) << "came meanwhile";
    writer.finish();
  });
  EXPECT_NE(error.find("p0002.png is there already"), std::string::npos) << error;
  EXPECT_EQ(fs::file_size(path("frames/p0002.png")), 14U);
  EXPECT_EQ(files_in(path("frames")), (std::vector<std::string>{"p0002.png", "p1.png.txt"}));
}

TEST_F(Sequences, AppearWholeOrNotAtAll) {
  const std::string error = error_of([&] {
    MovieWriter writer(path("frames/%d.png"), {width, height, 25});
    for (int i = 0; i < 3; ++i) writer.add(picture(i));
    for (const auto& each : fs::directory_iterator(path("frames"))) fs::remove(each.path() / "2.png");
    writer.finish();
  });
  EXPECT_NE(error.find("2.png: could not be written"), std::string::npos) << error;
  EXPECT_NE(error.find("Choose a folder"), std::string::npos) << error;
  EXPECT_TRUE(files_in(folder.path()).empty());
}

TEST_F(Sequences, LeaveNothingBehindWhenTheyAreGivenUp) {
  {
    MovieWriter writer(path("frames/%d.png"), {width, height, 25});
    writer.add(picture(0));
  }
  EXPECT_TRUE(files_in(folder.path()).empty());
}

TEST_F(Sequences, RefuseWhatMakesNoMovie) {
  const auto made = [&](const char* name, int w, int h, int rate) {
    return error_of([&] { MovieWriter(path(name), {w, h, rate}); });
  };
  EXPECT_NE(made("a.avi", 64, 64, 30).find("Use .mp4, .webm, or %04d.png"), std::string::npos);
  EXPECT_NE(made("a.png", 64, 64, 30).find("%04d.png"), std::string::npos);
  EXPECT_NE(made("%s.png", 64, 64, 30).find("%04d.png"), std::string::npos);
  EXPECT_NE(made("%99999d.png", 64, 64, 30).find("%04d.png"), std::string::npos);
  EXPECT_NE(made("a.mp4", 65, 64, 30).find("Use 64 × 64 instead of 65 × 64"), std::string::npos);
  EXPECT_NE(made("a.mp4", 64, 40000, 30).find("2 to 16384"), std::string::npos);
  EXPECT_NE(made("a.mp4", 64, 64, 0).find("1 to 240"), std::string::npos);
  EXPECT_NE(made("none/a.mp4", 64, 64, 30).find("none/a.mp4"), std::string::npos);
  EXPECT_NE(error_of([&] {
              MovieWriter(path("a.webm"), {64, 64, 30}).finish();
            }).find("without a frame"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              MovieWriter(path("a.webm"), {64, 64, 30}).add(picture(0));
            }).find("12288"),
            std::string::npos);
  EXPECT_TRUE(files_in(folder.path()).empty());
}

}  // namespace
}  // namespace isolume::pictures
