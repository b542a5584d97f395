// Structures as many programs write them. Every charge is that of chemistry at pH 7: termini, Lys and Arg +1, Asp and Glu -1, a
// phosphate between two sugars -1, ions by their valence.
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/charged_file.h"
#include "core/structures/decisions.h"
#include "core/structures/prepare.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

/// A line of a PDB file; `name` takes the four columns from 13 on, `residue` those from 18 to 21.
struct PdbAtom {
  std::string name, residue;
  Eigen::Vector3d place;
  std::string number = "   1", element = "", chain = " ", alternative = " ", record = "ATOM  ";
};
std::string line_of_atom(const PdbAtom& atom) {
  return fmt::format("{:6}    1 {:4}{}{:4}{}{:>4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}\n",
                     atom.record, atom.name, atom.alternative, atom.residue, atom.chain, atom.number,
                     atom.place.x(), atom.place.y(), atom.place.z(), atom.element);
}

/// Alanines in a row along x, bonded to each other, of ideal names and rough places.
std::string peptide(int residues, const Eigen::Vector3d& at, const std::string& chain = " ", int first = 1,
                    bool with_oxt = false) {
  std::string text;
  for (int i = 0; i < residues; ++i) {
    const auto place = [&](double x, double y, double z) {
      return Eigen::Vector3d(at.x() + 3.8 * i + x, at.y() + y, at.z() + z);
    };
    const auto add = [&](const std::string& name, const Eigen::Vector3d& where, const std::string& element) {
      text += line_of_atom({name, "ALA", where, std::to_string(first + i), element, chain});
    };
    add(" N", place(0, 0, 0), "N");
    add(" CA", place(1.2, 0.8, 0), "C");
    add(" C", place(2.5, 0, 0), "C");
    add(" O", place(2.5, -1.2, 0), "O");
    add(" CB", place(1.2, 1.7, 1.2), "C");
    if (with_oxt && i + 1 == residues) add(" OXT", place(3.6, 0.6, 0), "O");
  }
  return text;
}

class Dialects : public ::testing::Test {
 protected:
  ChargedFile read(const std::string& name, const std::string& text,
                   const ChargedFileOptions& options = {}) const {
    return read_charged_file(folder_.write(name, text), options);
  }
  double charge(const std::string& text, bool keep_water = false) const {
    ChargedFileOptions options;
    options.prepare.keep_water = keep_water;
    return total_charge(read("s.pdb", text, options).charges);
  }
  static bool says(const Remarks& remarks, RemarkKind kind, std::string_view part) {
    for (const auto& remark : remarks)
      if (remark.kind == kind && remark.text.find(part) != std::string::npos) return true;
    return false;
  }
  isolume::testing::TemporaryFolder folder_;
};

TEST_F(Dialects, ARepeatedNameWithoutAlternateLocationIsAnotherAtom) {
  std::string text;
  const std::vector<std::string> names{"C", "O", "H", "H", "H", "H"};
  for (std::size_t i = 0; i < names.size(); ++i)
    text += line_of_atom({" " + names[i], "UNL", {1.1 * static_cast<double>(i), 0, 0}, "   1", names[i]});
  const auto structure = read_structure(folder_.write("m.pdb", text));
  ASSERT_EQ(structure.residues.size(), 1U);
  EXPECT_EQ(structure.residues[0].atoms.size(), 6U);
  EXPECT_EQ(structure.alternatives, 0);
}

TEST_F(Dialects, MoleculesWithoutChainsAndTerStayApart) {
  const std::string two = peptide(3, {0, 0, 0}) + peptide(3, {0, 0, 20});
  const auto file = read("s.pdb", two);
  EXPECT_EQ(file.preparation->ends.size(), 4U);
  EXPECT_NEAR(total_charge(file.charges), 0, 1e-6);
  EXPECT_EQ(file.charges.size(),
            read("t.pdb", peptide(3, {0, 0, 0}) + "TER\n" + peptide(3, {0, 0, 20})).charges.size());
}

/// Two different chains, whose residues have other names at the same numbers; the second begins lower.
TEST_F(Dialects, DifferentMoleculesWithoutChainsStayApart) {
  std::string second = peptide(3, {0, 0, 20}, " ", 1);
  for (std::size_t at = 0; (at = second.find("ALA", at)) != std::string::npos; ++at)
    second.replace(at, 3, "SER");
  EXPECT_EQ(read("s.pdb", peptide(3, {0, 0, 0}, " ", 2) + second).preparation->ends.size(), 4U);
  EXPECT_EQ(read("s.pdb", peptide(3, {0, 0, 0}, " ", 1) + second).preparation->ends.size(), 4U);
}

