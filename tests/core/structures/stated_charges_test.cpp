// What a structure file states itself, and residues that resemble others. Expected values are those in the file, in the
// force field's table (resources/charges/amber.csv), and van der Waals radii of elements (Alvarez 2013).
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "core/structures/charged_file.h"
#include "core/structures/prepare.h"
#include "core/structures/structure.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

struct Line {
  std::string name, residue, element, charge = "";
  Eigen::Vector3d place = Eigen::Vector3d::Zero();
  int number = 1;
};
std::string text_of(const Line& line) {
  return fmt::format("HETATM    1 {:4} {:3} A{:4}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00          {:>2}{:2}\n",
                     line.name, line.residue, line.number, line.place.x(), line.place.y(), line.place.z(),
                     line.element, line.charge);
}

/// A residue between two glycines: the backbone, CB and CG, and an atom 1.9 angstrom from CG.
std::string in_peptide(const std::string& residue, const std::string& atom, const std::string& element) {
  std::string text;
  for (int number = 1; number <= 3; ++number) {
    const double x = 3.8 * number;
    const std::string name = number == 2 ? residue : "GLY";
    const auto add = [&](const std::string& each, const std::string& symbol, const Eigen::Vector3d& place) {
      text += text_of({each, name, symbol, "", place, number});
    };
    add(" N", "N", {x, 0, 0});
    add(" CA", "C", {x + 1.2, 0.8, 0});
    add(" C", "C", {x + 2.5, 0, 0});
    add(" O", "O", {x + 2.5, -1.2, 0});
    if (number != 2) continue;
    add(" CB", "C", {x + 1.2, 1.7, 1.2});
    add(" CG", "C", {x + 1.2, 1.7, 2.7});
    add(atom, element, {x + 1.2, 3.2, 3.8});
  }
  return text;
}

class StatedCharges : public ::testing::Test {
 protected:
  ChargedFile read(const std::string& text, const ChargedFileOptions& options = {}) const {
    const bool is_cif = text.starts_with("data_");
    return read_charged_file(folder_.write(is_cif ? "s.cif" : "s.pdb", text), options);
  }
  isolume::testing::TemporaryFolder folder_;
};

bool says(const Remarks& remarks, RemarkKind kind, std::string_view part) {
  return std::ranges::any_of(remarks, [&](const auto& remark) {
    return remark.kind == kind && remark.text.find(part) != std::string::npos;
  });
}

std::size_t index_of(const Charges& charges, std::string_view atom) {
  const auto found = std::ranges::find(charges.labels, atom, &AtomLabel::atom);
  return static_cast<std::size_t>(found - charges.labels.begin());
}

struct Ion {
  std::string residue, name, element, stated;
  double charge, radius;
  std::string remark;
};

TEST_F(StatedCharges, AnIonHasTheFormalChargeOfTheFile) {
  const std::vector<Ion> ions{{"FE", "FE", "FE", "2+", 2, 1.353, "FE A 1 (+2 e; its name means +3 e)"},
                              {"FE", "FE", "FE", "+2", 2, 1.353, "FE A 1 (+2 e; its name means +3 e)"},
                              {"FE2", "FE", "FE", "3+", 3, 1.386, "FE2 A 1 (+3 e; its name means +2 e)"},
                              {"CU", "CU", "CU", "1+", 1, 1.214, "CU A 1 (+1 e; its name means +2 e)"},
                              {"MN", "MN", "MN", "4+", 4, 1.407, "MN A 1 (+4 e; its name means +2 e)"},
                              {"CO", "CO", "CO", "3+", 3, 1.299, "CO A 1 (+3 e; its name means +2 e)"},
                              {"UNX", "FE", "FE", "2+", 2, 1.353, "UNX A 1 (+2 e; its name means none)"},
                              {"UNX", "MN1", "MN", "4+", 4, 1.407, "UNX A 1 (+4 e; its name means none)"},
                              {"UNL", " S", "S", "2-", -2, 1.89, "UNL A 1 (-2 e; its name means none)"},
                              {"FE", "FE", "FE", "3+", 3, 1.386, ""},
                              {"FE", "FE", "FE", "", 3, 1.386, ""},
                              {"CL", "CL", "CL", "1-", -1, 2.513, ""}};
  for (const auto& ion : ions) {
    const auto made = read(text_of({ion.name, ion.residue, ion.element, ion.stated}));
    const std::string which = ion.residue + " " + ion.stated;
    ASSERT_EQ(made.charges.size(), 1U) << which;
    EXPECT_EQ(made.charges.charge[0], ion.charge) << which;
    EXPECT_NEAR(made.charges.radius[0], ion.radius, 1e-9) << which;
    EXPECT_EQ(made.charges.labels[0].atom, trimmed(ion.name)) << which;
    EXPECT_EQ(made.charges.labels[0].residue, ion.residue) << which;
    EXPECT_TRUE(made.preparation->without_parameters.empty()) << which;
    const bool is_named = says(made.charges.remarks, RemarkKind::assumed, "that the file states");
    EXPECT_EQ(is_named, !ion.remark.empty()) << which;
    EXPECT_NE(made.charges.remarks.text().find(ion.remark), std::string::npos) << made.charges.remarks.text();
  }
}

