#include "core/structures/ligand_charges.h"

#include <cmath>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/decisions.h"
#include "core/structures/prepare.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;

/// Ethanol: the charges of each heavy atom with its hydrogens are -0.1 + 3 * 0.05 = 0.05, 0.2 + 2 * 0.02 = 0.24, and
/// -0.7 + 0.41 = -0.29. They sum to 0.
const std::vector<StructureAtom> ethanol{{"C1", 6, {0, 0, 0}},
                                         {"C2", 6, {1.52, 0, 0}},
                                         {"O", 8, {2.02, 1.33, 0}},
                                         {"HO", 1, {2.98, 1.31, 0}},
                                         {"H11", 1, {-0.36, 1.03, 0}},
                                         {"H12", 1, {-0.36, -0.51, 0.89}},
                                         {"H13", 1, {-0.36, -0.51, -0.89}},
                                         {"H21", 1, {1.88, -0.53, 0.89}},
                                         {"H22", 1, {1.88, -0.53, -0.89}}};
constexpr double ethanol_charges[] = {-0.1, 0.2, -0.7, 0.41, 0.05, 0.05, 0.05, 0.02, 0.02};

std::string mol2_of(const std::vector<StructureAtom>& atoms, std::span<const double> charges,
                    const std::string& residue) {
  std::string text =
      fmt::format("@<TRIPOS>MOLECULE\n{}\n{} 0\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n", residue, atoms.size());
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto& [name, element, place, formal_charge] = atoms[i];
    const char* type = element == 1    ? "H"
                       : element == 6  ? "C.3"
                       : element == 8  ? "O.3"
                       : element == 16 ? "S.o2"
                                       : "N.3";
    text += fmt::format("{} {} {} {} {} {} 1 {} {}\n", i + 1, name, place.x(), place.y(), place.z(), type,
                        residue, charges[i]);
  }
  return text;
}

class LigandChargesTest : public ::testing::Test {
 protected:
  LigandFile read(const char* name, const std::string& text, std::string_view residue) {
    return read_ligand(folder.write(name, text), residue);
  }
  isolume::testing::TemporaryFolder folder;
};

double sum_of(const ResidueParameters& parameters) {
  double sum = 0;
  for (const auto& [name, each] : parameters) sum += each.charge;
  return sum;
}

TEST(Ligands, AreReadAsTheyAreWritten) {
  const auto ligands = ligands_of("NAP=-4; LIG=/data/my lig.mol2;\n GOL=none");
  ASSERT_EQ(ligands.size(), 3U);
  EXPECT_EQ(ligands.at("NAP").net, -4);
  EXPECT_EQ(ligands.at("LIG").file, "/data/my lig.mol2");
  EXPECT_EQ(ligands.at("GOL"), LigandCharges());
  EXPECT_EQ(ligands_of(text_of_ligands(ligands)), ligands);
  for (const char* wrong : {"NAP", "=3", "NAP=", "NAP=1e9"}) EXPECT_THROW(ligands_of(wrong), Error) << wrong;
}

TEST_F(LigandChargesTest, AtomsOfTheSameNamesHaveTheFilesCharges) {
  const auto file = read("eoh.mol2", mol2_of(ethanol, ethanol_charges, "EOH"), "EOH");
  const auto matched = match_ligand(ethanol, file);
  EXPECT_TRUE(matched.by_names);
  EXPECT_EQ(matched.hydrogens_joined, 0U);
  for (std::size_t i = 0; i < ethanol.size(); ++i)
    EXPECT_EQ(matched.parameters.at(ethanol[i].name).charge, ethanol_charges[i]) << ethanol[i].name;
}

TEST_F(LigandChargesTest, HydrogensThatTheStructureLacksLeaveTheirChargesWithTheirAtoms) {
  const auto file = read("eoh.mol2", mol2_of(ethanol, ethanol_charges, "EOH"), "EOH");
  const auto matched = match_ligand(std::span(ethanol).first(3), file);
  EXPECT_TRUE(matched.by_names);
  EXPECT_EQ(matched.hydrogens_joined, 6U);
  EXPECT_NEAR(matched.parameters.at("C1").charge, 0.05, 1e-12);
  EXPECT_NEAR(matched.parameters.at("C2").charge, 0.24, 1e-12);
  EXPECT_NEAR(matched.parameters.at("O").charge, -0.29, 1e-12);
}