/// Numbers go on, and there is no TER: OXT tells that the chain ends.
TEST_F(Dialects, OxtEndsAChainWithinAPart) {
  const auto file = read("s.pdb", peptide(3, {0, 0, 0}, "A", 1, true) + peptide(3, {0, 0, 20}, "A", 4, true));
  ASSERT_EQ(file.preparation->ends.size(), 4U);
  for (const auto& end : file.preparation->ends) EXPECT_NE(end.state, "gap");
}

TEST_F(Dialects, HydrogensBehindAllOtherAtomsBelongToTheirResidues) {
  std::string text = peptide(2, {0, 0, 0});
  const std::size_t atoms = read_structure(folder_.write("a.pdb", text)).residues[0].atoms.size();
  text += line_of_atom({" HA", "ALA", {1.0, 0.9, -1.1}, "   1", "H"});
  const auto structure = read_structure(folder_.write("b.pdb", text));
  ASSERT_EQ(structure.residues.size(), 2U);
  EXPECT_EQ(structure.residues[0].atoms.size(), atoms + 1);
}

TEST_F(Dialects, FramesBetweenEndRecordsAreModels) {
  const std::string frames =
      peptide(2, {0, 0, 0}) + "END\n" + peptide(2, {0, 0, 1}) + "END\n" + peptide(2, {0, 0, 2});
  const auto models = read_models(folder_.write("f.pdb", frames));
  ASSERT_EQ(models.size(), 3U);
  EXPECT_EQ(models[2].model, 3);
  EXPECT_EQ(models[2].residues[0].atoms[0].place.z(), 2);
}

/// A ligand that was put behind a protein's END is no model of it.
TEST_F(Dialects, OtherAtomsBehindEndAreOneStructure) {
  const auto models =
      read_models(folder_.write("g.pdb", peptide(2, {0, 0, 0}) + "END\n" +
                                             line_of_atom({" C1", "LIG", {0, 0, 9}, "   1", "C"}) + "END\n"));
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0].residues.size(), 3U);
  EXPECT_TRUE(says(models[0].remarks, RemarkKind::assumed, "after END"));
}

TEST_F(Dialects, ModelsWithOneNumberAreStillSeveral) {
  const std::string model = "MODEL        1\n" + peptide(1, {0, 0, 0}) + "ENDMDL\n";
  const auto models = read_models(folder_.write("h.pdb", model + model));
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[1].model, 2);
  EXPECT_EQ(models[0].residues.size(), 1U);
}

TEST_F(Dialects, WaterIsWaterUnderEveryName) {
  struct Water {
    std::string residue, oxygen, hydrogen, virtual_site;
  };
  const std::vector<Water> waters{
      {"HOH ", " O", " H", ""},   {"SOL ", " OW", " HW", " MW"}, {"TIP3", " OH2", " H", ""},
      {"TIP ", " OH2", " H", ""}, {"TIP4", " OH2", " H", " OM"}, {"TP3 ", " O", " H", ""},
      {"T3P ", " O", " H", ""},   {"T4P ", " O", " H", " M"},    {"WAT ", " O", " H", " EPW"},
      {"SPC ", " OW", " HW", ""}, {"TP5 ", " O", " H", " EP1"},  {"TIP5", " OH2", " H", " LP1"},
      {"DOD ", " O", " D", ""},   {"OPC ", " O", " H", " EPW"},  {"SPCE", " O", " H", ""}};
  for (const auto& [residue, oxygen, hydrogen, site] : waters) {
    std::string text = line_of_atom({oxygen, residue, {0, 0, 20}, "   9", "O"}) +
                       line_of_atom({hydrogen + "1", residue, {0.757, 0.586, 20}, "   9", "H"}) +
                       line_of_atom({hydrogen + "2", residue, {-0.757, 0.586, 20}, "   9", "H"});
    if (!site.empty()) text += line_of_atom({site, residue, {0, 0.15, 20}, "   9", ""});
    const auto dry = read("s.pdb", peptide(2, {0, 0, 0}) + text);
    EXPECT_EQ(dry.preparation->waters_left_out, 1) << residue;
    EXPECT_TRUE(says(dry.charges.remarks, RemarkKind::dropped, "1 molecule (3 atoms)")) << residue;
    EXPECT_EQ(says(dry.charges.remarks, RemarkKind::dropped, "irtual sites"), !site.empty()) << residue;
    ChargedFileOptions wet;
    wet.prepare.keep_water = true;
    const auto kept = read("s.pdb", text, wet);
    ASSERT_EQ(kept.charges.size(), 3U) << residue;
    EXPECT_EQ(kept.preparation->hydrogens_kept, 2) << residue;
    EXPECT_LT(kept.charges.charge[0], -0.5) << residue;
    EXPECT_NEAR(total_charge(kept.charges), 0, 1e-6) << residue;
  }
  // A nucleotide of the same name.
  std::string ligand;
  for (const char* atom : {" P", " O1P", " C1'", " N1"})
    ligand += line_of_atom({atom, "T3P", {1.5 * static_cast<double>(ligand.size()) / 80, 0, 0}, "   1"});
  EXPECT_EQ(read("s.pdb", ligand).preparation->waters_left_out, 0);
}

