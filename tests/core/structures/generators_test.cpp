#include "core/structures/generators.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/geometry.h"
#include "core/molecules/neighbourhood.h"
#include "core/structures/hydrogens.h"
#include "core/structures/pqr.h"
#include "tests/temporary_folder.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;

/// Sum of charge / distance about the ion nearest to the middle, times the distance of nearest ions, over whole cells of which
/// those on the faces, edges and corners of the cube count by half, a quarter and an eighth (Evjen, Phys. Rev. 39, 675 (1932)).
double madelung(const Charges& charges, double cell_edge, double reach, double nearest) {
  std::size_t middle = 0;
  const Vector3d at = Vector3d::Constant(charges.cell->col(0).norm() / 2);
  for (std::size_t i = 0; i < charges.size(); ++i)
    if ((charges.place(i) - at).norm() < (charges.place(middle) - at).norm()) middle = i;
  double sum = 0;
  const double face = reach * cell_edge;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    const Vector3d apart = charges.place(i) - charges.place(middle);
    if (i == middle || apart.cwiseAbs().maxCoeff() > face + 1e-6) continue;
    double weight = 1;
    for (int axis = 0; axis < 3; ++axis)
      if (std::abs(std::abs(apart[axis]) - face) < 1e-6) weight /= 2;
    sum += weight * charges.charge[i] / apart.norm();
  }
  return -sum * nearest * charges.charge[middle];
}

TEST(Generators, SaltsHaveTheirMadelungConstants) {
  const auto rock_salt = sodium_chloride(8);
  EXPECT_EQ(rock_salt.size(), 8U * 512);
  EXPECT_NEAR(total_charge(rock_salt), 0, 1e-9);
  EXPECT_NEAR(madelung(rock_salt, sodium_chloride_edge, 3, sodium_chloride_edge / 2), 1.747565, 2e-4);
  EXPECT_NEAR(rock_salt.cell->determinant(), std::pow(8 * 5.64056, 3), 1e-6);
  // Of CsCl such sums have two limits, whether Cs or Cl lie on the faces, with the constant between them.
  const auto caesium = caesium_chloride(13);
  EXPECT_EQ(caesium.size(), 2U * 2197);
  EXPECT_NEAR(total_charge(caesium), 0, 1e-9);
  const double apart = caesium_chloride_edge * std::sqrt(0.75);
  EXPECT_NEAR((madelung(caesium, caesium_chloride_edge, 6, apart) +
               madelung(caesium, caesium_chloride_edge, 5.5, apart)) /
                  2,
              1.762675, 2e-3);
  double nearest = 1e9;
  for (std::size_t i = 1; i < caesium.size(); ++i)
    nearest = std::min(nearest, (caesium.place(i) - caesium.place(0)).norm());
  EXPECT_NEAR(nearest, 4.123 * std::sqrt(0.75), 1e-9);
}

double water_gap(const Charges& charges) {
  molecules::Neighbourhood near(2.5);
  double least = 2.5;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    near.near(charges.place(i), [&](std::size_t other, double apart) {
      if (other / 3 != i / 3) least = std::min(least, apart);
    });
    near.add(charges.place(i), i);
  }
  return least;
}

TEST(Generators, WaterHasItsDensityAndItsShapeAndNoOverlap) {
  for (const std::size_t molecules : {1U, 2U, 5U, 9U, 19U, 50U, 1000U, 1331U}) {
    const auto charges = water_box(molecules, 7);
    ASSERT_EQ(charges.size(), 3 * molecules);
    EXPECT_NEAR(total_charge(charges), 0, 1e-9);
    // 18.01528 g/mol in 997 kg/m^3: 30.0057 cubic angstrom each.
    EXPECT_NEAR(charges.cell->determinant() / static_cast<double>(molecules), 18.01528 / 0.997 / 0.602214076,
                1e-6);
    EXPECT_GE(water_gap(charges), least_water_distance - 1e-9) << molecules;
    for (std::size_t i = 0; i < charges.size(); i += 3) {
      const Vector3d first = charges.place(i + 1) - charges.place(i),
                     second = charges.place(i + 2) - charges.place(i);
      EXPECT_NEAR(first.norm(), 0.9572, 1e-9);
      EXPECT_NEAR(first.dot(second) / (0.9572 * 0.9572), std::cos(104.52 * std::numbers::pi / 180), 1e-9);
    }
  }
}

TEST(Generators, WaterIsTurnedInAllDirectionsAndASeedGivesOneBox) {
  const std::size_t molecules = 8000;
  const auto charges = water_box(molecules, 3), again = water_box(molecules, 3),
             other = water_box(molecules, 4);
  EXPECT_EQ(charges.x, again.x);
  EXPECT_EQ(charges.z, again.z);
  EXPECT_NE(charges.x, other.x);
  // Unit vectors of random directions sum to about sqrt(n / 3) along each axis, their squares to n / 3.
  Vector3d sum = Vector3d::Zero(), squares = Vector3d::Zero();
  for (std::size_t i = 0; i < charges.size(); i += 3) {
    const Vector3d dipole = (charges.place(i + 1) + charges.place(i + 2) - 2 * charges.place(i)).normalized();
    sum += dipole;
    squares += dipole.cwiseAbs2();
  }
  const double deviation = std::sqrt(molecules / 3.0);
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 4 * deviation);
  EXPECT_LT((squares - Vector3d::Constant(molecules / 3.0)).cwiseAbs().maxCoeff(), 4 * deviation);
}

