#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/text_file.h"
#include "tests/app/batch/program.h"
#include "tests/full_disk.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;

std::string sample(const std::string& name) {
  return std::string(ISOLUME_SAMPLES) + "/" + name;
}
std::string reference(const std::string& name) {
  return std::string(ISOLUME_TEST_REFERENCES) + "/" + name;
}

json describe(const std::string& file) {
  const auto result = run_batch({"describe", file, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  return json::parse(result.out);
}

/// One line that starts with the program's name and holds `part`.
void expect_complaint(const test::Result& result, const std::string& part) {
  EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  EXPECT_TRUE(result.err.starts_with("isolume-batch: ")) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

/// A cube file of one field, read with nothing of the program's own reader.
struct Cube {
  std::array<double, 3> origin{};
  std::array<int, 3> dimensions{};
  std::array<double, 9> steps{};
  std::vector<double> values;
};
Cube read_cube(const std::string& path) {
  std::istringstream text(read_text_file(path));
  std::string line;
  std::getline(text, line);
  std::getline(text, line);
  Cube cube;
  int atoms = 0;
  text >> atoms;
  for (double& x : cube.origin) text >> x;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    text >> cube.dimensions[axis];
    for (std::size_t k = 0; k < 3; ++k) text >> cube.steps[3 * axis + k];
  }
  std::getline(text, line);
  for (int i = 0; i < std::abs(atoms); ++i) std::getline(text, line);
  if (atoms < 0) std::getline(text, line);  // the orbital's number
  cube.values.assign(std::istream_iterator<double>(text), {});
  return cube;
}

TEST(Describe, CountsOfBenzene) {
  const json facts = describe(sample("benzene.fchk.gz"));
  EXPECT_EQ(facts["format"], "fchk");
  EXPECT_EQ(facts["formula"], "C6H6");
  EXPECT_EQ(facts["atoms"], 12);
  EXPECT_EQ(facts["basis_functions"],
            6 * 15 + 6 * 2);                  // 6-31G*: 15 Cartesian functions a carbon, 2 a hydrogen
  EXPECT_EQ(facts["shells"], 6 * 6 + 6 * 2);  // shared SP shells count as two
  EXPECT_EQ(facts["orbitals"], 102);
  EXPECT_EQ(facts["max_angular_momentum"], 2);
  EXPECT_EQ(facts["electrons"]["alpha"], 21);
  EXPECT_EQ(facts["electrons"]["beta"], 21);
  EXPECT_EQ(facts["electrons"]["from_occupations"], 42);
  EXPECT_NEAR(facts["electrons"]["from_overlap"].get<double>(), 42, 1e-4);
  EXPECT_EQ(facts["writer_verdict"], "as written");
  EXPECT_LT(facts["worst_orthonormality_deviation"].get<double>(), 1e-4);
  EXPECT_EQ(facts["orbital_sets"][0]["alpha"]["homo"]["number"], 21);
}

TEST(Describe, CountsOfC60) {
  const json facts = describe(sample("c60.molden.gz"));
  EXPECT_EQ(facts["format"], "molden");
  EXPECT_EQ(facts["atoms"], 60);
  EXPECT_EQ(facts["basis_functions"], 900);
  EXPECT_EQ(facts["shells"], 360);
  EXPECT_EQ(facts["orbitals"], 220);  // 180 occupied, 40 virtual: fewer than functions
  EXPECT_EQ(facts["electrons"]["from_occupations"], 360);
  EXPECT_NEAR(facts["electrons"]["from_overlap"].get<double>(), 360, 1e-3);
}

TEST(Describe, SphericalShellsAndOpenShells) {
  const json water = describe(sample("water-ccpvqz.fchk.gz"));
  EXPECT_EQ(water["basis_functions"], 115);
  EXPECT_EQ(water["max_angular_momentum"], 4);
  const json oxygen = describe(sample("oxygen-triplet.fchk.gz"));
  EXPECT_EQ(oxygen["electrons"]["alpha"], 9);
  EXPECT_EQ(oxygen["electrons"]["beta"], 7);
  EXPECT_EQ(oxygen["orbital_sets"][0]["unrestricted"], true);
  EXPECT_EQ(oxygen["orbital_sets"][0]["beta"]["homo"]["number"], 7);
}

TEST(Describe, EnergyDipoleAndGap) {
  const json facts = describe(reference("wavefunctions/formats/oh-spherical.log.gz"));
  EXPECT_EQ(facts["charge"], 0);
  EXPECT_EQ(facts["multiplicity"], 2);
  EXPECT_NEAR(facts["energy_hartree"].get<double>(), -75.38825140, 1e-8);  // by PySCF, as the dipole
  EXPECT_EQ(facts["energy_kind"], "SCF");
  EXPECT_NEAR(facts["dipole_debye"][2].get<double>(), 1.80537, 1e-4);
  const auto& beta = facts["orbital_sets"][0]["beta"];
  const double gap_hartree =
      beta["lumo"]["energy_hartree"].get<double>() - beta["homo"]["energy_hartree"].get<double>();
  EXPECT_NEAR(beta["gap_ev"].get<double>(), 27.211386 * gap_hartree, 1e-4);
}

TEST(Describe, FilesWithoutOrbitalsHaveTheSameKeys) {
  const Scratch scratch;
  std::ofstream(scratch.file("water.xyz")) << "3\nwater\nO 0 0 0\nH 0 0.757 0.586\nH 0 -0.757 0.586\n";
  const json facts = describe(scratch.file("water.xyz"));
  EXPECT_EQ(facts["format"], "xyz");
  EXPECT_EQ(facts["atoms"], 3);
  EXPECT_EQ(facts["formula"], "H2O");
  EXPECT_EQ(facts["basis_functions"], 0);
  EXPECT_TRUE(facts["electrons"].is_null());
  // Every key of the manual's page, and no other than a file with orbitals has.
  const json water = describe(sample("water-631gs.fchk.gz"));
  for (const auto& [key, value] : water.items()) EXPECT_TRUE(facts.contains(key)) << key;
  for (const auto& [key, value] : facts.items()) EXPECT_TRUE(water.contains(key)) << key;
  for (const char* key :
       {"orbital_sets", "orthonormality_deviation_as_written", "explanation", "spoilt_orbitals"})
    EXPECT_TRUE(facts.contains(key) && facts[key].is_null()) << key;

  const json cube = describe(reference("cubes/water-631gs-Psi_a_5.cube.gz"));
  EXPECT_EQ(cube["format"], "cube");
  EXPECT_EQ(cube["atoms"], 3);
  EXPECT_EQ(cube["fields"][0]["dimensions"], (std::vector{31, 46, 37}));
  EXPECT_NEAR(cube["fields"][0]["origin_bohr"][2].get<double>(), -3.932497, 1e-9);
}

TEST(Describe, EveryGeometryCounts) {
  const Scratch scratch;
  std::ofstream(scratch.file("path.xyz")) << "1\na\nH 0 0 0\n1\nb\nH 0 0 1\n1\nc\nH 0 0 2\n";
  EXPECT_EQ(describe(scratch.file("path.xyz"))["geometries"], 3);
}

TEST(Compute, AgreesWithPsi4OnItsGrid) {
  const Scratch scratch;
  const std::string reference_cube = reference("cubes/water-631gs-Psi_a_5.cube.gz");
  const auto result = run_batch({"compute", sample("water-631gs.fchk.gz"), "--field", "orbital", "--orbital",
                                 "homo", "--like", reference_cube, "-o", scratch.file("homo.cube")});
  ASSERT_EQ(result.code, 0) << result.err;
  const Cube ours = read_cube(scratch.file("homo.cube"));
  const Cube psi4 = read_cube(reference_cube);
  EXPECT_EQ(ours.dimensions, psi4.dimensions);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(ours.origin[k], psi4.origin[k], 1e-6);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(ours.steps[k], psi4.steps[k], 1e-6);
  ASSERT_EQ(ours.values.size(), psi4.values.size());
  ASSERT_EQ(ours.values.size(), 31u * 46u * 37u);
  // An orbital's sign is free; Psi4 prints six digits.
  const auto largest = std::max_element(psi4.values.begin(), psi4.values.end(),
                                        [](double a, double b) { return std::abs(a) < std::abs(b); });
  const double sign =
      std::copysign(1, *largest * ours.values[static_cast<std::size_t>(largest - psi4.values.begin())]);
  double worst = 0;
  for (std::size_t i = 0; i < psi4.values.size(); ++i) {
    worst = std::max(worst, std::abs(sign * ours.values[i] - psi4.values[i]));
  }
  EXPECT_LT(worst, 2e-6 * std::abs(*largest) + 1e-6);
}

TEST(Compute, NumberAndNameOfAnOrbitalGiveTheSameFile) {
  const Scratch scratch;
  const std::string file = sample("water-631gs.fchk.gz");
  const std::vector<std::string> grid{"--dimensions", "20,22,24", "--spacing", "0.2"};
  for (const std::string orbital : {"lumo", "6"}) {
    std::vector<std::string> arguments{"compute", file, "--orbital", orbital, "-o", scratch.file(orbital)};
    arguments.insert(arguments.end(), grid.begin(), grid.end());
    ASSERT_EQ(run_batch(arguments).code, 0);
  }
  EXPECT_EQ(read_text_file(scratch.file("lumo")), read_text_file(scratch.file("6")));
}

TEST(Compute, BetaOfARestrictedCalculationIsExplained) {
  const Scratch scratch;
  const std::vector<std::string> grid{"--dimensions", "8,8,8", "--spacing", "0.6"};
  const auto note_of = [&](const std::string& file, const std::string& spin, const std::string& field) {
    std::vector<std::string> arguments{"compute", file, "--field", field, "-o", scratch.file("a.cube")};
    if (field == "orbital") arguments.insert(arguments.end(), {"--orbital", "5", "--spin", spin});
    arguments.insert(arguments.end(), grid.begin(), grid.end());
    const auto result = run_batch(arguments);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err;
  };
  const std::string restricted = sample("water-631gs.fchk.gz");
  EXPECT_NE(note_of(restricted, "beta", "orbital").find("both spins share one list of orbitals"),
            std::string::npos);
  EXPECT_EQ(note_of(restricted, "alpha", "orbital"), "");
  EXPECT_EQ(note_of(restricted, "beta", "beta-density"), "");
  EXPECT_EQ(note_of(sample("oxygen-triplet.fchk.gz"), "beta", "orbital"), "");
}

TEST(Compute, DimensionsAreCentredOnTheNuclei) {
  const Scratch scratch;
  const auto result = run_batch({"compute", sample("water-631gs.fchk.gz"), "--dimensions", "20,30,40",
                                 "--spacing", "0.2", "--json", "-o", scratch.file("homo.cube")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["points"], 20 * 30 * 40);
  const Cube cube = read_cube(scratch.file("homo.cube"));
  EXPECT_EQ(cube.dimensions, (std::array{20, 30, 40}));
  constexpr double step = 0.2 / 0.529177210903;
  EXPECT_NEAR(cube.steps[0], step, 1e-6);
  EXPECT_NEAR(cube.steps[4], step, 1e-6);
  // Psi4's geometry, bohr: y from -1.430901 to 1.430901, z from -0.886659 to 0.221665.
  EXPECT_NEAR(cube.origin[0] + 9.5 * step, 0, 1e-5);
  EXPECT_NEAR(cube.origin[1] + 14.5 * step, 0, 1e-5);
  EXPECT_NEAR(cube.origin[2] + 19.5 * step, (0.221665 - 0.886659) / 2, 1e-5);
}

TEST(Compute, MarginIsAroundTheNuclei) {
  const Scratch scratch;
  const auto result = run_batch({"compute", sample("water-631gs.fchk.gz"), "--field", "density", "--spacing",
                                 "0.25", "--margin", "3", "-o", scratch.file("density.cube")});
  ASSERT_EQ(result.code, 0) << result.err;
  const Cube cube = read_cube(scratch.file("density.cube"));
  constexpr double bohr = 0.529177210903;
  const std::array extent{0.0, 2 * 1.430901, 0.221665 + 0.886659};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double covered = (cube.dimensions[axis] - 1) * 0.25;
    EXPECT_GE(covered, extent[axis] * bohr + 6 - 1e-6);
    EXPECT_LT(covered, extent[axis] * bohr + 6 + 0.5);
  }
  for (const double value : cube.values) ASSERT_GE(value, 0);
}

TEST(Compute, WithoutABoxTheFieldFits) {
  const Scratch scratch;
  const auto result = run_batch({"compute", sample("water-631gs.fchk.gz"), "--orbital", "homo", "--json",
                                 "-o", scratch.file("homo.cube")});
  ASSERT_EQ(result.code, 0) << result.err;
  const Cube cube = read_cube(scratch.file("homo.cube"));
  double norm = 0;
  for (const double value : cube.values) norm += value * value;
  norm *= cube.steps[0] * cube.steps[4] * cube.steps[8];
  EXPECT_NEAR(norm, 1, 2e-3);
}

TEST(Convert, MoldenOfAnFchkIsSound) {
  const Scratch scratch;
  const auto result = run_batch({"convert", sample("water-631gs.fchk.gz"), scratch.file("water.molden")});
  ASSERT_EQ(result.code, 0) << result.err;
  const json facts = describe(scratch.file("water.molden"));
  EXPECT_EQ(facts["format"], "molden");
  EXPECT_EQ(facts["basis_functions"], 19);
  EXPECT_EQ(facts["writer_verdict"], "as written");
}

TEST(Convert, FormatsOfOtherPrograms) {
  const Scratch scratch;
  for (const char* suffix : {"wfx", "cjson"}) {
    const std::string file = scratch.file(std::string("water.") + suffix);
    ASSERT_EQ(run_batch({"convert", sample("water-631gs.fchk.gz"), file}).code, 0);
    const json facts = describe(file);
    EXPECT_EQ(facts["format"], suffix);
    EXPECT_EQ(facts["writer_verdict"], "as written");
    EXPECT_NEAR(facts["electrons"]["from_overlap"].get<double>(), 10, 1e-6);
  }
  const std::string file = scratch.file("water.xyz");
  const auto geometry = run_batch({"convert", sample("water-631gs.fchk.gz"), file});
  ASSERT_EQ(geometry.code, 0);
  EXPECT_EQ(describe(file)["formula"], "H2O");
  EXPECT_NE(geometry.err.find(".xyz files do not hold it: energy (-76.0"), std::string::npos) << geometry.err;
  EXPECT_NE(geometry.err.find("orbitals"), std::string::npos) << geometry.err;
}

TEST(Convert, ACubeOfOrbitalsKeepsTheirNumbers) {
  const Scratch scratch;
  std::ofstream(scratch.file("two.cube"))
      << "two orbitals\nMO\n -1 0 0 0\n 2 1 0 0\n 1 0 1 0\n 1 0 0 1\n 1 1 0 0 0\n 2 12 7\n 0.5 0.25 -1 2\n";
  ASSERT_EQ(run_batch({"convert", scratch.file("two.cube"), scratch.file("copy.cube")}).code, 0);
  const json facts = describe(scratch.file("copy.cube"));
  ASSERT_EQ(facts["fields"].size(), 2u);
  EXPECT_EQ(facts["fields"][0]["name"], "orbital 12");
  EXPECT_EQ(facts["fields"][1]["name"], "orbital 7");
  EXPECT_EQ(facts["fields"][1]["highest"], 2);
}

TEST(Convert, ACubeStaysWhatItWas) {
  const Scratch scratch;
  const std::string file = reference("cubes/water-631gs-Psi_a_5.cube.gz");
  const auto result = run_batch({"convert", file, scratch.file("homo.cube")});
  ASSERT_EQ(result.code, 0) << result.err;
  const json before = describe(file)["fields"][0];
  const json after = describe(scratch.file("homo.cube"))["fields"][0];
  EXPECT_EQ(before["unit"], "bohr^-3/2");
  for (const char* key : {"unit", "dimensions", "lowest", "highest", "integral"}) {
    EXPECT_EQ(after[key], before[key]) << key;
  }
}

TEST(Errors, NameTheFileAndLeaveNothingBehind) {
  const Scratch scratch;
  const auto missing = run_batch({"describe", scratch.file("missing.molden"), "--json"});
  EXPECT_EQ(missing.code, 1);
  expect_complaint(missing, "missing.molden");

  std::ofstream(scratch.file("broken.molden")) << "[Molden Format]\n[Atoms] AU\nO 1 8 0 0 zero\n";
  const auto broken = run_batch({"describe", scratch.file("broken.molden")});
  EXPECT_EQ(broken.code, 1);
  expect_complaint(broken, "broken.molden:3");

  const auto unwritable = run_batch({"compute", sample("water-631gs.fchk.gz"), "--spacing", "0.4", "-o",
                                     scratch.file("no such folder/homo.cube")});
  EXPECT_EQ(unwritable.code, 1);
  expect_complaint(unwritable, "no such folder");

  const auto no_box = run_batch(
      {"compute", sample("water-631gs.fchk.gz"), "--margin", "-2", "-o", scratch.file("homo.cube")});
  EXPECT_EQ(no_box.code, 1);
  expect_complaint(no_box, "no box is left");

  const auto no_orbital =
      run_batch({"compute", sample("water-631gs.fchk.gz"), "--orbital", "20", "-o", scratch.file("a.cube")});
  EXPECT_EQ(no_orbital.code, 1);
  expect_complaint(no_orbital, "19");

  const auto no_wavefunction =
      run_batch({"compute", reference("cubes/water-631gs-Psi_a_5.cube.gz"), "-o", scratch.file("a.cube")});
  EXPECT_EQ(no_wavefunction.code, 1);
  expect_complaint(no_wavefunction, "holds no orbitals");

  const auto compressed =
      run_batch({"compute", sample("water-631gs.fchk.gz"), "-o", scratch.file("homo.cube.gz")});
  EXPECT_EQ(compressed.code, 1);
  expect_complaint(compressed, "homo.cube.gz");
  EXPECT_EQ(scratch.files(), std::vector<std::string>{"broken.molden"});
}

TEST(Errors, CommandLinesThatMakeNoSense) {
  const std::string file = sample("water-631gs.fchk.gz");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {},
           {"paint", file},
           {"describe"},
           {"describe", file, "--colour", "red"},
           {"compute", file},
           {"compute", file, "-o", "x.cube", "--field", "charm"},
           {"compute", file, "-o", "x.cube", "--spacing", "-1"},
           {"compute", file, "-o", "x.cube", "--dimensions", "20,20"},
           {"compute", file, "-o", "x.cube", "--dimensions", "20,20,20", "--like", "y.cube"},
       }) {
    const auto result = run_batch(arguments);
    EXPECT_EQ(result.code, 2) << ::testing::PrintToString(arguments);
    expect_complaint(result, "");
  }
  EXPECT_FALSE(std::filesystem::exists("x.cube"));
}

