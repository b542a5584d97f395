// No verb replaces a file that it reads, or one output by another: neither by another name, nor by a link, nor
// where only a file that it reads names it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using test::run_batch;
using test::Scratch;
namespace fs = std::filesystem;

const std::string references = std::string(ISOLUME_TEST_REFERENCES) + "/";
const std::string molecule = references + "electrostatics/born.pqr";

void expect_refusal(const test::Result& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

TEST(Outputs, PartsOfASnapshotAreNotReplaced) {
  const Scratch scratch;
  for (const char* name : {"box.0.hdf5", "box.1.hdf5"})
    fs::copy(references + "nbody/" + name, scratch.file(name));
  const std::string first = scratch.file("box.0.hdf5"), second = scratch.file("box.1.hdf5"),
                    before = read_text_file(second);
  expect_refusal(run_batch({"nbody", "convert", first, "-o", second}), 1, "this is the input file");
  expect_refusal(run_batch({"nbody", "forces", first, "-o", second}), 1, "this is the input file");
  EXPECT_EQ(read_text_file(second), before);
}

TEST(Outputs, ChargesOfLigandsAreNotReplaced) {
  const Scratch scratch;
  const std::string ligand = scratch.file("so4.pqr"), text = "ATOM 1 S SO4 1 0 0 0 -2 1.8\n";
  std::ofstream(ligand) << text;
  const std::string structure = std::string(ISOLUME_SAMPLES) + "/1ajj.pdb.gz", ligands = "SO4=" + ligand;
  expect_refusal(run_batch({"electrostatics", "prepare", structure, "--ligands", ligands, "-o", ligand}), 1,
                 "this is the input file");
  EXPECT_EQ(read_text_file(ligand), text);
}

/// A GRO file with its topology, which includes another file.
std::string write_gro(const Scratch& scratch) {
  std::ofstream(scratch.file("ion.gro")) << "ion\n1\n    1NA     NA    1   0.000   0.000   0.000\n 3 3 3\n";
  std::ofstream(scratch.file("ion.top")) << "#include \"na.itp\"\n[ molecules ]\nNA 1\n";
  std::ofstream(scratch.file("na.itp")) << "[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 1.0 22.99\n";
  return scratch.file("ion.gro");
}

TEST(Outputs, FilesThatOtherFilesNameAreNotReplaced) {
  const Scratch scratch;
  const std::string gro = write_gro(scratch);
  for (const char* name : {"ion.top", "na.itp"}) {
    const std::string before = read_text_file(scratch.file(name));
    // Under a name that suits the verb: a link is followed.
    fs::create_symlink(scratch.file(name), scratch.file(std::string(name) + ".csv"));
    expect_refusal(run_batch({"electrostatics", "residues", gro, "--spacing", "2", "-o",
                              scratch.file(std::string(name) + ".csv")}),
                   1, "this is the input file");
    EXPECT_EQ(read_text_file(scratch.file(name)), before);
  }
  std::ofstream(scratch.file("square.mhd"))
      << "ObjectType = Image\nNDims = 2\nDimSize = 8 8\nElementType = MET_UCHAR\nElementSpacing = 1 1\n"
         "ElementDataFile = square.raw\n";
  const std::string voxels(64, 'x');
  std::ofstream(scratch.file("square.raw")) << voxels;
  fs::create_symlink(scratch.file("square.raw"), scratch.file("contour.csv"));
  expect_refusal(run_batch({"livewire", "trace", scratch.file("square.mhd"), "--seeds", "1,1;6,6", "-o",
                            scratch.file("contour.csv")}),
                 1, "this is the input file");
#ifdef ISOLUME_WITH_PICTURES
  expect_refusal(
      run_batch({"livewire", "render", scratch.file("square.mhd"), "-o", scratch.file("square.raw")}), 1,
      "this is the input file");
#endif
  EXPECT_EQ(read_text_file(scratch.file("square.raw")), voxels);
}

TEST(Outputs, TwoNamesOfOneFileAreRefused) {
  const Scratch scratch;
  const std::string folder = fs::path(scratch.file("x")).parent_path().string();
  const auto residues = [&](const std::string& table, const std::string& atoms) {
    return run_batch(
        {"electrostatics", "residues", molecule, "--spacing", "1", "-o", table, "--atoms", atoms});
  };
  const std::string table = scratch.file("r.csv");
  expect_refusal(residues(table, table), 2, "two outputs have this name");
  expect_refusal(residues(table, folder + "/./r.csv"), 2, "is the same file");
  fs::create_symlink("r.csv", scratch.file("link.csv"));
  expect_refusal(residues(table, scratch.file("link.csv")), 2, "is the same file");
  fs::remove(scratch.file("link.csv"));
  std::ofstream(table) << "before\n";
  fs::create_hard_link(table, scratch.file("link.csv"));
  expect_refusal(residues(table, scratch.file("link.csv")), 2, "is the same file");
  EXPECT_EQ(read_text_file(table), "before\n");
  const auto run = [&](const std::string& trajectory, const std::string& lines) {
    return run_batch({"nbody", "run", "--scene", "plummer", "--bodies", "20", "--steps", "2", "-o",
                      scratch.file(trajectory), "--diagnostics", scratch.file(lines)});
  };
  expect_refusal(run("z.h5", "z.partial.h5"), 2, "is the same file, or is until it is finished");
  fs::create_symlink("z.h5", scratch.file("z.csv"));
  expect_refusal(run("z.h5", "z.csv"), 2, "is the same file");
  EXPECT_FALSE(fs::exists(scratch.file("z.h5")));
  EXPECT_EQ(run("z.h5", "other.csv").code, 0);
}

TEST(Outputs, SessionsAreNotReplaced) {
#ifdef ISOLUME_WITH_PICTURES
  const Scratch scratch;
  const std::string session = scratch.file("work.isolume");
  std::ofstream(session)
      << R"({"isolume-session":1,"shown":"orbitals","layout":"","labs":[{"lab":"orbitals",)"
      << R"("data":{"path":")" << ISOLUME_SAMPLES
      << R"(/water-631gs.fchk.gz","beside":"","bytes":0,"xxh3":""},)"
      << R"("parameters":{},"camera":"","state":{}}]})";
  const std::string before = read_text_file(session);
  expect_refusal(run_batch({"render", session, "-o", session}), 1, "this is the input file");
  EXPECT_EQ(read_text_file(session), before);
