#include "core/molecules/molecule.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/molecules/element.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using Bonds = std::vector<std::pair<int, int>>;

TEST(Element, has_published_radii) {
  EXPECT_EQ(element(6).symbol, "C");
  EXPECT_EQ(element(118).symbol, "Og");
  EXPECT_EQ(element(0).symbol, "X");
  EXPECT_EQ(element(-3).symbol, "X");
  EXPECT_EQ(element(200).symbol, "X");
  // Cordero et al. 2008, table 2
  EXPECT_DOUBLE_EQ(element(1).covalent_radius_angstrom, 0.31);
  EXPECT_DOUBLE_EQ(element(6).covalent_radius_angstrom, 0.76);
  EXPECT_DOUBLE_EQ(element(17).covalent_radius_angstrom, 1.02);
  EXPECT_DOUBLE_EQ(element(55).covalent_radius_angstrom, 2.44);
  EXPECT_DOUBLE_EQ(element(79).covalent_radius_angstrom, 1.36);
  EXPECT_DOUBLE_EQ(element(96).covalent_radius_angstrom, 1.69);
  // Alvarez 2013, table 1
  EXPECT_DOUBLE_EQ(element(1).van_der_waals_radius_angstrom, 1.20);
  EXPECT_DOUBLE_EQ(element(6).van_der_waals_radius_angstrom, 1.77);
  EXPECT_DOUBLE_EQ(element(8).van_der_waals_radius_angstrom, 1.50);
  EXPECT_DOUBLE_EQ(element(92).van_der_waals_radius_angstrom, 2.71);
}

TEST(Element, symbols_and_colours_are_all_different) {
  std::set<std::string_view> symbols;
  std::set<std::array<std::uint8_t, 3>> colours;
  for (int z = 0; z <= 118; ++z) {
    symbols.insert(element(z).symbol);
    colours.insert(element(z).colour);
    EXPECT_EQ(atomic_number(element(z).symbol), z);
    EXPECT_GT(element(z).covalent_radius_angstrom, 0);
    EXPECT_GT(element(z).van_der_waals_radius_angstrom, 0);
  }
  EXPECT_EQ(symbols.size(), 119u);
  EXPECT_EQ(colours.size(), 119u);
}

TEST(Element, symbols_in_any_spelling) {
  EXPECT_EQ(atomic_number("C"), 6);
  EXPECT_EQ(atomic_number("c"), 6);
  EXPECT_EQ(atomic_number("CL"), 17);
  EXPECT_EQ(atomic_number("Cl17"), 17);
  EXPECT_EQ(atomic_number("C1"), 6);
  EXPECT_EQ(atomic_number("D"), 1);
  EXPECT_EQ(atomic_number("Bq"), 0);
  EXPECT_EQ(atomic_number("Qq"), -1);
  EXPECT_EQ(atomic_number(""), -1);
  EXPECT_EQ(atomic_number("12"), -1);
}

TEST(Bonds, of_benzene_are_a_ring_with_hydrogens) {
  const Document document = read_document(testing::sample("benzene.fchk.gz"));
  const Bonds bonds = find_bonds(document.molecule);
  EXPECT_EQ(bonds.size(), 12u);
  std::vector<int> degree(12, 0);
  for (const auto& [a, b] : bonds) {
    EXPECT_LT(a, b);
    ++degree[static_cast<std::size_t>(a)];
    ++degree[static_cast<std::size_t>(b)];
  }
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(degree[i], document.molecule.atoms[i].atomic_number == 6 ? 3 : 1) << i;
}

TEST(Bonds, of_c60_are_ninety) {
  EXPECT_EQ(find_bonds(read_document(testing::sample("c60.molden.gz")).molecule).size(), 90u);
}

TEST(Bonds, agree_with_the_definition_for_scattered_atoms) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> place(-15, 15);
  const std::array<int, 5> kinds{1, 6, 8, 17, 55};
  Molecule molecule;
  for (int i = 0; i < 600; ++i) {
    const int z = kinds[random() % kinds.size()];
    molecule.atoms.push_back({z, {place(random), place(random), place(random)}, static_cast<double>(z)});
  }
  Bonds expected;
  for (int a = 0; a < 600; ++a) {
    for (int b = a + 1; b < 600; ++b) {
      const Atom& p = molecule.atoms[static_cast<std::size_t>(a)];
      const Atom& q = molecule.atoms[static_cast<std::size_t>(b)];
      const double limit = 1.2 *
                           (element(p.atomic_number).covalent_radius_angstrom +
                            element(q.atomic_number).covalent_radius_angstrom) /
                           units::angstrom_per_bohr;
      const double distance = (p.position_bohr - q.position_bohr).norm();
      if (distance < limit && distance > 0.1) expected.emplace_back(a, b);
    }
  }
  EXPECT_EQ(find_bonds(molecule), expected);
  EXPECT_GT(expected.size(), 100u);
}

TEST(Bonds, ghosts_and_hopeless_places_have_none) {
  Molecule molecule;
  molecule.atoms = {{0, {0, 0, 0}, 0}, {6, {0.5, 0, 0}, 6}, {6, {0.5, 0, 0}, 6}, {6, {1e300, 0, 0}, 6}};
  EXPECT_TRUE(find_bonds(molecule).empty());
  EXPECT_TRUE(find_bonds({}).empty());
}

}  // namespace
}  // namespace isolume::molecules
