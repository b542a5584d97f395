#include "core/molecules/wavefunction.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

OrbitalSet restricted(std::vector<double> energies, std::vector<double> occupations) {
  OrbitalSet set;
  for (std::size_t i = 0; i < energies.size(); ++i)
    set.orbitals.push_back({Spin::alpha, occupations[i], energies[i], ""});
  return set;
}

TEST(FindOrbital, by_number_and_by_frontier) {
  const OrbitalSet set = restricted({-3, -2, -1, 1, 2}, {2, 2, 2, 0, 0});
  EXPECT_EQ(find_orbital(set, "1", Spin::alpha), 0);
  EXPECT_EQ(find_orbital(set, " 5 ", Spin::beta), 4);
  EXPECT_EQ(find_orbital(set, "homo", Spin::alpha), 2);
  EXPECT_EQ(find_orbital(set, "HOMO-2", Spin::beta), 0);
  EXPECT_EQ(find_orbital(set, "lumo", Spin::alpha), 3);
  EXPECT_EQ(find_orbital(set, "LUMO + 1", Spin::alpha), 4);
  EXPECT_EQ(find_orbital(set, "homo+1", Spin::alpha), 3);
}

TEST(FindOrbital, refuses_with_the_valid_range) {
  const OrbitalSet set = restricted({-3, -2, -1, 1, 2}, {2, 2, 2, 0, 0});
  for (const char* text : {"", "0", "6", "-1", "homo-3", "lumo+2", "homo1", "homo--1", "x", "somo",
                           "homo+99999999999", "12345678901234567890"}) {
    EXPECT_THROW(find_orbital(set, text, Spin::alpha), Error) << text;
  }
  try {
    find_orbital(set, "9", Spin::alpha);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "No orbital \"9\". Give a number from 1 to 5, homo, homo-1 ... homo-2, lumo ... lumo+1.");
  }
  EXPECT_THROW(find_orbital({}, "1", Spin::alpha), Error);
}

TEST(FindOrbital, goes_by_energy_not_by_order) {
  // As written by programs that list one irreducible representation after the other.
  const OrbitalSet set = restricted({-5, -1, 3, -4, 2}, {2, 2, 0, 2, 0});
  EXPECT_EQ(find_orbital(set, "homo", Spin::alpha), 1);
  EXPECT_EQ(find_orbital(set, "homo-1", Spin::alpha), 3);
  EXPECT_EQ(find_orbital(set, "lumo", Spin::alpha), 4);
  EXPECT_EQ(find_orbital(set, "2", Spin::alpha), 1);
}

TEST(FindOrbital, without_energies_goes_by_occupation) {
  const double nan = std::nan("");
  EXPECT_EQ(find_orbital(restricted({nan, nan, nan}, {0.02, 1.98, 2}), "homo", Spin::alpha), 1);
  EXPECT_EQ(find_orbital(restricted({0, 0, 0}, {2, 2, 0}), "homo", Spin::alpha), 1);
  EXPECT_EQ(find_orbital(restricted({0, 0, 0}, {2, 2, 0}), "lumo", Spin::alpha), 2);
}

TEST(FindOrbital, open_shells) {
  const OrbitalSet rohf = restricted({-3, -2, -1, 1}, {2, 1, 1, 0});
  EXPECT_EQ(find_orbital(rohf, "homo", Spin::alpha), 2);
  EXPECT_EQ(find_orbital(rohf, "homo", Spin::beta), 0);
  EXPECT_EQ(find_orbital(rohf, "lumo", Spin::beta), 1);
  EXPECT_EQ(find_orbital(rohf, "somo", Spin::alpha), 2);
  EXPECT_EQ(find_orbital(rohf, "somo-1", Spin::alpha), 1);
}

/// Two electrons in two orbitals of occupation 1: one pair of electrons, and so one orbital that counts as occupied.
TEST(FindOrbital, half_full_natural_orbitals) {
  const double nan = std::nan("");
  OrbitalSet set = restricted({nan, nan, nan, nan}, {2, 1, 1, 0});
  for (const auto shells : {OpenShells::without_spin, OpenShells::unknown}) {
    set.open_shells = shells;
    EXPECT_EQ(frontier_labels(set), (std::vector<std::string>{"HOMO-1", "HOMO", "LUMO", "LUMO+1"}));
    EXPECT_EQ(find_orbital(set, "homo", Spin::beta), 1);
  }
  set.open_shells = OpenShells::high_spin;
  EXPECT_EQ(find_orbital(set, "homo", Spin::alpha), 2);
  EXPECT_EQ(find_orbital(set, "homo", Spin::beta), 0);
}

TEST(FindOrbital, unrestricted_oxygen) {
  const Document document = read_document(testing::sample("oxygen-triplet.fchk.gz"));
  const OrbitalSet& set = document.wavefunction->sets.front();
  ASSERT_TRUE(set.unrestricted());
  EXPECT_EQ(find_orbital(set, "homo", Spin::alpha), 8);
  EXPECT_EQ(find_orbital(set, "homo", Spin::beta), 36 + 6);
  EXPECT_EQ(find_orbital(set, "1", Spin::beta), 36);
  EXPECT_EQ(frontier_label(set, 8), "HOMO");
  EXPECT_EQ(frontier_label(set, 9), "LUMO");
  EXPECT_EQ(frontier_label(set, 36 + 6), "HOMO");
  EXPECT_EQ(frontier_label(set, 36 + 8), "LUMO+1");
  const ElectronCount electrons = electrons_from_occupations(set);
  EXPECT_DOUBLE_EQ(electrons.alpha, 9);
  EXPECT_DOUBLE_EQ(electrons.beta, 7);
}

TEST(FrontierLabel, counts_from_the_frontier) {
  const OrbitalSet set = restricted({-3, -2, -1, 1, 2}, {2, 2, 2, 0, 0});
  EXPECT_EQ(frontier_label(set, 0), "HOMO-2");
  EXPECT_EQ(frontier_label(set, 2), "HOMO");
  EXPECT_EQ(frontier_label(set, 3), "LUMO");
  EXPECT_EQ(frontier_label(set, 4), "LUMO+1");
  EXPECT_EQ(frontier_label(set, 5), "");
  EXPECT_EQ(frontier_label(set, -1), "");
  EXPECT_EQ(frontier_label(restricted({1, 2}, {0, 0}), 0), "LUMO");
}

TEST(Electrons, of_restricted_and_open_shells) {
  const ElectronCount closed = electrons_from_occupations(restricted({0, 1}, {2, 0.5}));
  EXPECT_DOUBLE_EQ(closed.alpha, 1.25);
  EXPECT_DOUBLE_EQ(closed.beta, 1.25);
  const ElectronCount open = electrons_from_occupations(restricted({0, 1, 2}, {2, 1, 1}));
  EXPECT_DOUBLE_EQ(open.alpha, 3);
  EXPECT_DOUBLE_EQ(open.beta, 1);
}

}  // namespace
}  // namespace isolume::molecules
