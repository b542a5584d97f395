#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/text_file.h"
#include "core/electrostatics/maps/opendx.h"
#include "core/molecules/document.h"
#include "tests/app/batch/program.h"
#include "tests/full_disk.h"

namespace isolume {
namespace {

using nlohmann::json;
using test::run_batch;
using test::Scratch;

const std::string references = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";
const std::string molecule = references + "1FAS.pqr";

test::Result potential(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"electrostatics", "potential"});
  return run_batch(arguments);
}

void expect_electrostatics_complaint(const test::Result& result, int code, const std::string& part) {
  EXPECT_EQ(result.code, code);
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
  EXPECT_NE(result.err.find(part), std::string::npos) << result.err;
  EXPECT_EQ(result.out, "");
}

/// Numbers of a table's lines that are not words.
std::vector<std::vector<double>> numbers_of(const std::string& path) {
  std::istringstream text(read_text_file(path));
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with('#') || line.starts_with('x')) continue;
    std::istringstream cells(line);
    rows.emplace_back();
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(std::stod(cell));
  }
  return rows;
}

TEST(ElectrostaticsBatch, PotentialsAtPlacesAreThoseOfAnotherProgram) {
  const Scratch scratch;
  const std::string places = references + "1FAS-coulomb-points.csv", output = scratch.file("v.csv");
  const auto result = potential({molecule, "--points", places, "-o", output, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto found = numbers_of(output), expected = numbers_of(places);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), 4U);
    EXPECT_EQ(found[i][1], expected[i][1]);
    EXPECT_NEAR(found[i][3], expected[i][3], 1e-9 * std::abs(expected[i][3]));
  }
  const auto told = json::parse(result.out);
  EXPECT_EQ(told["method"], "direct");
  EXPECT_EQ(told["unit"], "kT/e");
  EXPECT_EQ(told["points"], 200);
  EXPECT_NEAR(told["charge"].get<double>(), 4, 1e-9);
  EXPECT_TRUE(told["without_parameters"].empty());
  EXPECT_GE(told["seconds"]["sums"].get<double>(), 0);
}

TEST(ElectrostaticsBatch, MapsAreWrittenOnAGridOfOnesOwnAndOnThatOfAnother) {
  const Scratch scratch;
  const auto first = potential({molecule, "--spacing", "2", "--margin", "6", "--method", "debye-hueckel",
                                "--salt", "0.1", "-o", scratch.file("one.dx.gz")});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NE(first.out.find("913 atoms, charge 4.0000 e"), std::string::npos) << first.out;
  for (const auto* name : {"two.dx", "two.cube"}) {
    const auto again = potential({molecule, "--like", scratch.file("one.dx.gz"), "--method", "debye-hueckel",
                                  "--salt", "0.1", "-o", scratch.file(name)});
    ASSERT_EQ(again.code, 0) << again.err;
  }
  EXPECT_EQ(read_text_file(scratch.file("two.dx")), read_text_file(scratch.file("one.dx.gz")));
  // The potential of the nearest charges, wherever its grid is written in bohr: a wrong factor would move it.
  const auto map = electrostatics::read_opendx(scratch.file("two.dx"));
  const auto cube = *molecules::read_document(scratch.file("two.cube")).fields.at(0);
  ASSERT_EQ(cube.grid.dimensions, map.grid.dimensions);
  EXPECT_NEAR(cube.grid.position(3, 4, 5).y() * 0.529177210903, map.grid.position(3, 4, 5).y(), 1e-6);
  for (const int at : {0, 3, 7})
    EXPECT_NEAR(cube.at(at, at, at), map.at(at, at, at), 1e-5 * std::abs(map.at(at, at, at)));
  // A cube's grid is another's, too, and the cube is one that this program reads.
  const auto described = run_batch({"describe", scratch.file("two.cube"), "--json"});
  ASSERT_EQ(described.code, 0) << described.err;
  const auto like_cube = potential({molecule, "--like", scratch.file("two.cube"), "--method", "debye-hueckel",
                                    "--salt", "0.1", "-o", scratch.file("three.cube")});
  ASSERT_EQ(like_cube.code, 0) << like_cube.err;
}

constexpr double coulomb = 560.4593221475;  ///< kT/e angstrom

TEST(ElectrostaticsBatch, PotentialsOnAPlaneAreTheFormula) {
  const Scratch scratch;
  std::ofstream(scratch.file("one.pqr")) << "ATOM 1 NA NA 1 1 2 3 2 1.5\n";
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {scratch.file("one.pqr"), "--plane", "-3,-2,5, 4,0,0, 0,3,4", "--spacing",
                               "0.75", "-o", scratch.file("v.csv")});
    return potential(more);
  };
  // Edges of 4 and 5 angstrom, in steps of 4 / 6 and 5 / 7.
  const auto direct = with({});
  ASSERT_EQ(direct.code, 0) << direct.err;
  auto found = numbers_of(scratch.file("v.csv"));
  ASSERT_EQ(found.size(), 7U * 8U);
  EXPECT_NEAR(found[1][0], -3 + 4.0 / 6, 1e-12);
  EXPECT_NEAR(found.back()[0], 1, 1e-12);
  EXPECT_NEAR(found.back()[1], 1, 1e-12);
  EXPECT_NEAR(found.back()[2], 9, 1e-12);
  const auto distance = [](const std::vector<double>& at) {
    return std::hypot(at[0] - 1, at[1] - 2, at[2] - 3);
  };
  for (const auto& at : found) EXPECT_NEAR(at[3], 2 * coulomb / distance(at), 1e-7);
  // ChimeraX's dielectric of 4 an angstrom.
  const auto growing = with({"--dielectric", "distance", "--solute-dielectric", "4", "--json"});
  ASSERT_EQ(growing.code, 0) << growing.err;
  EXPECT_NE(json::parse(growing.out)["computed_by"].get<std::string>().find("4 an angstrom"),
            std::string::npos);
  found = numbers_of(scratch.file("v.csv"));
  for (const auto& at : found) EXPECT_NEAR(at[3], 2 * coulomb / (4 * std::pow(distance(at), 2)), 1e-7);
}

/// The array of this name in a .vtp file that write_vtp wrote.
template <class Number>
std::vector<Number> array_of(const std::string& file, const std::string& name) {
  const std::size_t element = file.find("Name=\"" + name + "\"");
  const std::size_t offset = std::stoul(file.substr(file.find("offset=\"", element) + 8));
  const char* const block = file.data() + file.find("encoding=\"raw\">\n_") + 17 + offset;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, block, sizeof bytes);
  std::vector<Number> numbers(bytes / sizeof(Number));
  std::memcpy(numbers.data(), block + sizeof bytes, bytes);
  return numbers;
}

