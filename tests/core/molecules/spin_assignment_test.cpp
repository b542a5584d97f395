#include "core/molecules/spin_assignment.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::read_text;

/// Orbitals over orthonormal functions, so that overlaps are products of columns.
OrbitalSet set_of(const Eigen::MatrixXd& coefficients, double occupation = 1) {
  OrbitalSet set;
  set.coefficients = coefficients;
  set.orbitals.assign(static_cast<std::size_t>(coefficients.cols()),
                      Orbital{Spin::alpha, occupation, -1, ""});
  return set;
}

std::vector<int> beta_of(OrbitalSet set, const StatedSpins& stated, Remarks& remarks) {
  const Eigen::Index size = set.coefficients.rows();
  EXPECT_TRUE(assign_spins(Eigen::MatrixXd::Identity(size, size), stated, 1e-4, set, remarks));
  return set.of_spin(Spin::beta);
}

TEST(AssignSpins, beta_begins_where_orbitals_overlap) {
  // Two alpha orbitals, and a beta one that mixes what they are made of, with rising energies throughout.
  Eigen::MatrixXd columns(3, 3);
  columns << 1, 0, 0.8, 0, 1, 0, 0, 0, 0.6;
  Remarks remarks;
  EXPECT_EQ(beta_of(set_of(columns), {}, remarks), (std::vector{2}));
  EXPECT_TRUE(remarks.empty()) << remarks.text();
}

TEST(AssignSpins, what_overlaps_leave_open_is_told_by_numbers_or_said) {
  // The fifth orbital is orthogonal to all: it may be the last alpha or the first beta one.
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(5, 6);
  for (int i = 0; i < 5; ++i) columns(i, i) = 1;
  columns(0, 5) = 1;
  Remarks remarks;
  EXPECT_EQ(beta_of(set_of(columns), {.known = false, .first_beta = 4, .energy_fall = {}}, remarks),
            (std::vector{4, 5}));
  EXPECT_TRUE(remarks.empty());
  EXPECT_EQ(beta_of(set_of(columns), {}, remarks), (std::vector{5}));
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_EQ(remarks[0].kind, RemarkKind::assumed);
}

TEST(AssignSpins, orthogonal_orbitals_are_alpha_and_what_that_means_is_said_once) {
  OrbitalSet set = set_of(Eigen::MatrixXd::Identity(4, 2));
  Remarks remarks;
  EXPECT_TRUE(beta_of(set, {}, remarks).empty());
  settle_open_shells(std::nullopt, set, remarks);
  // They have no energies, so that nobody knows their spins: not that they are alpha.
  ASSERT_EQ(remarks.size(), 1u) << remarks.text();
  EXPECT_EQ(remarks[0].kind, RemarkKind::warning);
}

TEST(AssignSpins, three_orbitals_that_all_overlap_are_of_no_two_spins) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(3, 3);
  columns.row(0).setOnes();
  OrbitalSet set = set_of(columns);
  Remarks remarks;
  EXPECT_FALSE(assign_spins(Eigen::MatrixXd::Identity(3, 3), {}, 1e-4, set, remarks));
  EXPECT_TRUE(set.of_spin(Spin::beta).empty());
}

