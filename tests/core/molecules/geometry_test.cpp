#include "core/molecules/geometry.h"

#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/units.h"

namespace isolume::molecules {
namespace {

using Eigen::Vector3d;

/// Hydrogen peroxide, in angstrom: O-O 1.45, O-H 0.97, angles 90 degrees, H-O-O-H as given.
Molecule peroxide(double dihedral) {
  const double turn = dihedral * M_PI / 180;
  Molecule molecule;
  const auto add = [&](int number, const Vector3d& place) {
    molecule.atoms.push_back({number, place * units::bohr_per_angstrom, static_cast<double>(number)});
  };
  add(1, {0.97, 0, 0});
  add(8, {0, 0, 0});
  add(8, {0, 0, 1.45});
  // Looking along +z (from O2 to O3), x to y is clockwise.
  add(1, {0.97 * std::cos(turn), 0.97 * std::sin(turn), 1.45});
  return molecule;
}

TEST(Measure, NamesDistancesAnglesAndDihedralsWithTheirUnits) {
  const auto molecule = peroxide(111.5);
  EXPECT_EQ(measure(molecule, std::array{1}), "O2 (oxygen)");
  EXPECT_EQ(measure(molecule, std::array{1, 2}), "O2–O3: 1.450 Å");
  EXPECT_EQ(measure(molecule, std::array{0, 1, 2}), "H1–O2–O3: 90.0°");
  EXPECT_EQ(measure(molecule, std::array{0, 1, 2, 3}), "H1–O2–O3–H4: 111.5°");
  EXPECT_EQ(measure(molecule, std::array{3, 2, 1, 0}), "H4–O3–O2–H1: 111.5°")
      << "the same from the other end";
  EXPECT_EQ(measure(peroxide(-60), std::array{0, 1, 2, 3}), "H1–O2–O3–H4: -60.0°");
  EXPECT_EQ(measure(peroxide(-1e-9), std::array{0, 1, 2, 3}), "H1–O2–O3–H4: 0.0°");
  EXPECT_EQ(measure(peroxide(-179.99), std::array{0, 1, 2, 3}), "H1–O2–O3–H4: 180.0°");
}

TEST(Measure, WhatHasNoAngleSaysSo) {
  Molecule line;
  for (int i = 0; i < 4; ++i) line.atoms.push_back({6, Vector3d(0, 0, 2.0 * i), 6});
  EXPECT_EQ(measure(line, std::array{0, 1, 2}), "C1–C2–C3: 180.0°");
  EXPECT_EQ(measure(line, std::array{0, 1, 2, 3}), "C1–C2–C3–C4: undefined (the atoms lie on a line)");
}

TEST(Measure, AtomsThatAreNotThereAreRefused) {
  const auto molecule = peroxide(90);
  EXPECT_THROW(measure(molecule, std::array{4}), Error);
  EXPECT_THROW(measure(molecule, std::array{-1}), Error);
  EXPECT_THROW(measure(molecule, std::array{1, 1}), Error);
  EXPECT_THROW(measure(molecule, {}), Error);
  EXPECT_THROW(measure(molecule, std::array{0, 1, 2, 3, 0}), Error);
}

}  // namespace
}  // namespace isolume::molecules