TEST(ElectrostaticsBatch, PotentialsOnASurfaceAndAboveItAreTheFormula) {
  const Scratch scratch;
  std::ofstream(scratch.file("one.pqr")) << "ATOM 1 NA NA 1 1 2 3 2 1.5\n";
  const auto with = [&](const std::string& form, std::vector<std::string> more) {
    more.insert(more.begin(), {scratch.file("one.pqr"), "--on-surface", form, "--spacing", "0.3"});
    const auto result = potential(more);
    EXPECT_EQ(result.code, 0) << result.err;
  };
  const auto distance = [](double x, double y, double z) { return std::hypot(x - 1, y - 2, z - 3); };
  for (const auto& [form, radius] : std::vector<std::pair<std::string, double>>{
           {"vdw", 1.5}, {"sas", 2.9}, {"ses", 1.5}, {"gaussian", 1.5}}) {
    with(form, {"-o", scratch.file("v.csv")});
    const auto found = numbers_of(scratch.file("v.csv"));
    ASSERT_GT(found.size(), 200U) << form;
    for (const auto& at : found) {
      const double r = distance(at[0], at[1], at[2]);
      // Between points 0.3 angstrom apart a Gaussian is bent by 0.027, distances by 0.0075.
      ASSERT_NEAR(r, radius, form == "gaussian" ? 0.03 : 0.01) << form;
      ASSERT_NEAR(at[3], 2 * coulomb / r, 1e-7) << form;
    }
    with(form, {"--above", "1.5", "-o", scratch.file("w.csv")});
    for (const auto& at : numbers_of(scratch.file("w.csv")))
      ASSERT_NEAR(at[3], 2 * coulomb / (radius + 1.5), 0.01 * coulomb) << form;
  }
  with("vdw", {"--above", "1", "-o", scratch.file("v.vtp")});
  const std::string file = read_text_file(scratch.file("v.vtp"));
  const auto values = array_of<double>(file, "Potential / kT/e");
  const auto points = array_of<float>(file, "Points"), normals = array_of<float>(file, "Normals");
  const auto corners = array_of<std::uint32_t>(file, "connectivity"),
             ends = array_of<std::uint32_t>(file, "offsets");
  ASSERT_EQ(points.size(), 3 * values.size());
  ASSERT_EQ(corners.size(), 3 * ends.size());
  EXPECT_EQ(ends.back(), corners.size());
  // Of a closed surface.
  EXPECT_EQ(2 * (values.size() - 2), ends.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto above = [&](std::size_t axis) {
      return static_cast<double>(points[3 * i + axis]) + static_cast<double>(normals[3 * i + axis]);
    };
    ASSERT_NEAR(values[i], 2 * coulomb / distance(above(0), above(1), above(2)), 1e-3);
    ASSERT_NEAR(distance(points[3 * i], points[3 * i + 1], points[3 * i + 2]), 1.5, 0.02);
  }
}

/// On the grid that the equation is solved on, from which the potential above the surface is interpolated.
TEST(ElectrostaticsBatch, ThePotentialOfASolutionAboveASurfaceIsBorns) {
  const Scratch scratch;
  const auto result = potential({references + "born.pqr", "--method", "pb-linear", "--solute-dielectric", "1",
                                 "--salt", "0", "--focusing", "4", "--spacing", "0.25", "--margin", "6",
                                 "--on-surface", "vdw", "--above", "2", "-o", scratch.file("v.csv")});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto found = numbers_of(scratch.file("v.csv"));
  ASSERT_GT(found.size(), 500U);
  for (const auto& at : found) ASSERT_NEAR(at[3], coulomb / 78.54 / std::hypot(at[0], at[1], at[2]), 0.03);
}

TEST(ElectrostaticsBatch, WhatALargeMapTakesIsToldFirst) {
  const Scratch scratch;
  std::ofstream(scratch.file("one.pqr")) << "ATOM 1 NA NA 1 1 2 3 2 1.5\n";
  const auto with = [&](const std::string& spacing) {
    return potential(
        {scratch.file("one.pqr"), "--spacing", spacing, "--margin", "14.6", "-o", scratch.file("v.ccp4")});
  };
  const auto large = with("0.1");
  ASSERT_EQ(large.code, 0) << large.err;
  EXPECT_NE(large.err.find("25153757 points take 96 MiB of memory"), std::string::npos) << large.err;
  EXPECT_EQ(with("1").err, "");
}

TEST(ElectrostaticsBatch, WhatMakesNoSenseIsRefusedAndNothingIsWritten) {
  const Scratch scratch;
  const std::string places = references + "1FAS-coulomb-points.csv";
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& part) {
    expect_electrostatics_complaint(potential(std::move(arguments)), code, part);
    EXPECT_TRUE(scratch.files().empty());
  };
  refused({molecule, "-o", scratch.file("v.csv")}, 2, "--points");
  refused({molecule, "-o", scratch.file("v.txt")}, 2, "v.txt");
  refused({molecule, "--points", places, "-o", scratch.file("v.dx")}, 2, ".csv");
  refused({molecule, "--points", places, "--like", places, "-o", scratch.file("v.csv")}, 2, "--like");
  refused({molecule, "--like", places, "--spacing", "1", "-o", scratch.file("v.dx")}, 2, "--spacing");
  refused({molecule, "--spacing", "0", "-o", scratch.file("v.dx")}, 2, "--spacing");
  refused({molecule, "-o", scratch.file("v.vtp")}, 2, "--on-surface");
  refused({molecule, "--above", "1", "-o", scratch.file("v.dx")}, 2, "--on-surface");
  refused({molecule, "--points", places, "--on-surface", "ses", "-o", scratch.file("v.csv")}, 2,
          "one of them");
  refused({molecule, "--on-surface", "ses", "--margin", "3", "-o", scratch.file("v.csv")}, 2, "--margin");
  refused({molecule, "--on-surface", "tin", "-o", scratch.file("v.csv")}, 2, "on-surface");
  for (const std::string plane :
       {"0,0,0,1,0,0,0,1", "0,0,0,1,0,0,2,0,0", "0,0,0,1,0,0,0,0,0", "0,0,0,1,0,0,0,nan,0"})
    refused({molecule, "--plane", plane, "-o", scratch.file("v.csv")}, 1, "nine numbers");
  refused({molecule, "--plane", "0,0,0,1e6,0,0,0,1e6,0", "--spacing", "0.01", "-o", scratch.file("v.csv")}, 1,
          "larger spacing");
  for (const std::string method :
       {"debye-hueckel", "fmm", "multilevel", "pme", "pb-linear", "pb-nonlinear"}) {
    refused({molecule, "--method", method, "--dielectric", "distance", "-o", scratch.file("v.dx")}, 2,
            "--dielectric applies to --method direct or cutoff only");
  }
  refused({molecule, "--method", "magic", "-o", scratch.file("v.dx")}, 2, "method: \"magic\"");
  refused({molecule, "--salt", "-1", "-o", scratch.file("v.dx")}, 2, "salt");
  refused({molecule, "--spacing", "0.01", "--margin", "1000", "-o", scratch.file("v.dx")}, 1,
          "larger spacing");
  refused({molecule, "--method", "pme", "-o", scratch.file("v.dx")}, 1, "62,62,70");
  refused({molecule, "--method", "multilevel", "--error", "1e-11", "-o", scratch.file("v.dx")}, 1, "1e-11");
  refused({scratch.file("none.pqr"), "-o", scratch.file("v.dx")}, 1, "none.pqr");
  refused({places, "-o", scratch.file("v.dx")}, 1, "no atom");
}

