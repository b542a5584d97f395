// isolume-batch starts without libraries that take long to load, and becomes isolume-batch-full where they are needed.
#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using test::run_batch;
using test::run_batch_by;
using test::run_program;
using test::Scratch;

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(LeanStart, LoadsNoLibraryThatTakesLong) {
  const auto found = run_batch_by({"/usr/bin/env", "LD_TRACE_LOADED_OBJECTS=1"}, {});
  ASSERT_EQ(found.code, 0) << found.err;
  const auto lines = lines_of(found.out);
  EXPECT_NE(found.out.find("libtbb"), std::string::npos) << found.out;
  for (const std::string& line : lines) {
    for (const char* each :
         {"libvtk", "libITK", "libitk", "libgdcm", "libhdf5", "libmpi", "libavcodec", "libavformat",
          "libavutil", "libswscale", "libQt", "libGL", "libOpenGL", "libEGL", "libX11"})
      EXPECT_EQ(line.find(each), std::string::npos) << line;
  }
  // 41 when this was written, nearly all of them DCMTK and formats of images.
  EXPECT_LE(lines.size(), 60) << found.out;
}

TEST(LeanStart, HelpIsThatOfTheFullProgram) {
  const std::string full = std::string(ISOLUME_BATCH) + "-full";
  for (const char* words : {"", "orbitals ", "livewire ", "nbody ", "electrostatics ", "bench ",
                            "orbitals render ", "render ", "nbody render ", "nbody run "}) {
    std::vector<std::string> arguments;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) arguments.push_back(word);
    arguments.emplace_back("--help");
    const auto found = run_batch(arguments);
    std::vector<std::string> by_full = arguments;
    by_full.insert(by_full.begin(), full);
    EXPECT_EQ(found.out, run_program(by_full).out) << words;
  }
}

TEST(LeanStart, MissingFullProgramIsNamed) {
  const Scratch scratch;
  const std::string alone = scratch.file("isolume-batch");
  std::filesystem::copy_file(ISOLUME_BATCH, alone);
  EXPECT_EQ(run_program({alone, "--version"}).code, 0);
  const auto found = run_program(
      {alone, "nbody", "convert", "--scene", "plummer", "--bodies", "10", "-o", scratch.file("bodies.hdf5")});
  EXPECT_EQ(found.code, 1);
  EXPECT_NE(found.err.find(scratch.file("isolume-batch-full")), std::string::npos) << found.err;
  EXPECT_NE(found.err.find("Install Isolume again."), std::string::npos) << found.err;
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"isolume-batch"});
}

}  // namespace
}  // namespace isolume
