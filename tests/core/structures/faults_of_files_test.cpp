// What structure files have by mistake or by another program's habit, one kind each. Charges are those of chemistry at
// pH 7, and atoms are counted by hand.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"
#include "core/structures/charge_frames.h"
#include "core/structures/charged_file.h"
#include "core/structures/pqr.h"
#include "core/structures/prepare.h"
#include "core/structures/residues.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

/// `name` takes the four columns from 13 on, `residue` the three from 18 on.
struct Line {
  std::string name, residue;
  Eigen::Vector3d place;
  int number = 1;
  std::string element = "";
  char alternative = ' ';
  double occupancy = 1;
};
std::string text_of(const Line& line) {
  return fmt::format("ATOM      1 {:4}{}{:3} A{:4}    {:8.3f}{:8.3f}{:8.3f}{:6.2f}  0.00          {:>2}\n",
                     line.name, line.alternative, line.residue, line.number, line.place.x(), line.place.y(),
                     line.place.z(), line.occupancy, line.element);
}

/// A residue of a chain along x; its side chain is that of `residue`, of rough places.
std::string residue_text(const std::string& residue, int number, char alternative = ' ',
                         double occupancy = 1) {
  const double x = 3.8 * number;
  std::vector<std::pair<std::string, Eigen::Vector3d>> atoms{
      {" N", {x, 0, 0}}, {" CA", {x + 1.2, 0.8, 0}}, {" C", {x + 2.5, 0, 0}}, {" O", {x + 2.5, -1.2, 0}}};
  if (residue != "GLY") atoms.push_back({" CB", {x + 1.2, 1.7, 1.2}});
  if (residue == "VAL") atoms.push_back({" CG1", {x + 0.0, 2.6, 1.2}});
  if (residue == "THR") atoms.push_back({" OG1", {x + 0.0, 2.6, 1.2}});
  if (residue == "VAL" || residue == "THR") atoms.push_back({" CG2", {x + 2.4, 2.6, 1.2}});
  if (residue == "CYS") atoms.push_back({" SG", {x + 1.2, 1.7, 3.0}});
  const std::vector<std::string> lysine{" CG", " CD", " CE", " NZ"};
  for (std::size_t i = 0; residue == "LYS" && i < lysine.size(); ++i)
    atoms.push_back({lysine[i], {x + 1.2, i % 2 == 0 ? 2.5 : 1.7, 2.7 + 1.5 * static_cast<double>(i)}});
  std::string text;
  for (const auto& [name, place] : atoms)
    text += text_of({name, residue, place, number, name.substr(1, 1), alternative, occupancy});
  return text;
}

/// The same atoms turned by half a turn about an axis along x, and shifted so that one place comes to another.
std::string upside_down(const std::string& text, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  std::string turned;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    constexpr std::size_t columns = 30, width = 8;
    Eigen::Vector3d place;
    for (int axis = 0; axis < 3; ++axis)
      place[axis] = std::stod(line.substr(columns + width * static_cast<std::size_t>(axis), width));
    place = to + Eigen::Vector3d(1, -1, -1).cwiseProduct(place - from);
    line.replace(columns, 3 * width, fmt::format("{:8.3f}{:8.3f}{:8.3f}", place.x(), place.y(), place.z()));
    turned += line + '\n';
  }
  return turned;
}

class FaultsOfFiles : public ::testing::Test {
 protected:
  Structure structure(const std::string& text, const std::string& name = "s.pdb") const {
    return read_structure(folder_.write(name, text));
  }
  ChargedFile read(const std::string& text, const std::string& name = "s.pdb",
                   const ChargedFileOptions& options = {}) const {
    return read_charged_file(folder_.write(name, text), options);
  }
  static bool says(const Remarks& remarks, RemarkKind kind, std::string_view part) {
    for (const auto& remark : remarks)
      if (remark.kind == kind && remark.text.find(part) != std::string::npos) return true;
    return false;
  }
  static std::vector<std::string> names(const Structure& structure) {
    std::vector<std::string> all;
    for (const auto& residue : structure.residues) all.push_back(name_of(residue));
    return all;
  }
  /// Of an only residue.
  std::map<std::string, int> elements(const std::string& text, const std::string& name = "e.pdb") const {
    std::map<std::string, int> all;
    for (const auto& residue : structure(text, name).residues)
      for (const auto& atom : residue.atoms) all[atom.name] = atom.atomic_number;
    return all;
  }
  isolume::testing::TemporaryFolder folder_;
};

using Names = std::vector<std::string>;

/// Both residues at one place of the chain: the one of higher occupancy gives the name, wherever its lines stand.
TEST_F(FaultsOfFiles, TheChosenAlternativeGivesTheResiduesName) {
  const std::string val = residue_text("VAL", 2, 'A', 0.4), thr = residue_text("THR", 2, 'B', 0.6);
  const std::string before = residue_text("GLY", 1), behind = residue_text("GLY", 3);
  for (const auto& text : {before + val + thr + behind, before + val + behind + thr}) {
    const auto made = structure(text);
    EXPECT_EQ(names(made), (Names{"GLY A 1", "THR A 2", "GLY A 3"}));
    EXPECT_EQ(made.alternatives, 7);  // N, CA, C, O, CB, CG1 and CG2 of valine
    EXPECT_NE(made.residues[1].find("OG1"), nullptr);
  }
  const auto ion = [](const std::string& name, const std::string& residue, char alternative,
                      double occupancy) {
    return text_of({name, residue, {30, 0, 0}, 9, "", alternative, occupancy});
  };
  EXPECT_EQ(names(structure(ion("ZN", " ZN", 'A', 0.3) + ion("MG", " MG", 'B', 0.7))), Names{"MG A 9"});
  // Water takes the place of the sodium ion, and is left out: the peptide alone is neutral.
  const auto dry = read(before + behind + ion("NA", " NA", 'A', 0.3) + ion(" O", "HOH", 'B', 0.7));
  EXPECT_EQ(dry.preparation->waters_left_out, 1);
  EXPECT_NEAR(total_charge(dry.charges), 0, 1e-6);
}