TEST(DeriveOccupations, of_orbitals_that_mix_occupied_ones_among_themselves) {
  OrbitalSet canonical = set_of(Eigen::MatrixXd::Identity(4, 4));
  for (std::size_t i = 0; i < 4; ++i) canonical.orbitals[i].occupation = i < 2 ? 2 : 0;
  Eigen::MatrixXd turned = Eigen::MatrixXd::Identity(4, 4);
  turned.topLeftCorner(2, 2) << 0.6, -0.8, 0.8, 0.6;
  turned.bottomRightCorner(2, 2) << 0, 1, 1, 0;
  OrbitalSet localised = set_of(turned, 0);
  localised.occupations_known = false;
  ASSERT_TRUE(derive_occupations(Eigen::MatrixXd::Identity(4, 4), canonical, localised));
  EXPECT_TRUE(localised.occupations_known);
  const std::vector<double> wanted{2, 2, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(localised.orbitals[i].occupation, wanted[i]);
  // Occupied ones mixed with empty ones have no occupations: their density is not that of the calculation.
  turned.setIdentity();
  turned(1, 1) = turned(2, 2) = 0.6;
  turned(1, 2) = 0.8;
  turned(2, 1) = -0.8;
  OrbitalSet mixed = set_of(turned, 0);
  mixed.occupations_known = false;
  EXPECT_FALSE(derive_occupations(Eigen::MatrixXd::Identity(4, 4), canonical, mixed));
  EXPECT_FALSE(mixed.occupations_known);
  EXPECT_THROW(require_occupations(mixed), Error);
}

OpenShells settled(std::vector<double> occupations, std::optional<int> multiplicity, bool energies,
                   Remarks& remarks) {
  OrbitalSet set;
  for (std::size_t i = 0; i < occupations.size(); ++i)
    set.orbitals.push_back({Spin::alpha, occupations[i], energies ? -1.0 + static_cast<double>(i) : 0.0, ""});
  settle_open_shells(multiplicity, set, remarks);
  const ElectronCount electrons = electrons_from_occupations(set);
  if (set.open_shells != OpenShells::high_spin) {
    EXPECT_EQ(electrons.alpha, electrons.beta);
  }
  return set.open_shells;
}

TEST(OpenShells, follow_the_multiplicity_that_the_file_states) {
  Remarks remarks;
  EXPECT_EQ(settled({2, 1, 1}, 3, true, remarks), OpenShells::high_spin);
  EXPECT_EQ(settled({2, 1, 1}, 1, true, remarks), OpenShells::without_spin);
  EXPECT_EQ(settled({1.9, 0.1}, 1, false, remarks), OpenShells::without_spin);
  EXPECT_EQ(settled({2, 1, 0}, std::nullopt, true, remarks), OpenShells::high_spin);
  EXPECT_TRUE(remarks.empty()) << remarks.text();
  EXPECT_EQ(settled({1.9, 1, 1, 0.1}, 3, false, remarks), OpenShells::unknown);
  EXPECT_EQ(remarks.size(), 1u);
}

TEST(OpenShells, that_contradict_the_stated_multiplicity_are_named) {
  // One electron alone has the multiplicity 2. Two have 1 or 3, and three 2 or 4.
  for (const int multiplicity : {-1, 0, 1, 3, 4}) {
    Remarks remarks;
    EXPECT_EQ(settled({2, 1}, multiplicity, true, remarks), OpenShells::unknown);
    ASSERT_EQ(remarks.size(), 1u);
    EXPECT_NE(remarks[0].text.find(fmt::format("multiplicity of {}, which contradicts", multiplicity)),
              std::string::npos)
        << remarks[0].text;
    EXPECT_EQ(remarks[0].text.find("does not say"), std::string::npos) << remarks[0].text;
  }
  // A doublet of three single electrons is possible, but which of them is beta is open.
  Remarks doublet;
  EXPECT_EQ(settled({1, 1, 1}, 2, true, doublet), OpenShells::unknown);
  ASSERT_EQ(doublet.size(), 1u);
  EXPECT_NE(doublet[0].text.find("does not say"), std::string::npos) << doublet[0].text;
}

TEST(OpenShells, of_natural_orbitals_are_unknown_without_it) {
  Remarks remarks;
  EXPECT_EQ(settled({1, 1}, std::nullopt, false, remarks), OpenShells::unknown);
  EXPECT_EQ(settled({1.98, 0.02}, std::nullopt, true, remarks), OpenShells::unknown);
  // With energies they are those of a restricted open-shell calculation, which has high spin; and that is said.
  Remarks said;
  EXPECT_EQ(settled({2, 1, 1}, std::nullopt, true, said), OpenShells::high_spin);
  ASSERT_EQ(said.size(), 1u);
  EXPECT_EQ(said[0].kind, RemarkKind::assumed);
  EXPECT_EQ(said[0].count, 2u);
}

TEST(OpenShells, of_a_stretched_singlet_have_no_spin) {
  // H2, one s function each with exponent 1 at a distance of 4 bohr: S = exp(-8). Both natural orbitals hold one electron.
  const double overlap = std::exp(-8.0);
  const double even = 1 / std::sqrt(2 * (1 + overlap)), odd = 1 / std::sqrt(2 * (1 - overlap));
  const Document document = read_text(fmt::format(
      "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\nH 2 1 0 0 4\n[GTO]\n1 0\ns 1 1.0\n 1.0 1.0\n\n2 0\ns 1 1.0\n"
      " 1.0 1.0\n\n[MO]\nSym= 1a\nEne= 0.0\nSpin= Alpha\nOccup= 1.0\n1 {0:.14f}\n2 {0:.14f}\nSym= 2a\nEne= "
      "0.0\nSpin= Alpha\nOccup= 1.0\n1 {1:.14f}\n2 -{1:.14f}\n",
      even, odd));
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_LT(document.orthonormality.worst_deviation, 1e-12);
  EXPECT_EQ(document.wavefunction->sets[0].open_shells, OpenShells::unknown);
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 1, 1e-12);
  EXPECT_NEAR(document.electrons_from_overlap.beta, 1, 1e-12);
  EXPECT_NE(document.remarks.text().find("no spin density"), std::string::npos) << document.remarks.text();
}

}  // namespace
}  // namespace isolume::molecules