TEST_F(StatedCharges, OtherTextInTheColumnsOfTheChargeIsNamed) {
  const auto made = read(text_of({"FE", "FE", "FE", " 2"}));
  EXPECT_EQ(made.charges.charge[0], 3);
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::dropped, "columns 79 and 80"))
      << made.charges.remarks.text();
  // Entries before 1996 have their code and the numbers of lines there, and no elements.
  std::string old = text_of({"FE", "FE", "", "23"});
  old.replace(72, 4, "1ABC");
  EXPECT_TRUE(read(old).charges.remarks.empty());
}

TEST_F(StatedCharges, MmcifStatesFormalChargesToo) {
  const auto of = [&](const std::string& symbol, const std::string& stated) {
    return read(
               "data_x\nloop_\n_atom_site.group_PDB\n_atom_site.type_symbol\n_atom_site.label_atom_id\n"
               "_atom_site.label_comp_id\n_atom_site.auth_asym_id\n_atom_site.auth_seq_id\n"
               "_atom_site.Cartn_x\n_atom_site.Cartn_y\n_atom_site.Cartn_z\n_atom_site.pdbx_formal_charge\n"
               "HETATM " +
               symbol + " FE FE A 1 0 0 0 " + stated + "\n")
        .charges;
  };
  EXPECT_EQ(of("FE", "2").charge[0], 2);
  EXPECT_EQ(of("Fe2+", "?").charge[0], 2);
  for (const std::string unstated : {"?", ".", "0"}) {
    const auto made = of("FE", unstated);
    EXPECT_EQ(made.charge[0], 3) << unstated;
    EXPECT_TRUE(made.remarks.empty()) << made.remarks.text();
  }
  const auto wrong = of("FE", "two");
  EXPECT_EQ(wrong.charge[0], 3);
  EXPECT_TRUE(says(wrong.remarks, RemarkKind::dropped, "whole numbers")) << wrong.remarks.text();
}

/// An amino acid follows its pKa: at pH 7 a lysine has a charge of 1, at 12 none, whatever its NZ states.
TEST_F(StatedCharges, AminoAcidsKeepTheRulesOfProtonation) {
  std::string text = in_peptide("LYS", " CD", "C");
  text += text_of({" CE", "LYS", "C", "", {8.8, 3.2, 5.3}, 2}) +
          text_of({" NZ", "LYS", "N", "1+", {8.8, 4.5, 6}, 2});
  ChargedFileOptions options;
  EXPECT_NEAR(total_charge(read(text, options).charges), 1, 1e-6);
  options.prepare.ph = 12;
  EXPECT_NEAR(total_charge(read(text, options).charges), 0, 1e-6);
}

TEST_F(StatedCharges, EqualisedResiduesHaveTheSumOfFormalCharges) {
  const std::string ligand =
      text_of({" C1", "UNL", "C", "", {0, 0, 0}}) + text_of({" O1", "UNL", "O", "1-", {1.3, 0, 0}});
  const std::string nitrate =
      text_of({" N", "NO3", "N", "1+", {0, 0, 30}, 2}) + text_of({" O1", "NO3", "O", "", {1.2, 0, 30}, 2});
  ChargedFileOptions options;
  options.prepare.equalise_unknown = true;
  const auto made = read(ligand + nitrate, options);
  EXPECT_NEAR(made.charges.charge[0] + made.charges.charge[1], -1, 1e-9);
  EXPECT_NEAR(made.charges.charge[2] + made.charges.charge[3], -1, 1e-9);
  const auto& remarks = made.charges.remarks;
  EXPECT_TRUE(says(remarks, RemarkKind::assumed, "UNL A 1 (-1 e)")) << remarks.text();
  EXPECT_TRUE(says(remarks, RemarkKind::dropped, "NO3 A 2 (-1 e instead of +1 e)")) << remarks.text();
}

TEST_F(StatedCharges, SelenocysteineHasSelenium) {
  for (const std::string element : {"SE", ""}) {
    const auto made = read(in_peptide("SEC", "SE", element));
    const auto at = index_of(made.charges, "SE");
    ASSERT_LT(at, made.charges.size());
    EXPECT_EQ(made.charges.labels[at].atomic_number, 34);
    EXPECT_NEAR(made.charges.radius[at], 1.82, 1e-9);
    EXPECT_FALSE(says(made.charges.remarks, RemarkKind::corrected, "")) << made.charges.remarks.text();
    EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "no parameters"))
        << made.charges.remarks.text();
  }
}