TEST(Errors, AFullDiskIsNoSuccess) {
  const auto status = std::system(
      ("'" ISOLUME_BATCH "' describe '" + sample("water-631gs.fchk.gz") + "' > /dev/full 2> /dev/null")
          .c_str());
  EXPECT_NE(status, 0);
}

TEST(Errors, AFullDiskLeavesTheOlderFile) {
  SMALL_DISK(disk);
  const std::string cube = disk.path() / "out.cube", molden = disk.path() / "out.molden";
  for (const auto& path : {cube, molden}) std::ofstream(path) << "old";
  disk.fill("filler");
  const std::string input = sample("water-631gs.fchk.gz");
  expect_complaint(run_batch({"convert", input, molden}), "out.molden: could not be written");
  expect_complaint(run_batch({"compute", input, "--spacing", "1", "-o", cube}),
                   "out.cube: could not be written");
  for (const auto& path : {cube, molden}) EXPECT_EQ(read_text_file(path), "old");
}

TEST(Errors, AnInputIsNoOutput) {
  const Scratch scratch;
  const std::string input = scratch.file("water.molden"), cube = scratch.file("a.cube");
  ASSERT_EQ(run_batch({"convert", sample("water-631gs.fchk.gz"), input}).code, 0);
  ASSERT_EQ(run_batch({"compute", input, "--spacing", "1", "-o", cube}).code, 0);
  const std::string molden_before = read_text_file(input), cube_before = read_text_file(cube);
  const std::string link = scratch.file("link.cube");
  std::filesystem::create_symlink(input, link);
  for (const std::vector<std::string>& arguments : {
           std::vector<std::string>{"convert", input, input},
           {"convert", cube, cube},
           {"compute", input, "-o", input},
           {"compute", input, "-o", link},
           {"compute", input, "--like", cube, "-o", cube},
#ifdef ISOLUME_WITH_PICTURES
           {"render", input, "-o", input},
#endif
       }) {
    const auto result = run_batch(arguments);
    EXPECT_EQ(result.code, 1);
    expect_complaint(result, "this is the input file");
  }
  EXPECT_EQ(read_text_file(input), molden_before);
  EXPECT_EQ(read_text_file(cube), cube_before);
}