TEST_F(Dialects, IonsAreIonsUnderEveryName) {
  const std::vector<std::tuple<std::string, std::string, double>> ions{
      {"SOD ", "SOD", 1},  {"CLA ", "CLA", -1}, {"IP  ", "IP", 1},   {"IM  ", "IM", -1}, {"POT ", "POT", 1},
      {"CAL ", "CAL", 2},  {"Na+ ", "Na+", 1},  {"Cl- ", "Cl-", -1}, {"K+  ", " K+", 1}, {" NA ", "NA ", 1},
      {" CL ", "CL ", -1}, {"LIT ", "LIT", 1},  {"CES ", "CES", 1},  {"RUB ", "RUB", 1}, {"BAR ", "BAR", 2},
      {"CAD ", "CAD", 2},  {"MG2 ", "MG ", 2},  {"MG2+", "MG ", 2},  {"ZN2 ", "ZN ", 2}, {"FE2 ", "FE ", 2},
      {" FE ", "FE ", 3},  {"IOD ", " I ", -1}, {"ION ", "NA+", 1},  {"CU1 ", "CU ", 1}, {"ZN+2", "ZN ", 2},
      {" BR ", "BR ", -1}};
  for (const auto& [residue, atom, expected] : ions) {
    const std::string text = line_of_atom({atom, residue, {0, 0, 0}});
    EXPECT_NEAR(charge(text), expected, 1e-9) << residue;
  }
  // Of CHARMM36, which has no bromide: its charge is known all the same.
  ChargedFileOptions charmm;
  charmm.prepare.force_field = ForceField::charmm;
  EXPECT_EQ(total_charge(read("s.pdb", line_of_atom({"BR", " BR ", {0, 0, 0}}), charmm).charges), -1);
}

/// Names that begin in column 13 and no element: CA is no calcium, HG1 no mercury.
TEST_F(Dialects, ElementsComeFromTheResidue) {
  const auto structure = read_structure(folder_.write(
      "l.pdb", line_of_atom({"N", "MET", {0, 0, 0}}) + line_of_atom({"CA", "MET", {1.5, 0, 0}}) +
                   line_of_atom({"HG1", "MET", {2, 1, 0}}) + line_of_atom({"CE", "MET", {3, 1, 0}}) +
                   line_of_atom({"CD", "LIG", {9, 1, 0}, "   2"}) +
                   line_of_atom({"CL1", "LIG", {9, 3, 0}, "   2"})));
  std::vector<int> elements;
  for (const auto& residue : structure.residues)
    for (const auto& atom : residue.atoms) elements.push_back(atom.atomic_number);
  EXPECT_EQ(elements, (std::vector<int>{7, 6, 1, 6, 6, 17}));
  // A column that contradicts the residue's table is named.
  const auto other =
      read_structure(folder_.write("m.pdb", line_of_atom({" CA", "MET", {0, 0, 0}, "   1", "CA"})));
  EXPECT_EQ(other.residues[0].atoms[0].atomic_number, 6);
  EXPECT_TRUE(says(other.remarks, RemarkKind::corrected, "MET 1 (CA)"));
}

TEST_F(Dialects, NumbersOfResiduesAreReadAsProgramsOverflow) {
  const auto numbers = [&](const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
      text += line_of_atom({" C1", "LIG", {9.0 * static_cast<double>(i), 0, 0}, words[i], "C"});
    std::vector<int> found;
    for (const auto& residue : read_structure(folder_.write("n.pdb", text)).residues)
      found.push_back(residue.number);
    return found;
  };
  EXPECT_EQ(numbers({"9998", "9999", "2710", "2711", "271a", "ffff"}),
            (std::vector<int>{9998, 9999, 10000, 10001, 10010, 65535}));
  EXPECT_EQ(numbers({"9999", "A000", "A00A"}), (std::vector<int>{9999, 10000, 10010}));
  EXPECT_EQ(numbers({"2709", "2710"}), (std::vector<int>{2709, 2710}));
  // Stars say nothing; each atom that begins the same again is another residue.
  EXPECT_EQ(numbers({"9999", "****", "****", "****"}), (std::vector<int>{9999, 10000, 10001, 10002}));
  EXPECT_THROW(numbers({"12x4"}), InputError);
}

