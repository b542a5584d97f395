#include "core/structures/prepare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/electrostatics/potential/points_csv.h"
#include "core/electrostatics/potential/potential.h"
#include "core/structures/decisions.h"
#include "core/structures/pqr.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

const std::filesystem::path references = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

std::string residue_name(const AtomLabel& label) {
  return label.residue + " " + label.chain + " " + std::to_string(label.number);
}

/// By residue and atom.
using AtomPlaces = std::map<std::pair<std::string, std::string>, std::size_t>;
AtomPlaces atom_places(const Charges& charges) {
  AtomPlaces found;
  for (std::size_t i = 0; i < charges.size(); ++i)
    EXPECT_TRUE(found.emplace(std::pair{residue_name(charges.labels[i]), charges.labels[i].atom}, i).second);
  return found;
}

/// pdb2pqr calls the hydrogens that begin a chain H, H2 and H3 (of proline H and H2) instead of H1, H2 and H3 (H2 and H3).
std::string wwpdb_name(const AtomLabel& label, const AtomPlaces& ours) {
  const auto has = [&](const char* atom) { return ours.contains({residue_name(label), atom}); };
  if (label.atom == "H" && has("H3")) return has("H1") ? "H1" : "H3";
  return label.atom;
}

struct Comparison {
  std::size_t compared = 0;
  std::set<std::string> other_state;  ///< residues with atoms that one of both lacks
  std::set<std::string> moved;        ///< residues with heavy atoms elsewhere
  std::vector<double> hydrogens;      ///< how far apart, those that cannot turn
};

/// Hydrogens of groups that turn: methyl, ammonium, hydroxyl and thiol.
bool turns(const AtomLabel& label) {
  static const std::map<std::string, std::set<std::string>> atoms{
      {"ALA", {"HB1", "HB2", "HB3"}},
      {"VAL", {"HG11", "HG12", "HG13", "HG21", "HG22", "HG23"}},
      {"LEU", {"HD11", "HD12", "HD13", "HD21", "HD22", "HD23"}},
      {"ILE", {"HG21", "HG22", "HG23", "HD11", "HD12", "HD13"}},
      {"MET", {"HE1", "HE2", "HE3"}},
      {"LYS", {"HZ1", "HZ2", "HZ3"}},
      {"THR", {"HG1", "HG21", "HG22", "HG23"}},
      {"SER", {"HG"}},
      {"CYS", {"HG"}},
      {"TYR", {"HH"}}};
  if (label.atom == "H1" || label.atom == "H2" || label.atom == "H3") return true;
  const auto found = atoms.find(label.residue);
  return found != atoms.end() && found->second.contains(label.atom);
}

/// Where both have an atom, charge and radius are equal, but for residues of `other_states`.
Comparison compare(const Charges& ours, const Charges& theirs, const std::set<std::string>& other_states) {
  Comparison result;
  const auto mine = atom_places(ours);
  std::map<std::string, std::size_t> atoms_mine, atoms_theirs;
  for (std::size_t i = 0; i < ours.size(); ++i) ++atoms_mine[residue_name(ours.labels[i])];
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    auto label = theirs.labels[i];
    const std::string residue = residue_name(label);
    label.atom = wwpdb_name(label, mine);
    ++atoms_theirs[residue];
    const auto found = mine.find({residue, label.atom});
    if (found == mine.end()) {
      result.other_state.insert(residue);
      continue;
    }
    const std::size_t k = found->second;
    const double apart = (ours.place(k) - theirs.place(i)).norm();
    const bool hydrogen = label.atom.front() == 'H';
    if (!hydrogen && apart > 2e-3) result.moved.insert(residue);
    if (other_states.contains(residue)) continue;
    ++result.compared;
    EXPECT_NEAR(ours.charge[k], theirs.charge[i], 5.1e-5) << residue << " " << label.atom;
    EXPECT_NEAR(ours.radius[k], theirs.radius[i], 5.1e-5) << residue << " " << label.atom;
    if (hydrogen && !turns(label)) result.hydrogens.push_back(apart);
  }
  for (const auto& [residue, count] : atoms_theirs)
    if (atoms_mine[residue] != count) result.other_state.insert(residue);
  std::ranges::sort(result.hydrogens);
  return result;
}

double part_of(const std::vector<double>& sorted, double fraction) {
  return sorted.at(static_cast<std::size_t>(fraction * static_cast<double>(sorted.size() - 1)));
}

Preparation prepared(const std::string& name, const PrepareOptions& options = {},
                     std::optional<int> model = {}) {
  return prepare(read_structure(references / name, model), options);
}