/// Only the second location has a letter: occupancies decide all the same.
TEST_F(FaultsOfFiles, AnAlternativeWithoutALetterIsChosenByItsOccupancy) {
  for (const double first : {0.3, 0.6}) {
    const auto atom = [](double x, char alternative, double occupancy) {
      return text_of({" CB", "ALA", {x, 1.7, 1.2}, 1, "C", alternative, occupancy});
    };
    std::string text = residue_text("GLY", 1);
    for (std::size_t at = 0; (at = text.find("GLY", at)) != text.npos;) text.replace(at, 3, "ALA");
    const auto made = structure(text + atom(5, ' ', first) + atom(6, 'B', 1 - first));
    ASSERT_EQ(made.residues.size(), 1U);
    EXPECT_EQ(made.residues[0].find("CB")->place.x(), first > 0.5 ? 5 : 6) << first;
    EXPECT_EQ(made.alternatives, 1);
    EXPECT_TRUE(says(made.remarks, RemarkKind::dropped, "Alternate locations of lower occupancy"))
        << made.remarks.text();
  }
  const std::string cif =
      "data_x\nloop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
      "_atom_site.label_alt_id\n_atom_site.label_comp_id\n_atom_site.label_asym_id\n_atom_site.label_seq_id\n"
      "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.occupancy\n"
      "ATOM N N . ALA A 1 0 0 0 1\nATOM C CA . ALA A 1 1.5 0 0 1\n"
      "ATOM C CB . ALA A 1 2 1 0 0.3\nATOM C CB B ALA A 1 2 2 0 0.7\n";
  EXPECT_EQ(structure(cif, "s.cif").residues.at(0).find("CB")->place.y(), 2);
}

TEST_F(FaultsOfFiles, ChargesOfAPqrFileAreNoOccupancies) {
  const std::string text =
      "ATOM      1  N   GLY A   1       1.000   2.000   3.000  0.00  1.85\n"
      "ATOM      2  CA  GLY A   1       2.500   2.000   3.000  0.14  1.70\n";
  const auto document = molecules::read_document(folder_.write("m.pqr", text));
  EXPECT_EQ(document.molecule.atoms.size(), 2U);
  EXPECT_TRUE(says(document.remarks, RemarkKind::dropped, "Charges and radii of the PQR file"));
  EXPECT_FALSE(says(document.remarks, RemarkKind::warning, "occupancy"));
  const auto pdb = molecules::read_document(folder_.write("m.pdb", text));
  EXPECT_TRUE(says(pdb.remarks, RemarkKind::warning, "Atoms of occupancy 0")) << pdb.remarks.text();
}

/// A calcium ion of a record in small letters was left out; a line with tabs, too.
TEST_F(FaultsOfFiles, RecordsInSmallLettersAreReadAndTabsRefused) {
  std::string ion = text_of({"CA", " CA", {30, 0, 0}, 9, "CA"});
  ion.replace(0, 6, "hetatm");
  const auto made = structure(residue_text("GLY", 1) + ion + "end\n");
  ASSERT_EQ(made.residues.size(), 2U);
  EXPECT_EQ(made.residues[1].atoms.at(0).atomic_number, 20);
  std::string tabs = residue_text("GLY", 1);
  tabs.replace(tabs.rfind("ATOM      1  O"), 14, "ATOM\t1\tO  ");
  try {
    structure(tabs);
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("s.pdb:4"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("tabs"), std::string::npos) << error.what();
  }
}

/// Two places of a side chain's atom without their letters: one residue of 7 heavy atoms, not two halves.
TEST_F(FaultsOfFiles, ARepeatedAtomOfASideChainIsNoOtherResidue) {
  std::string text = residue_text("GLY", 1) + residue_text("VAL", 2);
  text += text_of({" CG1", "VAL", {8.6, 3.4, 1.2}, 2, "C"}) + residue_text("GLY", 3);
  const auto made = structure(text);
  EXPECT_EQ(names(made), (Names{"GLY A 1", "VAL A 2", "GLY A 3"}));
  EXPECT_EQ(made.residues[1].atoms.size(), 7U);
  EXPECT_TRUE(says(made.remarks, RemarkKind::dropped, "VAL A 2 (CG1)")) << made.remarks.text();
  // All atoms twice, as where both letters are lost; the second ones are 0.1 angstrom away.
  std::string twice;
  double x = 0;
  for (const auto* atom : {" N", " CA", " C", " O"}) {
    x += 1.5;
    twice += text_of({atom, "GLY", {x, 0, 0}}) + text_of({atom, "GLY", {x + 0.1, 0, 0}});
  }
  EXPECT_EQ(structure(twice).residues.size(), 1U);
  // A whole residue again, elsewhere, is another one.
  std::string again = residue_text("VAL", 2);
  again += text_of({" N", "VAL", {0, 0, 40}, 2, "N"}) + text_of({" CA", "VAL", {1.4, 0, 40}, 2, "C"});
  EXPECT_EQ(structure(again).residues.size(), 2U);
}

