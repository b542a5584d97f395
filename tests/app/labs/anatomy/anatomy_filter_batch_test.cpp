// isolume-batch anatomy filter, as a person calls it.
#include <algorithm>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/anatomy/image.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

std::string bullseye() {
  return std::string(ISOLUME_TEST_REFERENCES) + "/anatomy/bullseye-00.mha";
}

TEST(AnatomyFilterBatch, AppliesAChainThatItWritesAndReads) {
  const test::Scratch scratch;
  const auto first = run_batch({"anatomy", "filter", bullseye(), "-o", scratch.file("first.nii.gz"),
                                "--apply", "gaussian sigma=3", "--apply", "threshold low=0.4", "--save-chain",
                                scratch.file("chain.json"), "--json"});
  ASSERT_EQ(first.code, 0) << first.err;
  const auto report = json::parse(first.out);
  ASSERT_EQ(report.at("filters").size(), 2U);
  EXPECT_EQ(report.at("filters")[0].at("parameters").at("sigma"), 3);
  const auto mask = anatomy::read_image(scratch.file("first.nii.gz"));
  EXPECT_EQ(std::ranges::count(mask.values(), 1.F), report.at("filters")[1].at("voxels_inside").get<int>());
  EXPECT_EQ(mask.grid().dimensions, anatomy::read_image(bullseye()).grid().dimensions);

  const auto second = run_batch({"anatomy", "filter", bullseye(), "-o", scratch.file("second.nii.gz"),
                                 "--chain", scratch.file("chain.json"), "--threads", "1"});
  ASSERT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(std::ranges::equal(anatomy::read_image(scratch.file("second.nii.gz")).values(), mask.values()));
}

TEST(AnatomyFilterBatch, FiltersAFolderAndNamesWhatFails) {
  const test::Scratch scratch;
  std::filesystem::create_directory(scratch.file("in"));
  std::filesystem::copy_file(bullseye(), scratch.file("in/a.mha"));
  std::filesystem::copy_file(bullseye(), scratch.file("in/b.mha"));
  std::ofstream(scratch.file("in/broken.nii"), std::ios::binary) << std::string(400, 'n');
  std::ofstream(scratch.file("in/damaged.mha")) << "ObjectType = Image\nNDims = 3\n";
  std::ofstream(scratch.file("in/notes.txt")) << "no image";
  const auto result = run_batch(
      {"anatomy", "filter", scratch.file("in"), "-o", scratch.file("out"), "--apply", "median radius=2"});
  EXPECT_NE(result.code, 0);
  EXPECT_NE(result.err.find("notes.txt"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("damaged.mha"), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("failed"), std::string::npos) << result.err;
  for (const char* name : {"out/a.mha", "out/b.mha"})
    EXPECT_NO_THROW(anatomy::read_image(scratch.file(name))) << name;
  EXPECT_FALSE(std::filesystem::exists(scratch.file("out/damaged.mha")));
}

TEST(AnatomyFilterBatch, ListsFiltersAndRefusesInOneLine) {
  const test::Scratch scratch;
  const auto list = run_batch({"anatomy", "filter", "--list", "--json"});
  ASSERT_EQ(list.code, 0) << list.err;
  const auto all = json::parse(list.out);
  const auto median = std::ranges::find(all, "median", [](const json& each) { return each.at("name"); });
  ASSERT_NE(median, all.end());
  EXPECT_EQ(median->at("parameters")[0].at("unit"), "mm");
  const auto error_of = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"anatomy", "filter", bullseye(), "-o", scratch.file("none.nii")};
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_batch(words);
    EXPECT_NE(result.code, 0);
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_EQ(std::ranges::count(scratch.files(), "none.nii"), 0);
    return result.err;
  };
  EXPECT_NE(error_of({}).find("--apply"), std::string::npos);
  EXPECT_NE(error_of({"--apply", "median size=3"}).find("no parameter \"size\""), std::string::npos);
  EXPECT_NE(error_of({"--apply", "diffusion time-step=100"}).find("Give at most"), std::string::npos);
  EXPECT_NE(error_of({"--chain", scratch.file("chain.json")}).find("chain.json"), std::string::npos);
}

TEST(AnatomyFilterBatch, ReportsStatisticsOfLabels) {
  const test::Scratch scratch;
  ASSERT_EQ(run_batch({"anatomy", "filter", bullseye(), "-o", scratch.file("labels.nii"), "--apply",
                       "threshold low=0.5"})
                .code,
            0);
  const auto result = run_batch({"anatomy", "statistics", bullseye(), scratch.file("labels.nii"), "--csv",
                                 scratch.file("table.csv"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json::parse(result.out).at("statistics");
  ASSERT_EQ(rows.size(), 2U);
  const auto image = anatomy::read_image(bullseye());
  const auto inside = std::ranges::count_if(image.values(), [](float each) { return each >= 0.5F; });
  EXPECT_EQ(rows[1].at("voxels").get<std::ptrdiff_t>(), inside);
  EXPECT_LT(rows[0].at("greatest").get<double>(), 0.5);
  EXPECT_GE(rows[1].at("least").get<double>(), 0.5);
  std::ifstream table(scratch.file("table.csv"));
  std::string head, first;
  std::getline(table, head);
  std::getline(table, first);
  EXPECT_EQ(head, "label,voxels,volume_mm3,mean,standard_deviation,least,greatest");
  EXPECT_EQ(first.substr(0, 2), "0,");
}

}  // namespace
}  // namespace isolume