TEST(Cancelling, LeavesNoFile) {
  const Scratch scratch;
  // 180 orbitals at 10 million points: many seconds on one thread of any machine.
  const auto result =
      test::run_batch_interrupted({"compute", sample("c60.molden.gz"), "--field", "density", "--threads", "1",
                                   "--spacing", "0.06", "--margin", "3", "-o", scratch.file("density.cube")},
                                  std::chrono::milliseconds(1500));
  EXPECT_EQ(result.code, 130) << result.err;
  expect_complaint(result, "cancelled");
  EXPECT_TRUE(scratch.files().empty());
}

TEST(Cancelling, TheSecondSignalEndsWhatDoesNotStop) {
  EXPECT_EQ(test::run_batch_stuck({"describe", sample("c60.molden.gz")}, std::chrono::milliseconds(1500)),
            130);
}

TEST(Compute, GridsThatFitNowhereAreRefusedWithNumbers) {
  const Scratch scratch;
  // 2^31 - 1 points an axis: their number does not fit in 64 bits.
  const auto result = run_batch({"compute", sample("water-631gs.fchk.gz"), "--dimensions",
                                 "2147483647,2147483647,2147483647", "-o", scratch.file("homo.cube")});
  EXPECT_EQ(result.code, 1);
  expect_complaint(result, "EiB");
  EXPECT_TRUE(scratch.files().empty());
}