// pdb2pqr 3.8 turns side chains and chooses protons for many hydrogen bonds at once, and asks PROPKA for states at pH 7; we
// leave heavy atoms where they are and decide residue by residue. Residues that therefore differ are listed; all others
// agree atom by atom. Hydrogens that cannot turn lie at both programs' ideal places, which differ by bond lengths (1.09
// against 1.00 angstrom) and angles.

TEST(Prepare, FasciculinIsThatOfAnotherProgram) {
  const auto made = prepared("1FAS.cif.gz");
  const auto theirs = read_pqr(references / "1FAS.pqr");
  // His 29: O of Asp 46, 2.88 angstrom from NE2, asks for the proton there; pdb2pqr has it at ND1.
  const std::set<std::string> other{"HIS A 29"};
  const auto result = compare(made.charges, theirs, other);
  EXPECT_EQ(made.charges.size(), 913U);
  EXPECT_EQ(result.other_state, other);
  EXPECT_TRUE(result.moved.empty());
  EXPECT_EQ(result.compared, 913U - 17U);
  EXPECT_NEAR(total_charge(made.charges), 4, 1e-6);
  EXPECT_LT(part_of(result.hydrogens, 0.5), 0.1);
  EXPECT_LT(part_of(result.hydrogens, 0.99), 0.3);
  EXPECT_EQ(made.hydrogens_added, 445);
  EXPECT_EQ(made.waters_left_out, 105);
  ASSERT_EQ(made.disulphides.size(), 4U);
  EXPECT_EQ(made.disulphides[0].first, "CYS A 3");
  EXPECT_EQ(made.disulphides[0].second, "CYS A 22");
  EXPECT_NEAR(made.disulphides[0].distance, 2.03, 0.01);
  ASSERT_EQ(made.ends.size(), 2U);
  EXPECT_EQ(made.ends[0].state, "NTHR");
  EXPECT_EQ(made.ends[1].state, "CTYR");
  EXPECT_TRUE(made.without_parameters.empty());
  EXPECT_TRUE(made.incomplete.empty());
}

TEST(Prepare, ReceptorRepeatIsThatOfAnotherProgram) {
  const auto made = prepared("1AJJ.pdb.gz");
  const auto theirs = read_pqr(references / "1AJJ.pqr");
  // His 11 was turned over by pdb2pqr, whose ND1 is our NE2: the proton points to the same oxygen. Nothing is near His 19.
  const std::set<std::string> other{"HIS A 11", "HIS A 19"};
  const auto result = compare(made.charges, theirs, other);
  EXPECT_EQ(result.other_state, other);
  // OXT of Ala 40 was added by both.
  EXPECT_EQ(result.moved, (std::set<std::string>{"ALA A 40", "HIS A 11"}));
  EXPECT_EQ(made.added_atoms, std::vector<std::string>{"OXT of ALA A 40"});
  EXPECT_LT(part_of(result.hydrogens, 0.99), 0.3);
  // pdb2pqr's -5, which lacks calcium's +2; sulphate has no charges in the table.
  EXPECT_NEAR(total_charge(theirs), -5, 1e-6);
  EXPECT_NEAR(total_charge(made.charges), -3, 1e-6);
  EXPECT_EQ(made.without_parameters, std::vector<std::string>{"SO4 A 72"});
  EXPECT_EQ(residues_without_parameters(made.charges), made.without_parameters);
  EXPECT_EQ(made.disulphides.size(), 3U);
  EXPECT_EQ(made.ends.front().state, "NPRO");
}

TEST(Prepare, DehydrogenaseIsThatOfAnotherProgram) {
  const auto made = prepared("1AFS.pdb.gz");
  const auto theirs = read_pqr(references / "1AFS.pqr.gz");
  // PROPKA: Glu A 192 is neutral. His 117 and 134 have no partner, and His B 194 chose between two.
  const std::set<std::string> other{"GLU A 192", "HIS A 117", "HIS A 134",
                                    "HIS B 117", "HIS B 134", "HIS B 194"};
  const auto result = compare(made.charges, theirs, other);
  EXPECT_EQ(result.other_state, other);
  // Turned by pdb2pqr; and OXT, added by both.
  EXPECT_EQ(result.moved, (std::set<std::string>{"ASN A 167", "ASN B 167", "GLN A 260", "GLN B 260",
                                                 "GLU A 192", "HIS A 314", "HIS A 90", "HIS B 314",
                                                 "HIS B 90", "PHE A 319", "PHE B 319"}));
  EXPECT_EQ(result.compared, 10351U - 5U * 17U - 16U);
  EXPECT_LT(part_of(result.hydrogens, 0.5), 0.1);
  EXPECT_LT(part_of(result.hydrogens, 0.99), 0.3);
  // Charged Glu A 192 is the difference.
  EXPECT_NEAR(total_charge(theirs), 3, 1e-6);
  EXPECT_NEAR(total_charge(made.charges), 2, 1e-6);
  EXPECT_EQ(made.without_parameters,
            (std::vector<std::string>{"NAP A 324", "TES A 325", "NAP B 324", "TES B 325"}));
}

