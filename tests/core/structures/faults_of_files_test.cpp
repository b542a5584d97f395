// What structure files have by mistake or by another program's habit, one kind each. Charges are those of chemistry at
// pH 7, and atoms are counted by hand.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/structures/charge_frames.h"
#include "core/structures/charged_file.h"
#include "core/structures/pqr.h"
#include "core/structures/prepare.h"
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
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "with a phosphate"))
      << made.charges.remarks.text();
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "DA A 1"));
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

}  // namespace
}  // namespace isolume::structures