/// One of the corners of a cell of rock salt is on the place: -1.747564594633 e over half of the cell.
TEST(ElectrostaticsBatch, PotentialsInAPeriodicBoxAreMadelungs) {
  const Scratch scratch;
  std::ofstream pqr(scratch.file("salt.pqr"));
  for (int i = 0; i < 8; ++i) {
    const int x = i & 1, y = i >> 1 & 1, z = i >> 2;
    pqr << "ATOM " << i + 1 << " I SLT " << i + 1 << ' ' << 3 * x << ' ' << 3 * y << ' ' << 3 * z << ' '
        << ((x + y + z) % 2 == 0 ? 1 : -1) << " 1.5\n";
  }
  pqr.close();
  std::ofstream(scratch.file("places.csv")) << "x,y,z\n0,0,0\n-6,9,12\n";
  const auto with = [&](const std::string& box) {
    return potential({scratch.file("salt.pqr"), "--points", scratch.file("places.csv"), "--method", "pme",
                      "--box", box, "--error", "1e-6", "-o", scratch.file("v.csv")});
  };
  const auto result = with("6,6,6");
  ASSERT_EQ(result.code, 0) << result.err;
  const auto found = numbers_of(scratch.file("v.csv"));
  constexpr double expected = 1.747564594633 * 560.4593221475 / 3;
  EXPECT_NEAR(found.at(0).at(3), -expected, 1e-6 * expected);
  EXPECT_NEAR(found.at(1).at(3), expected, 1e-6 * expected) << "an image of an ion of the other sign";
  expect_electrostatics_complaint(with("6,6"), 1, "three numbers");
}

/// The primitive cell of rock salt, whose edges are at 60 degrees, as three formats state it.
TEST(ElectrostaticsBatch, SkewedCellsOfFilesAreRepeated) {
  const Scratch scratch;
  std::ofstream(scratch.file("p.csv")) << "x,y,z\n0,0,0\n";
  std::ofstream(scratch.file("salt.pqr"))
      << "CRYST1    4.000    4.000    4.000  60.00  60.00  60.00 P 1\n"
         "ATOM 1 NA NA 1 0 0 0 1 1.5\nATOM 2 CL CL 2 4 2.30940108 1.63299316 -1 1.5\n";
  std::ofstream(scratch.file("salt.gro"))
      << "salt\n2\n    1NA      NA    1   0.000   0.000   0.000\n"
         "    2CL      CL    2   0.400   0.231   0.163\n"
         "   0.40000   0.34641   0.32660   0.00000   0.00000   0.20000   0.00000   0.20000   0.11547\n";
  std::ofstream(scratch.file("salt.itp")) << "[ moleculetype ]\nSALT 1\n[ atoms ]\n1 Na 1 NA NA 1 1\n"
                                             "2 Cl 2 CL CL 2 -1\n";
  std::string cif = "data_SALT\n";
  for (const std::string edge : {"a", "b", "c"}) cif += "_cell.length_" + edge + " 4.0\n";
  for (const std::string angle : {"alpha", "beta", "gamma"}) cif += "_cell.angle_" + angle + " 60\n";
  cif += "loop_\n";
  for (const std::string column :
       {"group_PDB", "id", "type_symbol", "label_atom_id", "label_alt_id", "label_comp_id", "label_asym_id",
        "label_seq_id", "Cartn_x", "Cartn_y", "Cartn_z"})
    cif += "_atom_site." + column + '\n';
  std::ofstream(scratch.file("salt.cif")) << cif
                                          << "HETATM 1 NA NA . NA A 1 0 0 0\n"
                                             "HETATM 2 CL CL . CL B 2 4 2.30940108 1.63299316\n";
  const double expected = -1.747564594633 * 560.4593221475 / std::sqrt(8);
  for (const auto& [words, error] : std::vector<std::pair<std::vector<std::string>, double>>{
           {{scratch.file("salt.pqr")}, 1e-6},
           {{scratch.file("salt.cif")}, 1e-6},
           {{scratch.file("salt.pqr"), "--box", "4,4,4,60,60,60"}, 1e-6},
           // Its places have three decimals of a nanometre.
           {{scratch.file("salt.gro"), "--topology", scratch.file("salt.itp")}, 1e-3}}) {
    auto all = words;
    all.insert(all.end(), {"--points", scratch.file("p.csv"), "--method", "pme", "--cutoff", "9", "--error",
                           "1e-7", "-o", scratch.file("v.csv")});
    const auto result = potential(all);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NEAR(numbers_of(scratch.file("v.csv")).at(0).at(3), expected, -error * expected) << words[0];
  }
}

/// Born's ion: q^2 / (2 R) (1 / 78.54 - 1) = -228.61 kJ/mol, and C q / (78.54 r) outside of it.
TEST(ElectrostaticsBatch, ThePoissonBoltzmannEquationGivesAMapAnEnergyAndPotentialsAtPlaces) {
  const Scratch scratch;
  const std::vector<std::string> how{references + "born.pqr",
                                     "--method",
                                     "pb-linear",
                                     "--solute-dielectric",
                                     "1",
                                     "--salt",
                                     "0",
                                     "--focusing",
                                     "4"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), how.begin(), how.end());
    return potential(more);
  };
  const auto mapped = with({"--spacing", "0.25", "--margin", "6", "-o", scratch.file("v.dx"), "--json"});
  ASSERT_EQ(mapped.code, 0) << mapped.err;
  const auto told = json::parse(mapped.out);
  EXPECT_NEAR(told["energy"]["polar_solvation_kj_per_mol"].get<double>(), -228.61, 0.2);
  EXPECT_LT(told["energy"]["error_estimate_kj_per_mol"].get<double>(), 2);
  EXPECT_EQ(told["points"], 49 * 49 * 49);
  EXPECT_GT(told["seconds"]["solution"].get<double>(), 0);
  const auto map = electrostatics::read_opendx(scratch.file("v.dx"));
  EXPECT_EQ(map.unit, "kT/e");
  EXPECT_NEAR(map.at(24, 24, 46), 560.4593 / 78.54 / 5.5, 0.02);

  std::ofstream(scratch.file("places.csv")) << "x,y,z\n0,0,5.5\n4.1,0,0\n";
  const auto at = with({"--points", scratch.file("places.csv"), "--spacing", "0.25", "--margin", "6", "-o",
                        scratch.file("v.csv")});
  ASSERT_EQ(at.code, 0) << at.err;
  EXPECT_NE(at.out.find("polar solvation energy -228."), std::string::npos) << at.out;
  const auto found = numbers_of(scratch.file("v.csv"));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0][3], 560.4593 / 78.54 / 5.5, 0.02);
  EXPECT_NEAR(found[1][3], 560.4593 / 78.54 / 4.1, 0.03);

  std::ofstream(scratch.file("far.csv")) << "x,y,z\n0,0,7\n";
  expect_electrostatics_complaint(
      with({"--points", scratch.file("far.csv"), "--margin", "6", "-o", scratch.file("w.csv")}), 1,
      "outside the grid");
  expect_electrostatics_complaint(with({"--margin", "0.1", "-o", scratch.file("w.dx")}), 1, "larger margin");
  expect_electrostatics_complaint(
      with({"--like", scratch.file("v.dx"), "--points", scratch.file("places.csv"), "--margin", "6", "-o",
            scratch.file("w.csv")}),
      2, "--like");
  EXPECT_FALSE(std::filesystem::exists(scratch.file("w.csv")));
  EXPECT_FALSE(std::filesystem::exists(scratch.file("w.dx")));
  // The grid of another program's map, and what it gives of it.
  const auto like = with(
      {"--like", scratch.file("v.dx"), "--points", scratch.file("places.csv"), "-o", scratch.file("u.csv")});
  ASSERT_EQ(like.code, 0) << like.err;
  EXPECT_NEAR(numbers_of(scratch.file("u.csv"))[0][3], found[0][3], 1e-4);
}