TEST_F(Dialects, ACellThatNothingNeedsIsARemark) {
  for (const char* numbers : {"   30.000   40.000", "   30.000   40.000   50.000  90.00  90.00 400.00"}) {
    const auto file = read("c.pdb", fmt::format("CRYST1{}\n{}", numbers, peptide(2, {0, 0, 0})));
    EXPECT_FALSE(file.charges.cell);
    EXPECT_TRUE(says(file.charges.remarks, RemarkKind::dropped, "CRYST1")) << numbers;
  }
}

TEST_F(Dialects, TerminalOxygensHaveManyNames) {
  for (const auto& [first, second] : std::vector<std::pair<std::string, std::string>>{
           {" O", " OXT"}, {" O1", " O2"}, {" OC1", " OC2"}, {" OT1", " OT2"}, {" O", " OT"}}) {
    std::string text = peptide(2, {0, 0, 0}, " ", 1, true);
    const auto replace_last = [&](const std::string& from, const std::string& to) {
      const auto at = text.rfind(fmt::format("{:4}", from));
      text.replace(at, 4, fmt::format("{:4}", to));
    };
    replace_last(" OXT", second);
    replace_last(" O", first);
    const auto file = read("o.pdb", text);
    EXPECT_NEAR(total_charge(file.charges), 0, 1e-6) << first;
    EXPECT_TRUE(file.preparation->added_atoms.empty()) << first;
    EXPECT_TRUE(file.preparation->unknown_atoms.empty()) << first;
  }
}

std::string zinc_and_cysteine(bool with_hydrogen) {
  std::string text;
  const std::vector<std::pair<std::string, Eigen::Vector3d>> atoms{
      {" N", {-1.2, -2.4, 0}}, {" CA", {-0.9, -1, 0}},  {" C", {-2.2, -0.2, 0}},
      {" O", {-3.2, -0.9, 0}}, {" CB", {0.2, -0.6, 1}}, {" SG", {1.2, 0.9, 0.7}}};
  text += peptide(1, {-5.0, -3, 0}, "A", 1);
  for (const auto& [name, place] : atoms)
    text += line_of_atom({name, "CYS", place, "   5", name.substr(1, 1), "A"});
  if (with_hydrogen) text += line_of_atom({" HG", "CYS", {0.4, 1.9, 0.3}, "   5", "H", "A"});
  text += peptide(1, {8, 3, 0}, "A", 9) + "TER\n";
  return text + line_of_atom({"ZN", " ZN ", {3.4, 0.9, 0.0}, " 301", "ZN", "A", " ", "HETATM"});
}

TEST_F(Dialects, CysteinesAtMetalsAreThiolatesUnlessTheyHaveAHydrogen) {
  const auto bound = read("z.pdb", zinc_and_cysteine(false));
  ASSERT_EQ(bound.preparation->states.size(), 2U);
  EXPECT_EQ(bound.preparation->states[1].residue, "ZN A 301");
  EXPECT_EQ(bound.preparation->states[1].state, "+2 e");
  EXPECT_EQ(bound.preparation->states[0].state, "CYM");
  EXPECT_NE(bound.preparation->states[0].why.find("ZN of ZN A 301, 2.31"), std::string::npos)
      << bound.preparation->states[0].why;
  const auto explicit_hydrogen = read("z.pdb", zinc_and_cysteine(true));
  ASSERT_EQ(explicit_hydrogen.preparation->states.size(), 1U);
  EXPECT_EQ(explicit_hydrogen.preparation->states[0].residue, "ZN A 301");
  EXPECT_NEAR(total_charge(explicit_hydrogen.charges) - total_charge(bound.charges), 1, 1e-6);
  // Calcium takes no proton away.
  std::string calcium = zinc_and_cysteine(false);
  calcium.replace(calcium.rfind("ZN    ZN "), 9, "CA    CA ");
  calcium.replace(calcium.rfind("ZN\n"), 2, "CA");
  const auto with_calcium = read("z.pdb", calcium);
  ASSERT_EQ(with_calcium.preparation->states.size(), 1U);
  EXPECT_EQ(with_calcium.preparation->states[0].state, "+2 e");
}