/// Without elements: two letters where no organic atom has such a name, whatever the column.
TEST_F(FaultsOfFiles, ElementsThatNamesAloneGive) {
  const auto of = [&](const Names& atoms, const std::string& residue) {
    std::string text;
    for (std::size_t i = 0; i < atoms.size(); ++i)
      text += text_of({atoms[i], residue, {3.0 * static_cast<double>(i), 0, 0}});
    return elements(text);
  };
  using Elements = std::map<std::string, int>;
  EXPECT_EQ(of({" CL1", " BR1", " FE", " ZN", " SE", " CA", " CAD"}, "LIG"),
            (Elements{{"CL1", 17}, {"BR1", 35}, {"FE", 26}, {"ZN", 30}, {"SE", 34}, {"CA", 6}, {"CAD", 6}}));
  // Names of four characters fill all columns: these are CHARMM's of cardiolipin, and those of a chloride and of platinum.
  EXPECT_EQ(of({"CA11", "CD11", "NA12", "HG11", "CLAA", "RU1A"}, "LIG"),
            (Elements{{"CA11", 6}, {"CD11", 6}, {"NA12", 7}, {"HG11", 1}, {"CLAA", 17}, {"RU1A", 44}}));
  EXPECT_EQ(of({"HO2", "HG1", "CL2"}, "LIG"), (Elements{{"HO2", 1}, {"HG1", 1}, {"CL2", 17}}));
  // Letters that begin like the residue's name, in a file whose names all begin in column 13.
  EXPECT_EQ(of({"P", "N9A", "N7A", "C8A"}, "NAD"), (Elements{{"P", 15}, {"N9A", 7}, {"N7A", 7}, {"C8A", 6}}));
  EXPECT_EQ(of({"C", "CA1", "HE1"}, "CAF"), (Elements{{"C", 6}, {"CA1", 6}, {"HE1", 1}}));
  EXPECT_EQ(molecules::element_of_name("NA", "NA+"), 11);
  EXPECT_EQ(molecules::element_of_name("SOD", "SOD"), 11);
  EXPECT_EQ(molecules::element_of_name("XE", "XE"), 54);
  EXPECT_EQ(molecules::element_of_name("HE1", "HEX"), 1);
  EXPECT_TRUE(
      says(structure(text_of({"PT1A", "LIG", {0, 0, 0}})).remarks, RemarkKind::assumed, "LIG A 1 (PT1A)"));
}

/// Elements one column too far right: the first of two letters would stand in their place.
TEST_F(FaultsOfFiles, DisplacedElementsAreNotRead) {
  std::string chlorine = text_of({" CL1", "LIG", {0, 0, 0}, 1, "CL"}),
              carbon = text_of({" C1", "LIG", {3, 0, 0}, 1, "C"});
  chlorine.insert(76, " ");
  const auto made = structure(chlorine + carbon);
  EXPECT_EQ(made.residues[0].find("CL1")->atomic_number, 17);
  EXPECT_EQ(made.residues[0].find("C1")->atomic_number, 6);
  EXPECT_TRUE(says(made.remarks, RemarkKind::dropped, "columns 77 and 78")) << made.remarks.text();
}

/// Norleucine, which no table has: its backbone tells that CA is no calcium.
TEST_F(FaultsOfFiles, FirstLettersOfNamesAreNoElementsInAminoAcids) {
  std::string text = residue_text("ALA", 1);
  for (std::size_t at = 0; (at = text.find("ALA", at)) != std::string::npos; ++at) text.replace(at, 3, "NLE");
  text.replace(text.find(" CA  NLE") + 64, 2, "CA");
  text += text_of({" CD", "NLE", {5, 4, 1}, 1, "CD"}) + text_of({" SI", "NLE", {5, 6, 1}, 1, "SI"});
  const auto made = structure(text);
  ASSERT_EQ(made.residues.size(), 1U);
  EXPECT_EQ(made.residues[0].find("CA")->atomic_number, 6);
  EXPECT_EQ(made.residues[0].find("CD")->atomic_number, 6);
  EXPECT_EQ(made.residues[0].find("SI")->atomic_number, 14);
  EXPECT_TRUE(says(made.remarks, RemarkKind::corrected, "NLE A 1 (CA)")) << made.remarks.text();
}

/// The author's numbers are missing, the entry's own are there; of the last atom neither is.
TEST_F(FaultsOfFiles, AMissingValueOfMmcifIsTakenFromTheOtherColumn) {
  const auto made = structure(
      "data_X\nloop_\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n"
      "_atom_site.label_asym_id\n_atom_site.label_seq_id\n_atom_site.auth_asym_id\n_atom_site.auth_seq_id\n"
      "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n"
      "N N GLY A 7 . . 0 0 0\nN N GLY A 8 B 18 9 0 0\nC C1 LIG C . . ? 20 0 0\n#\n",
      "s.cif");
  EXPECT_EQ(names(made), (Names{"GLY A 7", "GLY B 18", "LIG C 19"}));
  EXPECT_TRUE(says(made.remarks, RemarkKind::assumed, "Numbers that cannot be read"));
}

/// A neutron structure: the amide's proton is exchanged to 60 %.
TEST_F(FaultsOfFiles, DeuteriumIsAnAlternativeOfHydrogen) {
  const auto made =
      structure(residue_text("ALA", 1) + text_of({" H", "ALA", {3.0, -0.5, 0}, 1, "H", 'A', 0.4}) +
                text_of({" D", "ALA", {3.0, -0.5, 0}, 1, "D", 'B', 0.6}));
  EXPECT_EQ(made.alternatives, 1);
  EXPECT_EQ(made.residues[0].atoms.size(), 6U);
  EXPECT_EQ(made.residues[0].find("H"), nullptr);
}