TEST(Prepare, ParseGivesTheSameAtomsOtherCharges) {
  PrepareOptions options;
  options.force_field = ForceField::parse;
  const auto made = prepared("1FAS.cif.gz", options);
  EXPECT_EQ(made.charges.size(), 913U);
  EXPECT_NEAR(total_charge(made.charges), 4, 1e-6);
  EXPECT_TRUE(made.unknown_atoms.empty());
  const auto atoms = atom_places(made.charges);
  // Sitkoff, Sharp and Honig: the carbonyl group.
  EXPECT_EQ(made.charges.charge[atoms.at({"MET A 2", "C"})], 0.55);
  EXPECT_EQ(made.charges.charge[atoms.at({"MET A 2", "O"})], -0.55);
  EXPECT_EQ(made.charges.radius[atoms.at({"MET A 2", "O"})], 1.4);
}

/// Charges and radii that OpenMM's templates of CHARMM36 assign by bonds (charmm_assigned.py). It calls the hydrogens that begin a
/// chain by names of its own.
TEST(Prepare, CharmmIsWhatAnotherProgramAssigns) {
  PrepareOptions options;
  options.force_field = ForceField::charmm;
  std::map<std::string, std::pair<Charges, AtomPlaces>> entries;
  for (const std::string entry : {"1FAS.cif.gz", "1LCD.pdb.gz"}) {
    auto charges = prepared(entry, options).charges;
    auto places = atom_places(charges);
    entries.emplace(entry.substr(0, 4), std::pair(std::move(charges), std::move(places)));
  }
  std::istringstream lines(read_text_file(references / "charmm-assigned.csv.gz"));
  std::size_t compared = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('#') || line.starts_with("entry,")) continue;
    std::array<std::string, 7> cells;  // entry, residue, chain, number, atom, charge, radius
    std::istringstream words(line);
    for (auto& cell : cells) std::getline(words, cell, ',');
    const auto& [charges, places] = entries.at(cells[0]);
    if (cells[4] == "H" && cells[3] == "1") cells[4] = "H1";
    const std::string residue = cells[1] + " " + cells[2] + " " + cells[3];
    const auto found = places.find({residue, cells[4]});
    ASSERT_NE(found, places.end()) << line;
    EXPECT_NEAR(charges.charge[found->second], std::stod(cells[5]), 1e-6) << line;
    EXPECT_NEAR(charges.radius[found->second], std::stod(cells[6]), 1e-4) << line;
    ++compared;
  }
  EXPECT_EQ(compared, entries.at("1FAS").first.size() + entries.at("1LCD").first.size());
}

/// The headpiece of lac repressor on eleven base pairs of DNA, which have twenty phosphates.
TEST(Prepare, DnaWithAProteinHasParametersThroughout) {
  for (const auto force_field : {ForceField::amber, ForceField::charmm}) {
    PrepareOptions options;
    options.force_field = force_field;
    const auto made = prepared("1LCD.pdb.gz", options);
    EXPECT_TRUE(made.without_parameters.empty());
    EXPECT_TRUE(made.incomplete.empty());
    EXPECT_TRUE(made.unknown_atoms.empty());
    std::map<std::string, double> by_chain;
    for (std::size_t i = 0; i < made.charges.size(); ++i)
      by_chain[made.charges.labels[i].chain] += made.charges.charge[i];
    EXPECT_NEAR(by_chain.at("B"), -10, 1e-6);
    EXPECT_NEAR(by_chain.at("C"), -10 + 1, 1e-6) << "a sodium ion is of that chain, too";
    EXPECT_NEAR(by_chain.at("A"), std::round(by_chain.at("A")), 1e-6);
    const auto atoms = atom_places(made.charges);
    for (const char* hydrogen : {"H61", "H62", "H2", "H8", "H1'", "H2'", "H2''", "HO5'"})
      EXPECT_TRUE(atoms.contains({"DA B 1", hydrogen})) << hydrogen;
  }
}