/// Hydrogens count by what they are bonded to, whatever their names: an imidazole with deuterium on ND1, and a carboxyl group.
TEST_F(Dialects, HydrogensTellStatesWhateverTheirNames) {
  for (const std::string hydrogen : {" HD1", " DD1", "1HD ", " H3 "}) {
    std::string text = peptide(1, {-5.3, -3, 0}, "A", 1);
    const std::vector<std::pair<std::string, Eigen::Vector3d>> atoms{
        {" N", {-1.2, -2.4, 0}},    {" CA", {-0.9, -1, 0}},    {" C", {-2.2, -0.2, 0}},
        {" O", {-3.2, -0.9, 0}},    {" CB", {0.2, -0.6, 1}},   {" CG", {1.4, 0.2, 0.6}},
        {" ND1", {2.7, -0.1, 0.6}}, {" CD2", {1.3, 1.5, 0.2}}, {" CE1", {3.4, 0.9, 0.2}},
        {" NE2", {2.6, 1.9, 0.0}}};
    for (const auto& [name, place] : atoms)
      text += line_of_atom({name, "HIS", place, "   5", name.substr(1, 1), "A"});
    text += line_of_atom({hydrogen, "HIS", {3.1, -0.95, 0.9}, "   5", hydrogen[1] == 'D' ? "D" : "H", "A"});
    text += peptide(1, {20, 3, 0}, "A", 9);
    const auto made = read("d.pdb", text);
    ASSERT_EQ(made.preparation->states.size(), 1U) << hydrogen;
    EXPECT_EQ(made.preparation->states[0].state, "HID") << hydrogen;
    EXPECT_EQ(made.preparation->hydrogens_kept, 1) << hydrogen;
  }
}

TEST_F(Dialects, CapsHaveTheNamesOfOtherPrograms) {
  const auto capped = [&](const std::string& residue, const std::string& carbon) {
    return peptide(2, {0, 0, 0}) + line_of_atom({" N", residue, {7.6, 0, 0}, "   3", "N"}) +
           line_of_atom({carbon, residue, {8.8, 0.8, 0}, "   3", "C"});
  };
  for (const auto& [residue, carbon] : std::vector<std::pair<std::string, std::string>>{
           {"NME", " C"}, {"NME", " CH3"}, {"NMA", " CH3"}, {"NAC", " CH3"}, {"NME", " CAT"}}) {
    const auto file = read("n.pdb", capped(residue, carbon));
    EXPECT_NEAR(total_charge(file.charges), 1, 1e-6) << residue << carbon;
    EXPECT_TRUE(file.preparation->incomplete.empty()) << residue << carbon;
  }
  const auto amide =
      read("n.pdb", peptide(2, {0, 0, 0}) + line_of_atom({" N", "NHE", {7.6, 0, 0}, "   3", "N"}));
  EXPECT_NEAR(total_charge(amide.charges), 1, 1e-6);
}

/// Alanine dipeptide as CHARMM has it: both caps in the one residue. It is neutral, and no atom of it is without a charge.
TEST_F(Dialects, CapsThatAreAtomsOfAResidueAreTakenApart) {
  std::string text;
  const std::vector<std::pair<std::string, Eigen::Vector3d>> before{
      {" CAY", {-2.5, -0.3, 0}}, {" CY", {-1.2, 0.5, 0}}, {" OY", {-1.3, 1.7, 0}}};
  for (const auto& [name, place] : before)
    text += line_of_atom({name, "ALA", place, "   1", name.substr(1, 1)});
  text += peptide(1, {0, 0, 0});
  text += line_of_atom({" NT", "ALA", {3.8, 0, 0}, "   1", "N"}) +
          line_of_atom({" CAT", "ALA", {5.0, 0.8, 0}, "   1", "C"});
  const auto file = read("c.pdb", text);
  EXPECT_NEAR(total_charge(file.charges), 0, 1e-6);
  EXPECT_EQ(file.charges.size(), 22U);  // C6 H12 N2 O2
  EXPECT_TRUE(file.preparation->unknown_atoms.empty());
  EXPECT_TRUE(file.preparation->incomplete.empty());
}

/// One oxygen and two hydrogens make no other molecule.
TEST_F(Dialects, WaterIsKnownByItsAtomsWhateverItsName) {
  const auto kind = [](const std::string& name, std::vector<std::string> atoms) {
    return molecules::known_residue(name, atoms).kind;
  };
  for (const char* name : {"UNL", "LIG", "MOL", "T4PE", "SPCF", "MTO"}) {
    EXPECT_EQ(kind(name, {"O", "H1", "H2"}), molecules::ResidueKind::water) << name;
    EXPECT_EQ(kind(name, {"OW", "HW1", "HW2", "IW"}), molecules::ResidueKind::water) << name;
  }
  EXPECT_EQ(kind("LIG", {"O", "H"}), molecules::ResidueKind::unknown) << "hydroxide";
  EXPECT_EQ(kind("LIG", {"O", "H1", "H2", "H3"}), molecules::ResidueKind::unknown) << "hydronium";
  EXPECT_EQ(kind("LIG", {"C", "O", "H1", "H2"}), molecules::ResidueKind::unknown) << "formaldehyde";
}

