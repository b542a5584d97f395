// An average of images that are dealt among ranks.
#include <fstream>
#include <iterator>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/image.h"
#include "core/anatomy/phantom.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::run_batch_on_ranks;
using test::Scratch;

std::string bytes_of(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class AtlasOnRanks : public ::testing::Test {
 protected:
  static constexpr int side = 24;
  AtlasOnRanks() {
    for (const double size : {0.02, -0.12, 0.12, -0.08, 0.08}) {
      grid::Grid grid = grid::centred({2 * size, 0, 0}, {side, side, side}, 8, grid::LengthUnit::millimetre);
      grid.frame = grid::Frame::patient;
      images.push_back(scratch.file(std::to_string(images.size() + 1) + ".nrrd"));
      anatomy::write_image(grid, anatomy::head_phantom(side, size), images.back());
    }
  }
  std::vector<std::string> words(const std::string& name, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"anatomy", "atlas"};
    all.insert(all.end(), images.begin(), images.end());
    all.insert(all.end(), {"-o", scratch.file(name + "-mean.nrrd"), "--iterations", "10", "--json"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::vector<std::string> all_outputs(const std::string& name) const {
    std::vector<std::string> more{"--variance", scratch.file(name + "-variance.nrrd")};
    for (std::size_t i = 1; i <= images.size(); ++i)
      more.insert(more.end(), {"--field", scratch.file(name + "-" + std::to_string(i) + ".nrrd")});
    return words(name, more);
  }

  Scratch scratch;
  std::vector<std::string> images;
};

TEST_F(AtlasOnRanks, HasTheSameBitsOnAnyNumberOfRanks) {
  const auto alone = run_batch(all_outputs("alone"));
  ASSERT_EQ(alone.code, 0) << alone.err;
  json expected = json::parse(alone.out);
  EXPECT_EQ(expected["images"], 5);
  EXPECT_LT(expected["spread"]["after"], 0.7 * expected["spread"]["before"].get<double>());
  for (const int ranks : {1, 2, 4, 6}) {
    SCOPED_TRACE(std::to_string(ranks) + " ranks");
    const std::string name = std::to_string(ranks);
    const auto result = run_batch_on_ranks(ranks, all_outputs(name));
    ASSERT_EQ(result.code, 0) << result.err;
    json told = json::parse(result.out);
    EXPECT_EQ(told.value("ranks", 1), ranks);
    for (json* each : {&told, &expected})
      for (const char* key : {"output", "ranks", "seconds", "engine", "reason", "devices"}) each->erase(key);
    EXPECT_EQ(told, expected);
    for (const char* file : {"-mean.nrrd", "-variance.nrrd", "-1.nrrd", "-3.nrrd", "-5.nrrd"}) {
      const std::string written = bytes_of(scratch.file(name + file));
      EXPECT_GT(written.size(), 1000u) << file;
      EXPECT_EQ(written, bytes_of(scratch.file("alone" + std::string(file)))) << file;
    }
  }
}

TEST_F(AtlasOnRanks, WeighsByAgeAndReportsRemarksOnce) {
  std::ofstream(scratch.file("ages.csv")) << "image,age\n1,40\n2,50\n3,60\n4,70\n5,40\n";
  const std::vector<std::string> by_age{
      "--ages", scratch.file("ages.csv"), "--age", "55", "--kernel-years", "3", "--linear", "none"};
  const auto alone = run_batch(words("alone", by_age)), together = run_batch_on_ranks(3, words("3", by_age));
  ASSERT_EQ(together.code, 0) << together.err;
  EXPECT_NE(together.err.find("too far from the age of 55"), std::string::npos) << together.err;
  EXPECT_EQ(together.err, alone.err);
  EXPECT_EQ(json::parse(together.out)["remarks"], json::parse(alone.out)["remarks"]);
  EXPECT_EQ(bytes_of(scratch.file("3-mean.nrrd")), bytes_of(scratch.file("alone-mean.nrrd")));
}

TEST_F(AtlasOnRanks, AnErrorOnOneEndsAllWithOneLine) {
  const auto expect_one_line = [&](const std::string& part) {
    const auto result = run_batch_on_ranks(3, words("none"));
    EXPECT_NE(result.code, 0);
    EXPECT_EQ(result.out, "");
    std::istringstream text(result.err);
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      if (line.find("isolume-batch: ") != std::string::npos) lines.push_back(line);
    }
    ASSERT_EQ(lines.size(), 1u) << result.err;
    EXPECT_NE(lines.front().find(part), std::string::npos) << lines.front();
    EXPECT_EQ(scratch.files().size(), images.size());
  };
  const std::string last = images.back();
  images.back() = scratch.file("missing.nrrd");
  expect_one_line("missing.nrrd");
  images.back() = last;
  anatomy::Image constant = anatomy::read_image(last);
  anatomy::write_image(constant.grid(), FieldValues(side * side * side, 3.F), last);
  expect_one_line("5.nrrd");
}

TEST_F(AtlasOnRanks, AnInterruptEndsAllAndNothingIsWritten) {
  const auto result =
      run_batch_on_ranks(2, words("none", {"--iterations", "100000", "--levels", "1", "--linear", "none"}),
                         std::chrono::seconds(2));
  EXPECT_NE(result.code, 0);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(scratch.files().size(), images.size());
}

}  // namespace
}  // namespace isolume
