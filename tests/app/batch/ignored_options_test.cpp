// What the command line or a session says is used, or refused, or the program says that it is not.
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;
using Words = std::vector<std::string>;

const std::string molecule = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/born.pqr";
const std::string water = std::string(ISOLUME_SAMPLES) + "/water-631gs.fchk.gz";

void expect_usage_error(Words words, const Words& more, const std::string& part) {
  words.insert(words.end(), more.begin(), more.end());
  const auto result = run_batch(words);
  EXPECT_EQ(result.code, 2) << part << ": " << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
}

std::string write_bodies(const Scratch& scratch) {
  std::ofstream(scratch.file("b.csv")) << "mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n";
  return scratch.file("b.csv");
}

TEST(IgnoredOptions, AreRefused) {
  const Scratch scratch;
  const Words map{"electrostatics", "potential", molecule, "--spacing", "2", "-o", scratch.file("v.dx")};
  expect_usage_error(
      map, {"--salt", "5"},
      "--salt applies to --method debye-hueckel, pb-linear or pb-nonlinear only. Leave it out");
  expect_usage_error(map, {"--box", "nonsense"}, "--box applies to --method pme only");
  // By way of another condition: the probe rolls over a surface, which only these methods have.
  expect_usage_error(map, {"--surface", "ses"},
                     "--surface applies to --method pb-linear or pb-nonlinear only");
  const Words field{"compute", water, "--field", "density", "--spacing", "1", "-o", scratch.file("f.cube")};
  expect_usage_error(field, {"--orbital", "99"}, "--orbital applies to --field orbital");
  expect_usage_error(field, {"--superposition", "nan"}, "--superposition applies to --field superposition");
  const Words run{"nbody", "run", "--steps", "1", "-o", scratch.file("r.h5")};
  const auto with = [&run](const Words& more) {
    Words all = run;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const std::string bodies = write_bodies(scratch);
  expect_usage_error(with({bodies}), {"--bodies", "50"}, "--bodies applies to scenes only");
  expect_usage_error(with({bodies}), {"--seed", "3"}, "--seed applies to scenes only");
  const Words plummer = with({"--scene", "plummer"});
  expect_usage_error(plummer, {"--units", "au"}, "--units applies to files only");
  expect_usage_error(plummer, {"--moment", "3"}, "--moment applies to files only");
  expect_usage_error(plummer, {"--eccentricity", "0.3"}, "--eccentricity applies to --scene binary only");
  expect_usage_error(plummer, {"--restitution", "0.5"}, "--restitution applies to --collisions bounce only");
  expect_usage_error(plummer, {"--accuracy", "0.1"}, "--accuracy applies to --time-steps block only");
  expect_usage_error(plummer, {"--opening-angle", "0.3", "--error", "1e-3"},
                     "--opening-angle applies where no --error is requested");
  expect_usage_error(with({"--scene", "binary"}), {"--bodies", "50"}, "--bodies applies to --scene plummer");
  // The solver of a box is not the usual one, for which the option would matter.
  expect_usage_error(with({"--scene", "cosmological-box"}), {"--opening-angle", "0.3"},
                     "--opening-angle applies to --solver best, barnes-hut or fmm only");
  expect_usage_error({"nbody", "forces", bodies, "-o", scratch.file("a.csv")},
                     {"--solver", "direct", "--opening-angle", "0.3"}, "--opening-angle applies to --solver");
  expect_usage_error({"electrostatics", "make", "helix", "-o", scratch.file("h.pqr")}, {"--seed", "7"},
                     "--seed does not apply to helix");
  const Words trace{"livewire", "trace",   std::string(ISOLUME_SAMPLES) + "/livewire/none.png",
                    "--seeds",  "1,1;2,2", "--cost",
                    "thesis"};
  expect_usage_error(trace, {"--weights", "gradient=0.1"}, "--weights applies to --cost features only");
  expect_usage_error(trace, {"--gradient-weight", "0.1"},
                     "--gradient-weight applies to --cost features only");
  expect_usage_error({"electrostatics", "ions", molecule, "--molar", "0.1", "-o", scratch.file("i.pdb")},
                     {"--charge", "2"}, "--charge applies to --count or --neutralise only");
  expect_usage_error({"electrostatics", "residues", molecule, "-o", scratch.file("r.csv")},
                     {"--patch-area", "5"}, "--patch-area applies to the table of --patches only");
  EXPECT_EQ(scratch.files(), Words{"b.csv"});
}

TEST(IgnoredOptions, ThoseThatMatterAreTaken) {
  const Scratch scratch;
  EXPECT_EQ(run_batch({"electrostatics", "potential", molecule, "--spacing", "2", "--margin", "4", "--method",
                       "debye-hueckel", "--salt", "0.1", "-o", scratch.file("v.dx")})
                .code,
            0);
  // Sampled errors of a direct sum are reported, too.
  EXPECT_EQ(run_batch({"nbody", "forces", write_bodies(scratch), "--solver", "direct", "--error", "1e-3",
                       "-o", scratch.file("a.csv")})
                .code,
            0);
}

TEST(IgnoredOptions, AWireHasNoOtherDevicesThanItsEngine) {
  const Scratch scratch;
  std::ofstream(scratch.file("square.mhd"))
      << "ObjectType = Image\nNDims = 2\nDimSize = 8 8\nElementType = MET_UCHAR\nElementSpacing = 1 1\n"
         "ElementDataFile = square.raw\n";
  std::ofstream(scratch.file("square.raw")) << std::string(64, 'x');
  const Words trace{"livewire", "trace", scratch.file("square.mhd"), "--seeds", "1,1;6,6"};
  ASSERT_EQ(run_batch(trace).code, 0);
  for (const Words& more : {Words{"--kernel", "nonsense"}, Words{"--devices", "nonsense"},
                            Words{"--devices", "9", "--engine", "cpu-delta"}}) {
    Words words = trace;
    words.insert(words.end(), more.begin(), more.end());
    const auto result = run_batch(words);
    EXPECT_EQ(result.code, 1) << more[1];
    EXPECT_NE(result.err.find("the engine \"cpu\""), std::string::npos) << result.err;
  }
}

TEST(IgnoredOptions, AResumedRunKeepsItsSource) {
  const Scratch scratch;
  const std::string output = scratch.file("r.h5");
  ASSERT_EQ(
      run_batch({"nbody", "run", "--scene", "plummer", "--bodies", "100", "--seed", "1", "--steps", "2",
                 "--time-steps", "block", "--integrator", "hermite", "--accuracy", "0.02", "-o", output})
          .code,
      0);
  const Words resume{"nbody", "run", "--resume", "-o", output, "--steps", "3"};
  for (const Words& other :
       {Words{"--seed", "9"}, Words{"--bodies", "77"}, Words{"--concentration", "3"}, Words{"--units", "au"},
        Words{"--moment", "3"}, Words{"--scene", "king"}, Words{scratch.file("b.csv")}})
    expect_usage_error(resume, other, "was started from");
  expect_usage_error(resume, {"--restitution", "0.5"}, "--restitution");
  // What is the same may be repeated, and what matters to the stored options is no mistake.
  Words same = resume;
  same.insert(same.end(), {"--scene", "plummer", "--seed", "1", "--bodies", "100", "--accuracy", "0.02"});
  const auto continued = run_batch(same);
  EXPECT_EQ(continued.code, 0) << continued.err;
}

TEST(IgnoredOptions, WeightsCountRelativeToEachOther) {
  const Scratch scratch;
  const auto fields = [&](const std::string& weights) {
    const auto result = run_batch({"compute", water, "--field", "superposition", "--superposition", weights,
                                   "--spacing", "1", "-o", scratch.file("f.cube")});
    EXPECT_EQ(result.code, 0) << result.err;
    return read_text_file(scratch.file("f.cube"));
  };
  const std::string usual = fields("homo:1,lumo:1");
  EXPECT_EQ(fields("homo:1e300,lumo:1e300"), usual);
  EXPECT_EQ(fields("homo:1e-300,lumo:1e-300"), usual);
}

TEST(IgnoredOptions, NothingIsGivenTwice) {
  const Scratch scratch;
  const std::string structure = std::string(ISOLUME_SAMPLES) + "/1ajj.pdb.gz";
  for (const Words& twice :
       {Words{"--ligands", "SO4=-2;SO4=none"}, Words{"--states", "HIS A 57=HIP,HIS A 57=HIE"},
        Words{"--unknown", "equalise", "--unknown-charge", "SO4=-2 SO4=0"}}) {
    Words words{"electrostatics", "prepare", structure, "-o", scratch.file("p.pqr")};
    words.insert(words.end(), twice.begin(), twice.end());
    const auto result = run_batch(words);
    EXPECT_NE(result.code, 0) << twice[1];
    EXPECT_NE(result.err.find("twice"), std::string::npos) << result.err;
  }
}

#ifdef ISOLUME_WITH_PICTURES

std::string write_session(const Scratch& scratch, const std::string& parameters, const std::string& state) {
  const std::string session = scratch.file("work.isolume");
  std::ofstream(session)
      << R"({"isolume-session":1,"shown":"orbitals","layout":"","labs":[{"lab":"orbitals",)"
      << R"("data":{"path":")" << water << R"(","beside":"","bytes":0,"xxh3":""},)"
      << R"("parameters":{)" << parameters << R"(},"camera":"","state":{)" << state << "}}]}";
  return session;
}

TEST(IgnoredOptions, ValuesOfSessionsAreReadOrRefused) {
  const Scratch scratch;
  const std::string picture = scratch.file("p.png");
  const auto draw = [&](const std::string& parameters, const std::string& state = "") {
    return run_batch(
        {"render", write_session(scratch, parameters, state), "--size", "100x100", "--json", "-o", picture});
  };
  for (const char* value : {R"("enclosed":"0,5")", R"("enclosed":"nan")", R"("enclosed":"7")",
                            R"("field":"potato")", R"("spacing":"-1")"}) {
    const auto result = draw(value);
    EXPECT_EQ(result.code, 1) << value;
    const std::string key = std::string(value).substr(1, std::string(value).find(':') - 2);
    EXPECT_NE(result.err.find("work.isolume: labs[0].parameters." + key), std::string::npos) << result.err;
  }
  const auto geometry = draw("", R"("frame":77)");
  EXPECT_EQ(geometry.code, 1);
  EXPECT_NE(geometry.err.find("labs[0].state.frame: there is no geometry 77"), std::string::npos)
      << geometry.err;
  EXPECT_EQ(scratch.files(), Words{"work.isolume"});
  // A parameter of another version, and what only the window shows, are left out with a remark.
  const auto drawn = draw(R"("potatoes":"5")", R"("measured_atoms":[1,2])");
  ASSERT_EQ(drawn.code, 0) << drawn.err;
  const auto remarks = json::parse(drawn.out)["remarks"];
  const std::string told = remarks.dump();
  EXPECT_NE(told.find("labs[0].parameters.potatoes"), std::string::npos) << told;
  EXPECT_NE(told.find("measurement is left out"), std::string::npos) << told;
}

TEST(IgnoredOptions, RemarksOfPicturesAreInTheirJson) {
  const Scratch scratch;
  const auto bodies = run_batch(
      {"nbody", "render", write_bodies(scratch), "--size", "100x100", "--json", "-o", scratch.file("b.png")});
  ASSERT_EQ(bodies.code, 0) << bodies.err;
  EXPECT_NE(json::parse(bodies.out)["remarks"].dump().find("names no units"), std::string::npos)
      << bodies.out;
  // The line between the sections of a Molden file is unknown.
  const std::string file = scratch.file("water.molden");
  ASSERT_EQ(run_batch({"convert", water, file}).code, 0);
  std::ofstream(file, std::ios::app) << "[POTATOES]\n1 2 3\n";
  const auto told = run_batch({"describe", file, "--json"});
  const auto orbitals =
      run_batch({"render", file, "--size", "100x100", "--json", "-o", scratch.file("o.png")});
  ASSERT_EQ(orbitals.code, 0) << orbitals.err;
  EXPECT_EQ(json::parse(orbitals.out)["remarks"], json::parse(told.out)["remarks"]);
}

#endif

}  // namespace
}  // namespace isolume
