#include "core/structures/equalise.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"

namespace isolume::structures {
namespace {

struct Molecule {
  std::vector<int> elements;
  std::vector<Eigen::Vector3d> places;
  double total;
  std::vector<double> charges;  ///< as tests/references/electrostatics/make_equalised.py integrates them
};

TEST(Equalise, ChargesAreThoseOfTheFormulasIntegratedOtherwise) {
  const double d = 0.6285;
  const std::vector<std::pair<std::string, Molecule>> molecules{
      {"water",
       {{8, 1, 1}, {{0, 0, 0}, {0.9572, 0, 0}, {-0.23999, 0.92663, 0}}, 0, {-0.687567, 0.343784, 0.343783}}},
      {"methane",
       {{6, 1, 1, 1, 1},
        {{0, 0, 0}, {d, d, d}, {d, -d, -d}, {-d, d, -d}, {-d, -d, d}},
        0,
        {-0.536671, 0.134168, 0.134168, 0.134168, 0.134168}}},
      {"HF", {{9, 1}, {{0, 0, 0}, {0.9168, 0, 0}}, 0, {-0.45681, 0.45681}}},
      // 0.766 in Rappe and Goddard's table, too.
      {"NaCl", {{11, 17}, {{0, 0, 0}, {2.3609, 0, 0}}, 0, {0.765613, -0.765613}}},
      {"dihydrogen phosphate",
       {{15, 8, 8, 8, 8, 1, 1},
        {{0, 0, 0},
         {1, 0.9, 0.6},
         {-1, -0.9, 0.6},
         {0.9, -1, -0.8},
         {-0.9, 1, -0.8},
         {1.75, -0.6, -1.3},
         {-1.75, 0.6, -1.3}},
        -1,
        {0.419398, -0.39703, -0.39703, -0.560467, -0.560467, 0.247799, 0.247799}}}};
  for (const auto& [name, molecule] : molecules) {
    const auto found = equalised_charges(molecule.elements, molecule.places, molecule.total);
    ASSERT_EQ(found.size(), molecule.charges.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], molecule.charges[i], 2e-5) << name << i;
    EXPECT_NEAR(std::accumulate(found.begin(), found.end(), 0.0), molecule.total, 1e-9) << name;
  }
}

TEST(Equalise, WhatMakesNoSenseIsRefused) {
  const std::vector<Eigen::Vector3d> twice{{0, 0, 0}, {0, 0, 0}};
  EXPECT_THROW(equalised_charges(std::vector{6, 6}, twice, 0), Error);
  EXPECT_THROW(equalised_charges(std::vector{6, 30}, std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 1, 1}}, 0),
               Error);
  EXPECT_TRUE(equalised_charges({}, {}, 0).empty());
  EXPECT_EQ(equalised_charges(std::vector{8}, std::vector<Eigen::Vector3d>{{1, 2, 3}}, -2).at(0), -2);
  EXPECT_FALSE(can_equalise(30));
  EXPECT_FALSE(can_equalise(0));
  EXPECT_TRUE(can_equalise(53));
}

}  // namespace
}  // namespace isolume::structures