#endif
}

TEST(Outputs, AResumeThatFailsRenamesNothing) {
  const Scratch scratch;
  const std::string trajectory = scratch.file("r.h5"), other = scratch.file("q.csv");
  ASSERT_EQ(run_batch({"nbody", "run", "--scene", "plummer", "--bodies", "20", "--steps", "4", "--dt", "0.01",
                       "-o", trajectory})
                .code,
            0);
  std::ofstream(other) << "a table of something else\n";
  const auto resume = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"nbody", "run", "--resume", "-o", trajectory, "--steps", "8"};
    words.insert(words.end(), more.begin(), more.end());
    return run_batch(words);
  };
  expect_refusal(resume({"--diagnostics", other}), 1, "q.csv: has no line for step 4");
  expect_refusal(resume({"--diagnostics", trajectory}), 2, "two outputs have this name");
  auto files = scratch.files();
  std::ranges::sort(files);
  EXPECT_EQ(files, (std::vector<std::string>{"q.csv", "r.h5"}));
  EXPECT_EQ(read_text_file(other), "a table of something else\n");
  EXPECT_EQ(resume({}).code, 0);
}

TEST(Outputs, NamesThatCannotBeWrittenAreNamed) {
  const Scratch scratch;
  const auto write = [&](const std::string& output) {
    return run_batch({"electrostatics", "make", "nacl", "--cells", "1", "-o", output});
  };
  const auto pipe =
      test::run_batch_by({"/bin/bash", "-c", "set -o pipefail; \"$@\" | cat", "bash"},
                         {"electrostatics", "make", "nacl", "--cells", "1", "-o", "/dev/stdout"});
  expect_refusal(pipe, 1, "/dev/stdout: cannot be written as a file (it is a device, a pipe or a socket)");
  // 255 bytes are the most that Linux has.
  expect_refusal(write(scratch.file(std::string(252, 'a') + ".pqr")), 1, "shorter name");
  EXPECT_EQ(write(scratch.file(std::string(251, 'a') + ".pqr")).code, 0);
}

}  // namespace
}  // namespace isolume