/// Charge and radius are those of MET's SD in the table.
TEST_F(StatedCharges, SelenomethionineKeepsItsSelenium) {
  for (const auto& [residue, atom] : {std::pair("MSE", "SE"), {"MET", "SE"}, {"MSE", " SD"}}) {
    const auto made = read(in_peptide(residue, atom, "SE"));
    const auto at = index_of(made.charges, "SE");
    ASSERT_LT(at, made.charges.size()) << residue << atom;
    EXPECT_EQ(made.charges.labels[at].atomic_number, 34);
    EXPECT_NEAR(made.charges.charge[at], -0.2737, 1e-9);
    EXPECT_NEAR(made.charges.radius[at], 2, 1e-9);
    const auto remark = std::ranges::find_if(made.charges.remarks, [&](const auto& each) {
      return each.text.find(fmt::format("sulphur: {} A 2.", residue)) != std::string::npos;
    });
    ASSERT_NE(remark, made.charges.remarks.end()) << made.charges.remarks.text();
    EXPECT_EQ(remark->kind, RemarkKind::assumed);
    EXPECT_EQ(remark->count, 1U);
  }
  EXPECT_FALSE(says(read(in_peptide("MET", " SD", "S")).charges.remarks, RemarkKind::assumed, "Seleno"));
}

/// None of these is in the tables, and none is taken for the residue from which it is made.
TEST_F(StatedCharges, ModifiedResiduesWithoutChargesAreNamed) {
  for (const std::string residue :
       {"CSO", "CME", "MLY", "M3L", "KCX", "PCA", "LLP", "CSD", "OCS", "CSX", "ALY",
        "SEC", "PYL", "TYS", "CGU", "MHO", "SMC", "NLE", "ORN", "UNK", "ASX", "GLX"}) {
    const auto made = read(in_peptide(residue, " XX", "O"));
    EXPECT_EQ(made.preparation->without_parameters, std::vector<std::string>{residue + " A 2"});
    EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, residue + " A 2"))
        << made.charges.remarks.text();
    for (std::size_t i = 0; i < made.charges.size(); ++i) {
      if (made.charges.labels[i].residue != residue) continue;
      EXPECT_EQ(made.charges.charge[i], 0) << residue;
    }
  }
}

/// wwPDB's components with names that other programs use for something else.
TEST(ResidueNames, ComponentsWithNamesOfOtherProgramsAreThemselves) {
  const auto kind = [](const std::string& name, const std::vector<std::string>& atoms) {
    return molecules::known_residue(name, atoms).kind;
  };
  using molecules::ResidueKind;
  const std::vector<std::string> backbone{"N", "CA", "C", "O", "CB", "CG"};
  const auto with = [&](const std::string& atom) {
    auto atoms = backbone;
    atoms.push_back(atom);
    return atoms;
  };
  EXPECT_EQ(kind("1MA", {"P", "C1'", "C2'", "C4", "C5", "O5'"}), ResidueKind::unknown);
  EXPECT_EQ(kind("2MA", {"P", "C1'", "C2'", "C4", "C5", "O5'"}), ResidueKind::unknown);
  EXPECT_EQ(kind("2MA", {"C1", "C2", "O5"}), ResidueKind::sugar);
  EXPECT_EQ(kind("HSE", with("OD")), ResidueKind::unknown);
  EXPECT_EQ(kind("HSE", with("ND1")), ResidueKind::amino_acid);
  EXPECT_EQ(kind("HIP", with("P")), ResidueKind::unknown);
  EXPECT_EQ(kind("HIP", with("ND1")), ResidueKind::amino_acid);
  EXPECT_EQ(kind("NAC", {"N", "H", "CH3", "H1", "H2", "H3"}), ResidueKind::cap);
  EXPECT_EQ(kind("NAC", {"N1", "C2", "C3", "C4", "C5", "C6", "O7"}), ResidueKind::unknown);
}

/// CHARMM36 has no bromide: it has the van der Waals radius of bromine.
TEST_F(StatedCharges, IonsWithoutRadiusInTheForceFieldAreNamed) {
  ChargedFileOptions options;
  options.prepare.force_field = ForceField::charmm;
  const auto made = read(text_of({"BR", "BR", "BR"}), options);
  EXPECT_EQ(made.charges.charge[0], -1);
  EXPECT_NEAR(made.charges.radius[0], 1.86, 1e-9);
  EXPECT_TRUE(says(made.charges.remarks, RemarkKind::assumed, "radius of their element: BR A 1"))
      << made.charges.remarks.text();
}

}  // namespace
}  // namespace isolume::structures
