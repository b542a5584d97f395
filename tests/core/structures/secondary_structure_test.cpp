#include "core/structures/secondary_structure.h"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/charged_file.h"
#include "core/structures/generators.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

const std::string entries = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";

char code_of(Secondary kind) {
  return ".HGIEB"[static_cast<std::size_t>(kind)];
}

/// Of the residues of a chain with a whole backbone.
std::string codes_of(const Charges& charges, const std::string& chain, const std::vector<Secondary>& found) {
  const auto residues = residues_of(charges);
  const auto backbones = backbones_of(charges, residues);
  std::string codes;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& each = backbones[i];
    if (charges.labels[residues.all[i].atoms.front()].chain == chain && each.nitrogen && each.alpha_carbon &&
        each.carbon && each.oxygen)
      codes += code_of(found[i]);
  }
  return codes;
}

std::vector<Secondary> assigned(const Charges& charges) {
  return assigned_secondary(backbones_of(charges, residues_of(charges)));
}

TEST(SecondaryStructure, IsAsAnotherProgramAssignsIt) {
  std::ifstream file(entries + "secondary-structure.csv");
  int chains = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#") || line.starts_with("entry")) continue;
    std::istringstream words(line);
    std::string entry, chain, codes;
    std::getline(std::getline(std::getline(words, entry, ','), chain, ','), codes);
    const auto charges =
        read_charged_file(entries + entry + (entry == "1FAS" ? ".cif.gz" : ".pdb.gz")).charges;
    EXPECT_EQ(codes_of(charges, chain, assigned(charges)), codes) << entry << " " << chain;
    ++chains;
  }
  EXPECT_EQ(chains, 4);
}

TEST(SecondaryStructure, OfAModelHelixIsAHelixAndNothingWithoutTurns) {
  const auto helix = alanine_helix(20);
  const auto codes = codes_of(helix, helix.labels.front().chain, assigned(helix));
  EXPECT_EQ(codes.substr(1, 17), std::string(17, 'H')) << codes;
  // Four residues have one turn, and a helix takes two.
  const auto few = alanine_helix(4);
  EXPECT_EQ(codes_of(few, few.labels.front().chain, assigned(few)), "....");
}

TEST(SecondaryStructure, DoesNotGoOverAGap) {
  // Without a carbonyl in its middle a helix is two.
  auto helix = alanine_helix(20);
  const auto whole = assigned(helix);
  const auto residues = residues_of(helix);
  for (const auto atom : residues.all[9].atoms) {
    if (helix.labels[atom].atom == "C") helix.labels[atom].atom = "CX";
  }
  const auto cut = assigned(helix);
  EXPECT_EQ(whole[9], Secondary::alpha_helix);
  EXPECT_EQ(cut[9], Secondary::none);
  EXPECT_EQ(cut[5], Secondary::alpha_helix);
  EXPECT_EQ(cut[14], Secondary::alpha_helix);
}

TEST(SecondaryStructure, OfRecordsIsThatOfTheFile) {
  const auto file = read_charged_file(entries + "1AFS.pdb.gz");
  const auto found = recorded_secondary(file.charges, residues_of(file.charges), file.secondary);
  const auto codes = codes_of(file.charges, "A", found);
  // HELIX 2 2 LYS A 31 ASP A 43 5, HELIX 3 3 GLU A 58 GLU A 70 1, SHEET 5 B 6 LEU A 113 ILE A 116.
  EXPECT_EQ(codes.substr(29, 15), ".GGGGGGGGGGGGG.");
  EXPECT_EQ(codes.substr(56, 15), ".HHHHHHHHHHHHH.");
  EXPECT_EQ(codes.substr(111, 6), ".EEEE.");
  // Of its own mmCIF, whose sheets are a loop: CYS 3 - TYR 4, LEU 14 - THR 15, VAL 34 - CYS 39, CYS 22 - ARG 27 and
  // LEU 48 - CYS 53.
  const auto toxin = read_charged_file(entries + "1FAS.cif.gz");
  EXPECT_EQ(codes_of(toxin.charges, "A",
                     recorded_secondary(toxin.charges, residues_of(toxin.charges), toxin.secondary)),
            "..EE.........EE......EEEEEE......EEEEEE........EEEEEE........");
}

