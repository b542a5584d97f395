#include "core/electrostatics/potential/ions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/philox.h"
#include "core/electrostatics/sums/units.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using structures::Charges;

Charges with_charges(const std::vector<std::array<double, 4>>& atoms) {
  Charges charges;
  for (const auto& [x, y, z, q] : atoms) {
    charges.x.push_back(x);
    charges.y.push_back(y);
    charges.z.push_back(z);
    charges.charge.push_back(q);
    charges.radius.push_back(1.5);
  }
  return charges;
}

/// Twenty atoms within 4 angstrom of the origin, 2 e in all.
Charges small_molecule() {
  std::vector<std::array<double, 4>> atoms;
  for (std::uint64_t i = 0; i < 20; ++i) {
    Random random(11, i);
    const auto at = [&] { return 8 * random.uniform() - 4; };
    const double x = at(), y = at(), z = at();
    atoms.push_back({x, y, z, i < 11 ? 1.0 : -1.0});
  }
  return with_charges(atoms);
}

/// The law of a method in double precision, over the constant.
double law_of(double r, const PotentialOptions& options) {
  if (options.method == Method::cutoff) {
    const double x = r / options.cutoff_angstrom;
    return x < 1 ? std::pow(1 - x * x, 2) / r : 0;
  }
  if (options.method != Method::debye_hueckel) return 1 / r;
  const double kappa =
      inverse_debye_length(options.salt_molar, options.solvent_dielectric, options.temperature_kelvin);
  return std::exp(-kappa * r) / r / options.solvent_dielectric;
}
double solute_factor(const PotentialOptions& options) {
  if (options.method != Method::debye_hueckel) return 1;
  const double inside =
      1.5 * inverse_debye_length(options.salt_molar, options.solvent_dielectric, options.temperature_kelvin);
  return std::exp(inside) / (1 + inside);
}

/// Walks over every point of the grid for each ion, in double precision; each ion that was found must be as good as the
/// best point there is.
void expect_greedy(const std::vector<PlacedIon>& ions, const std::vector<double>& asked,
                   const grid::Grid& grid, const Charges& solute, const PotentialOptions& options,
                   const IonDistances& distances) {
  ASSERT_EQ(ions.size(), asked.size());
  const double constant = coulomb_constant(options.unit, options.temperature_kelvin);
  const double angstrom = grid::shown_per_unit(grid.unit);
  for (std::size_t n = 0; n < ions.size(); ++n) {
    EXPECT_EQ(ions[n].charge, asked[n]);
    const auto potential = [&](const Vector3d& place) {
      double sum = 0;
      for (std::size_t i = 0; i < solute.size(); ++i)
        sum += solute_factor(options) * solute.charge[i] * law_of((solute.place(i) - place).norm(), options);
      for (std::size_t i = 0; i < n; ++i) sum += asked[i] * law_of((ions[i].place - place).norm(), options);
      return constant * sum;
    };
    const auto allowed = [&](const Vector3d& place) {
      for (std::size_t i = 0; i < solute.size(); ++i)
        if ((solute.place(i) - place).norm() < distances.to_solute - 1e-9) return false;
      for (std::size_t i = 0; i < n; ++i)
        if ((ions[i].place - place).norm() < distances.to_ions - 1e-9) return false;
      return true;
    };
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < grid.dimensions[2]; ++k) {
      for (int j = 0; j < grid.dimensions[1]; ++j) {
        for (int i = 0; i < grid.dimensions[0]; ++i) {
          const Vector3d place = grid.position(i, j, k) * angstrom;
          if (allowed(place)) best = std::min(best, asked[n] * potential(place));
        }
      }
    }
    EXPECT_TRUE(allowed(ions[n].place)) << n;
    const Vector3d index = grid.index_at(ions[n].place / angstrom);
    EXPECT_LT((index - index.array().round().matrix()).norm(), 1e-6) << "a point of the grid";
    const double tolerance = (options.method == Method::multilevel ? 2e-4 : 1e-5) * std::abs(best) + 1e-4;
    EXPECT_NEAR(asked[n] * potential(ions[n].place), best, tolerance) << n;
    EXPECT_NEAR(ions[n].potential, potential(ions[n].place), tolerance) << n;
  }
}