TEST(ElectrostaticsBatch, AFullDiskIsToldOfAndLeavesNothing) {
  const Scratch scratch;
  test::Result result;
  {
    const testing::FileSizeLimit limit(20'000);
    result = potential({molecule, "--spacing", "1", "-o", scratch.file("v.dx")});
  }
  expect_electrostatics_complaint(result, 1, "v.dx");
  EXPECT_TRUE(scratch.files().empty());
}

/// Of what is larger than the memory that is given to it.
TEST(ElectrostaticsBatch, AMapInPartsHasTheBytesOfOnePiece) {
  const Scratch scratch;
  for (const std::string method : {"direct", "cutoff", "debye-hueckel", "multilevel"}) {
    for (const std::string name : {"v.dx", "v.cube", "v.ccp4", "v.vti"}) {
      const auto with = [&](const std::string& file, std::vector<std::string> more) {
        more.insert(more.begin(),
                    {molecule, "--method", method, "--spacing", "0.7", "-o", scratch.file(file)});
        return potential(more);
      };
      const auto whole = with("whole-" + name, {}), parts = with(name, {"--memory", "0.0007"});
      ASSERT_EQ(parts.code, 0) << parts.err;
      EXPECT_EQ(whole.err.find(" parts of "), std::string::npos);
      EXPECT_NE(parts.err.find(" parts of "), std::string::npos) << parts.err;
      EXPECT_EQ(read_text_file(scratch.file(name)), read_text_file(scratch.file("whole-" + name)));
    }
  }
}

TEST(ElectrostaticsBatch, AMapInPartsLeavesNothingOnAFullDiskAndIsRefusedWhereItCannotBe) {
  const Scratch scratch;
  const auto with = [&](const std::string& name, std::vector<std::string> more) {
    more.insert(more.begin(), {molecule, "--spacing", "0.7", "-o", scratch.file(name)});
    return potential(more);
  };
  test::Result result;
  {
    const testing::FileSizeLimit limit(20'000);
    result = with("v.dx", {"--memory", "0.0007"});
  }
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("v.dx"), std::string::npos) << result.err;
  EXPECT_TRUE(scratch.files().empty());
  expect_electrostatics_complaint(with("v.ccp4.gz", {"--memory", "0.0007"}), 1, "one piece");
  expect_electrostatics_complaint(with("v.dx", {"--memory", "0.0007", "--method", "pb-linear"}), 1,
                                  "one piece");
  expect_electrostatics_complaint(with("v.dx", {"--memory", "0.00001"}), 1, "more memory");
  EXPECT_TRUE(scratch.files().empty());
}

test::Result prepare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"electrostatics", "prepare"});
  return run_batch(arguments);
}

TEST(ElectrostaticsBatch, AStructureIsPreparedAndItsDecisionsAreTold) {
  const Scratch scratch;
  const std::string output = scratch.file("1ajj.pqr");
  const auto result = prepare({references + "1AJJ.pdb.gz", "-o", output, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told["atoms"], 519);  // pdb2pqr's 513, calcium and sulphate
  EXPECT_NEAR(told["charge"].get<double>(), -3, 1e-9);
  EXPECT_EQ(told["without_parameters"], json::array({"SO4 A 72"}));
  const auto& made = told["preparation"];
  EXPECT_EQ(made["disulphides"].size(), 3U);
  EXPECT_EQ(made["disulphides"][0]["residues"], json::array({"CYS A 5", "CYS A 17"}));
  ASSERT_EQ(made["states"].size(), 3U);
  const auto is_calcium = [](const json& state) { return state["state"] == "+2 e"; };
  EXPECT_EQ(std::ranges::count_if(made["states"], is_calcium), 1);
  EXPECT_EQ(made["ends"][0]["state"], "NPRO");
  EXPECT_EQ(made["hydrogens"]["added"], 233);
  EXPECT_EQ(made["added_atoms"], json::array({"OXT of ALA A 40"}));
  EXPECT_EQ(made["waters_left_out"], 30);
  // The written file and the structure have the same potential, but for places that were rounded.
  const std::string places = references + "1FAS-coulomb-points.csv";
  const auto direct =
      potential({references + "1AJJ.pdb.gz", "--points", places, "-o", scratch.file("a.csv"), "--json"});
  ASSERT_EQ(direct.code, 0) << direct.err;
  EXPECT_EQ(json::parse(direct.out)["preparation"], made);
  const auto again = potential({output, "--points", places, "-o", scratch.file("b.csv"), "--json"});
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(json::parse(again.out)["without_parameters"], json::array({"SO4 A 72"}));
  const auto a = numbers_of(scratch.file("a.csv")), b = numbers_of(scratch.file("b.csv"));
  ASSERT_EQ(a.size(), 200U);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i][3], b[i][3], 0.02 + 1e-3 * std::abs(a[i][3]));
}

TEST(ElectrostaticsBatch, LigandsAreNamedUntilTheyAreGivenCharges) {
  const Scratch scratch;
  const auto without = prepare({references + "1AJJ.pdb.gz", "-o", scratch.file("a.pqr")});
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_NE(without.err.find("SO4 A 72"), std::string::npos) << without.err;
  EXPECT_NE(without.out.find("charge -3.0000 e"), std::string::npos) << without.out;
  const std::string table = scratch.file("so4.csv");
  std::ofstream(table)
      << "residue,atom,charge,radius\nSO4,S,2.0,2.0\nSO4,O1,-1,1.7\nSO4,O2,-1,1.7\nSO4,O3,-1,1.7\n"
         "SO4,O4,-1,1.7\n";
  const auto with = prepare({references + "1AJJ.pdb.gz", "--charges", table, "-o", scratch.file("b.pqr")});
  ASSERT_EQ(with.code, 0) << with.err;
  EXPECT_EQ(with.err.find("SO4"), std::string::npos) << with.err;
  EXPECT_NE(with.err.find("Water was left out: 30 molecules"), std::string::npos) << with.err;
  EXPECT_NE(with.out.find("charge -5.0000 e"), std::string::npos) << with.out;
}

TEST(ElectrostaticsBatch, StructuresThatAreNoneAreRefused) {
  const Scratch scratch;
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& part) {
    expect_electrostatics_complaint(prepare(std::move(arguments)), code, part);
  };
  const std::string output = scratch.file("o.pqr"), structure = references + "1A1P-21-models.pdb.gz";
  refused({molecule, "-o", output}, 2, ".pdb");
  refused({structure, "--model", "22", "-o", output}, 1, "models 1 to 21");
  refused({structure, "--model", "-1", "-o", output}, 2, "model: \"-1\"");
  refused({structure, "--force-field", "magic", "-o", output}, 2, "magic");
  refused({structure, "--charges", scratch.file("none.csv"), "-o", output}, 1, "none.csv");
  refused({structure, "--charges", references + "1FAS-coulomb-points.csv", "-o", output}, 1, "heading");
  refused({scratch.file("none.cif"), "-o", output}, 1, "none.cif");
  expect_electrostatics_complaint(potential({molecule, "--keep-water", "-o", scratch.file("v.dx")}), 2,
                                  "has its charges already");
  EXPECT_TRUE(scratch.files().empty());
}