TEST_F(Dialects, OxygensOfPhosphatesAndTerminiHaveSeveralNames) {
  const std::vector<std::string> backbone{"N", "CA", "C", "O"};
  const auto name_in = [&](const char* residue, const char* atom) {
    return molecules::usual_atom_name(atom, molecules::known_residue(residue, backbone));
  };
  for (const char* residue : {"SEP", "TPO", "PTR"}) {
    EXPECT_EQ(name_in(residue, "OP1"), "O1P");
    EXPECT_EQ(name_in(residue, "OP3"), "O3P");
    EXPECT_EQ(name_in(residue, "OT2"), "OXT");
  }
  for (const char* atom : {"OCT", "OTX", "OTER", "OC"}) EXPECT_EQ(name_in("ALA", atom), "OXT") << atom;
}

/// Formal charges of wwPDB's chemical components.
TEST_F(Dialects, IonsOfUnusualChargesHaveThoseOfTheirComponents) {
  for (const auto& [name, atom, element, charge] :
       std::vector<std::tuple<std::string, std::string, int, int>>{{"MN", "MN", 25, 2},
                                                                   {"MN3", "MN", 25, 3},
                                                                   {"CO", "CO", 27, 2},
                                                                   {"3CO", "CO", 27, 3},
                                                                   {"3NI", "NI", 28, 3},
                                                                   {"GA", "GA", 31, 3},
                                                                   {"HO3", "HO", 67, 3},
                                                                   {"YB2", "YB", 70, 2},
                                                                   {"OS4", "OS", 76, 4},
                                                                   {"IR", "IR", 77, 4},
                                                                   {"IR3", "IR", 77, 3},
                                                                   {"PT4", "PT", 78, 4},
                                                                   {"AU3", "AU", 79, 3},
                                                                   {"BS3", "BI", 83, 3}}) {
    const auto found = molecules::known_residue(name, std::vector<std::string>{atom});
    EXPECT_EQ(found.kind, molecules::ResidueKind::ion) << name;
    EXPECT_EQ(found.element, element) << name;
    EXPECT_EQ(found.charge, charge) << name;
  }
}

TEST_F(Dialects, NamesOfNucleotidesAndAminoAcidsOfOtherPrograms) {
  const auto base = [](const std::string& name, std::vector<std::string> atoms) {
    return molecules::known_residue(name, atoms).name;
  };
  const std::vector<std::string> dna{"P", "C1'", "C2'"}, old_dna{"P", "C1*", "C2*"},
      rna{"P", "C1'", "C2'", "O2'"};
  for (const auto& [name, as_dna, as_rna] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"ADE", "DA", "A"}, {"GUA", "DG", "G"}, {"CYT", "DC", "C"}, {"A", "DA", "A"}, {"RA", "DA", "A"}}) {
    EXPECT_EQ(base(name, dna), as_dna) << name;
    EXPECT_EQ(base(name, old_dna), as_dna) << name;
    EXPECT_EQ(base(name, rna), as_rna) << name;
  }
  EXPECT_EQ(base("T", old_dna), "DT");
  EXPECT_EQ(base("THY", dna), "DT");
  EXPECT_EQ(base("URA", rna), "U");
  EXPECT_EQ(base("DC5", dna), "DC");
  EXPECT_EQ(base("DG3", dna), "DG");
  EXPECT_EQ(base("RU3", rna), "U");
  // A free base is no nucleotide, and cyanide no cysteine.
  EXPECT_EQ(molecules::known_residue("ADE", std::vector<std::string>{"N9", "C8"}).kind,
            molecules::ResidueKind::unknown);
  EXPECT_EQ(molecules::known_residue("CYN", std::vector<std::string>{"C", "N"}).kind,
            molecules::ResidueKind::unknown);
  const std::vector<std::string> backbone{"N", "CA", "C", "O"};
  EXPECT_EQ(base("DAL", backbone), "ALA");
  EXPECT_EQ(base("HSD", backbone), "HID");
  EXPECT_EQ(base("HISH", backbone), "HIP");
  EXPECT_EQ(base("NALA", backbone), "ALA");
  EXPECT_EQ(base("CCYX", backbone), "CYX");
  EXPECT_EQ(base("ASPP", backbone), "ASH");
  EXPECT_EQ(base("CYT", {"N", "CA", "C", "O", "CB", "SG"}), "CYM");
  EXPECT_EQ(base("NLN", backbone), "ASN");
  EXPECT_EQ(base("4YB", {"C1", "O1"}), "NAG");
  EXPECT_EQ(base("0fA", {"C1", "O1"}), "FUC");
}