/// The receptor-binding domain of a spike protein with a sugar on its ASN 343.
TEST(Prepare, AGlycoproteinHasParametersThroughout) {
  for (const auto force_field : {ForceField::amber, ForceField::charmm}) {
    PrepareOptions options;
    options.force_field = force_field;
    const auto made = prepared("7DDO-chain-C.pdb.gz", options);
    EXPECT_TRUE(made.without_parameters.empty());
    EXPECT_TRUE(made.incomplete.empty());
    EXPECT_TRUE(made.unknown_atoms.empty());
    ASSERT_EQ(made.sugar_links.size(), 1U);
    const auto& link = made.sugar_links[0];
    EXPECT_EQ(link.first_atom + " " + link.first, "C1 NAG C 601");
    EXPECT_EQ(link.second_atom + " " + link.second, "ND2 ASN C 343");
    EXPECT_NEAR(link.distance, 1.44, 0.005);  // as its record LINK says
    double together = 0;
    int atoms = 0;
    for (std::size_t i = 0; i < made.charges.size(); ++i) {
      const auto& label = made.charges.labels[i];
      const bool sugar = label.residue == "NAG", bearer = label.residue == "ASN" && label.number == 343;
      if (sugar || bearer) together += made.charges.charge[i];
      atoms += sugar ? 1 : 0;
      EXPECT_FALSE(bearer && label.atom == "HD22");
      EXPECT_FALSE(sugar && (label.atom == "O1" || label.atom == "HO1"));
    }
    EXPECT_NEAR(together, 0, 1e-6);
    EXPECT_EQ(atoms, 28);  // C8H14NO5
  }
  PrepareOptions parse;
  parse.force_field = ForceField::parse;
  const auto without = prepared("7DDO-chain-C.pdb.gz", parse);
  EXPECT_EQ(without.without_parameters, std::vector<std::string>{"NAG C 601"});
}

/// A fucosylated, sialylated tree of nine sugars (make_glycan.py): 3 C8H15NO6, 4 C6H12O6, C6H12O5 and C11H18NO9-, less eight times water.
TEST(Prepare, SugarsAreLinkedToEachOther) {
  for (const auto force_field : {ForceField::amber, ForceField::charmm}) {
    PrepareOptions options;
    options.force_field = force_field;
    const auto structure = read_structure(references / "glycan.pdb");
    const auto made = prepare(structure, options);
    EXPECT_EQ(made.charges.size(), 3U * 30 + 4 * 24 + 23 + 39 - 8 * 3);
    EXPECT_NEAR(total_charge(made.charges), -1, 1e-6);
    EXPECT_TRUE(made.without_parameters.empty());
    EXPECT_TRUE(made.incomplete.empty());
    EXPECT_TRUE(made.unknown_atoms.empty());
    std::vector<std::string> links;
    for (const auto& [first_atom, first, second_atom, second, distance] : made.sugar_links)
      links.push_back(first + " " + first_atom + "-" + second_atom + " " + second);
    EXPECT_EQ(links, (std::vector<std::string>{"NAG A 2 C1-O4 NAG A 1", "BMA A 3 C1-O4 NAG A 2",
                                               "MAN A 4 C1-O6 BMA A 3", "MAN A 5 C1-O3 BMA A 3",
                                               "FUC A 6 C1-O6 NAG A 1", "NAG A 7 C1-O2 MAN A 4",
                                               "GAL A 8 C1-O4 NAG A 7", "SIA A 9 C2-O6 GAL A 8"}));
    // Hydrogens at anomeric carbons point away from the other sugar.
    const auto atoms = atom_places(made.charges);
    const auto place = [&](const char* residue, const char* atom) {
      return made.charges.place(atoms.at({residue, atom}));
    };
    EXPECT_NEAR((place("NAG A 2", "H1") - place("NAG A 2", "C1")).norm(), 1.09, 1e-6);
    EXPECT_GT((place("NAG A 2", "H1") - place("NAG A 1", "O4")).norm(), 1.9);
  }
}

TEST(Prepare, ASugarWithABondThatTheTableLacksIsNamed) {
  auto structure = read_structure(references / "glycan.pdb");
  // As if the sugar were bonded at its ring's oxygen.
  const auto sugar = structure.residues[4];
  structure.residues.push_back(
      {"LIG", "B", 1, ' ', true, 9, {{"C9", 6, sugar.find("O5")->place + Eigen::Vector3d(0, 0, 1.4)}}});
  const auto made = prepare(structure);
  EXPECT_NE(std::ranges::find(made.without_parameters, "MAN A 5"), made.without_parameters.end());
  ASSERT_EQ(made.states.size(), 1U);
  EXPECT_EQ(made.states[0].residue, "MAN A 5");
  EXPECT_NE(made.states[0].why.find("O5"), std::string::npos) << made.states[0].why;
  std::size_t atoms = 0;
  for (const auto& label : made.charges.labels) atoms += label.residue == "MAN" && label.number == 5 ? 1 : 0;
  EXPECT_EQ(atoms, sugar.atoms.size());
}

