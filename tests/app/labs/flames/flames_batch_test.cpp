// isolume-batch flames, as a person calls it.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <png.h>

#include "core/flames/evolve.h"
#include "core/flames/flame_file.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

std::string sample(const char* name) {
  return std::string(ISOLUME_TREE) + "/resources/samples/" + name;
}

TEST(FlamesBatch, RendersAPictureOfTheWantedSize) {
  const test::Scratch scratch;
  const auto result =
      run_batch({"flames", "render", sample("spheres.flame"), "-o", scratch.file("spheres.png"), "--size",
                 "320x200", "--quality", "20", "--engine", "cpu", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told.at("width"), 320);
  EXPECT_EQ(told.at("height"), 200);
  EXPECT_GE(told.at("points_per_pixel").get<double>(), 20);
  EXPECT_GT(told.at("in_view").get<double>(), 0.8);
  EXPECT_TRUE(told.at("remarks").empty()) << told.at("remarks");
  std::ifstream file(scratch.file("spheres.png"), std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  EXPECT_TRUE(bytes.starts_with("\x89PNG"));
  EXPECT_GT(bytes.size(), 20'000U) << "not a black picture";
}

/// The PNG as libpng's own reader returns it: its dots per metre, and red, green, blue and opacity of its pixels.
struct Drawn {
  png_uint_32 dots_per_metre = 0;
  int channels = 0;
  std::vector<std::array<std::uint8_t, 4>> pixels;
};

Drawn read_png(const std::string& path) {
  Drawn drawn;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file.get());
  png_read_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  drawn.dots_per_metre = png_get_x_pixels_per_meter(png, info);
  drawn.channels = png_get_channels(png, info);
  png_bytepp rows = png_get_rows(png, info);
  for (png_uint_32 y = 0; y < png_get_image_height(png, info); ++y) {
    for (png_uint_32 x = 0; x < png_get_image_width(png, info); ++x) {
      auto& pixel = drawn.pixels.emplace_back(std::array<std::uint8_t, 4>{0, 0, 0, 255});
      std::copy_n(rows[y] + x * static_cast<unsigned>(drawn.channels), drawn.channels, pixel.begin());
    }
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return drawn;
}

TEST(FlamesBatch, RendersWithoutABackgroundAndWithItsResolution) {
  const test::Scratch scratch;
  const std::string opaque = scratch.file("opaque.png"), transparent = scratch.file("transparent.png");
  std::vector<std::string> words{
      "flames", "render", sample("gasket.flame"), "--size", "160x120", "--quality", "50", "--engine",
      "cpu",    "-o"};
  words.push_back(opaque);
  ASSERT_EQ(run_batch(words).code, 0);
  words.back() = transparent;
  for (const char* word : {"--transparent", "--dpi", "600"}) words.emplace_back(word);
  ASSERT_EQ(run_batch(words).code, 0);
  const Drawn with = read_png(opaque), without = read_png(transparent);
  EXPECT_EQ(with.dots_per_metre, 11811U) << "300 dots per inch";
  EXPECT_EQ(without.dots_per_metre, 23622U) << "600 dots per inch";
  EXPECT_EQ(with.channels, 3);
  ASSERT_EQ(without.channels, 4);
  // Drawn over the black background of the file, the one is the other.
  int empty = 0, full = 0;
  ASSERT_EQ(with.pixels.size(), without.pixels.size());
  for (std::size_t i = 0; i < with.pixels.size(); ++i) {
    const auto& [red, green, blue, opacity] = without.pixels[i];
    empty += opacity == 0 ? 1 : 0;
    full += opacity > 200 ? 1 : 0;
    EXPECT_NEAR(red * opacity / 255.0, with.pixels[i][0], 2);
    EXPECT_NEAR(green * opacity / 255.0, with.pixels[i][1], 2);
    EXPECT_NEAR(blue * opacity / 255.0, with.pixels[i][2], 2);
  }
  EXPECT_GT(empty, 160 * 120 / 3);
  EXPECT_GT(full, 160 * 120 / 50);
}

TEST(FlamesBatch, TheSameFlameGivesTheSamePictureOnAnyNumberOfThreads) {
  const test::Scratch scratch;
  std::vector<std::string> pictures;
  for (const char* threads : {"1", "3"}) {
    const std::string path = scratch.file(std::string("picture") + threads + ".png");
    ASSERT_EQ(run_batch({"flames", "render", sample("comet.flame"), "-o", path, "--size", "200x120",
                         "--quality", "30", "--engine", "cpu", "--threads", threads})
                  .code,
              0);
    std::ifstream file(path, std::ios::binary);
    pictures.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  EXPECT_EQ(pictures[0], pictures[1]);
}

TEST(FlamesBatch, DescribesSamplesWithoutRemarks) {
  for (const char* name : {"spheres.flame", "lace.flame", "comet.flame", "gasket.flame"}) {
    const auto result = run_batch({"flames", "describe", sample(name), "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const auto flame = json::parse(result.out).at("flames").at(0);
    EXPECT_GE(flame.at("functions").size(), 2U) << name;
  }
  const auto gasket =
      json::parse(run_batch({"flames", "describe", sample("gasket.flame"), "--json"}).out).at("flames").at(0);
  EXPECT_EQ(gasket.at("functions").at(1).at("affine"), json({0.5, 0, 0.5, 0, 0.5, 0}));
  EXPECT_NEAR(gasket.at("functions").at(1).at("probability").get<double>(), 1.0 / 3, 1e-12);
}

TEST(FlamesBatch, ReportsWhatAFileHasBesides) {
  const test::Scratch scratch;
  std::ofstream(scratch.file("other.flame"))
      << "<flame><xform linear=\"1\" mystery=\"1\" coefs=\".5 0 0 .5 0 0\"/></flame>";
  const auto result = run_batch({"flames", "describe", scratch.file("other.flame")});
  EXPECT_EQ(result.code, 0);
  EXPECT_NE(result.err.find("\"mystery\" of 1 element was left out"), std::string::npos) << result.err;
  std::ofstream(scratch.file("bad.flame"))
      << "<flame>\n<xform linear=\"one\" coefs=\"1 0 0 1 0 0\"/></flame>";
  const auto bad = run_batch({"flames", "render", scratch.file("bad.flame"), "-o", scratch.file("bad.png")});
  EXPECT_EQ(bad.code, 1);
  EXPECT_NE(bad.err.find("bad.flame:2: linear of <xform>"), std::string::npos) << bad.err;
  EXPECT_FALSE(std::filesystem::exists(scratch.file("bad.png")));
}

TEST(FlamesBatch, EditsByTheCommandsOfTheWindow) {
  const test::Scratch scratch;
  const auto edited = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"flames", "edit"});
    words.insert(words.end(), {"-o", scratch.file("edited.flame")});
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return flames::read_flames(scratch.file("edited.flame")).flames.front();
  };
  const auto spheres = flames::read_flames(sample("spheres.flame")).flames.front();
  const auto lace = flames::read_flames(sample("lace.flame")).flames.front();
  EXPECT_EQ(edited({sample("spheres.flame"), "--run", "flames.flame.mutate 0.2 7"}),
            flames::mutated(spheres, 0.2, 7));
  const auto between = edited({sample("spheres.flame"), "--run", "flames.target.open " + sample("lace.flame"),
                               "--run", "flames.seek 0.25", "--run", "flames.flame.interpolate"});
  EXPECT_EQ(between, flames::at_time(spheres, lace, 0.25));
  EXPECT_NE(between, spheres);
  EXPECT_EQ(edited({"--run", "flames.flame.randomise 20"}), flames::random_flame(20));
  EXPECT_EQ(edited({"--run", "flames.map.set 2 0.25 0 0.5 0 0.5 -0.1"}).functions[1].affine,
            (flames::Affine{0.25, 0, 0.5, 0, 0.5, -0.1}));
}

TEST(FlamesBatch, NamesTheCommandThatItDoesNotKnow) {
  const test::Scratch scratch;
  for (const auto& [line, expected] :
       {std::pair<std::string, std::string>{"flames.play", "flames.flame.mutate"},
        {"parameter.set brightness", "parameter.set KEY VALUE"},
        {"parameter.set nothing 1", "nothing"},
        {"flames.map.set 1 0.5", "flames.map.set"},
        {"", "is empty"}}) {
    const auto result = run_batch({"flames", "edit", "--run", line, "-o", scratch.file("none.flame")});
    EXPECT_NE(result.code, 0) << line;
    EXPECT_NE(result.err.find(expected), std::string::npos) << line << ": " << result.err;
    EXPECT_FALSE(std::filesystem::exists(scratch.file("none.flame"))) << line;
  }
}

TEST(FlamesBatch, BenchComparesEnginesWithTheSerialGame) {
  const auto result = run_batch({"bench", "flames", "--clouds", "8", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_GT(told.at("serial").at("points_per_second").get<double>(), 1e5);
  bool has_cpu = false;
  for (const auto& engine : told.at("engines")) {
    if (engine.at("name") != "cpu") continue;
    has_cpu = true;
    EXPECT_GT(engine.at("serial_ratio").get<double>(), 1.5) << "vectors are faster than the serial game";
  }
  EXPECT_TRUE(has_cpu);
}

}  // namespace
}  // namespace isolume