/// Two sodium ions and a chloride that share a number are three residues: +1.
TEST_F(FaultsOfFiles, IonsOfOneNumberAreSeveral) {
  const std::string text = text_of({"NA", "ION", {0, 0, 0}, 201, "NA"}) +
                           text_of({"NA", "ION", {8, 0, 0}, 201, "NA"}) +
                           text_of({"CL", "ION", {16, 0, 0}, 201, "CL"});
  EXPECT_EQ(structure(text).residues.size(), 3U);
  EXPECT_NEAR(total_charge(read(text).charges), 1, 1e-9);
}

/// Drude oscillators are 0.1 angstrom from their atoms, nearer than any atom is to another.
TEST_F(FaultsOfFiles, DrudeParticlesAreNoHydrogens) {
  const auto made = read(residue_text("GLY", 1) + text_of({" DCA", "GLY", {5.0, 0.9, 0}, 1}) +
                         text_of({" DC", "GLY", {6.3, 0.1, 0}, 1}) + residue_text("GLY", 2));
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::dropped, "Drude")) << made.charges.remarks.text();
  EXPECT_TRUE(made.preparation->hydrogens_dropped.empty());
  EXPECT_NEAR(total_charge(made.charges), 0, 1e-6);
}

/// A cysteine with hydrogens, but none at its sulphur: a thiolate, whose charge is -1.
TEST_F(FaultsOfFiles, AnAbsentHydrogenOfAResidueThatHasOthersTells) {
  const std::string behind = residue_text("GLY", 3);
  const auto thiolate = read(residue_text("GLY", 1) + residue_text("CYS", 2) +
                             text_of({" HB2", "CYS", {7.9, 2.2, 1.2}, 2, "H"}) + behind);
  ASSERT_EQ(thiolate.preparation->states.size(), 1U);
  EXPECT_EQ(thiolate.preparation->states[0].state, "CYM");
  EXPECT_NEAR(total_charge(thiolate.charges), -1, 1e-6);
  // No state of threonine lacks its proton: it is added, and that is said.
  const auto alcohol = read(residue_text("GLY", 1) + residue_text("THR", 2) +
                            text_of({" HB", "THR", {8.8, 1.7, 2.3}, 2, "H"}) + behind);
  EXPECT_TRUE(says(alcohol.charges.remarks, RemarkKind::assumed, "HG1 of THR A 2"))
      << alcohol.charges.remarks.text();
  // Nothing is to be said where the file has no hydrogens at all.
  EXPECT_TRUE(read(residue_text("GLY", 1) + residue_text("THR", 2) + behind)
                  .preparation->hydrogens_completed.empty());
}

/// A thioether of cysteine and an amide or imine of lysine with a ligand: neither is charged, nor has the hydrogens of a
/// free side chain.
TEST_F(FaultsOfFiles, SideChainsBondedToLigandsHaveNoHydrogenThere) {
  struct Case {
    std::string residue, atom, hydrogen;
    Eigen::Vector3d carbon;  ///< of the ligand: 1.8 and 1.3 angstrom away
  };
  for (const auto& [residue, atom, hydrogen, carbon] :
       {Case{"CYS", "SG", "HG", {8.8, 1.7, 4.8}}, Case{"LYS", "NZ", "HZ1", {8.8, 1.7, 8.5}}}) {
    const std::string chain = residue_text("GLY", 1) + residue_text(residue, 2) + residue_text("GLY", 3);
    const auto has = [&](const ChargedFile& file) {
      return std::ranges::any_of(file.charges.labels,
                                 [&](const auto& label) { return label.atom == hydrogen; });
    };
    EXPECT_TRUE(has(read(chain))) << residue;
    const auto bonded = read(chain + text_of({" C1", "LIG", carbon, 9, "C"}));
    EXPECT_FALSE(has(bonded)) << residue;
    EXPECT_NEAR(total_charge(bonded.charges), 0, 1e-6) << residue;
    EXPECT_TRUE(says(bonded.charges.remarks, RemarkKind::assumed,
                     fmt::format("{} of {} A 2 to C1 of LIG A 9", atom, residue)))
        << bonded.charges.remarks.text();
  }
}

/// One dipeptide, whatever stands between its lines: one end each, and one oxygen that is added.
TEST_F(FaultsOfFiles, TerBetweenBondedResiduesEndsNoChain) {
  const auto made = read(residue_text("GLY", 1) + "TER\n" + residue_text("GLY", 2));
  EXPECT_EQ(made.preparation->ends.size(), 2U);
  EXPECT_EQ(made.preparation->added_atoms, Names{"OXT of GLY A 2"});
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "OXT of GLY A 2"));
  EXPECT_FALSE(says(made.charges.remarks, RemarkKind::assumed, "gap"));
  const auto broken = read(residue_text("GLY", 1) + residue_text("GLY", 5));
  EXPECT_TRUE(says(broken.charges.remarks, RemarkKind::assumed, "gap before"))
      << broken.charges.remarks.text();
}

/// What a nucleotide at the 3' end lacks of a whole charge is at the 5' end, which a phosphate replaces here.
TEST_F(FaultsOfFiles, APhosphateThatBeginsAChainIsNamed) {
  std::string text;
  for (int number : {1, 2}) {
    const double x = 6.0 * number;
    text += text_of({" P", " DA", {x, 0, 0}, number, "P"}) +
            text_of({" O5'", " DA", {x + 1.5, 0, 0}, number, "O"}) +
            text_of({" C1'", " DA", {x + 3, 2, 0}, number, "C"}) +
            text_of({" O3'", " DA", {x + 4.4, 0, 0}, number, "O"});
  }
  const auto made = read(text);
  // AMBER's 5' end has -0.3079 e, which a phosphate of -1 e would have besides its own.
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "with a phosphate"))
      << made.charges.remarks.text();
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "DA A 1 (-0.308 e)"));
}