double nearest_atom(const Charges& charges, const Eigen::Vector3d& place) {
  double nearest = 1e9;
  for (std::size_t i = 0; i < charges.size(); ++i)
    nearest = std::min(nearest, (charges.place(i) - place).norm());
  return nearest;
}

/// Potentials in vacuum against those of pdb2pqr's charges, both in kT/e at 298.15 K. Only hydrogens differ, by 0.1 angstrom
/// and where they turn: by 1.6 % where no atom is nearer than 5 angstrom, 2.5 % from 3 to 5, and 5 % of all within.
TEST(Prepare, PotentialsAreThoseOfAnotherProgramsCharges) {
  Remarks remarks;
  const auto places = electrostatics::read_places(references / "1FAS-coulomb-points.csv", remarks);
  const auto molecule = read_pqr(references / "1FAS.pqr");
  const auto ours = electrostatics::potential_at(places, prepared("1FAS.cif.gz").charges, {}).values;
  const auto theirs = electrostatics::potential_at(places, molecule, {}).values;
  double difference = 0, magnitude = 0, outside_difference = 0, outside_magnitude = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double square = std::pow(ours[i] - theirs[i], 2);
    difference += square;
    magnitude += theirs[i] * theirs[i];
    if (nearest_atom(molecule, Eigen::Vector3d(places.x[i], places.y[i], places.z[i])) < 3) continue;
    outside_difference += square;
    outside_magnitude += theirs[i] * theirs[i];
  }
  EXPECT_LT(std::sqrt(difference / magnitude), 0.06);
  EXPECT_LT(std::sqrt(outside_difference / outside_magnitude), 0.025);
}

TEST(Prepare, HydrogensOfTheFileStayInTheModelThatIsAskedFor) {
  const auto structure = read_structure(references / "1A1P-21-models.pdb.gz", 3);
  const auto made = prepare(structure);
  EXPECT_EQ(made.model, 3);
  EXPECT_EQ(made.models, 21);
  EXPECT_EQ(made.hydrogens_added, 0);
  EXPECT_EQ(made.hydrogens_replaced, 0);
  EXPECT_EQ(made.charges.size(), 209U - 1U);  // the serial of TER is 209
  // Ile 1 +1, Asp 6 -1, Arg 11 +1, and the chain ends with an amide.
  EXPECT_NEAR(total_charge(made.charges), 1, 1e-6);
  ASSERT_EQ(made.disulphides.size(), 1U);
  ASSERT_EQ(made.states.size(), 2U);
  EXPECT_EQ(made.states[0].state, "HID");
  EXPECT_EQ(made.states[0].why, "its hydrogens say so");
  EXPECT_TRUE(made.incomplete.empty());
  EXPECT_NE(made.charges.place(0), prepared("1A1P-21-models.pdb.gz").charges.place(0));
}

/// Hydrogens that are taken away come back to where nuclear magnetic resonance's refinement had them.
TEST(Prepare, HydrogensAreAddedWhereTheyWere) {
  const auto whole = prepare(read_structure(references / "1A1P-21-models.pdb.gz"));
  auto structure = read_structure(references / "1A1P-21-models.pdb.gz");
  for (auto& residue : structure.residues)
    std::erase_if(residue.atoms, [](const auto& atom) { return atom.atomic_number == 1; });
  const auto made = prepare(structure);
  EXPECT_EQ(made.hydrogens_kept, 0);
  EXPECT_EQ(made.hydrogens_added, whole.hydrogens_kept);
  const auto result = compare(made.charges, whole.charges, {"HIS A 9", "HIS A 10"});
  EXPECT_LT(part_of(result.hydrogens, 0.9), 0.2);
  // But for the two of Gln 5's amide, which that entry calls by each other's names: they have the same charge.
  ASSERT_GT(result.hydrogens.size(), 40U);
  EXPECT_LT(result.hydrogens.at(result.hydrogens.size() - 3), 0.4);
}

Residue& residue_of(Structure& structure, const std::string& name) {
  return *std::ranges::find(structure.residues, name, [](const auto& each) { return name_of(each); });
}

std::string state_of(const Preparation& made, const std::string& residue) {
  const auto found = std::ranges::find(made.states, residue, &Decision::residue);
  return found == made.states.end() ? "" : found->state;
}