/// In another order, turned and moved, with names that the file does not have: bonds tell the carbons apart.
TEST_F(LigandChargesTest, ElementsAndBondsTellAtomsOfOtherNames) {
  const auto file = read("eoh.mol2", mol2_of(ethanol, ethanol_charges, "EOH"), "LIG");
  std::vector<StructureAtom> other;
  const char* const names[] = {"CB", "CA", "OG", "HG", "HB1", "HB2", "HB3", "HA1", "HA2"};
  for (const std::size_t i : {2U, 7U, 0U, 1U, 3U, 4U, 8U, 6U, 5U}) {
    const auto& [name, element, place, formal_charge] = ethanol[i];
    other.push_back({names[i], element, Vector3d(5 - place.y(), 3 + place.x(), place.z() - 7)});
  }
  const auto matched = match_ligand(other, file);
  EXPECT_FALSE(matched.by_names);
  for (std::size_t i = 0; i < ethanol.size(); ++i)
    EXPECT_NEAR(matched.parameters.at(names[i]).charge, ethanol_charges[i], 1e-12) << names[i];
  EXPECT_NEAR(sum_of(matched.parameters), 0, 1e-12);
}

/// Formate with two different charges of oxygen: nothing tells which of them is which.
TEST_F(LigandChargesTest, AtomsThatBondsDoNotTellApartShareTheirCharges) {
  const std::vector<StructureAtom> formate{
      {"C", 6, {0, 0, 0}}, {"O1", 8, {1.25, 0, 0}}, {"O2", 8, {-0.7, 1.03, 0}}};
  const double charges[] = {0.6, -0.7, -0.9};
  const auto file = read("fmt.mol2", mol2_of(formate, charges, "FMT"), "FMT");
  auto renamed = formate;
  for (auto& atom : renamed) atom.name = "X" + atom.name;
  const auto matched = match_ligand(renamed, file);
  EXPECT_NEAR(matched.parameters.at("XO1").charge, -0.8, 1e-12);
  EXPECT_NEAR(matched.parameters.at("XO2").charge, -0.8, 1e-12);
  EXPECT_EQ(match_ligand(formate, file).parameters.at("O1").charge, -0.7) << "names tell them apart";
}

TEST_F(LigandChargesTest, WhatIsOnOneSideAloneIsNamed) {
  const auto file = read("eoh.mol2", mol2_of(ethanol, ethanol_charges, "EOH"), "EOH");
  auto atoms = ethanol;
  atoms.erase(atoms.begin());
  const auto lacks_carbon = match_ligand(atoms, file);
  EXPECT_EQ(lacks_carbon.not_in_residue, std::vector<std::string>{"C1"});
  EXPECT_EQ(lacks_carbon.not_in_file, (std::vector<std::string>{"H11", "H12", "H13"}));
  for (auto& atom : atoms) atom.name = "X" + atom.name;
  EXPECT_THROW(match_ligand(atoms, file), InputError) << "one carbon less, and other names";
  const std::vector<StructureAtom> many(5000, ethanol[0]);
  EXPECT_THROW(match_ligand(many, file), InputError) << "bonds would be looked for in all pairs";
  auto nitrogen = ethanol;
  nitrogen[2] = {"N", 7, nitrogen[2].place};
  EXPECT_THROW(match_ligand(nitrogen, file), InputError);
}