/// A phosphate with three oxygens has two charges more than an end without it: two nucleotides have -3 e. At pH 5, or
/// with the hydrogen, it has one.
TEST_F(FaultsOfFiles, APhosphateWithThreeOxygensMakesTheChargeWhole) {
  std::string text;
  for (int number : {1, 2}) {
    const double x = 6.0 * number;
    text += text_of({" P", " DA", {x, 0, 0}, number, "P"}) +
            text_of({" OP1", " DA", {x, 1, 1.1}, number, "O"}) +
            text_of({" OP2", " DA", {x, 1, -1.1}, number, "O"}) +
            text_of({" O5'", " DA", {x + 1.5, 0, 0}, number, "O"}) +
            text_of({" C1'", " DA", {x + 3, 2, 0}, number, "C"}) +
            text_of({" O3'", " DA", {x + 4.4, 0, 0}, number, "O"});
  }
  text += text_of({" O3P", " DA", {5.5, -1.3, 0}, 1, "O"});
  const auto charge_of_whole_residues = [&](const ChargedFile& file) {
    double sum = 0;
    for (const auto& residue : file.preparation->incomplete) sum += residue.expected;
    return sum;
  };
  for (const auto force_field : {ForceField::amber, ForceField::charmm}) {
    ChargedFileOptions options;
    options.prepare.force_field = force_field;
    const auto made = read(text, "s.pdb", options);
    EXPECT_NEAR(charge_of_whole_residues(made), -3, 1e-6);
    EXPECT_TRUE(made.preparation->unknown_atoms.empty());
    EXPECT_EQ(made.preparation->composed, Names{"DA A 1"});
    const std::string hydrogen = text_of({"HOP3", " DA", {4.8, -1.9, 0}, 1, "H"});
    EXPECT_NEAR(charge_of_whole_residues(read(text + hydrogen, "s.pdb", options)), -2, 1e-6);
    options.prepare.ph = 5;
    EXPECT_NEAR(charge_of_whole_residues(read(text, "s.pdb", options)), -2, 1e-6);
  }
}

/// Zinc +2 and hydroxide -1, as where the residue is called OH.
TEST_F(FaultsOfFiles, HydroxideOfWatersNameIsEqualisedAsHydroxide) {
  ChargedFileOptions options;
  options.prepare.equalise_unknown = true;
  for (const std::string residue : {"HOH", " OH"}) {
    const std::string text = text_of({"ZN", " ZN", {0, 0, 0}, 301, "ZN"}) +
                             text_of({" O", residue, {2, 0, 0}, 302, "O"}) +
                             text_of({" H1", residue, {2.3, 0.9, 0}, 302, "H"});
    EXPECT_NEAR(total_charge(read(text, "o.pdb", options).charges), 1, 1e-6) << residue;
  }
}

/// Four atoms of charge +1 together, in three frames, are one structure of 4 atoms, however frames are separated.
TEST_F(FaultsOfFiles, FramesOfPqrAreSeparatedInManyWays) {
  const auto frame = [](int x) {
    std::string text;
    for (int i = 0; i < 4; ++i) text += fmt::format("ATOM {0} C{0} LIG A 1 {1} {0} 0 0.25 1.7\n", i + 1, x);
    return text;
  };
  const std::string ends = frame(0) + "END\n" + frame(1) + "END\n" + frame(2) + "END\n";
  const std::string no_ends = "MODEL 1\n" + frame(0) + "MODEL 2\n" + frame(1) + "MODEL 3\n" + frame(2);
  for (const auto& text : {ends, no_ends}) {
    const auto charges = read(text, "f.pqr").charges;
    EXPECT_EQ(charges.size(), 4U);
    EXPECT_EQ(total_charge(charges), 1);
    EXPECT_TRUE(says(charges.remarks, RemarkKind::dropped, "first of several"));
    EXPECT_EQ(open_charge_frames(folder_.write("g.pqr", text), {}, {})->size(), 3U);
  }
  // Other atoms behind END belong to the same structure, and that is said.
  const auto joined = read(frame(0) + "END\nATOM 5 ZN ZN A 2 9 9 9 2 1.4\nEND\n", "f.pqr").charges;
  EXPECT_EQ(total_charge(joined), 3);
  EXPECT_TRUE(says(joined.remarks, RemarkKind::assumed, "after END"));
}

/// Hybrid-36: A000 follows 9999.
TEST_F(FaultsOfFiles, LargeNumbersOfPqrKeepTheirChain) {
  const auto charges = read(
                           "ATOM 1 NA NA A A000 0 0 0 1 1.4\nATOM 2 CL CL B A001 5 0 0 -1 1.8\nATOM 3 N GLY "
                           "A1234 9 0 0 0 1.8\n",
                           "h.pqr")
                           .charges;
  EXPECT_EQ(name_of_residue(charges.labels[0]), "NA A 10000");
  EXPECT_EQ(name_of_residue(charges.labels[1]), "CL B 10001");
  EXPECT_EQ(name_of_residue(charges.labels[2]), "GLY A 1234");
}

