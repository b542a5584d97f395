#include "core/electrostatics/potential/field_strength.h"

#include <cmath>

#include <gtest/gtest.h>

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// On a grid that is askew, in the unit given.
template <class Function>
grid::ScalarField field_of(const Eigen::Matrix3d& step, grid::LengthUnit unit, const Function& potential) {
  grid::ScalarField map;
  map.grid.step = step;
  map.grid.unit = unit;
  map.grid.dimensions = {21, 21, 21};
  map.grid.origin = -step * Vector3d(10, 10, 10);
  std::vector<float> values;
  for (int k = 0; k < 21; ++k) {
    for (int j = 0; j < 21; ++j) {
      for (int i = 0; i < 21; ++i)
        values.push_back(static_cast<float>(potential(map.grid.position(i, j, k))));
    }
  }
  map.values.assign(values.begin(), values.end());
  return map;
}

TEST(FieldStrength, OfALinearPotentialIsItsSlopeOnAnyGrid) {
  Eigen::Matrix3d step;
  step << 0.5, 0.1, 0, 0, 0.4, 0.2, 0.1, 0, 0.6;
  const Vector3d slope(2, -3, 0.5);
  const auto potential = [&](const Vector3d& place) { return slope.dot(place) + 7; };
  const auto map = field_of(step, grid::LengthUnit::angstrom, potential);
  const auto strength = field_strength(map, {0.13, 0.27, -0.4});
  ASSERT_TRUE(strength);
  EXPECT_LT((*strength + slope).norm(), 1e-4);
  // Scenes show bohr as angstrom: the slope by the angstrom is the larger one.
  const auto in_bohr = field_strength(field_of(step, grid::LengthUnit::bohr, potential), {0.1, 0.1, 0.1});
  ASSERT_TRUE(in_bohr);
  EXPECT_LT((*in_bohr * 0.529177211 + slope).norm(), 1e-4);
}

TEST(FieldStrength, OfAChargeIsCoulombsLawToSecondOrder) {
  const Vector3d charge(-6, 0.3, 0.2), place(1.05, 0.7, -0.4), away = place - charge;
  const Vector3d expected = away / std::pow(away.norm(), 3);
  double errors[2];
  for (int halved = 0; halved < 2; ++halved) {
    const Eigen::Matrix3d step = Eigen::Matrix3d::Identity() * (halved == 0 ? 0.4 : 0.2);
    const auto map = field_of(step, grid::LengthUnit::angstrom,
                              [&](const Vector3d& at) { return 1 / (at - charge).norm(); });
    const auto strength = field_strength(map, place);
    ASSERT_TRUE(strength);
    errors[halved] = (*strength - expected).norm();
  }
  EXPECT_LT(errors[0], 0.02 * expected.norm());
  EXPECT_LT(errors[1], 0.4 * errors[0]);
}

TEST(FieldStrength, IsNotKnownAtTheFaces) {
  const auto map = field_of(Eigen::Matrix3d::Identity(), grid::LengthUnit::angstrom,
                            [](const Vector3d& place) { return place.x(); });
  EXPECT_TRUE(field_strength(map, {8.9, 0, 0}));
  EXPECT_FALSE(field_strength(map, {9.5, 0, 0}));
  EXPECT_FALSE(field_strength(map, {0, 0, 20}));
}

}  // namespace
}  // namespace isolume::electrostatics