TEST(Prepare, AHistidineAtAMetalHasItsProtonOnTheOtherSide) {
  const auto whole = read_structure(references / "1FAS.cif.gz");
  const auto with_zinc = [&](const char* nitrogen, const char* first, const char* second) {
    auto structure = whole;
    const auto& ring = residue_of(structure, "HIS A 6");
    const Eigen::Vector3d from = ring.find(nitrogen)->place;
    const Eigen::Vector3d out = (2 * from - ring.find(first)->place - ring.find(second)->place).normalized();
    structure.residues.push_back({"ZN", "A", 900, ' ', true, 99, {{"ZN", 30, from + 2.1 * out}}});
    return state_of(prepare(structure), "HIS A 6");
  };
  EXPECT_EQ(with_zinc("NE2", "CE1", "CD2"), "HID");
  EXPECT_EQ(with_zinc("ND1", "CG", "CE1"), "HIE");
}

TEST(Prepare, NamesAndHydrogensSayInWhichStateAResidueIs) {
  auto structure = read_structure(references / "1FAS.cif.gz");
  residue_of(structure, "HIS A 6").name = "HSP";
  auto& acid = residue_of(structure, "ASP A 46");
  acid.atoms.push_back({"HD2", 1, acid.find("OD2")->place + Eigen::Vector3d(0, 0, 0.96)});
  auto& methionine = residue_of(structure, "MET A 2");
  methionine.name = "MSE";
  for (auto& atom : methionine.atoms) {
    if (atom.name == "SD") atom.name = "SE";
  }
  const auto made = prepare(structure);
  EXPECT_EQ(state_of(made, "HSP A 6"), "HIP");
  EXPECT_EQ(state_of(made, "ASP A 46"), "ASH");
  EXPECT_EQ(state_of(made, "MSE A 2"), "MET");
  EXPECT_EQ(made.hydrogens_kept, 1);
  EXPECT_NEAR(total_charge(made.charges), 4 + 1 + 1, 1e-6);
  EXPECT_TRUE(made.incomplete.empty());
  EXPECT_TRUE(made.without_parameters.empty());
}

class SmallStructures : public ::testing::Test {
 protected:
  Preparation prepared_text(const std::string& text, const PrepareOptions& options = {}) const {
    return prepare(read_structure(folder_.write("s.pdb", text)), options);
  }
  isolume::testing::TemporaryFolder folder_;
};

const std::string sodium = "HETATM    1 NA    NA A   1       0.000   0.000   0.000  1.00 10.00          NA\n";

TEST_F(SmallStructures, IonsHaveChargesAndOthersTheRadiusOfTheirElement) {
  const auto made =
      prepared_text(sodium +
                    "HETATM    2 ZN    ZN A   2       5.000   0.000   0.000  1.00 10.00          ZN\n"
                    "HETATM    3 CL    CL A   3       0.000   9.000   0.000  1.00 10.00          CL\n"
                    "HETATM    4 XE    XE A   4       0.000   0.000   9.000  1.00 10.00          XE\n"
                    "HETATM    5  O   HOH A   5       0.000   0.000  19.000  1.00 10.00           O\n");
  EXPECT_EQ(made.charges.charge, (std::vector<double>{1, 2, -1, 0}));
  EXPECT_GT(made.charges.radius[3], 1);
  EXPECT_EQ(made.without_parameters, std::vector<std::string>{"XE A 4"});
  EXPECT_EQ(made.waters_left_out, 1);
}

TEST_F(SmallStructures, UnknownResiduesAreEqualisedOnWish) {
  // Two halves of one molecule, a third residue far away, and a metal that has no parameters of that kind.
  const std::string ligands =
      sodium +
      "HETATM    2  C1  LIA A   2       5.000   0.000   0.000  1.00 10.00           C\n"
      "HETATM    3  O1  LIA A   2       5.000   1.220   0.000  1.00 10.00           O\n"
      "HETATM    4  C1  LIB A   3       6.500   0.000   0.000  1.00 10.00           C\n"
      "HETATM    5  H1  LIB A   3       7.000   0.950   0.000  1.00 10.00           H\n"
      "HETATM    6  C1  LIC A   4       5.000   0.000  50.000  1.00 10.00           C\n"
      "HETATM    7  O1  LIC A   4       5.000   1.220  50.000  1.00 10.00           O\n"
      "HETATM    8  W   WWW A   5      25.000   0.000  50.000  1.00 10.00           W\n";
  PrepareOptions options;
  options.equalise_unknown = true;
  options.equalised_totals = {{"LIB", -1}, {"LIC", 0.5}};
  const auto made = prepared_text(ligands, options);
  ASSERT_EQ(made.equalised.size(), 2U);
  EXPECT_EQ(made.equalised[0].residues, (std::vector<std::string>{"LIA A 2", "LIB A 3"}));
  EXPECT_TRUE(made.equalised[0].has_hydrogens);
  EXPECT_FALSE(made.equalised[1].has_hydrogens);
  const auto& charge = made.charges.charge;
  EXPECT_NEAR(charge[1] + charge[2] + charge[3] + charge[4], -1, 1e-9);
  EXPECT_NEAR(charge[5] + charge[6], 0.5, 1e-9);
  EXPECT_LT(charge[6], charge[5]) << "oxygen draws electrons";
  EXPECT_EQ(charge[0], 1);
  EXPECT_EQ(made.without_parameters, std::vector<std::string>{"WWW A 5"});
  options.equalised_totals = {{"NAP", -4}};
  EXPECT_THROW(prepared_text(ligands, options), Error);
}