/// Fasciculin has a charge of 4 e.
TEST(ElectrostaticsBatch, IonsMakeAMoleculeNeutralAndAreWritten) {
  const Scratch scratch;
  const auto ions = [](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"electrostatics", "ions", molecule, "--spacing", "1"});
    return run_batch(arguments);
  };
  const std::string output = scratch.file("ions.pdb");
  const auto neutral = ions({"--neutralise", "-o", output, "--json"});
  ASSERT_EQ(neutral.code, 0) << neutral.err;
  const auto told = json::parse(neutral.out);
  ASSERT_EQ(told["ions"].size(), 4U);
  EXPECT_NEAR(told["charge"].get<double>(), 4, 1e-9);
  EXPECT_NEAR(told["charge_with_ions"].get<double>(), 0, 1e-9);
  EXPECT_EQ(told["ions"][0]["name"], "CL");
  EXPECT_GT(told["ions"][0]["potential"].get<double>(), told["ions"][3]["potential"].get<double>());
  const auto text = read_text_file(output);
  EXPECT_EQ(std::ranges::count(text, '\n'), 5);
  EXPECT_TRUE(text.starts_with("HETATM    1 CL    CL     1    ")) << text;
  EXPECT_NE(text.find("CL1-\n"), std::string::npos) << text;

  const auto counted = ions({"--count", "2", "--charge", "2", "--ion", "zn", "--with-solute", "-o", output});
  ASSERT_EQ(counted.code, 0) << counted.err;
  EXPECT_NE(counted.out.find("2 ions around 913 atoms of charge 4.0000 e, total charge 8.0000 e"),
            std::string::npos)
      << counted.out;
  EXPECT_EQ(std::ranges::count(read_text_file(output), '\n'), 913 + 2 + 1);

  // 0.1 mol/l are 6.02e-5 to the cubic angstrom.
  const auto salt = ions({"--molar", "0.1", "-o", output, "--json"});
  ASSERT_EQ(salt.code, 0) << salt.err;
  const auto salty = json::parse(salt.out);
  const auto pairs = salty["ions"].size() / 2;
  EXPECT_NEAR(static_cast<double>(pairs), 6.02214e-5 * salty["points"].get<double>(),
              0.15 * static_cast<double>(pairs));
  EXPECT_NEAR(salty["charge_with_ions"].get<double>(), 4, 1e-9);
}

TEST(ElectrostaticsBatch, IonsThatMakeNoSenseAreRefused) {
  const Scratch scratch;
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& part) {
    arguments.insert(arguments.begin(), {"electrostatics", "ions", molecule, "--spacing", "2"});
    expect_electrostatics_complaint(run_batch(arguments), code, part);
    EXPECT_TRUE(scratch.files().empty());
  };
  const std::string output = scratch.file("ions.pdb");
  refused({"-o", output}, 2, "--neutralise");
  refused({"--count", "1", "--neutralise", "-o", output}, 2, "--count");
  refused({"--count", "1", "--charge", "0", "-o", output}, 2, "--charge");
  refused({"--count", "0", "-o", output}, 2, "count");
  refused({"--count", "1", "--charge", "3", "-o", output}, 2, "--ion");
  refused({"--count", "1", "--ion", "water", "-o", output}, 2, "water");
  refused({"--neutralise", "--charge", "1", "-o", output}, 2, "other sign");
  refused({"--count", "1", "-o", scratch.file("ions.xyz")}, 2, ".pdb");
  refused({"--count", "1", "--method", "pb-linear", "-o", output}, 1, "direct");
  refused({"--count", "3", "--margin", "1", "--distance", "30", "-o", output}, 1, "larger margin");
}

const std::string calculations = std::string(ISOLUME_TEST_REFERENCES) + "/potentials/";

TEST(ElectrostaticsBatch, OfAWavefunctionIsTheQuantumPotential) {
  const Scratch scratch;
  const std::string file = calculations + "hydroxide-cartesian.molden.gz",
                    places = scratch.file("places.csv");
  const auto expected = numbers_of(calculations + "hydroxide-cartesian.potential.csv");
  constexpr double angstrom = 0.529177210903;
  {
    std::ofstream table(places);
    table.precision(17);
    for (const auto& row : expected)
      table << row[0] * angstrom << ',' << row[1] * angstrom << ',' << row[2] * angstrom << '\n';
  }
  const auto result =
      potential({file, "--points", places, "--unit", "Eh/e", "-o", scratch.file("v.csv"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto found = numbers_of(scratch.file("v.csv"));
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i][3], expected[i][3], 1e-6) << i;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told["method"], "quantum");
  EXPECT_EQ(told["unit"], "Eh/e");
  EXPECT_NEAR(told["electrons"].get<double>(), 10, 1e-6);
  EXPECT_NEAR(told["electrons_by_occupations"].get<double>(), 10, 1e-12);
  EXPECT_NEAR(told["charge"].get<double>(), -1, 1e-6);
  EXPECT_EQ(told["electrons_in_effective_cores"], 0);
  EXPECT_EQ(told["dipole_debye"].size(), 3U);
  EXPECT_GE(told["seconds"]["sums"].get<double>(), 0);
  EXPECT_TRUE(told["kernel"].is_null() || told["kernel"] == "sites");
  // By the processor, which is named.
  const auto by_cpu = potential({file, "--points", places, "--unit", "Eh/e", "-o", scratch.file("v.csv"),
                                 "--engine", "cpu", "--threads", "1", "--json"});
  ASSERT_EQ(by_cpu.code, 0) << by_cpu.err;
  EXPECT_EQ(json::parse(by_cpu.out)["computed_by"], "CPU, 1 thread, exact integrals");
  // On a grid around the nuclei, as a cube with the atoms, and on that grid again.
  const auto map = potential({file, "--spacing", "0.5", "--margin", "2", "-o", scratch.file("v.cube")});
  ASSERT_EQ(map.code, 0) << map.err;
  EXPECT_NE(map.out.find("2 atoms, 10.0000 electrons, charge -1.0000 e"), std::string::npos) << map.out;
  const auto cube = molecules::read_document(scratch.file("v.cube"));
  EXPECT_EQ(cube.molecule.atoms.size(), 2U);
  ASSERT_EQ(potential({file, "--like", scratch.file("v.cube"), "-o", scratch.file("v.dx")}).code, 0);
  const auto again = electrostatics::read_opendx(scratch.file("v.dx"));
  EXPECT_EQ(again.unit, "kT/e");
  EXPECT_NEAR(again.at(1, 2, 3), cube.fields.at(0)->at(1, 2, 3), 1e-4 * std::abs(again.at(1, 2, 3)));
}