/// Stars, hexadecimal (VMD) and hybrid-36, with and without chains. 271A after 2719 is hexadecimal, 52A has an insertion
/// code, and A12 at the beginning is chain A.
TEST_F(FaultsOfFiles, NumbersOfPqrAreReadAsProgramsOverflow) {
  const auto numbers = [&](const Names& words, const std::string& chain) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
      text += fmt::format("ATOM {} NA NA {}{} {} 0 0 1 1.4\n", i + 1, chain, words[i], 9 * i);
    Names found;
    for (const auto& label : read(text, "n.pqr").charges.labels) {
      EXPECT_EQ(label.chain, chain.substr(0, chain.size() / 2));
      found.push_back(
          fmt::format("{}{}", label.number, label.insertion == ' ' ? "" : std::string(1, label.insertion)));
    }
    return found;
  };
  for (const std::string chain : {"", "A "}) {
    EXPECT_EQ(numbers({"9999", "****", "****"}, chain), (Names{"9999", "10000", "10001"}));
    EXPECT_EQ(numbers({"9999", "2710", "2711", "271a"}, chain), (Names{"9999", "10000", "10001", "10010"}));
    EXPECT_EQ(numbers({"9999", "A000", "A001"}, chain), (Names{"9999", "10000", "10001"}));
    EXPECT_EQ(numbers({"52", "52A", "271A"}, chain), (Names{"52", "52A", "271A"}));
  }
  const auto one = read("ATOM 1 NA NA A12 0 0 0 1 1.4\n", "n.pqr").charges;
  EXPECT_EQ(name_of_residue(one.labels[0]), "NA A 12");
  const auto stars = read("ATOM 1 NA NA **** 0 0 0 1 1.4\n", "n.pqr").charges;
  EXPECT_TRUE(says(stars.remarks, RemarkKind::assumed, "Numbers that cannot be read"));
  // A line without its radius, whose charge would be taken for it.
  EXPECT_THROW(read("ATOM 1 NA NA A 1 0 0 0 1\n", "n.pqr"), InputError);
}

TEST_F(FaultsOfFiles, NumbersOfGroAreReadAsProgramsOverflow) {
  folder_.write("n.itp",
                "[ atomtypes ]\nNA 11 22.99 1.0 A 0.3 0.1\n[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 "
                "1 22.99\n");
  const auto numbers = [&](const Names& words) {
    std::string text = fmt::format("ions\n{}\n", words.size());
    for (std::size_t i = 0; i < words.size(); ++i)
      text += fmt::format("{:>5}NA      NA{:5}{:8.3f}   0.000   0.000\n", words[i], i + 1,
                          static_cast<double>(i));
    std::vector<int> found;
    for (const auto& label : read(text + "5 5 5\n", "n.gro").charges.labels) found.push_back(label.number);
    return found;
  };
  EXPECT_EQ(numbers({"99999", "*****", "*****"}), (std::vector<int>{99999, 100000, 100001}));
  EXPECT_EQ(numbers({"99999", "186a0", "186a1"}), (std::vector<int>{99999, 100000, 100001}));
  EXPECT_EQ(numbers({"99999", "A0000", "A000Z"}), (std::vector<int>{99999, 100000, 100035}));
  EXPECT_EQ(numbers({"99999", "0", "1"}), (std::vector<int>{99999, 0, 1}));
  EXPECT_THROW(numbers({"12x45"}), InputError);
}

const std::vector<std::pair<std::string, Eigen::Vector3d>> sulphate{{"S", {0, 0, 0}},
                                                                    {"O1", {0.86, 0.86, 0.86}},
                                                                    {"O2", {-0.86, -0.86, 0.86}},
                                                                    {"O3", {0.86, -0.86, -0.86}},
                                                                    {"O4", {-0.86, 0.86, -0.86}}};

/// Three sulphates of -2 e each that share a number, or have none; Open Babel calls all oxygens O.
TEST_F(FaultsOfFiles, MoleculesOfOneNumberAreSeveral) {
  ChargedFileOptions equalise;
  equalise.prepare.equalise_unknown = true;
  for (const std::string number : {"0", "7", "****", ""}) {
    for (const bool is_numbered : {true, false}) {
      std::string pdb,
          cif =
              "data_X\nloop_\n_atom_site.type_symbol\n_atom_site.label_atom_id\n_atom_site.label_comp_id\n"
              "_atom_site.label_asym_id\n_atom_site.auth_seq_id\n_atom_site.Cartn_x\n_atom_site.Cartn_y\n"
              "_atom_site.Cartn_z\n";
      for (int i = 0; i < 3; ++i) {
        for (const auto& [name, place] : sulphate) {
          const std::string atom = is_numbered ? name : name.substr(0, 1), element = name.substr(0, 1);
          const double x = place.x() + 9 * i;
          pdb += fmt::format(
              "HETATM    1  {:3} SO4 A{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}\n", atom,
              number, x, place.y(), place.z(), element);
          cif += fmt::format("{} {} SO4 A {} {} {} {}\n", element, atom, number.empty() ? "?" : number, x,
                             place.y(), place.z());
        }
      }
      for (const auto& [file, text] : {std::pair("s.pdb", pdb), std::pair("s.cif", cif + "#\n")}) {
        const auto made = read(text, file, equalise);
        EXPECT_EQ(made.charges.size(), 15U) << file << number;
        EXPECT_NEAR(total_charge(made.charges), -6, 1e-6) << file << number;
      }
    }
  }
  // A molecule of four carbons, all called C, stays one.
  std::string butane;
  for (int i = 0; i < 4; ++i) butane += text_of({" C", "UNL", {1.5 * i, 0, 0}, 1, "C"});
  EXPECT_EQ(structure(butane).residues.size(), 1U);
}