TEST_F(Dialects, PhosphorylatedResiduesHaveTwoChargesMore) {
  const auto with = [&](const std::string& residue, ForceField force_field) {
    std::string text = peptide(3, {0, 0, 0});
    for (std::size_t at = 0; (at = text.find("ALA     2", at)) != std::string::npos; ++at)
      text.replace(at, 3, residue);
    ChargedFileOptions options;
    options.prepare.force_field = force_field;
    return read("p.pdb", text, options);
  };
  for (const auto force_field : {ForceField::amber, ForceField::charmm, ForceField::parse}) {
    for (const std::string residue : {"SEP", "TPO", "PTR"}) {
      const auto made = with(residue, force_field);
      ASSERT_EQ(made.preparation->incomplete.size(), 1U) << residue;
      EXPECT_NEAR(made.preparation->incomplete[0].expected, -2, 1e-6) << residue;
      EXPECT_EQ(says(made.charges.remarks, RemarkKind::assumed, "combined from"),
                force_field == ForceField::parse)
          << residue;
    }
  }
}

/// A ring of three, and something else in the same part behind it.
TEST_F(Dialects, RingsCloseBesideHeteroResidues) {
  std::string text;
  const double edge = 2 * std::numbers::pi / 9;
  for (int i = 0; i < 9; ++i) {
    const std::vector<std::string> names{" N", " CA", " C"};
    text += line_of_atom({names[static_cast<std::size_t>(i % 3)],
                          "GLY",
                          {2.1 * std::cos(edge * i), 2.1 * std::sin(edge * i), 0},
                          std::to_string(1 + i / 3),
                          i % 3 == 0 ? "N" : "C",
                          "A"});
  }
  text += line_of_atom({" C1", "LIG", {0, 0, 30}, " 900", "C", "A", " ", "HETATM"});
  const auto made = read("r.pdb", text);
  EXPECT_TRUE(made.preparation->ends.empty());
}

TEST_F(Dialects, AtomsThatShareANumberWithWaterOfTheirChainAreNotLost) {
  const std::string text = peptide(2, {0, 0, 0}, "A") +
                           line_of_atom({" O", "HOH", {0, 0, 9}, "   1", "O", "A"}) +
                           line_of_atom({" O", "HOH", {0, 0, 19}, "   1", "O", "A"});
  const auto structure = read_structure(folder_.write("w.pdb", text));
  EXPECT_EQ(structure.residues.size(), 4U);
}

TEST_F(Dialects, AnMmcifOfOneAtomNeedsNoLoop) {
  const auto structure = read_structure(folder_.write(
      "one.pdbx",
      "data_ZN\n_atom_site.group_PDB HETATM\n_atom_site.type_symbol ZN\n_atom_site.label_atom_id ZN\n"
      "_atom_site.label_comp_id ZN\n_atom_site.label_asym_id A\n_atom_site.label_seq_id "
      ".\n_atom_site.Cartn_x 1.5\n"
      "_atom_site.Cartn_y 2.5\n_atom_site.Cartn_z 3.5\n"));
  ASSERT_EQ(structure.residues.size(), 1U);
  EXPECT_EQ(structure.residues[0].atoms[0].place, Eigen::Vector3d(1.5, 2.5, 3.5));
}

TEST_F(Dialects, NamesOfFilesOfStructures) {
  for (const char* name : {"a.pdb1", "a.pdb2.gz", "a.pdbx", "A.ENT", "a.mmcif.gz"})
    EXPECT_EQ(charge_format_of(name), ChargeFormat::structure) << name;
}