TEST(ElectrostaticsBatch, CoresThatAreNotThereAreTold) {
  const Scratch scratch;
  const auto result = potential({calculations + "methyl-iodide-ecp.molden.gz", "--spacing", "2", "--margin",
                                 "2", "-o", scratch.file("v.dx"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto told = json::parse(result.out);
  EXPECT_EQ(told["electrons_in_effective_cores"], 28);
  EXPECT_NEAR(told["electrons"].get<double>(), 34, 1e-5);
  EXPECT_NEAR(told["charge"].get<double>(), 0, 1e-5);
}

TEST(ElectrostaticsBatch, OptionsThatMakeNoSenseWithAWavefunctionAreRefused) {
  const Scratch scratch;
  const std::string file = calculations + "oh-cartesian.molden.gz", output = scratch.file("v.dx");
  for (const std::vector<std::string>& words : {std::vector<std::string>{"--method", "direct"},
                                                {"--salt", "0.1"},
                                                {"--solvent-dielectric", "80"},
                                                {"--keep-water"},
                                                {"--force-field", "parse"}}) {
    std::vector<std::string> all{file, "-o", output};
    all.insert(all.end(), words.begin(), words.end());
    expect_electrostatics_complaint(potential(all), 2, words.front() + " does not apply to a wavefunction");
  }
  expect_electrostatics_complaint(potential({file, "--set", "2", "-o", output}), 2, "no set 2");
  expect_electrostatics_complaint(potential({file, "--engine", "abacus", "-o", output}), 1,
                                  "There is no engine named \"abacus\" here.");
  expect_electrostatics_complaint(potential({file, "--engine", "cpu", "--kernel", "sites", "-o", output}), 1,
                                  "kernel: the engine \"cpu\"");
  expect_electrostatics_complaint(potential({molecule, "--set", "1", "-o", output}), 2, "--set");
  const std::string places = references + "1FAS-coulomb-points.csv";
  expect_electrostatics_complaint(
      potential({file, "--points", places, "--like", output, "-o", scratch.file("v.csv")}), 2, "--like");
  EXPECT_TRUE(scratch.files().empty());
}

TEST(ElectrostaticsBatch, ChargesOfAtomsComeFromAWavefunction) {
  const Scratch scratch;
  const std::string name = calculations + "water-ccpv5z", output = scratch.file("water.pqr");
  const auto expected = numbers_of(name + ".charges.csv");
  const std::vector<std::string> kinds{"mulliken", "loewdin", "esp"};
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    const auto result = run_batch(
        {"electrostatics", "charges", name + ".molden.gz", "-o", output, "--kind", kinds[kind], "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto told = json::parse(result.out);
    ASSERT_EQ(told["atoms"].size(), 3U);
    for (std::size_t a = 0; a < 3; ++a)
      EXPECT_NEAR(told["atoms"][a]["charge"].get<double>(), expected[a][kind], kind == 2 ? 0.02 : 1e-6);
    EXPECT_EQ(told["atoms"][0]["atom"], "O1");
    EXPECT_NEAR(told["charge"].get<double>(), 0, 1e-6);
    EXPECT_EQ(told.contains("fit"), kind == 2);
  }
  // The last ones, fitted, as charges of another map.
  const auto map =
      potential({output, "--spacing", "1", "--margin", "3", "-o", scratch.file("v.dx"), "--json"});
  ASSERT_EQ(map.code, 0) << map.err;
  EXPECT_EQ(json::parse(map.out)["atoms"], 3);
  const auto table =
      run_batch({"electrostatics", "charges", name + ".molden.gz", "-o", scratch.file("q.csv")});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("3 atoms, charge"), std::string::npos) << table.out;
  EXPECT_NE(read_text_file(scratch.file("q.csv")).find("residue,atom,charge,radius\nMOL,O1,-0.7"),
            std::string::npos);
}

TEST(ElectrostaticsBatch, ChargesRefuseWhatMakesNoSense) {
  const Scratch scratch;
  const auto refused = [&](std::vector<std::string> words, int code, const std::string& part) {
    words.insert(words.begin(), {"electrostatics", "charges"});
    expect_electrostatics_complaint(run_batch(words), code, part);
    EXPECT_TRUE(scratch.files().empty());
  };
  const std::string file = calculations + "oh-cartesian.molden.gz", output = scratch.file("q.pqr");
  refused({file, "-o", scratch.file("q.txt")}, 2, ".pqr or .csv");
  refused({file, "-o", output, "--kind", "hirshfeld"}, 2, "hirshfeld");
  refused({file, "-o", output, "--kind", "mulliken", "--density", "2"}, 2, "--density");
  refused({references + "1AJJ.pdb.gz", "-o", output}, 1, "holds no orbitals");
  refused({scratch.file("none.molden"), "-o", output}, 1, "none.molden");
}

TEST(ElectrostaticsBatch, BenchSolvesTheEquationOfAMolecule) {
  const std::vector<std::string> words{
      "bench", "electrostatics", "--file",  references + "born.pqr", "--points", "25", "--spacing",
      "0.5",   "--json",         "--method"};
  auto linear = words, direct = words;
  linear.emplace_back("pb-linear");
  direct.emplace_back("direct");
  const auto result = run_batch(linear);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["points"], 25 * 25 * 25);
  EXPECT_EQ(rows[0]["atoms"], 1);
  EXPECT_NE(run_batch(direct).err.find("pb-linear"), std::string::npos) << "it is for equations";
}

TEST(ElectrostaticsBatch, BenchSaysHowFastEachMethodIs) {
  const auto result =
      run_batch({"bench", "electrostatics", "--atoms", "500", "--spacing", "1", "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 9U);
  for (const auto& row : rows) {
    EXPECT_GT(row["seconds"], 0);
    if (row["method"] == "quantum") {
      EXPECT_EQ(row["nuclei"], 24) << "caffeine has them";
      EXPECT_NEAR(row["points_per_second"], row["points"].get<double>() / row["seconds"].get<double>(), 1);
      continue;
    }
    EXPECT_EQ(row["atoms"], 500);
    EXPECT_GT(row["points"], 4000);
    if (row["method"].get<std::string>().starts_with("pb-")) {
      EXPECT_GE(row["unknowns"], row["points"]);
      EXPECT_GT(row["unknowns_per_second"], 0);
      EXPECT_GT(row["seconds_after_slider"], 0);
      EXPECT_GT(row["equation"]["timing"]["median_ms"], 0);
      EXPECT_LT(row["equation_after_slider"]["cycles"], row["equation"]["cycles"]);
      continue;
    }
    EXPECT_GT(row["pairs_per_second"], 0);
    const bool sums_all =
        row["method"] == "direct" || row["method"] == "cutoff" || row["method"] == "debye-hueckel";
    EXPECT_NE(row["fraction_of_bound"].is_null(), sums_all) << row;
  }
}

TEST(ElectrostaticsBatch, BenchTimesADielectricThatGrowsWithDistance) {
  const auto result = run_batch({"bench", "electrostatics", "--dielectric", "distance", "--atoms", "500",
                                 "--spacing", "1", "--threads", "1", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json::parse(result.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["method"], "direct");
  EXPECT_EQ(rows[1]["method"], "cutoff");
  for (const auto& row : rows) {
    EXPECT_EQ(row["dielectric"], "distance");
    EXPECT_GT(row["pairs_per_second"], 0);
    EXPECT_TRUE(row["fraction_of_bound"].is_null()) << "the bound is that of inverse roots";
  }
}

TEST(ElectrostaticsBatch, BenchRefusesWhatTheMethodMakesNothingOf) {
  expect_electrostatics_complaint(
      run_batch({"bench", "electrostatics", "--method", "fmm", "--dielectric", "distance"}), 2,
      "--dielectric");
  expect_electrostatics_complaint(
      run_batch({"bench", "electrostatics", "--method", "direct", "--wavefunction", "a.fchk"}), 2,
      "--wavefunction");
  expect_electrostatics_complaint(
      run_batch({"bench", "electrostatics", "--method", "quantum", "--atoms", "5"}), 2, "--atoms");
}

TEST(ElectrostaticsBatch, EnginesThatCannotAreRefused) {
  const Scratch scratch;
  const std::string output = scratch.file("v.dx");
  const auto refused = [&](const std::vector<std::string>& words, const std::string& part) {
    std::vector<std::string> all{molecule, "-o", output, "--spacing", "3"};
    all.insert(all.end(), words.begin(), words.end());
    expect_electrostatics_complaint(potential(all), 1, part);
  };
  refused({"--engine", "abacus"}, "There is no engine named \"abacus\" here.");
  refused({"--engine", "cpu", "--devices", "3"}, "devices: the engine \"cpu\"");
  refused({"--engine", "cpu", "--kernel", "shared"}, "kernel: the engine \"cpu\"");
  refused({"--engine", "abacus", "--method", "pme", "--box", "50,50,50"}, "no engine named \"abacus\"");
  refused({"--engine", "cuda", "--method", "fmm"}, "by the method fmm are computed on the CPU");
  refused({"--engine", "abacus", "--method", "pb-linear"}, "There is no engine named \"abacus\" here.");
  refused({"--engine", "cpu", "--kernel", "mixed", "--method", "pb-linear"}, "kernel: the engine \"cpu\"");
  EXPECT_FALSE(std::filesystem::exists(output));
}

#ifdef ISOLUME_WITH_EMULATED_GPUS

TEST(ElectrostaticsBatch, PotentialsSayWhichGpusSummedThem) {
  const Scratch scratch;
  const std::string by_gpus = scratch.file("g.dx"), by_cpu = scratch.file("c.dx");
  const auto sum = [&](const std::string& output, std::vector<std::string> words) {
    words.insert(words.begin(),
                 {molecule, "-o", output, "--spacing", "4", "--margin", "3", "--method", "cutoff", "--json"});
    const auto result = potential(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out);
  };
  setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
  const json told = sum(by_gpus, {"--engine", "emulated", "--devices", "1,2", "--kernel", "fixed-bins"});
  unsetenv("ISOLUME_EMULATED_DEVICES");
  EXPECT_NE(told["computed_by"].get<std::string>().find("Emulated GPU"), std::string::npos) << told;
  EXPECT_EQ(told["kernel"], "fixed-bins");
  EXPECT_EQ(told["devices"].size(), 2U);
  EXPECT_TRUE(sum(by_cpu, {"--engine", "cpu"})["kernel"].is_null());
  const auto gpus = electrostatics::read_opendx(by_gpus), cpu = electrostatics::read_opendx(by_cpu);
  double most = 0;
  for (std::size_t i = 0; i < cpu.values.size(); ++i) {
    most = std::max(most, std::abs(double{cpu.values[i]}));
    EXPECT_NEAR(gpus.values[i], cpu.values[i], 1e-5 * std::abs(cpu.values[i]) + 1e-3);
  }
  EXPECT_GT(most, 10);
}

TEST(ElectrostaticsBatch, PotentialsByMeshesSayWhoseTheyAre) {
  const Scratch scratch;
  const std::string by_gpus = scratch.file("g.dx"), by_cpu = scratch.file("c.dx");
  for (const std::string method : {"pme", "multilevel"}) {
    const auto sum = [&](const std::string& output, std::vector<std::string> words) {
      words.insert(words.begin(), {molecule, "-o", output, "--spacing", "4", "--margin", "3", "--error",
                                   "1e-2", "--method", method, "--json"});
      if (method == "pme") words.insert(words.end(), {"--box", "50,50,50"});
      const auto result = potential(words);
      EXPECT_EQ(result.code, 0) << result.err;
      return json::parse(result.out);
    };
    setenv("ISOLUME_EMULATED_DEVICES", "2x sm90 1GiB", 1);
    const json told = sum(by_gpus, {"--engine", "emulated", "--devices", "1,2"});
    unsetenv("ISOLUME_EMULATED_DEVICES");
    EXPECT_NE(told["computed_by"].get<std::string>().find("Emulated GPU"), std::string::npos) << told;
    EXPECT_NE(told["reason"].get<std::string>().find("points by Emulated GPU 0"), std::string::npos) << told;
    EXPECT_TRUE(sum(by_cpu, {"--engine", "cpu"})["kernel"].is_null());
    const auto gpus = electrostatics::read_opendx(by_gpus), cpu = electrostatics::read_opendx(by_cpu);
    for (std::size_t i = 0; i < cpu.values.size(); ++i)
      EXPECT_NEAR(gpus.values[i], cpu.values[i], 1e-5 * std::abs(cpu.values[i]) + 1e-3);
  }
}

#endif

TEST(ElectrostaticsBatch, LigandsWithoutParametersAreEqualisedOnWish) {
  const Scratch scratch;
  const std::string structure = references + "1AFS.pdb.gz", output = scratch.file("o.pqr");
  const auto prepare = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"electrostatics", "prepare", structure, "-o", output, "--json"});
    return run_batch(words);
  };
  const auto made = prepare({"--unknown", "equalise", "--unknown-charge", "NAP=-3"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto told = json::parse(made.out);
  EXPECT_TRUE(told["without_parameters"].empty()) << told["without_parameters"];
  EXPECT_EQ(told["preparation"]["charges_equalised"].size(), 4U) << "NADP and testosterone of two chains";
  const auto plain = json::parse(prepare({}).out);
  EXPECT_EQ(plain["without_parameters"].size(), 4U);
  EXPECT_NEAR(told["charge"].get<double>(), plain["charge"].get<double>() - 6, 1e-6);
  EXPECT_FALSE(told["preparation"]["charges_equalised"][0]["has_hydrogens"].get<bool>());
  // By name, each residue has what is said of it.
  const auto named = json::parse(prepare({"--ligands", "NAP=-3; TES=none"}).out);
  EXPECT_EQ(named["without_parameters"].size(), 2U) << "testosterone of two chains";
  EXPECT_NEAR(named["charge"].get<double>(), plain["charge"].get<double>() - 6, 1e-6);
  expect_electrostatics_complaint(prepare({"--ligands", "XYZ=1"}), 1, "no residue XYZ");
  expect_electrostatics_complaint(prepare({"--unknown-charge", "NAP=-3"}), 2, "--unknown equalise");
  expect_electrostatics_complaint(prepare({"--unknown", "equalise", "--unknown-charge", "NAP"}), 2, "NAP=-4");
}

/// A protonated acid or histidine has one charge more.
TEST(ElectrostaticsBatch, ProtonationFollowsPhAndWhatIsAskedFor) {
  const Scratch scratch;
  const auto charge = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"electrostatics", "prepare", references + "1AJJ.pdb.gz", "-o",
                                 scratch.file("o.pqr"), "--json"});
    const auto made = run_batch(words);
    EXPECT_EQ(made.code, 0) << made.err;
    return json::parse(made.out);
  };
  const auto plain = charge({});
  const auto one = charge({"--states", "ASP A 32=ASH"});
  EXPECT_NEAR(one["charge"].get<double>(), plain["charge"].get<double>() + 1, 1e-6);
  const auto acid = charge({"--ph", "1"});
  const auto titrated = acid["preparation"]["titrated_by_ph"].size();
  EXPECT_GT(titrated, 0U);
  EXPECT_NEAR(acid["charge"].get<double>(), plain["charge"].get<double>() + static_cast<double>(titrated),
              1e-6);
  EXPECT_TRUE(plain["preparation"]["titrated_by_ph"].empty());
  expect_electrostatics_complaint(run_batch({"electrostatics", "prepare", references + "1AJJ.pdb.gz",
                                             "--states", "SER A 6=ASH", "-o", scratch.file("p.pqr")}),
                                  1, "protonation state");
  expect_electrostatics_complaint(run_batch({"electrostatics", "prepare", references + "1AJJ.pdb.gz",
                                             "--assembly", "7", "-o", scratch.file("p.pqr")}),
                                  1, "assembly 7");
}

TEST(ElectrostaticsBatch, ChargesAreMadeWithoutAFile) {
  const Scratch scratch;
  const auto make = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"electrostatics", "make"});
    return run_batch(words);
  };
  const auto made =
      make({"water-box", "--atoms", "3000", "--seed", "5", "-o", scratch.file("w.pqr"), "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto told = json::parse(made.out);
  EXPECT_EQ(told["atoms"], 3000);
  const double volume = told["box_angstrom"][0].get<double>() * told["box_angstrom"][1].get<double>() *
                        told["box_angstrom"][2].get<double>();
  EXPECT_NEAR(1000 * 18.01528 / 0.602214076 / volume, 0.997, 1e-6) << "g/cm^3";
  ASSERT_EQ(make({"water-box", "--atoms", "3000", "--seed", "5", "-o", scratch.file("again.pqr")}).code, 0);
  EXPECT_EQ(read_text_file(scratch.file("w.pqr")), read_text_file(scratch.file("again.pqr")));
  const auto salt = make({"nacl", "--size", "17", "-o", scratch.file("salt.pqr")});
  EXPECT_NE(salt.out.find("216 atoms, charge 0.0000 e"), std::string::npos) << salt.out;
  EXPECT_EQ(potential({scratch.file("salt.pqr"), "--spacing", "2", "-o", scratch.file("v.dx")}).code, 0);
  const std::string none = scratch.file("none.pqr");
  expect_electrostatics_complaint(make({"nacl", "--atoms", "9", "-o", none}), 2,
                                  "--atoms does not apply to nacl");
  expect_electrostatics_complaint(make({"water-box", "--atoms", "10", "-o", none}), 2, "multiple of 3");
  expect_electrostatics_complaint(make({"cscl", "--cells", "2", "--size", "9", "-o", none}), 2,
                                  "Give one of them");
  expect_electrostatics_complaint(make({"gas", "--atoms", "9", "-o", none}), 1, "even number");
  expect_electrostatics_complaint(make({"helix", "--residues", "1", "-o", none}), 1, "2 to 10000");
}

/// A charge in vacuum: 560.46 kT/e at 1 angstrom and 298.15 K.
TEST(ElectrostaticsBatch, OtherFormatsThanPqrHaveCharges) {
  const Scratch scratch;
  std::ofstream(scratch.file("p.csv")) << "x,y,z\n0,0,2\n";
  std::ofstream(scratch.file("a.xyz")) << "1\n\nNa 0 0 0 0.5\n";
  std::ofstream(scratch.file("a.mol2"))
      << "@<TRIPOS>MOLECULE\nx\n1\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n1 NA 0 0 0 Na 1 NA 0.5\n";
  std::ofstream(scratch.file("a.gro")) << "t\n1\n    1NA      NA    1   0.000   0.000   0.000\n1 1 1\n";
  std::ofstream(scratch.file("ion.itp")) << "[ moleculetype ]\nNA 1\n[ atoms ]\n1 Na 1 NA NA 1 0.5\n";
  const auto at = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--points", scratch.file("p.csv"), "-o", scratch.file("v.csv")});
    return potential(words);
  };
  for (const auto& words : std::vector<std::vector<std::string>>{
           {scratch.file("a.xyz")},
           {scratch.file("a.mol2")},
           {scratch.file("a.gro"), "--topology", scratch.file("ion.itp")}}) {
    const auto result = at(words);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_NEAR(numbers_of(scratch.file("v.csv")).at(0).at(3), 560.4592 / 4, 1e-3) << words[0];
  }
  expect_electrostatics_complaint(at({scratch.file("a.gro")}), 1, "--topology");
  // One that lies beside is taken, and told.
  std::filesystem::rename(scratch.file("ion.itp"), scratch.file("topol.top"));
  EXPECT_NE(at({scratch.file("a.gro")}).out.find("charges of " + scratch.file("topol.top")),
            std::string::npos);
  expect_electrostatics_complaint(at({scratch.file("a.xyz"), "--topology", scratch.file("topol.top")}), 2,
                                  "--topology");
  expect_electrostatics_complaint(at({scratch.file("a.xyz"), "--model", "1"}), 2, "--model");
}