TEST_F(LigandChargesTest, ComponentsAndPqrFilesAreReadToo) {
  const std::string component =
      "data_comp_FMT\nloop_\n_chem_comp_atom.comp_id\n_chem_comp_atom.atom_id\n_chem_comp_atom.type_symbol\n"
      "_chem_comp_atom.partial_charge\nFMT C C 0.5\nFMT O1 O -0.8\nFMT O2 O -0.8\nFMT H H 0.1\n"
      "loop_\n_chem_comp_bond.comp_id\n_chem_comp_bond.atom_id_1\n_chem_comp_bond.atom_id_2\n"
      "FMT C O1\nFMT C O2\nFMT C H\n";
  const auto file = read("fmt.cif", component, "FMT");
  ASSERT_EQ(file.atoms.size(), 4U);
  EXPECT_EQ(file.bonds.size(), 3U);
  const std::vector<StructureAtom> formate{
      {"A", 6, {0, 0, 0}}, {"B", 8, {1.25, 0, 0}}, {"D", 8, {-0.7, 1.03, 0}}};
  const auto matched = match_ligand(formate, file);
  EXPECT_NEAR(matched.parameters.at("A").charge, 0.6, 1e-12) << "with its hydrogen's";
  EXPECT_NEAR(matched.parameters.at("B").charge, -0.8, 1e-12);
  const auto pqr = read("two.pqr",
                        "ATOM 1 N GLY 1 9 9 9 0.3 1.5\nHETATM 2 C FMT 2 0 0 0 0.6 1.7\n"
                        "HETATM 3 O1 FMT 2 1.25 0 0 -0.8 1.4\nHETATM 4 O2 FMT 2 -0.7 1.03 0 -0.8 1.4\n",
                        "FMT");
  ASSERT_EQ(pqr.atoms.size(), 3U) << "of two residues the one of that name";
  EXPECT_EQ(pqr.atoms[1].radius, 1.4);
  EXPECT_THROW(read("two.pqr", "ATOM 1 N GLY 1 9 9 9 0.3 1.5\nHETATM 2 C FMT 2 0 0 0 0.6 1.7\n", "LIG"),
               InputError);
}

/// The structure as a whole: a residue of two, one of which has a net charge, one a file.
TEST_F(LigandChargesTest, AStructureTakesThemForResiduesWithoutParameters) {
  const auto two =
      folder.write("two.pdb",
                   "HETATM    1  C   XFM A   1       0.000   0.000   0.000  1.00  0.00           C\n"
                   "HETATM    2  O1  XFM A   1       1.250   0.000   0.000  1.00  0.00           O\n"
                   "HETATM    3  O2  XFM A   1      -0.700   1.030   0.000  1.00  0.00           O\n"
                   "HETATM    4  C   XFN A   2      20.000   0.000   0.000  1.00  0.00           C\n"
                   "HETATM    5  O1  XFN A   2      21.250   0.000   0.000  1.00  0.00           O\n"
                   "HETATM    6  O2  XFN A   2      19.300   1.030   0.000  1.00  0.00           O\n"
                   "HETATM    7  C   XFO A   3      40.000   0.000   0.000  1.00  0.00           C\n"
                   "HETATM    8  O1  XFO A   3      41.250   0.000   0.000  1.00  0.00           O\n");
  const std::vector<StructureAtom> formate{
      {"C", 6, {0, 0, 0}}, {"O1", 8, {1.25, 0, 0}}, {"O2", 8, {-0.7, 1.03, 0}}};
  const double charges[] = {0.6, -0.8, -0.8};
  const auto file = folder.write("fmt.mol2", mol2_of(formate, charges, "FMT"));
  const auto structure = read_structure(two);
  PrepareOptions options;
  options.ligands = ligands_of("XFM=-1; XFN=" + file.string());
  const auto made = prepare(structure, options);
  const auto& charge = made.charges.charge;
  ASSERT_EQ(charge.size(), 8U);
  EXPECT_NEAR(charge[0] + charge[1] + charge[2], -1, 1e-9) << "equalised, though the others are not";
  EXPECT_NE(charge[1], 0);
  EXPECT_EQ(charge[3], 0.6);
  EXPECT_EQ(charge[4], -0.8);
  EXPECT_EQ(charge[6], 0);
  EXPECT_EQ(made.without_parameters, std::vector<std::string>{"XFO A 3"});
  EXPECT_EQ(made.given, std::vector<std::string>{"XFN A 2"});
  EXPECT_NE(made.given_how.at("XFN A 2").find("fmt.mol2"), std::string::npos);
  // One that is to have no charge has none, whatever becomes of the others.
  options.ligands = ligands_of("XFM=none");
  options.equalise_unknown = true;
  const auto without = prepare(structure, options);
  EXPECT_EQ(without.charges.charge[1], 0);
  EXPECT_NE(without.charges.charge[4], 0);
  options.ligands = ligands_of("ABC=1");
  EXPECT_THROW(prepare(structure, options), Error);
}

}  // namespace
}  // namespace isolume::structures
