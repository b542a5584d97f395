// What a system does to the program: signals, limits, pipes in the place of files, and old graphics drivers.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

namespace fs = std::filesystem;
using test::run_batch;
using test::run_batch_by;
using test::Scratch;
using Words = std::vector<std::string>;

std::string sample(const std::string& name) {
  return std::string(ISOLUME_SAMPLES "/") + name;
}

Words long_computation(const std::string& output) {
  return {"compute",   sample("c60.molden.gz"),
          "--field",   "density",
          "--threads", "1",
          "--spacing", "0.06",
          "--margin",  "3",
          "-o",        output};
}

TEST(HostileSystem, AnyRequestToStopLeavesNoFile) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Scratch scratch;
    const auto result = test::run_batch_interrupted(long_computation(scratch.file("density.cube")),
                                                    std::chrono::milliseconds(1500), signal);
    EXPECT_EQ(result.code, 130) << signal << result.err;
    EXPECT_NE(result.err.find("cancelled"), std::string::npos) << result.err;
    EXPECT_TRUE(scratch.files().empty()) << signal;
  }
}

TEST(HostileSystem, AFileBeyondTheLimitIsAnErrorInWords) {
  const Scratch scratch;
  const auto limited = [](const Words& arguments) {
    return run_batch_by({"/bin/sh", "-c", "ulimit -f 16; exec \"$0\" \"$@\""}, arguments);
  };
  for (const Words& arguments :
       {Words{"compute", sample("water-631gs.fchk.gz"), "--spacing", "0.1", "-o", scratch.file("homo.cube")},
        Words{"electrostatics", "potential", sample("fasciculin.pqr.gz"), "--spacing", "2", "-o",
              scratch.file("map.dx")},
        Words{"nbody", "run", "--scene", "plummer", "--bodies", "2000", "--steps", "2", "-o",
              scratch.file("run.hdf5")}}) {
    const auto result = limited(arguments);
    EXPECT_EQ(result.code, 1) << arguments[0] << result.err;
    EXPECT_NE(result.err.find(fs::path(arguments.back()).filename().string()), std::string::npos)
        << result.err;
  }
  EXPECT_TRUE(scratch.files().empty());
}

TEST(HostileSystem, APipeAsInputIsRefusedAtOnce) {
  const Scratch scratch;
  const auto pipe = [&](const std::string& name) {
    const std::string path = scratch.file(name);
    EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    return path;
  };
  std::vector<Words> calls;
  for (const char* name :
       {"a.molden", "a.fchk", "a.cube", "a.pdb", "a.cif", "a.xyz", "a.wfx", "a.out", "a.json"}) {
    calls.push_back({"orbitals", "describe", pipe(name)});
    calls.push_back({"orbitals", "convert", scratch.file(name), scratch.file("out.xyz")});
  }
  for (const char* name : {"b.pdb", "b.pqr", "b.cif", "b.mol2", "b.xyz", "b.gro", "b.wfn"})
    calls.push_back({"electrostatics", "potential", pipe(name), "-o", scratch.file("out.dx")});
  for (const char* name : {"b.pdb", "b.cif"})
    calls.push_back({"electrostatics", "prepare", scratch.file(name), "-o", scratch.file("out.pqr")});
  calls.push_back({"electrostatics", "potential", sample("fasciculin.pqr.gz"), "--points", pipe("places.csv"),
                   "-o", scratch.file("out.csv")});
  for (const char* name : {"c.dcd", "c.xtc"})
    calls.push_back({"electrostatics", "potential", sample("fasciculin.pqr.gz"), "--trajectory", pipe(name),
                     "--average", "-o", scratch.file("out.dx")});
  for (const char* name : {"d.dx", "d.ccp4", "d.cube", "d.vti"})
    calls.push_back({"electrostatics", "difference", pipe(name), scratch.file(name)});
  for (const char* name : {"e.csv", "e.xyz", "e.hdf5", "e.tipsy", "e.bin"})
    calls.push_back({"nbody", "forces", pipe(name), "-o", scratch.file("out.csv")});
  for (const char* name :
       {"f.nii", "f.nii.gz", "f.nrrd", "f.nhdr", "f.mha", "f.mhd", "f.png", "f.tif", "f.jpg", "f.dcm", "f"})
    calls.push_back({"livewire", "trace", pipe(name), "--seeds", "1,1;5,5", "-o", scratch.file("out.csv")});
  calls.push_back({"orbitals", "describe", pipe("g.isolume")});
  calls.push_back({"script", pipe("h.script")});
  for (const Words& call : calls) {
    const auto result = run_batch_by({"/usr/bin/timeout", "-s", "KILL", "60"}, call);
    const std::string words = call[0] + " " + call[1] + " " + (call.size() > 2 ? call[2] : "");
    EXPECT_TRUE(result.code == 1 || result.code == 2) << words << ": " << result.code << result.err;
    EXPECT_NE(result.err.find("isolume-batch: "), std::string::npos) << words;
    EXPECT_LE(result.err.size(), 520U) << words << result.err;
  }
}

TEST(HostileSystem, AnOutputKeepsItsPermissions) {
  const Scratch scratch;
  const std::string output = scratch.file("water.xyz");
  std::ofstream(output) << "old";
  fs::permissions(output, fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(run_batch({"orbitals", "convert", sample("water-631gs.fchk.gz"), output}).code, 0);
  EXPECT_EQ(fs::status(output).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_NE(read_text_file(output), "old");
}

#ifdef ISOLUME_WITH_PICTURES
TEST(HostileSystem, AnOldOpenGlIsNamedAndOnlyPicturesNeedIt) {
  const Scratch scratch;
  const auto with_old_opengl = [](const Words& arguments) {
    return run_batch_by({"/usr/bin/env", "MESA_GL_VERSION_OVERRIDE=2.1"}, arguments);
  };
  const auto picture =
      with_old_opengl({"orbitals", "render", sample("water-631gs.fchk.gz"), "-o", scratch.file("water.png")});
  EXPECT_EQ(picture.code, 1) << picture.err;
  EXPECT_NE(picture.err.find("OpenGL"), std::string::npos) << picture.err;
  EXPECT_TRUE(scratch.files().empty());
  EXPECT_EQ(with_old_opengl({"orbitals", "describe", sample("water-631gs.fchk.gz")}).code, 0);
}
#endif

}  // namespace
}  // namespace isolume