/// Of GAFF, AMBER and SYBYL the same ether: its radii are those of C, O and H.
TEST_F(Dialects, TypesOfMol2AreThoseOfForceFields) {
  const auto ether = [&](const std::string& carbon, const std::string& oxygen, const std::string& hydrogen) {
    const std::string text = "@<TRIPOS>MOLECULE\nx\n3 0\nSMALL\nUSER_CHARGES\n@<TRIPOS>ATOM\n1 C1 0 0 0 " +
                             carbon + " 1 LIG 0.1\n2 O1 1.4 0 0 " + oxygen + " 1 LIG -0.2\n3 H1 -1 0 0 " +
                             hydrogen + " 1 LIG 0.1\n";
    std::vector<int> elements;
    for (const auto& label : read("m.mol2", text).charges.labels) elements.push_back(label.atomic_number);
    return elements;
  };
  const std::vector<int> expected{6, 8, 1};
  EXPECT_EQ(ether("C.3", "O.3", "H"), expected);
  EXPECT_EQ(ether("c3", "os", "h1"), expected);
  EXPECT_EQ(ether("CT", "OS", "HC"), expected);
  EXPECT_EQ(ether("ca", "oh", "ho"), expected);
  EXPECT_EQ(ether("CD", "OH", "HO"), expected);
  EXPECT_EQ(ether("CG331", "OG301", "HGA3"), expected);
  EXPECT_EQ(ether("2C", "o", "hc"), expected);
  // An element is one by its spelling.
  EXPECT_EQ(ether("Os", "Ca", "Ho"), (std::vector<int>{76, 20, 67}));
}

TEST_F(Dialects, OfSeveralFramesTheFirstIsUsedAndSaid) {
  const std::string frame = "1\ncharged\nO 0 0 0 -0.5\n";
  EXPECT_TRUE(read("a.xyz", frame).charges.remarks.empty());
  EXPECT_TRUE(says(read("a.xyz", frame + frame).charges.remarks, RemarkKind::dropped, "first of several"));
  const std::string atom = "ATOM 1 N ALA A 1 0 0 0 0.5 1.8\n";
  EXPECT_TRUE(
      says(read("a.pqr", "MODEL 1\n" + atom + "ENDMDL\nMODEL 2\n" + atom + "ENDMDL\n").charges.remarks,
           RemarkKind::dropped, "first of several"));
}

TEST_F(Dialects, BoxesOfGroMayTouch) {
  folder_.write("w.top", "[ moleculetype ]\nNA 1\n[ atoms ]\n1 NA 1 NA NA 1 1.0 22.99\n");
  const auto file =
      read("w.gro", "t\n1\n    1NA     NA    1   0.000   0.000   0.000\n1000.000001000.000001000.00000\n");
  ASSERT_TRUE(file.charges.cell);
  EXPECT_NEAR((*file.charges.cell)(2, 2), 10000, 1e-6);
}

/// Sulphate and NADP+ have known charges; what is not known is taken for neutral, and that stays to be read.
TEST_F(Dialects, EqualisedResiduesHaveKnownChargesOrARemark) {
  std::string sulphate = line_of_atom({" S", "SO4", {0, 0, 0}, "   1", "S"});
  const std::vector<Eigen::Vector3d> corners{
      {0.86, 0.86, 0.86}, {-0.86, -0.86, 0.86}, {-0.86, 0.86, -0.86}, {0.86, -0.86, -0.86}};
  for (std::size_t i = 0; i < 4; ++i)
    sulphate += line_of_atom({" O" + std::to_string(i + 1), "SO4", corners[i], "   1", "O"});
  std::string other = sulphate;
  for (std::size_t at = 0; (at = other.find("SO4", at)) != std::string::npos; ++at)
    other.replace(at, 3, "XYZ");
  ChargedFileOptions options;
  options.prepare.equalise_unknown = true;
  const auto known = read("s.pdb", sulphate, options), unknown = read("s.pdb", other, options);
  EXPECT_NEAR(total_charge(known.charges), -2, 1e-6);
  EXPECT_FALSE(says(known.charges.remarks, RemarkKind::assumed, "neutral"));
  EXPECT_NEAR(total_charge(unknown.charges), 0, 1e-6);
  EXPECT_TRUE(says(unknown.charges.remarks, RemarkKind::assumed, "XYZ 1"));
}

/// Iron and sulphur of a cluster have formal charges.
TEST_F(Dialects, ClustersOfIronAndSulphurHaveTheirCharge) {
  const std::string cluster = line_of_atom({"FE1", "FES", {0, 0, 0}, "   1", "FE"}) +
                              line_of_atom({"FE2", "FES", {2.7, 0, 0}, "   1", "FE"}) +
                              line_of_atom({" S1", "FES", {1.35, 1.7, 0}, "   1", "S"}) +
                              line_of_atom({" S2", "FES", {1.35, -1.7, 0}, "   1", "S"});
  ChargedFileOptions options;
  options.prepare.equalise_unknown = true;
  EXPECT_EQ(read("f.pdb", cluster, options).charges.charge, (std::vector<double>{3, 3, -2, -2}));
}

}  // namespace
}  // namespace isolume::structures