/// Formats that give charges: three molecules of one number are three residues, and one whose atoms share a name is one.
TEST_F(FaultsOfFiles, ResiduesOfChargesAreMolecules) {
  const auto count = [&](bool is_numbered, int molecules, double apart) {
    std::string text;
    for (int i = 0; i < molecules; ++i)
      for (const auto& [name, place] : sulphate)
        text += fmt::format("ATOM 1 {} SO4 A 0 {} {} {} -0.4 1.7\n", is_numbered ? name : name.substr(0, 1),
                            place.x() + apart * i, place.y(), place.z());
    return residues_of(read(text, "s.pqr").charges).all.size();
  };
  EXPECT_EQ(count(true, 3, 9), 3U);
  EXPECT_EQ(count(false, 3, 9), 3U);
  EXPECT_EQ(count(false, 1, 9), 1U);
}

/// Bacteriorhodopsin's: NZ and C15 of retinal are 1.3 angstrom apart. The imine with one hydrogen has +1 e, as an amine with
/// two; an amide and an imine without any are neutral.
TEST_F(FaultsOfFiles, LysineBondedToRetinalKeepsItsHydrogens) {
  const std::string chain = residue_text("GLY", 1) + residue_text("LYS", 2), end = residue_text("GLY", 3);
  const std::string retinal = text_of({" C15", "RET", {8.8, 2.3, 8.3}, 301, "C"}) +
                              text_of({" C14", "RET", {8.8, 1.6, 9.5}, 301, "C"});
  const std::string carbonyl = text_of({" O1", "RET", {8.8, 3.5, 8.3}, 301, "O"});
  const std::string first = text_of({" HZ", "LYS", {8.8, 0.7, 7.2}, 2, "H"}),
                    second = text_of({" HZ2", "LYS", {9.7, 2.0, 7.2}, 2, "H"});
  struct Case {
    std::string hydrogens, ligand, state;
    int kept;
    double charge;
  };
  for (const auto& [hydrogens, ligand, state, kept, charge] :
       {Case{"", retinal, "LYN", 0, 0}, Case{first, retinal, "LYS", 1, 1},
        Case{first + second, retinal, "LYS", 2, 1}, Case{first, retinal + carbonyl, "LYN", 1, 0}}) {
    const auto made = read(chain + hydrogens + end + ligand);
    ASSERT_EQ(made.preparation->states.size(), 1U) << state << kept;
    EXPECT_EQ(made.preparation->states[0].state, state) << kept;
    EXPECT_NE(made.preparation->states[0].why.find("C15 of RET A 301"), std::string::npos);
    EXPECT_EQ(made.preparation->hydrogens_kept, kept);
    EXPECT_TRUE(made.preparation->hydrogens_dropped.empty());
    EXPECT_NEAR(total_charge(made.charges), charge, 1e-6) << state << kept;
    EXPECT_EQ(std::ranges::count_if(made.charges.labels,
                                    [](const auto& label) { return label.atom.starts_with("HZ"); }),
              kept);
    EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "NZ of LYS A 2 to C15 of RET A 301"))
        << made.charges.remarks.text();
  }
}

/// An ester has no charge, whichever oxygen it is bonded by.
TEST_F(FaultsOfFiles, EstersOfAspartateAreNeutral) {
  std::string chain = residue_text("GLY", 1) + residue_text("ALA", 2) + residue_text("GLY", 3);
  for (std::size_t at = 0; (at = chain.find("ALA", at)) != std::string::npos; ++at)
    chain.replace(at, 3, "ASP");
  chain += text_of({" CG", "ASP", {8.8, 2.5, 2.5}, 2, "C"}) +
           text_of({" OD1", "ASP", {8.8, 1.9, 3.6}, 2, "O"}) +
           text_of({" OD2", "ASP", {8.8, 3.8, 2.5}, 2, "O"});
  EXPECT_NEAR(total_charge(read(chain).charges), -1, 1e-6);
  for (const Eigen::Vector3d& carbon : {Eigen::Vector3d(8.8, 2.6, 4.9), Eigen::Vector3d(8.8, 4.4, 3.8)}) {
    const auto made = read(chain + text_of({" C1", "LIG", carbon, 9, "C"}));
    EXPECT_NEAR(total_charge(made.charges), 0, 1e-6);
    EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "OD2 of ASP A 2 to C1 of LIG A 9"))
        << made.charges.remarks.text();
  }
}

