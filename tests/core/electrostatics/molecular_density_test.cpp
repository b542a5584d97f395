#include "core/electrostatics/sums/molecular_density.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/grid/scalar_field.h"
#include "core/structures/molecule_of.h"

namespace isolume::electrostatics {
namespace {

using structures::AtomLabel;
using structures::Charges;
using structures::molecule_of;

Charges spheres() {
  Charges charges;
  const auto add = [&](double x, double radius, const AtomLabel& label) {
    charges.x.push_back(x);
    charges.y.push_back(0.2);
    charges.z.push_back(-0.3);
    charges.charge.push_back(0);
    charges.radius.push_back(radius);
    charges.labels.push_back(label);
  };
  add(0, 1.7, {.atom = "CA", .residue = "ALA", .chain = "A"});
  add(1.5, 1.55, {.atom = "N", .residue = "ALA", .chain = "A"});
  add(2.5, 0, {.atom = "1HB", .residue = "ALA", .chain = "A"});
  add(9, 1.2, {.atom = "CA", .residue = "CA", .chain = "A"});
  return charges;
}

grid::ScalarField molecular_density(const grid::Grid& grid, const Charges& charges) {
  grid::ScalarField field;
  field.grid = grid;
  field.values.resize(grid.point_count());
  fill_density(grid, charges, field.values.data(), {});
  return field;
}

TEST(MolecularDensity, IsTheSumOfGaussians) {
  const auto charges = spheres();
  const auto grid = grid::cover_box({-4, -4, -4}, {12, 4, 4}, 0.4, grid::LengthUnit::angstrom);
  const auto field = molecular_density(grid, charges);
  const auto& n = grid.dimensions;
  for (int k = 0; k < n[2]; k += 3) {
    for (int j = 0; j < n[1]; j += 2) {
      for (int i = 0; i < n[0]; ++i) {
        double expected = 0;
        for (std::size_t atom = 0; atom < charges.size(); ++atom) {
          const double radius = charges.radius[atom];
          if (radius == 0) continue;
          const double distance = (grid.position(i, j, k) - charges.place(atom)).norm();
          expected += std::exp(2.35 * (1 - distance * distance / (radius * radius)));
        }
        ASSERT_NEAR(field.at(i, j, k), expected, 1e-5 * expected + 3e-4);
      }
    }
  }
}

/// In bohr as in angstrom, and 1 on the sphere of an atom that stands alone.
TEST(MolecularDensity, IsOneOnTheSphereOfALoneAtom) {
  Charges charges;
  charges.x = charges.y = charges.z = charges.charge = {0};
  charges.radius = {2};
  for (const auto unit : {grid::LengthUnit::angstrom, grid::LengthUnit::bohr}) {
    const double length = 1 / grid::shown_per_unit(unit);
    grid::Grid grid;
    grid.dimensions = {5, 5, 5};
    grid.step *= length;
    grid.origin = Eigen::Vector3d::Constant(-2 * length);
    grid.unit = unit;
    const auto field = molecular_density(grid, charges);
    EXPECT_NEAR(field.at(0, 2, 2), 1, 1e-6);
    EXPECT_NEAR(field.at(2, 2, 4), 1, 1e-6);
    EXPECT_GT(field.at(2, 2, 2), 10);
  }
}

TEST(MoleculeOf, ElementsAreThoseOfTheNames) {
  const auto molecule = molecule_of(spheres(), "four");
  ASSERT_EQ(molecule.atoms.size(), 4U);
  EXPECT_EQ(molecule.atoms[0].atomic_number, 6) << "an alpha carbon";
  EXPECT_EQ(molecule.atoms[1].atomic_number, 7);
  EXPECT_EQ(molecule.atoms[2].atomic_number, 1);
  EXPECT_EQ(molecule.atoms[3].atomic_number, 20) << "a calcium ion";
  EXPECT_NEAR(molecule.atoms[3].position_bohr.x(), 9 / 0.529177210903, 1e-6);
}

}  // namespace
}  // namespace isolume::electrostatics