TEST(Generators, TorsionsHaveTheSignOfIupac) {
  const Vector3d a(0, 0, 0), b(1.5, 0, 0), c(2, 1.4, 0.3);
  for (const double degrees : {-120.0, -57.8, 30.0, 179.0}) {
    const auto d = at_angles(a, b, c, 1.2, 1.9, degrees * radians_per_degree);
    EXPECT_NEAR(molecules::dihedral_degrees(d, a, b, c), degrees, 1e-9);
    EXPECT_NEAR((d - a).norm(), 1.2, 1e-12);
    EXPECT_NEAR(molecules::angle_degrees(d, a, b), 1.9 / radians_per_degree, 1e-9);
  }
}

/// An alpha helix has 3.6 residues a turn and rises by 1.5 angstrom with each; O is bonded to the H of the fourth residue on;
/// L-amino acids; a dipole of about 3.5 debye a residue towards its beginning, and charged ends besides.
TEST(Generators, TheHelixIsAnAlphaHelix) {
  // Of an L-amino acid, as a crystal has it: threonine 1.
  const auto crystal = read_pqr(std::filesystem::path(ISOLUME_TEST_REFERENCES) / "electrostatics/1FAS.pqr");
  ASSERT_EQ(crystal.labels[0].atom + crystal.labels[1].atom + crystal.labels[2].atom + crystal.labels[4].atom,
            "NCACCB");
  const Vector3d alpha = crystal.place(1);
  ASSERT_GT((crystal.place(2) - alpha).cross(crystal.place(4) - alpha).dot(crystal.place(0) - alpha), 0);
  const int residues = 20;
  const auto charges = alanine_helix(residues);
  EXPECT_NEAR(total_charge(charges), 0, 1e-6);
  EXPECT_EQ(charges.size(), static_cast<std::size_t>(10 * residues + 3));
  std::map<std::pair<int, std::string>, Vector3d> places;
  for (std::size_t i = 0; i < charges.size(); ++i)
    places[{charges.labels[i].number, charges.labels[i].atom}] = charges.place(i);
  const auto at = [&](int number, const char* atom) { return places.at({number, atom}); };
  const Vector3d ends = at(19, "CA") - at(1, "CA");  // five turns
  EXPECT_NEAR(ends.norm() / 18, 1.5, 0.06);
  for (int number = 2; number + 4 <= residues; ++number) {
    EXPECT_NEAR(
        molecules::dihedral_degrees(at(number - 1, "C"), at(number, "N"), at(number, "CA"), at(number, "C")),
        -57.8, 1e-6);
    EXPECT_NEAR((at(number, "O") - at(number + 4, "N")).norm(), 2.95, 0.15);
    EXPECT_NEAR((at(number, "O") - at(number + 4, "H")).norm(), 2.0, 0.2);
    const Vector3d ca = at(number, "CA");
    EXPECT_GT((at(number, "C") - ca).cross(at(number, "CB") - ca).dot(at(number, "N") - ca), 0)
        << "as fasciculin";
    EXPECT_NEAR((at(number, "CB") - ca).norm(), 1.521, 1e-9);
  }
  EXPECT_THROW(alanine_helix(1), Error);
}

TEST(Generators, GasIsNeutralAndFillsItsBox) {
  const auto charges = neutral_gas(10000, 50, 2);
  EXPECT_EQ(total_charge(charges), 0);
  const auto box = box_of(charges);
  EXPECT_GT(box.low.minCoeff(), 0);
  EXPECT_LT(box.high.maxCoeff(), 50);
  // The mean of uniform places has a deviation of 50 / sqrt(12 n) = 0.14.
  double mean = 0;
  for (const double x : charges.x) mean += x / 10000;
  EXPECT_NEAR(mean, 25, 4 * 0.145);
  EXPECT_THROW(neutral_gas(3, 50, 2), Error);
}

/// More atoms than five columns can number; places, charges and radii leave their columns, too, and are read all the same.
TEST(Generators, LargeBoxesAreWrittenAndReadBack) {
  const isolume::testing::TemporaryFolder folder;
  auto charges = water_box(40000, 1);
  charges.x[0] = -123456.789;
  charges.y[0] = -123456.789;
  charges.charge[1] = -1000.5;
  charges.radius[2] = 12345.6789;
  write_pqr(charges, {"water"}, folder / "box.pqr");
  const auto read = read_pqr(folder / "box.pqr");
  ASSERT_EQ(read.size(), charges.size());
  ASSERT_TRUE(read.cell);
  EXPECT_LT((*read.cell - *charges.cell).cwiseAbs().maxCoeff(), 5.1e-4);
  EXPECT_EQ(read.labels.back().number, 40000);
  double moved = 0;
  for (std::size_t i = 0; i < read.size(); ++i)
    moved = std::max(moved, (read.place(i) - charges.place(i)).cwiseAbs().maxCoeff());
  EXPECT_LT(moved, 5.1e-4);
  EXPECT_EQ(read.charge[1], -1000.5);
  EXPECT_EQ(read.radius[2], 12345.6789);
  EXPECT_EQ(read.charge[3], -0.834);
}

}  // namespace
}  // namespace isolume::structures