TEST_F(SmallStructures, WaterIsKeptOnWishWithItsGeometry) {
  PrepareOptions options;
  options.keep_water = true;
  const std::string water =
      "HETATM    5  O   HOH A   5       0.000   0.000  19.000  1.00 10.00           O\n";
  const auto made = prepared_text(water, options);
  ASSERT_EQ(made.charges.size(), 3U);
  EXPECT_NEAR(total_charge(made.charges), 0, 1e-12);
  EXPECT_NEAR((made.charges.place(1) - made.charges.place(0)).norm(), 0.9572, 1e-9);
  EXPECT_NEAR((made.charges.place(1) - made.charges.place(2)).norm(), 1.5139, 1e-3);
  EXPECT_THROW(prepared_text(water), Error);
}

TEST_F(SmallStructures, MissingAtomsAndGapsAreListed) {
  const std::string text =
      "ATOM      1  N   GLY A   1       0.000   0.000   0.000  1.00 10.00           N\n"
      "ATOM      2  CA  GLY A   1       1.458   0.000   0.000  1.00 10.00           C\n"
      "ATOM      3  C   GLY A   1       2.009   1.420   0.000  1.00 10.00           C\n"
      "ATOM      4  O   GLY A   1       1.251   2.390   0.000  1.00 10.00           O\n"
      "ATOM      5  N   LYS A   5       9.000   0.000   0.000  1.00 10.00           N\n"
      "ATOM      6  CA  LYS A   5      10.458   0.000   0.000  1.00 10.00           C\n"
      "ATOM      7  C   LYS A   5      11.009   1.420   0.000  1.00 10.00           C\n"
      "ATOM      8  O   LYS A   5      10.251   2.390   0.000  1.00 10.00           O\n"
      "ATOM      9  CB  LYS A   5      10.988  -0.760   1.210  1.00 10.00           C\n"
      "ATOM     10  N   GLY A   6      12.335   1.540   0.000  1.00 10.00           N\n"
      "ATOM     11  CA  GLY A   6      12.970   2.850   0.000  1.00 10.00           C\n"
      "ATOM     12  C   GLY A   6      14.480   2.700   0.000  1.00 10.00           C\n"
      "ATOM     13  O   GLY A   6      15.000   1.580   0.000  1.00 10.00           O\n";
  const auto made = prepared_text(text);
  ASSERT_EQ(made.ends.size(), 3U);
  EXPECT_EQ(made.ends[0].state, "NGLY");
  EXPECT_EQ(made.ends[1].residue, "LYS A 5");
  EXPECT_EQ(made.ends[1].state, "gap");
  EXPECT_EQ(made.ends[2].state, "CGLY");
  ASSERT_EQ(made.incomplete.size(), 1U);
  const auto& lysine = made.incomplete[0];
  EXPECT_EQ(lysine.residue, "LYS A 5");
  for (const char* atom : {"CG", "CD", "CE", "NZ", "HZ3", "HB2"})
    EXPECT_NE(std::ranges::find(lysine.atoms, atom), lysine.atoms.end()) << atom;
  EXPECT_NEAR(lysine.expected, 1, 1e-6);
  double there = 0;
  for (std::size_t i = 0; i < made.charges.size(); ++i)
    if (made.charges.labels[i].residue == "LYS") there += made.charges.charge[i];
  EXPECT_NEAR(lysine.charge, there, 1e-9);
  // Every hydrogen is bonded to something: 0.9 to 1.4 angstrom.
  for (std::size_t i = 0; i < made.charges.size(); ++i) {
    if (made.charges.labels[i].atom.front() != 'H') continue;
    double nearest = 9;
    for (std::size_t k = 0; k < made.charges.size(); ++k)
      if (k != i) nearest = std::min(nearest, (made.charges.place(i) - made.charges.place(k)).norm());
    EXPECT_GT(nearest, 0.9);
    EXPECT_LT(nearest, 1.4);
  }
}

