#include "core/structures/decisions.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/molecules/document.h"
#include "core/structures/charged_file.h"
#include "core/structures/structure_choices.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

const std::string entries = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";

std::vector<DecisionRow> decided(const std::string& entry, const StructureChoices& choices = {}) {
  const auto file = read_charged_file(entries + entry, charged_file_options(choices));
  return decisions_of(*file.preparation, residues_of(file.charges));
}

std::vector<DecisionRow> of_kind(const std::vector<DecisionRow>& rows, DecisionKind kind) {
  std::vector<DecisionRow> kept;
  std::ranges::copy_if(rows, std::back_inserter(kept), [&](const auto& row) { return row.kind == kind; });
  return kept;
}

/// Against the records of the entry: HET (a sulphate of 5 atoms) and SSBOND (2.00, 1.97 and 1.99 angstrom).
TEST(Decisions, NameWhatTheEntryRecords) {
  const auto rows = decided("1AJJ.pdb.gz");
  const auto without = of_kind(rows, DecisionKind::without_charge);
  ASSERT_EQ(without.size(), 1U);
  EXPECT_EQ(without[0].residues, std::vector<std::string>{"SO4 A 72"});
  EXPECT_EQ(without[0].atoms, 5U);
  auto bridges = of_kind(rows, DecisionKind::disulphide);
  ASSERT_EQ(bridges.size(), 3U);
  std::ranges::sort(bridges, {}, [](const auto& row) { return row.what; });
  EXPECT_EQ(bridges[0].what, "1.97 angstrom");
  EXPECT_EQ(residues_of(bridges[0]), "CYS A 12, CYS A 30");
  EXPECT_EQ(line_of(bridges[0]), "Disulphide: CYS A 12, CYS A 30: 1.97 angstrom");
  EXPECT_EQ(bridges[1].what, "1.99 angstrom");
  EXPECT_EQ(bridges[2].what, "2.00 angstrom");
}

/// HET records: two NADP of 48 atoms and two testosterones of 21.
TEST(Decisions, CountTheAtomsOfEachLigand) {
  const auto without = of_kind(decided("1AFS.pdb.gz"), DecisionKind::without_charge);
  std::map<std::string, std::size_t> counts;
  for (const auto& row : without) counts[residues_of(row)] = row.atoms;
  EXPECT_EQ(counts, (std::map<std::string, std::size_t>{
                        {"NAP A 324", 48}, {"TES A 325", 21}, {"NAP B 324", 48}, {"TES B 325", 21}}));
}

TEST(Decisions, TellResiduesWithAlternativePlaces) {
  const isolume::testing::TemporaryFolder folder;
  std::ofstream(folder / "two.pdb")
      << "ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00  0.00           N\n"
         "ATOM      2  CA AGLY A   1       1.450   0.000   0.000  0.40  0.00           C\n"
         "ATOM      3  CA BGLY A   1       1.450   0.300   0.000  0.60  0.00           C\n"
         "ATOM      4  C   GLY A   1       2.000   1.400   0.000  1.00  0.00           C\n"
         "ATOM      5  O   GLY A   1       1.300   2.400   0.000  1.00  0.00           O\n"
         "END\n";
  const auto file = read_charged_file(folder / "two.pdb");
  const auto rows = decisions_of(*file.preparation, residues_of(file.charges));
  const auto alternatives = of_kind(rows, DecisionKind::alternatives);
  ASSERT_EQ(alternatives.size(), 1U);
  EXPECT_EQ(residues_of(alternatives[0]), "GLY A 1");
  EXPECT_EQ(alternatives[0].atoms, 1U);
  EXPECT_EQ(alternatives[0].why, "others have more occupancy");
  write_decisions(rows, folder / "rows.csv");
  const auto csv = read_text_file(folder / "rows.csv");
  EXPECT_TRUE(
      csv.starts_with("kind,residues,atoms,what,why\nCharges and radii,,,\"AMBER ff14SB, model 1 of 1\""))
      << csv;
  EXPECT_NE(csv.find("\nAlternative places,GLY A 1,1,"), std::string::npos) << csv;
}

TEST(Decisions, OfEquallyOccupiedPlacesTheFirstWasUsed) {
  const isolume::testing::TemporaryFolder folder;
  std::ofstream(folder / "equal.pdb")
      << "ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00  0.00           N\n"
         "ATOM      2  CA AGLY A   1       1.450   0.000   0.000  0.50  0.00           C\n"
         "ATOM      3  CA BGLY A   1       1.450   0.300   0.000  0.50  0.00           C\n"
         "ATOM      4  C   GLY A   1       2.000   1.400   0.000  1.00  0.00           C\n"
         "ATOM      5  O   GLY A   1       1.300   2.400   0.000  1.00  0.00           O\n"
         "END\n";
  const auto file = read_charged_file(folder / "equal.pdb");
  const auto rows =
      of_kind(decisions_of(*file.preparation, residues_of(file.charges)), DecisionKind::alternatives);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].why, "the first of equally occupied locations was used");
  const auto remarks = molecules::read_document(folder / "equal.pdb").remarks.text();
  EXPECT_NE(remarks.find(
                "The first of equally occupied alternate locations was used, and the others were left out: 1 "
                "atom, in GLY A 1"),
            std::string::npos)
      << remarks;
  EXPECT_EQ(remarks.find("lower occupancy"), std::string::npos) << remarks;
}

TEST(Decisions, OfAFileWithChargesAreItsResiduesWithoutAny) {
  Charges charges;
  add_atom(charges, {0, 0, 0}, 1, 1, {.atom = "NA", .residue = "NA", .chain = "A", .number = 1});
  for (const double x : {5.0, 6.0})
    add_atom(charges, {x, 0, 0}, 0, 1,
             {.atom = x < 6 ? "C1" : "C2", .residue = "LIG", .chain = "A", .number = 2});
  const auto rows = decisions_of(residues_of(charges));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(residues_of(rows[0]), "LIG A 2");
  EXPECT_EQ(rows[0].atoms, 2U);
}

TEST(StructureChoices, TotalsOfChargesAreReadOrRefused) {
  EXPECT_EQ(charges_by_residue("NAP=-4 TES=0.5,XYZ=1"),
            (std::map<std::string, double>{{"NAP", -4}, {"TES", 0.5}, {"XYZ", 1}}));
  EXPECT_TRUE(charges_by_residue("  ").empty());
  for (const char* wrong : {"NAP", "=3", "NAP=", "NAP=x", "NAP=nan", "NAP=1e9"})
    EXPECT_THROW(charges_by_residue(wrong), Error) << wrong;
}

TEST(StructureChoices, EqualisedLigandsSumToWhatIsSaid) {
  StructureChoices choices;
  choices.unknown = UnknownResidues::equalise;
  choices.unknown_charges = "NAP=-3";
  const auto rows = decided("1AFS.pdb.gz", choices);
  EXPECT_TRUE(of_kind(rows, DecisionKind::without_charge).empty());
  int nadp = 0;
  for (const auto& row : of_kind(rows, DecisionKind::equalised)) {
    if (!row.residues.front().starts_with("NAP")) continue;
    ++nadp;
    EXPECT_TRUE(row.what.starts_with("total charge -3 e")) << row.what;
    EXPECT_EQ(row.atoms, 48U);
  }
  EXPECT_EQ(nadp, 2);
}

}  // namespace
}  // namespace isolume::structures