TEST(ElectrostaticsBatch, TheMeanOverModelsIsThatOfEach) {
  const Scratch scratch;
  const std::string structure = references + "1A1P-21-models.pdb.gz";
  std::ofstream(scratch.file("p.csv")) << "x,y,z\n20,0,0\n-3,15,12\n";
  const auto at = [&](std::vector<std::string> words) {
    words.insert(words.begin(), structure);
    words.insert(words.end(), {"--points", scratch.file("p.csv"), "-o", scratch.file("v.csv")});
    return potential(words);
  };
  std::vector<double> means(2);
  for (const auto* model : {"1", "11", "21"}) {
    ASSERT_EQ(at({"--model", model}).code, 0);
    const auto rows = numbers_of(scratch.file("v.csv"));
    for (std::size_t i = 0; i < 2; ++i) means[i] += rows.at(i).at(3) / 3;
  }
  const auto mean = at({"--frames", "1:21:10", "--average", "--json"});
  ASSERT_EQ(mean.code, 0) << mean.err;
  const auto told = json::parse(mean.out);
  EXPECT_EQ(told["frames"], 21);
  EXPECT_EQ(told["frames_averaged"], 3);
  const auto rows = numbers_of(scratch.file("v.csv"));
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(rows.at(i).at(3), means[i], 1e-9 * std::abs(means[i]));
  const auto map = potential({structure, "--frames", "1:2", "--average", "--method", "pb-linear", "--spacing",
                              "2", "--margin", "8", "-o", scratch.file("v.mrc")});
  ASSERT_EQ(map.code, 0) << map.err;
  EXPECT_NE(map.out.find("mean over 2 frames of 21"), std::string::npos) << map.out;
  expect_electrostatics_complaint(at({"--frames", "1:3"}), 2, "--average");
  expect_electrostatics_complaint(at({"--frames", "0:3", "--average"}), 1, "FIRST:LAST:STEP");
  expect_electrostatics_complaint(at({"--trajectory", references + "mdtraj.xtc", "--average"}), 1,
                                  "60 atoms");
}

}  // namespace
}  // namespace isolume
