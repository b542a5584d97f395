// Charges are those of chemistry: a carboxylic acid that takes a proton gains one charge, wherever it is.
#include "core/structures/protonation.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/structures/decisions.h"

namespace isolume::structures {
namespace {

const std::filesystem::path references = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics";

Structure fasciculin() {
  return read_structure(references / "1FAS.cif.gz");
}

int count(const Structure& structure, const std::string& name) {
  return static_cast<int>(std::ranges::count(structure.residues, name, &Residue::name));
}

double charge_at(const Structure& structure, double ph, ForceField force_field = ForceField::amber) {
  PrepareOptions options;
  options.ph = ph;
  options.force_field = force_field;
  return total_charge(prepare(structure, options).charges);
}

TEST(Ph, MovesTheChargeByWhatTakesOrLosesProtons) {
  const auto structure = fasciculin();
  const int asp = count(structure, "ASP"), glu = count(structure, "GLU"), his = count(structure, "HIS"),
            lys = count(structure, "LYS");
  ASSERT_GT(asp, 0);
  ASSERT_GT(his, 0);
  const double neutral = charge_at(structure, 7);
  for (const auto force_field : {ForceField::amber, ForceField::charmm, ForceField::parse}) {
    EXPECT_NEAR(charge_at(structure, 6, force_field), neutral + his, 1e-3);
    EXPECT_NEAR(charge_at(structure, 4, force_field), neutral + his + glu, 1e-3);
    EXPECT_NEAR(charge_at(structure, 3, force_field), neutral + his + glu + asp, 1e-3);
    EXPECT_NEAR(charge_at(structure, 11, force_field), neutral - lys, 1e-3) << "its cysteines are bridged";
  }
}

TEST(Ph, IsSaidWhereItDecides) {
  const auto structure = fasciculin();
  PrepareOptions options;
  EXPECT_EQ(remarks_of(prepare(structure, options)).text().find("pKa"), std::string::npos);
  options.ph = 4;
  EXPECT_NE(remarks_of(prepare(structure, options)).text().find("standard pKa"), std::string::npos);
  options.ph = 9;
  EXPECT_NE(remarks_of(prepare(structure, options)).text().find("Termini"), std::string::npos);
}

/// What a file says with hydrogens holds at any pH.
TEST(Ph, LeavesResiduesWithHydrogensAlone) {
  const auto structure = read_structure(references / "1A1P-21-models.pdb.gz");
  EXPECT_NEAR(charge_at(structure, 1), charge_at(structure, 7), 1e-9);
}

TEST(States, ChosenByHandGoBeforeAllRules) {
  const auto structure = fasciculin();
  const auto histidine = std::ranges::find(structure.residues, "HIS", &Residue::name);
  const auto acid = std::ranges::find(structure.residues, "ASP", &Residue::name);
  const std::string name = name_of(*histidine), short_name = name_of(*acid).substr(4);
  const double before = charge_at(structure, 7);
  PrepareOptions options;
  options.states = {{name, "HIP"}, {short_name, "ASH"}};
  const auto made = prepare(structure, options);
  EXPECT_NEAR(total_charge(made.charges), before + 2, 1e-6);
  EXPECT_TRUE(made.incomplete.empty());
  const auto decided = std::ranges::find(made.states, name, &Decision::residue);
  ASSERT_NE(decided, made.states.end());
  EXPECT_EQ(decided->state + ", " + decided->why, "HIP, chosen by hand");
  for (const std::string state : {"HID", "HIE"}) {
    options.states = {{name, state}};
    EXPECT_NEAR(total_charge(prepare(structure, options).charges), before, 1e-6);
  }
}

TEST(States, ThatCannotBeAreRefused) {
  const auto structure = fasciculin();
  const auto refused = [&](const std::string& residue, const std::string& state) {
    PrepareOptions options;
    options.states = {{residue, state}};
    try {
      prepare(structure, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("taken");
  };
  const auto named = [&](const std::string& name) {
    return name_of(*std::ranges::find(structure.residues, name, &Residue::name));
  };
  EXPECT_NE(refused(named("HIS"), "ASH").find("HID, HIE, HIP"), std::string::npos);
  EXPECT_NE(refused(named("CYS"), "CYM").find("disulphide"), std::string::npos);
  EXPECT_NE(refused(named("SER"), "SER").find("one protonation state"), std::string::npos);
  EXPECT_NE(refused("HIS Z 999", "HIP").find("no amino acid"), std::string::npos);
  EXPECT_EQ(states_of("HIE"), (std::vector<std::string_view>{"HID", "HIE", "HIP"}));
}

/// A residue cut out of a protein, alone: glutamate is -1 with both termini, lysine +1, alanine 0.
TEST(FreeAminoAcids, HaveTheChargesOfBothTermini) {
  const auto structure = fasciculin();
  const std::vector<std::pair<std::string, double>> totals{{"GLU", -1}, {"LYS", 1}, {"ALA", 0}, {"PRO", 0},
                                                           {"ASP", -1}, {"GLY", 0}, {"ARG", 1}};
  for (const auto force_field : {ForceField::amber, ForceField::charmm, ForceField::parse}) {
    for (const auto& [name, total] : totals) {
      const auto found = std::ranges::find(structure.residues, name, &Residue::name);
      if (found == structure.residues.end()) continue;
      Structure alone;
      alone.residues = {*found};
      PrepareOptions options;
      options.force_field = force_field;
      const auto made = prepare(alone, options);
      EXPECT_NEAR(total_charge(made.charges), total, 1e-6) << name << " " << name_of(force_field);
      EXPECT_TRUE(made.incomplete.empty()) << name << " " << name_of(force_field);
      EXPECT_TRUE(made.unknown_atoms.empty()) << name << " " << name_of(force_field);
      EXPECT_EQ(made.composed.size(), 1U) << name;
      EXPECT_NE(remarks_of(made).text().find("combined from"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace isolume::structures