TEST(Bench, CountsPointsAndWorkAndStaysBelowTheMeasuredPeak) {
  const auto result =
      run_batch({"bench", "orbitals", sample("water-631gs.fchk.gz"), "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 2U);
  for (const json& row : rows) {
    EXPECT_EQ(row["threads"], 1);
    EXPECT_GT(row["median_ms"], 0.0);
    EXPECT_GT(row["gflop"], 0.0);
    EXPECT_GT(row["fraction_of_peak"], 0.0);
    EXPECT_LT(row["fraction_of_peak"], 1.0);
  }
  EXPECT_EQ(rows[0]["field"], "orbital");
  EXPECT_EQ(rows[1]["field"], "density");
}

TEST(Bench, OnlyEnginesThatAreThereAreTimed) {
  const auto result = run_batch({"bench", "orbitals", sample("water-631gs.fchk.gz"), "--engine", "abacus"});
  EXPECT_EQ(result.code, 2);
  expect_complaint(result, "expected one of auto, cpu, cuda, emulated, found \"abacus\"");
}

TEST(Bench, ShortestPathsAreTimedByEngineSizeCostsAndSeed) {
  const auto result = run_batch(
      {"bench", "livewire", "--sizes", "64,96", "--runs", "2", "--moves", "20", "--engine", "cpu", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json rows = json::parse(result.out);
  // Two sizes, three kinds of costs, two seeds; then the pointer on the larger size.
  ASSERT_EQ(rows.size(), 2U * 3U * 2U + 3U);
  for (const json& row : rows) {
    EXPECT_EQ(row["engine"], "cpu");
    EXPECT_EQ(row["neighbours"], 8);
    EXPECT_GT(row["median_ms"], 0.0);
  }
  EXPECT_EQ(rows[0]["measure"], "map");
  EXPECT_NEAR(rows[0]["mpixel_per_second"].get<double>(), 64 * 64 / rows[0]["median_ms"].get<double>() / 1e3,
              1e-9);
  EXPECT_EQ(rows[12]["measure"], "pointer");
  EXPECT_EQ(rows[12]["width"], 96);
  EXPECT_EQ(rows[12]["moves"], 20);
  EXPECT_GE(rows[12]["max_ms"], rows[12]["p95_ms"]);
  const auto table = run_batch({"bench", "livewire", "--sizes", "64", "--runs", "1", "--moves", "5"});
  EXPECT_NE(table.out.find("cpu-delta"), std::string::npos) << table.out;
}

TEST(Bench, ShortestPathsAreTimedWithEveryDeltaThatIsNamed) {
  const auto result = run_batch({"bench", "livewire", "--sizes", "64", "--runs", "1", "--moves", "5",
                                 "--engine", "cpu-delta", "--delta", "100,2000", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 3U * 2U * 2U);  // no pointer, because it does not resume
  EXPECT_EQ(rows[0]["delta"], 100);
  EXPECT_EQ(rows[1]["delta"], 2000);
  EXPECT_EQ(rows[0]["seed"], rows[1]["seed"]);
}

TEST(Bench, ShortestPathsNeedAnEngineAndAnImageThatAreThere) {
  expect_complaint(run_batch({"bench", "livewire", "--engine", "abacus"}), "abacus");
  expect_complaint(run_batch({"bench", "livewire", "nowhere.png"}), "nowhere.png");
}

TEST(Devices, TellsTheCpuAndWhyThereIsNoGpu) {
  const auto result = run_batch({"devices", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json facts = json::parse(result.out);
  EXPECT_EQ(facts["devices"][0]["kind"], "cpu");
  EXPECT_GE(facts["devices"][0]["threads"].get<int>(), 1);
  for (std::size_t i = 0; i < facts["devices"].size(); ++i) {
    const json& device = facts["devices"][i];
    EXPECT_EQ(device["index"], i);
    EXPECT_FALSE(device["detail"].get<std::string>().empty());
    EXPECT_EQ(device["usable"].get<bool>(), !device.contains("unusable_because"));
    EXPECT_EQ(device["usable"].get<bool>(), device["memory_budget_bytes"].get<std::size_t>() > 0);
  }
  EXPECT_EQ(facts["why_no_gpu"].is_null(), facts["devices"].size() > 1);
  EXPECT_FALSE(facts["engines"].empty());
}

#ifdef ISOLUME_WITH_EMULATED_GPUS
TEST(Devices, EmulatedGpusAreListedAndTried) {
  setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
  const auto result = run_batch({"devices", "--json"});
  unsetenv("ISOLUME_EMULATED_DEVICES");
  ASSERT_EQ(result.code, 0) << result.err;
  const json facts = json::parse(result.out);
  ASSERT_EQ(facts["devices"].size(), 3U);
  for (const int position : {1, 2}) {
    const json& device = facts["devices"][position];
    EXPECT_EQ(device["kind"], "emulated-gpu");
    EXPECT_EQ(device["memory_bytes"], std::size_t{1} << 30);
    EXPECT_TRUE(device["usable"]) << device;
  }
}

TEST(Compute, EmulatedGpusRunAKernelThatWasJustCompiled) {
  const Scratch scratch;
  setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
  setenv("XDG_CACHE_HOME", scratch.file("cache").c_str(), 1);
  const auto compute = [&](const std::string& kernel) {
    return run_batch({"compute", sample("water-631gs.fchk.gz"), "--engine", "emulated", "--kernel", kernel,
                      "--spacing", "0.5", "--json", "-o", scratch.file(kernel)});
  };
  const auto generated = compute("generated");
  const auto separable = compute("separable");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("ISOLUME_EMULATED_DEVICES");
  ASSERT_EQ(generated.code, 0) << generated.err;
  ASSERT_EQ(separable.code, 0) << separable.err;
  EXPECT_EQ(json::parse(generated.out)["how"], "generated kernel: it was asked for");
  const Cube one = read_cube(scratch.file("generated"));
  const Cube other = read_cube(scratch.file("separable"));
  ASSERT_EQ(one.values.size(), other.values.size());
  for (std::size_t i = 0; i < one.values.size(); ++i) EXPECT_NEAR(one.values[i], other.values[i], 1e-6);
}

TEST(Bench, KernelsAndSeveralEmulatedGpusAreTimedSideBySide) {
  setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
  const std::vector<std::string> command{
      "bench", "orbitals", sample("water-631gs.fchk.gz"), "--engine", "emulated", "--devices", "2,1"};
  const auto table = run_batch(command);
  auto with_json = command;
  with_json.emplace_back("--json");
  const auto result = run_batch(with_json);
  auto wrong = command;
  wrong.back() = "0";
  const auto refused = run_batch(wrong);
  unsetenv("ISOLUME_EMULATED_DEVICES");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("say nothing about the speed"), std::string::npos) << table.out;
  expect_complaint(refused, "GPUs in use (1, 2)");
  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, int> timed;
  std::vector<json> by_devices;
  for (const json& row : json::parse(result.out)) {
    EXPECT_EQ(row["emulated"], true);
    if (row["table"] == "devices") by_devices.push_back(row["devices"]);
    if (row["table"] != "kernels" || row.contains("unavailable")) continue;
    ++timed[row["kernel"]];
    EXPECT_LT(row["largest_difference"], 1e-6) << row;
    EXPECT_LT(row["error_over_max"], 1e-6) << row;
    EXPECT_GT(row["error_over_max"], 0.0) << row;
    EXPECT_GT(row["samples"], 1000) << row;
    EXPECT_EQ(row["bound_ms"], std::max(row["flop_bound_ms"], row["write_bound_ms"])) << row;
    EXPECT_GT(row["device_ms"], 0.0) << row;
    EXPECT_GT(row["delivered_ms"], 0.0) << row;
  }
  for (const char* kernel :
       {"separable", "separable-ahead", "constant", "tiled", "cached", "range-limited"}) {
    EXPECT_EQ(timed[kernel], 2) << kernel;
  }
  EXPECT_EQ(by_devices, (std::vector<json>{{2}, {2, 1}}));
}

TEST(Bench, ShortestPathsOfGpusAreCountedAndComparedWithTheReference) {
  setenv("ISOLUME_EMULATED_DEVICES", "sm90 1GiB", 1);
  const std::vector<std::string> command{"bench", "livewire", "--sizes", "40",       "--runs",
                                         "1",     "--moves",  "5",       "--engine", "emulated"};
  const auto table = run_batch(command);
  auto with_json = command;
  with_json.emplace_back("--json");
  const auto result = run_batch(with_json);
  setenv("ISOLUME_EMULATED_DEVICES", "sm90 1GiB fails@40", 1);
  const auto broken = run_batch(with_json);
  unsetenv("ISOLUME_EMULATED_DEVICES");
  EXPECT_NE(table.out.find("wrong pixels"), std::string::npos) << table.out;
  ASSERT_EQ(result.code, 0) << result.err;
  const json rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 3U * 2U * 2U);  // costs, seeds, kernels
  for (const json& row : rows) {
    EXPECT_EQ(row["wrong_pixels"], 0) << row;
    EXPECT_EQ(row["largest_difference"], 0) << row;
    EXPECT_GT(row["passes"], 1) << row;
    EXPECT_GT(row["launches"], row["passes"]) << row;
    EXPECT_GT(row["relaxations"], 40 * 40) << row;
    EXPECT_NEAR(row["us_per_pass"].get<double>(),
                1e3 * row["passes_ms"].get<double>() / row["passes"].get<double>(), 1e-6);
  }
  ASSERT_EQ(broken.code, 0) << broken.err;
  const json failed = json::parse(broken.out);
  EXPECT_EQ(failed.size(), rows.size());
  EXPECT_TRUE(failed.back().contains("unavailable"));
}

/// `bench gpu` on these devices; its rows by table.
std::map<std::string, std::vector<json>> parts_of(const std::string& devices,
                                                  std::vector<std::string> arguments = {}) {
  setenv("ISOLUME_EMULATED_DEVICES", devices.c_str(), 1);
  arguments.insert(arguments.begin(), {"bench", "gpu", "--json"});
  const auto result = run_batch(arguments);
  unsetenv("ISOLUME_EMULATED_DEVICES");
  EXPECT_EQ(result.code, 0) << result.err;
  std::map<std::string, std::vector<json>> tables;
  for (const json& row : json::parse(result.out)) tables[row["table"]].push_back(row);
  return tables;
}

TEST(Bench, ThePartsOfAGpuAreTimedOneByOne) {
  auto tables = parts_of("2x sm90 1GiB", {"--devices", "2"});
  EXPECT_EQ(tables["launches"].size(), 2U);
  EXPECT_EQ(tables["waits"].size(), 2U);
  EXPECT_EQ(tables["transfers"].size(), 14U);
  EXPECT_EQ(tables["bounds"].size(), 2U);
  ASSERT_EQ(tables["surfaces"].size(), 1U);
  EXPECT_EQ(tables["volumes"].size(), 6U);
  for (const auto& [name, rows] : tables) {
    for (const json& row : rows) {
      EXPECT_EQ(row["device"], 2);
      EXPECT_FALSE(row.contains("unavailable")) << row;
    }
  }
  const json& surfaces = tables["surfaces"].front();
  EXPECT_GT(surfaces["triangles"], 500);
  EXPECT_NEAR(surfaces["bound_ms"].get<double>(),
              1e-6 * surfaces["moved_bytes"].get<double>() / tables["bounds"][0]["measured"].get<double>(),
              1e-9);
}

TEST(Bench, SurfacesAreFoundInTheFieldOfAFile) {
  auto tables = parts_of("sm90 1GiB", {sample("water-631gs.fchk.gz"), "--isovalue", "0.05"});
  ASSERT_EQ(tables["surfaces"].size(), 1U);
  EXPECT_EQ(tables["surfaces"][0]["isovalue"], 0.05);
  EXPECT_GT(tables["surfaces"][0]["triangles"], 50);
}

TEST(Bench, APartThatFailsSaysWhyAndTheOthersAreTimed) {
  // Room for one large buffer, but not for two.
  setenv("ISOLUME_GPU_MEMORY_BUDGET", "100KiB", 1);
  auto tables = parts_of("sm90 1GiB");
  unsetenv("ISOLUME_GPU_MEMORY_BUDGET");
  ASSERT_EQ(tables["transfers"].size(), 14U);
  for (const json& row : tables["transfers"]) {
    const bool two_large = row["kind"] == "device to device" && row["bytes"] == 65536;
    EXPECT_EQ(row.contains("unavailable"), two_large) << row;
  }
  EXPECT_GT(tables["bounds"][0]["measured"], 0.0);
  setenv("ISOLUME_EMULATED_DEVICES", "sm90 1GiB fails@1", 1);
  const auto broken = run_batch({"bench", "gpu"});
  unsetenv("ISOLUME_EMULATED_DEVICES");
  EXPECT_EQ(broken.code, 0) << broken.err;
  EXPECT_NE(broken.out.find("cannot: "), std::string::npos) << broken.out;
}
#endif

TEST(Bench, WithoutAGpuItsPartsAreNotTimed) {
  const auto result = run_batch({"bench", "gpu", "--devices", "0"});
  EXPECT_EQ(result.code, 1);
}

TEST(Precompile, KeepsKernelsForGpusThatAreNotHere) {
  const Scratch scratch;
  const std::string folder = scratch.file("kernels");
  const std::vector<std::string> arguments{
      "precompile", sample("benzene.fchk.gz"), "--compute-capability", "9.0", "--into", folder};
  const auto result = run_batch(arguments);
  if (result.code != 0) {
    const bool reason = result.err.find("built without CUDA") != std::string::npos ||
                        result.err.find("libnvrtc") != std::string::npos;
    ASSERT_TRUE(reason) << result.err;
    GTEST_SKIP() << result.err;
  }
  EXPECT_NE(result.out.find("compiled for 9.0"), std::string::npos) << result.out;
  const auto kernels = [&] { return std::distance(std::filesystem::directory_iterator(folder), {}); };
  EXPECT_EQ(kernels(), 2) << "one for an orbital, one for the density";
  EXPECT_EQ(run_batch(arguments).code, 0);
  EXPECT_EQ(kernels(), 2) << "nothing is compiled twice";
}

TEST(Precompile, RefusesWhatIsNoComputeCapability) {
  for (const std::string text : {"9", "90", "nine", "9.0a", ".0", "123.0"}) {
    expect_complaint(run_batch({"precompile", sample("benzene.fchk.gz"), "--compute-capability", text,
                                "--into", "/nowhere"}),
                     "expected a number such as 9.0");
  }
}

TEST(Manual, ReferencePagesAndCompletionAreCurrent) {
  const auto commands = run_batch({"manual", "commands"});
  ASSERT_EQ(commands.code, 0) << commands.err;
  EXPECT_EQ(commands.out, read_text_file(ISOLUME_MANUAL "/command-reference.md"))
      << "Run: isolume-batch manual commands > resources/manual/command-reference.md";
  const auto parameters = run_batch({"manual", "parameters"});
  EXPECT_EQ(parameters.out, read_text_file(ISOLUME_MANUAL "/parameter-reference.md"))
      << "Run: isolume-batch manual parameters > resources/manual/parameter-reference.md";
#ifdef ISOLUME_WITH_PICTURES  // without, render has no options
  const auto batch = run_batch({"manual"});
  ASSERT_EQ(batch.code, 0) << batch.err;
  EXPECT_EQ(batch.out, read_text_file(ISOLUME_MANUAL "/batch-reference.md"))
      << "Run: isolume-batch manual > resources/manual/batch-reference.md";
  for (const std::string shell : {"bash", "zsh"}) {
    const auto completion = run_batch({"completion", shell});
    ASSERT_EQ(completion.code, 0) << completion.err;
    EXPECT_EQ(completion.out, read_text_file(ISOLUME_COMPLETION "/isolume." + shell))
        << "Run: isolume-batch completion " << shell << " > packaging/completion/isolume." << shell;
  }
#endif
}

/// Whatever a lab opens by a suffix that is its own, desktops offer Isolume for.
TEST(Desktop, KnowsTheFormatsOfAllLabs) {
  const auto types = run_batch({"mime-types"});
  ASSERT_EQ(types.code, 0) << types.err;
  EXPECT_EQ(types.out, read_text_file(ISOLUME_DESKTOP "/isolume.xml"))
      << "Run: isolume-batch mime-types > packaging/desktop/isolume.xml";
  const auto list = run_batch({"mime-types", "--list"});
  ASSERT_EQ(list.code, 0) << list.err;
  EXPECT_NE(read_text_file(ISOLUME_DESKTOP "/isolume.desktop").find("\nMimeType=" + list.out),
            std::string::npos)
      << "The line is to be: MimeType=" << list.out;
  for (const std::string type :
       {"chemical/x-pqr", "chemical/x-gaussian-checkpoint", "application/dicom", "application/x-tipsy"})
    EXPECT_NE(list.out.find(type + ";"), std::string::npos) << type;
}

std::string in_quotes(const std::string& word) {
  return '"' + word + '"';
}

/// What bash offers for the last of the words.
std::string completed(const std::vector<std::string>& words) {
  const Scratch scratch;
  std::ofstream script(scratch.file("complete.bash"));
  script << "source '" ISOLUME_COMPLETION "/isolume.bash'\nCOMP_WORDS=(";
  for (const std::string& each : words) script << "'" << each << "' ";
  script << ")\nCOMP_CWORD=" << words.size() - 1 << "\n_isolume_complete " << words.front()
         << "\necho ${COMPREPLY[@]}\n";
  script.close();
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(
      popen(("bash " + in_quotes(scratch.file("complete.bash"))).c_str(), "r"), pclose);
  std::string out;
  for (int c = 0; (c = std::fgetc(pipe.get())) != EOF;) out += static_cast<char>(c);
  return out;
}

TEST(Completion, OffersVerbsOptionsAndChoices) {
  EXPECT_EQ(completed({"isolume-batch", "orb"}), "orbitals\n");
  EXPECT_EQ(completed({"isolume-batch", "orbitals", "conv"}), "convert\n");
  EXPECT_EQ(completed({"isolume-batch", "orbitals", "compute", "x.fchk", "--marg"}), "--margin\n");
  EXPECT_EQ(completed({"isolume-batch", "compute", "--field", "spin"}), "spin-density\n") << "a short form";
  EXPECT_EQ(completed({"isolume-batch", "livewire", "trace", "--axis", "cor"}), "coronal\n");
  EXPECT_EQ(completed({"isolume", "--command", "orbitals.ho"}), "orbitals.homo\n");
  EXPECT_EQ(completed({"isolume", "--scr"}), "--script --screenshot\n");
}

TEST(Verbs, BelongToLabsAndHaveShortForms) {
  const std::string file = sample("water-631gs.fchk.gz");
  const auto full = run_batch({"orbitals", "describe", file});
  ASSERT_EQ(full.code, 0) << full.err;
  EXPECT_EQ(full.out, run_batch({"describe", file}).out);
  const auto wrong = run_batch({"orbitals", "describe"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("See isolume-batch orbitals describe --help."), std::string::npos) << wrong.err;
  EXPECT_NE(run_batch({"livewire", "--help"}).out.find("trace"), std::string::npos);
}

TEST(Commands, AreListedWithTypesUnitsAndRanges) {
  const auto result = run_batch({"commands", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  std::map<std::string, json> all;
  for (const json& each : json::parse(result.out)) all[each["name"]] = each;
  const json& move = all.at("orbitals.slice.move");
  EXPECT_TRUE(move["needs_window"]);
  EXPECT_EQ(move["arguments"][0]["type"], "number");
  EXPECT_EQ(move["arguments"][0]["range"], json({0.0, 1.0}));
  EXPECT_EQ(all.at("livewire.press")["arguments"][1]["unit"], "px");
  const json& trace = all.at("livewire.trace");
  EXPECT_FALSE(trace["needs_window"]);
  const auto argument = [&](const json& command, const std::string& name) {
    for (const json& each : command["arguments"]) {
      if (each["name"] == name) return each;
    }
    return json();
  };
  EXPECT_EQ(argument(all.at("file.open"), "path")["type"], "path");
  EXPECT_EQ(argument(trace, "snap")["unit"], "px");
  EXPECT_EQ(argument(trace, "snap")["range"], json({0.0, 1000.0}));
  EXPECT_EQ(argument(trace, "IMAGE")["type"], "path");
  EXPECT_EQ(argument(all.at("orbitals.compute"), "margin")["unit"], "angstrom");
  for (const auto& [name, command] : all) {
    EXPECT_FALSE(command["help"].get<std::string>().empty()) << name;
    for (const json& each : command["arguments"])
      EXPECT_FALSE(each["help"].get<std::string>().empty()) << name << ' ' << each["name"];
  }
  for (const json& each : json::parse(run_batch({"commands", "--lab", "livewire", "--json"}).out))
    EXPECT_TRUE(each["name"].get<std::string>().starts_with("livewire.")) << each["name"];
  expect_complaint(run_batch({"commands", "--lab", "nothing"}), "nothing");
}

TEST(Script, RunsWhatNeedsNoWindowAndStopsAtTheFirstErrorWithItsLine) {
  const Scratch scratch;
  const std::string file = in_quotes(sample("water-631gs.fchk.gz"));
  const auto script = [&](const std::string& text) {
    std::ofstream(scratch.file("a.script")) << text;
    return run_batch({"script", scratch.file("a.script")});
  };
  const auto good = script("# water\norbitals.convert " + file + " " + in_quotes(scratch.file("w.molden")) +
                           "\n\ndescribe " + file + "\n");
  EXPECT_EQ(good.code, 1) << "names are the full ones";
  EXPECT_NE(good.err.find("a.script:4: There is no command named"), std::string::npos) << good.err;
  EXPECT_NE(good.err.find("orbitals.describe"), std::string::npos) << good.err;
  EXPECT_TRUE(std::filesystem::exists(scratch.file("w.molden")));
  const auto both = script("orbitals.convert " + file + " " + in_quotes(scratch.file("w.xyz")) +
                           "\norbitals.describe " + in_quotes(scratch.file("w.xyz")) + "\n");
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_NE(both.out.find("w.xyz"), std::string::npos);
  const auto window =
      script("orbitals.describe " + file + "\norbitals.slice.toggle\norbitals.describe " + file);
  EXPECT_EQ(window.code, 1);
  EXPECT_NE(
      window.err.find("a.script:2: orbitals.slice.toggle cannot run here: it needs a window. Run the script "
                      "with isolume --script"),
      std::string::npos)
      << window.err;
  const auto failing = script("orbitals.describe\n");
  EXPECT_EQ(failing.code, 1);
  EXPECT_NE(failing.err.find("a.script:1: FILE is required"), std::string::npos) << failing.err;
  expect_complaint(run_batch({"script", scratch.file("missing")}), "missing");
}

TEST(Script, ThatRunsItselfIsRefused) {
  const Scratch scratch;
  const auto line = [&](const std::string& name) { return "script " + in_quotes(scratch.file(name)) + "\n"; };
  std::ofstream(scratch.file("self.script")) << line("self.script");
  const auto itself = run_batch({"script", scratch.file("self.script")});
  EXPECT_EQ(itself.code, 1);
  EXPECT_NE(itself.err.find("self.script:1: "), std::string::npos) << itself.err;
  EXPECT_NE(itself.err.find("would run itself"), std::string::npos) << itself.err;
  std::ofstream(scratch.file("a.script")) << "commands --lab livewire\n" << line("b.script");
  std::ofstream(scratch.file("b.script")) << line("a.script");
  const auto by_another = run_batch({"script", scratch.file("a.script")});
  EXPECT_EQ(by_another.code, 1);
  EXPECT_NE(by_another.err.find("would run itself"), std::string::npos) << by_another.err;
  std::ofstream(scratch.file("twice.script")) << line("good.script") << line("good.script");
  std::ofstream(scratch.file("good.script")) << "commands --lab livewire\n";
  EXPECT_EQ(run_batch({"script", scratch.file("twice.script")}).code, 0);
}

#ifdef ISOLUME_WITH_PICTURES
TEST(Render, ASessionIsDrawnAsItWasLeft) {
  const test::Scratch scratch;
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string session = scratch.file("work.isolume");
  const auto write = [&](const std::string& data, const std::string& state) {
    std::ofstream(session)
        << R"({"isolume-session":1,"shown":"orbitals","layout":"","labs":[{"lab":"orbitals",)"
        << R"("camera":"top","state":)" << state << R"(,"parameters":{"orbital":"homo-1",)"
        << R"("isovalue-mode":"value","isovalue":"0.05","opacity":"0.4"},"data":{"path":")" << data
        << R"(","beside":"","bytes":1,"xxh3":""}}]})";
  };
  const std::string data = sample("water-631gs.fchk.gz");
  write(data, "{}");
  const std::string drawn = scratch.file("a.png"), told = scratch.file("b.png");
  ASSERT_EQ(run_batch({"render", session, "--size", "200x150", "-o", drawn}).code, 0);
  ASSERT_EQ(run_batch({"render", data, "--orbital", "homo-1", "--isovalue", "0.05", "--opacity", "0.4",
                       "--camera", "top", "--size", "200x150", "-o", told})
                .code,
            0);
  EXPECT_EQ(bytes(drawn), bytes(told));
  // The command line has the last word.
  ASSERT_EQ(run_batch({"render", session, "--orbital", "lumo", "--size", "200x150", "-o", drawn}).code, 0);
  EXPECT_NE(bytes(drawn), bytes(told));

  write(scratch.file("gone.fchk"), "{}");
  expect_complaint(run_batch({"render", session, "-o", drawn}), "which was not found");
  write(data, R"({"field":"many"})");
  expect_complaint(run_batch({"render", session, "-o", drawn}), "state cannot be read");
}

TEST(Render, DrawsWithoutADisplay) {
  const Scratch scratch;
  const auto result = run_batch({"render", sample("water-631gs.fchk.gz"), "--isovalue", "0.05", "--size",
                                 "320x240", "--json", "-o", scratch.file("homo.png")});
  ASSERT_EQ(result.code, 0) << result.err;
  const json facts = json::parse(result.out);
  EXPECT_NEAR(facts["isovalue"].get<double>(), 0.05, 1e-12);
  EXPECT_GT(facts["triangles"].get<int>(), 1000);
  const std::string png = read_text_file(scratch.file("homo.png"));
  ASSERT_GT(png.size(), 2000u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto size_at = [&](std::size_t at) {
    return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
  };
  EXPECT_EQ(size_at(16), 320);
  EXPECT_EQ(size_at(20), 240);
}

TEST(Render, ColoursByThePotentialInTheUnitThatIsNamed) {
  const Scratch scratch;
  const auto result =
      run_batch({"render", sample("water-631gs.fchk.gz"), "--field", "density", "--isovalue", "0.002",
                 "--potential-unit", "mV", "--size", "64x64", "--json", "-o", scratch.file("potential.png")});
  ASSERT_EQ(result.code, 0) << result.err;
  const json colours = json::parse(result.out)["colours"];
  EXPECT_EQ(colours["unit"], "mV");
  EXPECT_EQ(colours["field"], "Electrostatic potential");
}

TEST(Render, EnclosedFractionGivesTheIsovalueOfPsi4) {
  const Scratch scratch;
  const auto result = run_batch({"render", reference("cubes/water-631gs-Psi_a_5.cube.gz"), "--enclosed",
                                 "0.85", "--size", "64x64", "--json", "-o", scratch.file("homo.png")});
  ASSERT_EQ(result.code, 0) << result.err;
  // Psi4 says in the cube's comment: "Isocontour range for 85% of the density: (0.0809601,-0.0809601)". How
  // points of the last shell are counted is free: 1 %.
  EXPECT_NEAR(json::parse(result.out)["isovalue"].get<double>(), 0.0809601, 0.0008);
}

TEST(Render, RefusesTwoIsovaluesAndStrangeSizes) {
  const std::string file = sample("water-631gs.fchk.gz");
  expect_complaint(run_batch({"render", file, "--isovalue", "0.1", "--enclosed", "0.5", "-o", "x.png"}),
                   "--enclosed");
  expect_complaint(run_batch({"render", file, "--size", "100", "-o", "x.png"}), "--size");
  EXPECT_FALSE(std::filesystem::exists("x.png"));
}
#else
TEST(Render, SaysThatItIsNotBuiltIn) {
  const auto result = run_batch({"render", sample("water-631gs.fchk.gz"), "-o", "x.png"});
  EXPECT_EQ(result.code, 1);
  expect_complaint(result, "without pictures");
}
#endif

}  // namespace
}  // namespace isolume
