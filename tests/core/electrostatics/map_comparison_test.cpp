#include "core/electrostatics/maps/map_comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/electrostatics/surfaces/surface_samples.h"
#include "core/structures/pqr.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

constexpr float unknown = std::numeric_limits<float>::quiet_NaN();

template <class Function>
grid::ScalarField field_of(const grid::Grid& grid, Function function) {
  grid::ScalarField field{.grid = grid, .values = {}, .name = "potential", .unit = "kT/e"};
  const auto& n = grid.dimensions;
  FieldValues values;
  for (int k = 0; k < n[2]; ++k)
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) values.push_back(static_cast<float>(function(grid.position(i, j, k))));
  field.values = std::move(values);
  return field;
}

grid::Grid cube_of(int count, double spacing, const Eigen::Vector3d& centre = {0, 0, 0},
                   grid::LengthUnit unit = grid::LengthUnit::angstrom) {
  return grid::centred(centre, {count, count, count}, spacing, unit);
}

TEST(MapComparison, LinearFunctionsComeThroughAnotherGridAsTheyAre) {
  const auto linear = [](const Eigen::Vector3d& at) { return 1 + 2 * at.x() - 3 * at.y() + 0.5 * at.z(); };
  const auto field = field_of(cube_of(6, 1), linear);
  // From -2.5 to 2.5; a smaller grid that is turned, and one that reaches beyond it.
  grid::Grid turned = cube_of(5, 0.4);
  turned.step *= Eigen::AngleAxisd(0.6, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  const auto inside = resampled(field, turned);
  for (int i = 0; i < 5; ++i) EXPECT_NEAR(inside.at(i, 4 - i, 2), linear(turned.position(i, 4 - i, 2)), 1e-5);
  const auto wide = cube_of(5, 2);
  const auto beyond = resampled(field, wide);
  for (int i = 0; i < 5; ++i) {
    const bool is_inside = i >= 1 && i <= 3;  // at -4, -2, 0, 2, 4
    EXPECT_EQ(std::isnan(beyond.at(i, 2, 2)), !is_inside) << i;
    if (is_inside) {
      EXPECT_NEAR(beyond.at(i, 2, 2), linear(wide.position(i, 2, 2)), 1e-5);
    }
  }
  // The same places in bohr, and what files round.
  const double bohr = grid::shown_per_unit(grid::LengthUnit::bohr);
  auto same = cube_of(6, 1 / bohr, {0, 0, 0}, grid::LengthUnit::bohr);
  same.origin.x() += 2e-4;
  EXPECT_TRUE(have_same_points(field.grid, same));
  EXPECT_EQ(resampled(field, same).values, field.values);
  same.origin.x() += 0.1;
  EXPECT_FALSE(have_same_points(field.grid, same));
  EXPECT_FALSE(have_same_points(field.grid, cube_of(5, 1)));
}

TEST(MapComparison, NumbersAreThoseOfTheirFormulas) {
  grid::ScalarField one{.grid = cube_of(2, 1, {0.5, 0.5, 0.5}), .values = {}, .name = "one", .unit = "kT/e"};
  auto other = one;
  one.values = {1, 2, 3, 4, 5, 6, unknown, 8};
  other.values = {1, 2, 4, 4, 5, unknown, 7, 11};
  const auto difference = difference_of(one, other);
  const auto found = compare(difference, other);
  EXPECT_EQ(found.points, 8U);
  EXPECT_EQ(found.compared, 6U);
  EXPECT_NEAR(found.rms, std::sqrt((1 + 9) / 6.0), 1e-6);
  EXPECT_EQ(found.largest, -3);
  EXPECT_LT((found.place - Eigen::Vector3d(1, 1, 1)).norm(), 1e-12);
  // Of (1, 2, 3, 4, 5, 8) and (1, 2, 4, 4, 5, 11): means 23/6 and 27/6.
  const double of_products = 1 + 4 + 12 + 16 + 25 + 88 - 23 * 27 / 6.0, of_one = 119 - 23 * 23 / 6.0,
               of_other = 183 - 27 * 27 / 6.0;
  EXPECT_NEAR(found.correlation, of_products / std::sqrt(of_one * of_other), 1e-6);
  one.values = FieldValues(8, 2.0F);
  EXPECT_TRUE(std::isnan(compare(difference_of(one, other), other).correlation)) << "it does not vary";
  other.values = FieldValues(8, unknown);
  EXPECT_EQ(compare(difference_of(one, other), other).compared, 0U);
}

TEST(MapComparison, UnitsGoByTheConstantsOfNature) {
  grid::ScalarField field{.grid = cube_of(2, 1), .values = FieldValues(8, 1.0F), .name = "", .unit = "kT/e"};
  const auto as = [&](PotentialUnit from, PotentialUnit to) {
    const auto converted = in_unit(field, from, to, 298.15);
    EXPECT_EQ(converted.unit, to_text(to));
    return converted.values[3];
  };
  using enum PotentialUnit;
  EXPECT_NEAR(as(kt_per_e, millivolt), 25.6926, 1e-4);  // k T / e at 25 degrees Celsius
  EXPECT_NEAR(as(hartree_per_e, millivolt), 27211.386, 0.01);
  EXPECT_NEAR(as(kcal_per_mol_e, kt_per_e), 1 / 0.592484, 1e-4);
  EXPECT_EQ(as(millivolt, millivolt), 1);
}

TEST(MapComparison, WhatIsKnownIsABoxOfItsOwn) {
  const auto height = [](const Eigen::Vector3d& at) { return at.x() + 10 * at.y() + 100 * at.z(); };
  auto field = field_of(cube_of(4, 1, {1.5, 1.5, 1.5}), height);
  EXPECT_EQ(known_part(field).values, field.values);
  for (int k = 0; k < 4; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 4; ++i)
        if (i == 0 || j == 3 || k < 2) field.values[static_cast<std::size_t>(i + 4 * (j + 4 * k))] = unknown;
  const auto part = known_part(field);
  EXPECT_EQ(part.grid.dimensions, (std::array{3, 3, 2}));
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) EXPECT_NEAR(part.at(i, j, k), height(part.grid.position(i, j, k)), 1e-5);
  EXPECT_LT((part.grid.origin - Eigen::Vector3d(1, 0, 2)).norm(), 1e-12);
  field.values[63 - 4 * 2] = unknown;
  EXPECT_THROW(known_part(field), Error) << "a hole in it";
  field.values = FieldValues(64, unknown);
  EXPECT_THROW(known_part(field), Error);
}