class SecondaryRecords : public ::testing::Test {
 protected:
  std::vector<SecondaryRange> read(const std::string& name, const std::string& text) const {
    return read_structure(folder_.write(name, text)).secondary;
  }
  isolume::testing::TemporaryFolder folder_;
};

const std::string pdb_atom =
    "ATOM      1  CA  ALA A   1       1.000   2.000   3.000  1.00  0.00           C\n";

const std::string cif_atom =
    "loop_\n_atom_site.group_PDB\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n_atom_site.auth_asym_"
    "id\n"
    "_atom_site.auth_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\nATOM CA ALA A 1 1 2 "
    "3\n";

TEST_F(SecondaryRecords, OfAPdbFileHaveInsertionsAndLargeNumbers) {
  const auto found = read("a.pdb",
                          "HELIX    1   1 SER A    3A SER A A00B  3\n"
                          "SHEET    1   A 2 PHE B  -2  HIS B  11  0\n" +
                              pdb_atom);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, Secondary::pi_helix);
  EXPECT_EQ(found[0].first, (SecondaryRange::End{3, 'A'}));
  EXPECT_EQ(found[1].kind, Secondary::strand);
  EXPECT_EQ(found[1].chain, "B");
  EXPECT_EQ(found[1].first, (SecondaryRange::End{-2, ' '}));
  EXPECT_EQ(found[1].last, (SecondaryRange::End{11, ' '}));
}

/// They are no part of what makes a file worth opening: the structure is assigned by hydrogen bonds.
TEST_F(SecondaryRecords, AreLeftOutWhereOneCannotBeRead) {
  const std::string good = "HELIX    1   1 SER A    3  SER A   10  1\n";
  EXPECT_EQ(read("a.pdb", good + pdb_atom).size(), 1U);
  for (const char* bad :
       {"HELIX    2   2 SER A    x  SER A   10  1\n", "SHEET    1   A 2 PHE B   2\n", "HELIX \n"})
    EXPECT_TRUE(read("b.pdb", good + bad + pdb_atom).empty()) << bad;
  const std::string rows =
      "data_X\nloop_\n_struct_conf.conf_type_id\n_struct_conf.beg_auth_asym_id\n"
      "_struct_conf.beg_auth_seq_id\n_struct_conf.end_auth_seq_id\nHELX_P B 6 9\n";
  EXPECT_EQ(read("a.cif", rows + "#\n" + cif_atom).size(), 1U);
  for (const char* bad : {"HELX_P B ? 9\n", "HELX_P B 6 nine\n", "HELX_P B 6 99999999999\n"})
    EXPECT_TRUE(read("b.cif", rows + bad + "#\n" + cif_atom).empty()) << bad;
}

TEST_F(SecondaryRecords, OfMmcifMayBeSingleValuesAndTurnsAreNoHelices) {
  const auto one = read("c.cif",
                        "data_X\n_struct_conf.conf_type_id HELX_P\n_struct_conf.id HELX_P1\n"
                        "_struct_conf.beg_auth_asym_id A\n_struct_conf.beg_auth_seq_id 5\n"
                        "_struct_conf.pdbx_beg_PDB_ins_code ?\n_struct_conf.end_auth_asym_id A\n"
                        "_struct_conf.end_auth_seq_id 17\n_struct_conf.pdbx_end_PDB_ins_code C\n"
                        "_struct_conf.pdbx_PDB_helix_class 1\n_struct_conf_type.id HELX_P\n" +
                            cif_atom);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].kind, Secondary::alpha_helix);
  EXPECT_EQ(one[0].chain, "A");
  EXPECT_EQ(one[0].first, (SecondaryRange::End{5, ' '}));
  EXPECT_EQ(one[0].last, (SecondaryRange::End{17, 'C'}));
  const auto loop = read("d.cif",
                         "data_X\nloop_\n_struct_conf.conf_type_id\n_struct_conf.beg_auth_asym_id\n"
                         "_struct_conf.beg_auth_seq_id\n_struct_conf.end_auth_seq_id\n"
                         "TURN_P A 2 4\nHELX_P B 6 9\n#\n" +
                             cif_atom);
  ASSERT_EQ(loop.size(), 1U);
  EXPECT_EQ(loop[0].chain, "B");
}

}  // namespace
}  // namespace isolume::structures
