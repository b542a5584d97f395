#include "core/electrostatics/potential/map_difference.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/grid_around.h"

namespace isolume::electrostatics {
namespace {

constexpr double vacuum = 560.4592;  // kT angstrom / e^2 at 298.15 K

structures::Charges ion(double radius) {
  structures::Charges charges;
  charges.x = charges.y = charges.z = {0.07};
  charges.charge = {1};
  charges.radius = {radius};
  charges.labels.emplace_back();
  return charges;
}

TEST(MapDifference, OfTwoSumsIsThatOfTheirFormulas) {
  const auto charges = ion(1.5);
  PotentialOptions options;
  options.method = Method::direct;
  options.solute_dielectric = 4;
  const auto map = less_compared(potential_on(grid_around(charges, 0.7, 5), charges, options).values, charges,
                                 options, Compared::debye_hueckel);
  const double bjerrum = vacuum / options.solvent_dielectric;
  const double kappa = std::sqrt(8 * std::numbers::pi * bjerrum * 6.02214076e-4 * options.salt_molar);
  for (int i = 0; i < map.grid.dimensions[0]; ++i) {
    const double r = (map.grid.position(i, 2, 3) - charges.place(0)).norm();
    const double expected =
        vacuum / (4 * r) - bjerrum * std::exp(-kappa * (r - 1.5)) / ((1 + kappa * 1.5) * r);
    EXPECT_NEAR(map.at(i, 2, 3), expected, 2e-4 * expected);
  }
}

/// An ion in water without salt, outside of which the potential is C / (epsilon r).
TEST(MapDifference, ToHalfTheSpacingIsMostOfTheError) {
  const auto charges = ion(2);
  PotentialOptions options;
  options.method = Method::pb_linear;
  options.salt_molar = 0;
  const auto compared = [&](double spacing) {
    const auto map = potential_on(grid_around(charges, spacing, 6), charges, options).values;
    const auto difference = less_compared(map, charges, options, Compared::half_spacing);
    double error = 0, found = 0;
    const auto& n = map.grid.dimensions;
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) {
          const double r = (map.grid.position(i, j, k) - charges.place(0)).norm();
          if (r < 3 || r > 5) continue;
          const double exact = vacuum / (options.solvent_dielectric * r);
          error = std::max(error, std::abs(static_cast<double>(map.at(i, j, k)) - exact));
          found = std::max(found, std::abs(static_cast<double>(difference.at(i, j, k))));
        }
      }
    }
    EXPECT_GT(found, 0.4 * error) << spacing;
    EXPECT_LT(found, 1.6 * error) << spacing;
    return found;
  };
  EXPECT_LT(compared(0.4), 0.6 * compared(0.8));
}

TEST(MapDifference, OfASumToHalfTheSpacingIsRoundingAndToNothingTheMap) {
  const auto charges = ion(1.5);
  PotentialOptions options;
  const auto map = potential_on(grid_around(charges, 1, 4), charges, options).values;
  const auto difference = less_compared(map, charges, options, Compared::half_spacing);
  const auto same = less_compared(map, charges, options, Compared::nothing);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    EXPECT_EQ(same.values[i], map.values[i]);
    EXPECT_NEAR(difference.values[i], 0, 1e-5 * std::abs(map.values[i]));
  }
}

}  // namespace
}  // namespace isolume::electrostatics