TEST(MapComparison, FilesSayTheirUnitOrItIsTheFormatsOwn) {
  const isolume::testing::TemporaryFolder folder;
  auto field =
      field_of(cube_of(3, 0.5, {1, 2, 3}), [](const Eigen::Vector3d& at) { return at.x() * at.y(); });
  for (const std::string name : {"a.dx", "a.dx.gz", "a.mrc", "a.map.gz", "a.vti", "a.nrrd", "a.cube"}) {
    for (const std::string unit : {"Eh/e", "mV", ""}) {
      field.unit = unit;
      const auto path = folder.path() / name;
      write_map(field, path);
      const auto map = read_map(path);
      const bool is_cube = name == "a.cube";
      EXPECT_EQ(map.unit_is_assumed, unit.empty()) << name;
      EXPECT_EQ(to_text(map.unit), !unit.empty() ? unit : is_cube ? "Eh/e" : "kT/e") << name;
      EXPECT_EQ(map.field.unit, to_text(map.unit));
      EXPECT_EQ(map.field.name, name);
      EXPECT_EQ(map.field.grid.unit, grid::LengthUnit::angstrom);
      ASSERT_TRUE(have_same_points(map.field.grid, field.grid)) << name;
      for (std::size_t i = 0; i < 27; ++i) EXPECT_NEAR(map.field.values[i], field.values[i], 1e-4) << name;
    }
  }
  const auto cube = [&](const std::string& comment) {
    return folder.write("stated.cube", "t\n" + comment +
                                           "\n 1 0 0 0\n 2 1 0 0\n 2 0 1 0\n 2 0 0 1\n 1 1 0 0 0\n"
                                           "1 2 3 4 5 6 7 8\n");
  };
  for (const auto& [comment, unit, last] :
       {std::tuple("electrostatic potential (V)", PotentialUnit::millivolt, 8000.0),
        std::tuple("electrostatic potential in kJ/mol", PotentialUnit::kcal_per_mol_e, 8 / 4.184)}) {
    const auto map = read_map(cube(comment));
    EXPECT_EQ(map.unit, unit) << comment;
    EXPECT_FALSE(map.unit_is_assumed);
    EXPECT_NEAR(map.field.values[7], last, 1e-3);
    EXPECT_NE(map.remarks.text().find("was converted from"), std::string::npos) << map.remarks.text();
  }
  EXPECT_THROW(read_map(cube("local potential in eV")), InputError);
  field.unit = "e/bohr^3";
  const auto density = folder.write(
      "density.cube",
      "density\nelectron density\n 1 0 0 0\n 2 1 0 0\n 2 0 1 0\n 2 0 0 1\n 1 1 0 0 0\n1 2 3 4 5 6 7 8\n");
  try {
    read_map(density);
    ADD_FAILURE() << "a density is no potential";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("e/bohr^3"), std::string::npos) << error.what();
  }
}

TEST(SurfaceSamples, ThePotentialAboveAnIonIsThatOfItsDistance) {
  const isolume::testing::TemporaryFolder folder;
  const auto ion = structures::read_pqr(folder.write("ion.pqr", "ATOM 1 NA NA 1 0.1 -0.2 0.3 1.0 2.0\n"));
  const Eigen::Vector3d centre(0.1, -0.2, 0.3);
  const auto map = field_of(cube_of(49, 0.25), [&](const Eigen::Vector3d& at) {
    return 560.459 / std::max(0.5, (at - centre).norm());
  });
  for (const double height : {0.0, 1.0, 2.5}) {
    const auto samples = sample_surface(ion, map, {MolecularSurface::vdw, height}, 1.4);
    ASSERT_GT(samples.potential.size(), 500U);
    double sum = 0;
    for (std::size_t i = 0; i < samples.potential.size(); ++i) {
      const Eigen::Vector3d at =
          Eigen::Map<const Eigen::Vector3f>(&samples.mesh.points[3 * i]).cast<double>() - centre;
      EXPECT_NEAR(at.norm(), 2, 0.02) << "the surface itself stays";
      const double expected = 560.459 / (2 + height);
      EXPECT_NEAR(samples.potential[i], expected, 0.02 * expected);
      sum += samples.potential[i] / expected;
    }
    EXPECT_NEAR(sum / static_cast<double>(samples.potential.size()), 1, 0.006) << height;
  }
  // 6 angstrom from the middle the map ends.
  const auto far = sample_surface(ion, map, {MolecularSurface::vdw, 5.0}, 1.4);
  EXPECT_GT(std::ranges::count_if(far.potential, [](float value) { return std::isnan(value); }), 100);
}

}  // namespace
}  // namespace isolume::electrostatics
