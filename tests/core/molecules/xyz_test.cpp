#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;

TEST(Xyz, one_geometry_in_angstrom) {
  const Document document = read_text("3\nwater\nO 0 0 0.1\nH 0 0.757 -0.5\nh 0 -0.757 -0.5\n");
  EXPECT_EQ(document.format, "xyz");
  EXPECT_EQ(document.molecule.title, "water");
  ASSERT_EQ(document.molecule.atoms.size(), 3u);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 8);
  EXPECT_EQ(document.molecule.atoms[2].atomic_number, 1);
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.y(), 0.757 / units::angstrom_per_bohr, 1e-12);
  EXPECT_TRUE(document.frames.empty());
  EXPECT_FALSE(document.wavefunction);
}

TEST(Xyz, many_geometries_with_numbers_and_blank_lines) {
  const Document document =
      read_text("1\n\n6 0 0 0\n\n2\nsecond\n6 0 0 1 0.1 0.2 0.3\n1 0 0 2\n1\nthird\nX 5 5 5\n\n\n");
  EXPECT_EQ(document.molecule.atoms.size(), 1u);
  ASSERT_EQ(document.frames.size(), 2u);
  EXPECT_EQ(document.frames[0].atoms.size(), 2u);
  EXPECT_EQ(document.frames[1].atoms[0].atomic_number, 0);
}

TEST(Xyz, with_atomic_numbers_is_not_taken_for_a_cube) {
  const Document document =
      read_text("5\nmethane\n6 0 0 0\n1 0.6 0.6 0.6\n1 -0.6 -0.6 0.6\n1 0.6 -0.6 -0.6\n1 -0.6 0.6 -0.6\n");
  EXPECT_EQ(document.format, "xyz");
  EXPECT_EQ(document.molecule.atoms.size(), 5u);
}

TEST(Xyz, extended_columns) {
  const Document document = read_text(
      "2\nLattice=\"5 0 0 0 5 0 0 0 5\" Properties=id:I:1:forces:R:3:species:S:1:pos:R:3 energy=1.0\n"
      "1 9 9 9 C 1 2 3\n2 9 9 9 O 4 5 6\n");
  EXPECT_EQ(document.molecule.atoms[1].atomic_number, 8);
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.z(), 6 / units::angstrom_per_bohr, 1e-12);
  ASSERT_EQ(document.remarks.size(), 1U);
  EXPECT_EQ(document.remarks[0].text, "Columns are not used: forces, id.");
}

TEST(Xyz, errors_name_the_line_and_the_reason) {
  const auto expect_error = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << error;
  };
  expect_error("30\nwater\nO 0 0 0.1\nH 0 0.757 -0.5\n", "the rest of the file can hold at most");
  expect_error("3\na comment that is long enough\nO 0 0 0.1\nH 0 0.757 -0.5\n",
               "the file ends where atom 3 of 3 was expected");
  expect_error("99999999999\nwater\nO 0 0 0.1\n", "the rest of the file can hold at most");
  expect_error("1\nc\nQq 0 0 0\n", ":3: expected an element, found \"Qq\"");
  expect_error("1\nc\nO 0 nan 0\n", ":3: y: \"nan\" is not a coordinate");
  expect_error("1\ncomment\nO 0 0\n", "expected an element and 3 coordinates");
  expect_error("0\ncomment\n", "the number of atoms is zero");
  expect_error("1\nc\nO 0 0 0\nH 0 0 1\n",
               ":4: expected the number of atoms of the next frame, found another atom");
  expect_error("1\nc\nO 0 0 0\nrubbish\n", ":4: expected a whole number (number of atoms)");
}

}  // namespace
}  // namespace isolume::molecules