/// Isopeptides, as of pilins, and a thioester: neither partner has a charge, whatever the file keeps of the acid or amide,
/// and by whatever name.
TEST_F(FaultsOfFiles, AcylGroupsAndTheirLysinesAreNeutral) {
  const auto charge_of = [](const ChargedFile& file, int number) {
    double sum = 0;
    for (std::size_t i = 0; i < file.charges.size(); ++i)
      if (file.charges.labels[i].number == number) sum += file.charges.charge[i];
    return sum;
  };
  // A chain with the residue in its middle, upside down: its carbonyl carbon at (8.8, 1.7, z).
  const auto side_chain = [](const std::string& residue, const Names& ends, double z) {
    std::string chain = residue_text("GLY", 11) + residue_text("ALA", 12) + residue_text("GLY", 13);
    for (std::size_t at = 0; (at = chain.find("ALA", at)) != std::string::npos; ++at)
      chain.replace(at, 3, residue);
    const bool is_long = residue.starts_with("GL");
    const Eigen::Vector3d gamma(46.8, 2.5, 2.5), carbonyl = is_long ? Eigen::Vector3d(46.8, 1.7, 3.8) : gamma;
    chain += text_of({" CG", residue, gamma, 12, "C"});
    if (is_long) chain += text_of({" CD", residue, carbonyl, 12, "C"});
    for (std::size_t i = 0; i < ends.size(); ++i)
      chain += text_of({ends[i], residue, carbonyl + Eigen::Vector3d(i == 0 ? 1.1 : -1.1, 0.2, -0.4), 12,
                        ends[i].substr(1, 1)});
    return upside_down(chain, carbonyl, {8.8, 1.7, z});
  };
  struct Case {
    std::string residue, carbon;
    Names ends;
    double free_charge = 0;  ///< of whole residues
  };
  const std::vector<Case> cases{
      {"ASP", "CG", {" OD1"}}, {"ASP", "CG", {" OD2"}}, {"ASP", "CG", {" OD1", " OD2"}, -1},
      {"GLU", "CD", {" OE1"}}, {"ASN", "CG", {" OD1"}}, {"ASN", "CG", {" OD1", " ND2"}, 0},
      {"GLN", "CD", {" OE1"}}};
  const std::string lysine = residue_text("GLY", 1) + residue_text("LYS", 2) + residue_text("GLY", 3),
                    cysteine = residue_text("GLY", 1) + residue_text("CYS", 2) + residue_text("GLY", 3);
  for (const auto force_field : {ForceField::amber, ForceField::charmm, ForceField::parse}) {
    ChargedFileOptions options;
    options.prepare.force_field = force_field;
    for (const auto& [residue, carbon, ends, free_charge] : cases) {
      const std::string what = fmt::format("{} {} {}", word_of(force_field), residue, ends.back());
      const auto made = read(lysine + side_chain(residue, ends, 7.2 + 1.33), "s.pdb", options);
      EXPECT_NEAR(charge_of(made, 2), 0, 1e-3) << what;
      EXPECT_NEAR(charge_of(made, 12), 0, 1e-3) << what;
      EXPECT_TRUE(made.preparation->incomplete.empty()) << what << made.charges.remarks.text();
      EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed,
                       fmt::format("{} of {} A 12 to NZ of LYS A 2, 1.33", carbon, residue)))
          << what << made.charges.remarks.text();
      const auto thioester = read(cysteine + side_chain(residue, ends, 3.0 + 1.76), "s.pdb", options);
      EXPECT_NEAR(charge_of(thioester, 2), 0, 1e-3) << what;
      EXPECT_NEAR(charge_of(thioester, 12), 0, 1e-3) << what;
      // Apart, the same atoms have the charges of the table.
      const auto apart = read(lysine + side_chain(residue, ends, 20), "s.pdb", options);
      EXPECT_NEAR(charge_of(apart, 2), 1, 1e-3) << what;
      if (ends.size() == 2) {
        EXPECT_NEAR(charge_of(apart, 12), free_charge, 1e-3) << what;
      }
    }
  }
}

/// Ubiquitin's end at the cysteine of an enzyme: NH3+ is the only charge, and no oxygen is missing.
TEST_F(FaultsOfFiles, EndsInThioestersHaveNoCharge) {
  const std::string chain = residue_text("GLY", 1) + residue_text("GLY", 2) + "TER\n";
  const std::string cysteine = residue_text("GLY", 11) + residue_text("CYS", 12) + residue_text("GLY", 13);
  // SG is 1.76 angstrom from C of GLY 2, at (10.1, 0, 0).
  const std::string moved = upside_down(cysteine, {46.8, 1.7, 3}, {10.1, 0, 1.76});
  const auto made = read(chain + moved);
  EXPECT_NEAR(total_charge(made.charges), 1, 1e-6) << made.charges.remarks.text();
  EXPECT_EQ(made.preparation->added_atoms, Names{"OXT of GLY A 13"});
  EXPECT_NEAR(total_charge(read(chain + cysteine).charges), 0, 1e-6);
}

/// A fatty acid at N takes away the charge of that end; COO- remains.
TEST_F(FaultsOfFiles, EndsBondedToOtherResiduesHaveNoCharge) {
  const std::string chain = residue_text("GLY", 1) + residue_text("GLY", 2);
  const auto made = read(chain + text_of({" C1", "MYR", {2.7, 0.75, 0}, 9, "C"}));
  EXPECT_NEAR(total_charge(made.charges), -1, 1e-6);
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "bonded to other residues and are charged"))
      << made.charges.remarks.text();
}

/// Two ions at one place are two charges there: the file is used as it is, and that is said.
TEST_F(FaultsOfFiles, AtomsAtOnePlaceAndUnobservedOnesAreNamed) {
  const std::string ions =
      text_of({"NA", " NA", {20, 0, 0}, 50, "NA"}) + text_of({"NA", " NA", {20.3, 0, 0}, 51, "NA"});
  const auto made = read(ions);
  EXPECT_EQ(made.charges.size(), 2U);
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::warning, "NA of NA A 50 and NA of NA A 51, 0.30"))
      << made.charges.remarks.text();
  const auto pqr = read("ATOM 1 NA NA A 1 0 0 0 1 1.4\nATOM 2 CL CL A 2 0 0 0 -1 1.8\n", "o.pqr").charges;
  EXPECT_TRUE(says(pqr.remarks, RemarkKind::warning, "0.00 angstrom"));
  const std::string unobserved = text_of({" O", "GLY", {5, 5, 5}, 2, "O", ' ', 0});
  EXPECT_TRUE(
      says(structure(residue_text("GLY", 1) + unobserved).remarks, RemarkKind::warning, "GLY A 2 (O)"));
  EXPECT_FALSE(says(structure(unobserved).remarks, RemarkKind::warning, "occupancy"));
}

}  // namespace
}  // namespace isolume::structures