/// A strand of DNA from its O5' to its O3', named as now and as before 2008: the charge of both residues is that of one phosphate.
TEST_F(SmallStructures, EndsOfNucleicAcidsAreKnown) {
  const auto strand = [](const std::string& first, const std::string& second) {
    return "ATOM      1  O5'  " + first + " A   1      -4.000   0.000   0.000  1.00 10.00           O\n" +
           "ATOM      2  C2'  " + first + " A   1      -1.400   1.400   0.000  1.00 10.00           C\n" +
           "ATOM      3  O3'  " + first + " A   1       0.000   0.000   0.000  1.00 10.00           O\n" +
           "ATOM      4  P    " + second + " A   2       1.600   0.000   0.000  1.00 10.00           P\n" +
           "ATOM      5  C2'  " + second + " A   2       4.600   1.400   0.000  1.00 10.00           C\n" +
           "ATOM      6  O3'  " + second + " A   2       6.000   0.000   0.000  1.00 10.00           O\n";
  };
  for (const auto& text : {strand("DA", "DG"), strand(" A", " G")}) {
    const auto made = prepared_text(text);
    ASSERT_EQ(made.ends.size(), 2U);
    EXPECT_EQ(made.ends[0].state, "DA5");
    EXPECT_EQ(made.ends[1].state, "DG3");
    ASSERT_EQ(made.incomplete.size(), 2U);
    EXPECT_NEAR(made.incomplete[0].expected + made.incomplete[1].expected, -1, 1e-6);
    EXPECT_TRUE(made.without_parameters.empty());
  }
}

TEST_F(SmallStructures, ChargesThatAPersonGivesComeFirst) {
  PrepareOptions options;
  options.given_charges = folder_.write("t.csv", "residue,atom,charge,radius\nXE,XE,0.5,\nNA,NA,0.9,1.2\n");
  const auto made = prepared_text(
      sodium + "HETATM    4 XE    XE A   4       0.000   0.000   9.000  1.00 10.00          XE\n", options);
  EXPECT_EQ(made.charges.charge, (std::vector<double>{0.9, 0.5}));
  EXPECT_EQ(made.charges.radius[0], 1.2);
  EXPECT_GT(made.charges.radius[1], 1);
  EXPECT_EQ(made.given, (std::vector<std::string>{"NA A 1", "XE A 4"}));
  EXPECT_TRUE(made.without_parameters.empty());
  EXPECT_EQ(made.element_radii, std::vector<std::string>{"XE of XE A 4"});
  EXPECT_TRUE(contains(remarks_of(made).text(), "radii of their elements: XE of XE A 4."));
  options.given_charges =
      folder_.write("more.csv", "residue,atom,charge,epsilon,radius\nNA,NA,0.9,0.1,1.2\n");
  EXPECT_TRUE(contains(remarks_of(prepared_text(sodium, options)).text(),
                       "more.csv: columns that are not used: epsilon."));
  options.given_charges = folder_.write("u.csv", "residue,atom,charge\nTES,C1,0.5\n");
  try {
    prepared_text(sodium, options);
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("TES"), std::string::npos) << error.what();
  }
}

TEST_F(SmallStructures, PqrFilesComeBackAsTheyWere) {
  auto made = prepared("1AJJ.pdb.gz");
  made.charges.labels[0].insertion = 'B';
  const auto path = folder_ / "o.pqr";
  write_pqr(made.charges, {"made by a test"}, path);
  const auto again = read_pqr(path);
  ASSERT_EQ(again.size(), made.charges.size());
  for (std::size_t i = 0; i < again.size(); ++i) {
    EXPECT_NEAR((again.place(i) - made.charges.place(i)).cwiseAbs().maxCoeff(), 0, 5.1e-4);
    EXPECT_NEAR(again.charge[i], made.charges.charge[i], 5e-7);
    EXPECT_NEAR(again.radius[i], made.charges.radius[i], 5e-5);
    EXPECT_EQ(residue_name(again.labels[i]), residue_name(made.charges.labels[i]));
    EXPECT_EQ(again.labels[i].atom, made.charges.labels[i].atom);
    EXPECT_EQ(again.labels[i].insertion, made.charges.labels[i].insertion);
    EXPECT_EQ(again.labels[i].is_hetero, made.charges.labels[i].is_hetero);
  }
  EXPECT_EQ(residues_without_parameters(again), made.without_parameters);
}

}  // namespace
}  // namespace isolume::structures