TEST(Ions, AreWhereEveryPointWasLookedAt) {
  const auto solute = small_molecule();
  const std::vector<double> asked{-1, -1, 2, -1, 1, -2, 1};
  const IonDistances distances{.to_solute = 3, .to_ions = 4.5};
  auto grid =
      grid::cover_box(Vector3d::Constant(-10), Vector3d::Constant(10), 0.8, grid::LengthUnit::angstrom);
  for (const Method method :
       {Method::direct, Method::cutoff, Method::debye_hueckel, Method::fmm, Method::multilevel}) {
    PotentialOptions options;
    options.method = method;
    options.cutoff_angstrom = 9;
    expect_greedy(place_ions(grid, solute, asked, options, distances), asked, grid, solute, options,
                  distances);
  }
  // One that is turned, in bohr.
  grid.step.col(0).swap(grid.step.col(2));
  grid.step.col(1) += 0.3 * grid.step.col(0);
  const double bohr = 1 / grid::shown_per_unit(grid::LengthUnit::bohr);
  grid.step *= bohr;
  grid.origin *= bohr;
  grid.unit = grid::LengthUnit::bohr;
  expect_greedy(place_ions(grid, solute, asked, {}, distances), asked, grid, solute, {}, distances);
}

/// On the line through both charges, beyond the one of the other sign, as near as is allowed.
TEST(Ions, GoToTheOtherOfTwoOppositeCharges) {
  const auto two = with_charges({{-5, 0, 0, 1}, {5, 0, 0, -1}});
  const auto grid = grid::centred({0, 0, 0}, {41, 21, 21}, 1, grid::LengthUnit::angstrom);
  const std::array asked{1.0, -1.0};
  const auto ions = place_ions(grid, two, asked, {}, {.to_solute = 4, .to_ions = 8});
  ASSERT_EQ(ions.size(), 2U);
  EXPECT_LT((ions[0].place - Vector3d(9, 0, 0)).norm(), 1e-9) << ions[0].place.transpose();
  EXPECT_LT((ions[1].place - Vector3d(-9, 0, 0)).norm(), 1e-9) << ions[1].place.transpose();
  EXPECT_NEAR(ions[0].potential, 560.4593221475 * (1.0 / 14 - 1.0 / 4), 1e-3);
  EXPECT_NEAR(ions[1].potential, 560.4593221475 * (1.0 / 4 - 1.0 / 14 + 1.0 / 18), 1e-3);
}

TEST(Ions, AreAsManyAsMakeUpForACharge) {
  EXPECT_EQ(neutralising_ions(4.1, -1), (std::vector<double>(4, -1.0)));
  EXPECT_EQ(neutralising_ions(-5, 2), (std::vector<double>(3, 2.0))) << "rounded, half away from none";
  EXPECT_TRUE(neutralising_ions(0.3, -1).empty());
  EXPECT_THROW(neutralising_ions(4, 2), Error);
  EXPECT_THROW(neutralising_ions(4, -1e-9), Error);
}

/// 1 mol/l is one formula unit in 1660.54 cubic angstrom.
TEST(Ions, OfASaltAreItsConcentrationInTheBox) {
  auto grid = grid::centred({0, 0, 0}, {21, 21, 11}, 2, grid::LengthUnit::angstrom);
  EXPECT_EQ(salt_units(1, grid), 19U) << "40 * 40 * 20 / 1660.54 = 19.27";
  EXPECT_EQ(salt_units(0.15, grid), 3U);
  grid.unit = grid::LengthUnit::bohr;
  EXPECT_EQ(salt_units(10, grid), 29U) << "0.529177^3 of that";
}

TEST(Ions, WithoutRoomOrSenseAreRefused) {
  const auto one = with_charges({{0, 0, 0, 1}});
  const auto grid = grid::centred({0, 0, 0}, {9, 9, 9}, 1, grid::LengthUnit::angstrom);
  const std::vector<double> many(40, -1.0);
  try {
    place_ions(grid, one, many, {}, {.to_solute = 3, .to_ions = 5});
    FAIL() << "there is room for eight at the corners";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("of 40 has no room"), std::string::npos) << error.what();
  }
  const std::array single{-1.0};
  EXPECT_THROW(place_ions(grid, one, single, {}, {.to_solute = 30, .to_ions = 5}), Error);
  EXPECT_THROW(place_ions(grid, one, single, {}, {.to_solute = 0, .to_ions = 5}), Error);
  EXPECT_THROW(place_ions(grid, one, single, {}, {.to_solute = 3, .to_ions = NAN}), Error);
  EXPECT_THROW(place_ions(grid, one, std::array{0.0}, {}, {}), Error);
  EXPECT_THROW(place_ions(grid, one, std::array{double{NAN}}, {}, {}), Error);
  EXPECT_THROW(place_ions(grid, {}, single, {}, {}), Error);
  for (const Method method : {Method::pme, Method::pb_linear, Method::pb_nonlinear}) {
    PotentialOptions options;
    options.method = method;
    options.box = "20,20,20";
    EXPECT_THROW(place_ions(grid, one, single, options, {.to_solute = 3, .to_ions = 5}), Error);
  }
}

}  // namespace
}  // namespace isolume::electrostatics
