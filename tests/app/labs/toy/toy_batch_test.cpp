// The lab's part of isolume-batch, and that nothing else in the tree names it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;

TEST(ToyBatch, TellsTheFieldsValueAtAPlace) {
  const auto result = run_batch({"toy", "value", "0", "4", "0", "--time", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_NEAR(answer.at("value").get<double>(), 1 - std::exp(-12.5), 1e-7);  // single precision
  EXPECT_EQ(answer.at("unit"), "mV");
  EXPECT_EQ(run_batch({"toy", "value", "0", "0", "0", "--width", "9"}).code, 2) << "beyond its range";
}

TEST(ToyBatch, IsInScriptsBenchCommandsAndTheReferencePages) {
  const test::Scratch scratch;
  std::ofstream(scratch.file("toy.isoscript")) << "toy.value 4 0 0 --json\ntoy.play\n";
  const auto script = run_batch({"script", scratch.file("toy.isoscript")});
  EXPECT_EQ(script.code, 1);
  EXPECT_NE(script.out.find("\"value\""), std::string::npos);
  EXPECT_NE(script.err.find("toy.isoscript:2: toy.play cannot run here: it needs a window"),
            std::string::npos)
      << script.err;

  const auto bench = run_batch({"bench", "toy", "--spacing", "2", "--json"});
  ASSERT_EQ(bench.code, 0) << bench.err;
  EXPECT_GE(json::parse(bench.out).at("repeats").get<int>(), 3);

  std::set<std::string> names;
  for (const auto& each : json::parse(run_batch({"commands", "--lab", "toy", "--json"}).out))
    names.insert(each.at("name"));
  EXPECT_EQ(names, (std::set<std::string>{"toy.line", "toy.loop", "toy.play", "toy.probe", "toy.reverse",
                                          "toy.seek", "toy.speed", "toy.step", "toy.stop", "toy.value"}));
  EXPECT_NE(run_batch({"manual"}).out.find("| `--width` | [0.2 to 4 mm] | `1.6` |"), std::string::npos);
  EXPECT_NE(run_batch({"manual", "commands"}).out.find("### toy.probe"), std::string::npos);
  EXPECT_NE(run_batch({"completion", "bash"}).out.find("\"toy value\""), std::string::npos);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(ToyBatch, TheManualShowsItsDeclarationAsItIs) {
  const std::filesystem::path tree = ISOLUME_TREE;
  const std::string list = text_of(tree / "tests/app/labs/toy/CMakeLists.txt");
  const auto begin = list.find("isolume_lab(");
  ASSERT_NE(begin, std::string::npos);
  const std::string declaration = list.substr(begin, list.find(')', begin) + 1 - begin);
  EXPECT_NE(text_of(tree / "resources/manual/adding-a-lab.md").find(declaration), std::string::npos)
      << declaration;
}

/// The word `toy` between characters that belong to no word.
bool names_toy(const std::string& line) {
  const auto belongs = [](char c) { return std::isalnum(static_cast<unsigned char>(c)); };
  for (std::size_t at = line.find("toy"); at != std::string::npos; at = line.find("toy", at + 1)) {
    if ((at == 0 || !belongs(line[at - 1])) && (at + 3 == line.size() || !belongs(line[at + 3]))) return true;
  }
  return false;
}

TEST(ToyBatch, NoOtherFileOfTheTreeNamesIt) {
  namespace fs = std::filesystem;
  const fs::path tree = ISOLUME_TREE, own = tree / "tests/app/labs/toy";
  const std::set<std::string> kinds{".cpp", ".h", ".cu", ".cmake", ".txt", ".json", ".glsl"};
  std::size_t seen = 0;
  for (const char* part : {"app", "core", "gpu", "packaging", "shaders", "tests"}) {
    if (!fs::exists(tree / part)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(tree / part)) {
      const fs::path& file = entry.path();
      if (!kinds.contains(file.extension().string()) || file.string().starts_with(own.string())) continue;
      ++seen;
      std::ifstream stream(file);
      int number = 0;
      for (std::string line; std::getline(stream, line);) {
        ++number;
        EXPECT_FALSE(names_toy(line)) << file.string() << ':' << number << ": " << line;
      }
    }
  }
  EXPECT_GT(seen, 500U) << "the tree was looked through";
}

}  // namespace
}  // namespace isolume
