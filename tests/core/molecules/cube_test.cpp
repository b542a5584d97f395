#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;

/// 2 x 3 x 4 points; the value at (i, j, k) is 100 i + 10 j + k.
std::string values(double factor = 1) {
  std::string text;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 4; ++k) text += fmt::format(" {:12.5E}", factor * (100 * i + 10 * j + k));
      text += '\n';
    }
  }
  return text;
}

const std::string comments = "benzene\ntotal density\n";
const std::string axes =
    "    2    0.500000    0.000000    0.000000\n    3    0.000000    0.250000    0.000000\n    4    0.000000 "
    "   0.000000    0.125000\n";
const std::string atom = "    8    8.000000    0.100000    0.200000    0.300000\n";

TEST(Cube, x_runs_fastest_after_reading) {
  const Document document =
      read_text(comments + "    1   -1.000000   -2.000000   -3.000000\n" + axes + atom + values());
  EXPECT_EQ(document.format, "cube");
  ASSERT_EQ(document.fields.size(), 1u);
  const grid::ScalarField& field = *document.fields[0];
  EXPECT_EQ(field.grid.dimensions, (std::array<int, 3>{2, 3, 4}));
  EXPECT_EQ(field.grid.origin, Eigen::Vector3d(-1, -2, -3));
  EXPECT_EQ(field.at(1, 2, 3), 123);
  EXPECT_EQ(field.values[1], 100);
  EXPECT_EQ(field.values[2], 10);
  EXPECT_EQ(field.values[6], 1);
  EXPECT_EQ(field.unit, "e/bohr^3");
  EXPECT_EQ(field.name, "total density");
  ASSERT_EQ(document.molecule.atoms.size(), 1u);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 8);
  EXPECT_EQ(document.molecule.atoms[0].position_bohr, Eigen::Vector3d(0.1, 0.2, 0.3));
}

TEST(Cube, negative_counts_mean_angstrom) {
  std::string negative = axes;
  for (const char* count : {"    2 ", "    3 ", "    4 "}) {
    std::string changed(count);
    changed[3] = '-';
    negative.replace(negative.find(count), changed.size(), changed);
  }
  const Document document =
      read_text(comments + "    1   -1.000000   -2.000000   -3.000000\n" + negative + atom + values());
  const grid::ScalarField& field = *document.fields[0];
  EXPECT_EQ(field.grid.dimensions, (std::array<int, 3>{2, 3, 4}));
  EXPECT_NEAR(field.grid.step(0, 0), 0.5 * units::bohr_per_angstrom, 1e-12);
  EXPECT_NEAR(field.grid.origin.z(), -3 * units::bohr_per_angstrom, 1e-12);
  EXPECT_NEAR(document.molecule.atoms[0].position_bohr.y(), 0.2 * units::bohr_per_angstrom, 1e-12);
}

TEST(Cube, several_orbitals_by_number) {
  std::string interleaved;
  for (int point = 0; point < 24; ++point)
    interleaved += fmt::format("{} {} {}\n", point, point + 100, -point);
  const Document document = read_text("orbitals\nMO coefficients\n   -1    0.0 0.0 0.0\n" + axes + atom +
                                      "    3   20   21\n   25\n" + interleaved);
  ASSERT_EQ(document.fields.size(), 3u);
  EXPECT_EQ(document.fields[0]->name, "orbital 20");
  EXPECT_EQ(document.fields[2]->name, "orbital 25");
  EXPECT_EQ(document.fields[1]->unit, "bohr^-3/2");
  EXPECT_EQ(document.fields[1]->at(0, 0, 3), 103);
  EXPECT_EQ(document.fields[2]->at(1, 0, 0), -12);
}

TEST(Cube, the_line_of_orbital_numbers_may_be_missing) {
  const Document document =
      read_text("orbital\nwithout numbers\n   -1    0.0 0.0 0.0\n" + axes + atom + values());
  ASSERT_EQ(document.fields.size(), 1u);
  EXPECT_EQ(document.fields[0]->at(1, 2, 3), 123);
}

TEST(Cube, several_values_a_point_without_numbers) {
  std::string interleaved;
  for (int point = 0; point < 24; ++point) interleaved += fmt::format("{} {}\n", point, point + 100);
  const Document document =
      read_text("potential\nand gradient\n    1    0.0 0.0 0.0    2\n" + axes + atom + interleaved);
  ASSERT_EQ(document.fields.size(), 2u);
  EXPECT_EQ(document.fields[1]->at(0, 1, 0), 104);
}

TEST(Cube, axes_may_be_turned_and_atoms_missing) {
  const std::string turned = "    2    0.3 0.4 0.0\n    3   -0.4 0.3 0.0\n    4    0.0 0.0 0.5\n";
  const Document document = read_text(comments + "    0   0 0 0\n" + turned + values());
  const grid::ScalarField& field = *document.fields[0];
  EXPECT_FALSE(field.grid.axis_aligned());
  EXPECT_NEAR((field.grid.position(1, 1, 0) - Eigen::Vector3d(-0.1, 0.7, 0)).norm(), 0, 1e-15);
  EXPECT_EQ(field.at(1, 2, 3), 123);
}

TEST(Cube, moldens_line_of_orbital_numbers_is_no_data) {
  // Molden's own cubes: a positive number of atoms, charges of zero, and "1 1" behind the atoms all the same.
  const std::string head = "Molden generated cube file\nOrbital    1\n    1 -10.0 -10.0 -10.0\n" + axes +
                           "    8    0.000000    0.100000    0.200000    0.300000\n";
  const Document document = read_text(head + "1    1\n" + values());
  ASSERT_EQ(document.fields.size(), 1u);
  EXPECT_EQ(document.program, "molden");
  EXPECT_EQ(document.fields[0]->name, "orbital 1");
  EXPECT_EQ(document.fields[0]->unit, "bohr^-3/2");
  EXPECT_EQ(document.fields[0]->at(0, 0, 0), 0);
  EXPECT_EQ(document.fields[0]->at(0, 0, 2), 2);
  EXPECT_EQ(document.fields[0]->at(1, 2, 3), 123);
  ASSERT_EQ(document.remarks.size(), 1u);
  EXPECT_NE(document.remarks[0].text.find("Molden"), std::string::npos);
  // The same line where it belongs to the values.
  std::string whole = "1 1\n";
  for (int i = 2; i < 24; ++i) whole += fmt::format("{}\n", i);
  const Document data = read_text(head + whole);
  EXPECT_EQ(data.fields[0]->at(0, 0, 1), 1);
  EXPECT_EQ(data.fields[0]->at(1, 2, 3), 23);
  EXPECT_TRUE(data.remarks.empty());
}

/// The comments of PySCF 2.14.
TEST(Cube, the_comment_on_the_values_names_the_field) {
  const auto name = [](const std::string& first, const std::string& second) {
    return read_text(first + "\n" + second + "\n    1   0.0 0.0 0.0\n" + axes + atom + values())
        .fields[0]
        ->name;
  };
  const std::string density = "Electron density in real space (e/Bohr^3)";
  EXPECT_EQ(name(density, "PySCF Version: 2.14.0  Date: Sun Nov 29 02:25:44 2026"), density);
  EXPECT_EQ(name("water", "candidate of a density"), "candidate of a density");
  EXPECT_EQ(name("", "Version 3"), "Version 3");
  EXPECT_EQ(name("water", ""), "water");
}

TEST(Cube, a_surplus_of_values_is_refused) {
  const std::string head = comments + "    1   0.0 0.0 0.0\n" + axes + atom;
  for (const char* surplus : {" 1.0", " 7", "\n\n 1.0 2.0\n", "\nsecond cube\n"}) {
    std::string text = head + values();
    text.pop_back();
    EXPECT_NE(error_of(text + surplus).find("more numbers than the 24 of the grid 2 × 3 × 4"),
              std::string::npos)
        << surplus;
  }
  EXPECT_EQ(error_of(head + values() + "\n  \n\n"), "");
}

TEST(Cube, derivatives_have_units_of_their_own) {
  const auto units = [](const std::string& title, const std::string& what, int count) {
    std::string numbers;
    for (int i = 0; i < 24 * count; ++i) numbers += " 1.0\n";
    std::vector<std::string> found;
    const Document document =
        read_text(title + "\n" + what + fmt::format("\n 1 0.0 0.0 0.0 {}\n", count) + axes + atom + numbers);
    for (const auto& field : document.fields) found.push_back(field->unit);
    return found;
  };
  using Units = std::vector<std::string>;
  EXPECT_EQ(units("water", "Electron density from Total SCF Density", 1), (Units{"e/bohr^3"}));
  EXPECT_EQ(units("water", "Laplacian of density from Total SCF Density", 1), (Units{"e/bohr^5"}));
  EXPECT_EQ(units("water", "Norm of gradient of density", 1), (Units{"e/bohr^4"}));
  EXPECT_EQ(units("water", "Density and gradient from SCF Density", 4),
            (Units{"e/bohr^3", "e/bohr^4", "e/bohr^4", "e/bohr^4"}));
  EXPECT_EQ(units("water", "Electrostatic potential from Total SCF Density", 1), (Units{"Eh/e"}));
  EXPECT_EQ(units("water", "ESP of the SCF density, Eh/e", 1), (Units{"Eh/e"}));
  EXPECT_EQ(units("water", "Gradient of the orbital", 3), (Units{"bohr^-5/2", "bohr^-5/2", "bohr^-5/2"}));
  EXPECT_EQ(units("water", "Reduced density gradient", 1), (Units{""}));
  EXPECT_EQ(units("the density of water", "HOMO orbital", 1), (Units{"bohr^-3/2"}));
  EXPECT_EQ(units("water", "density of potential-gradient.fchk in e/bohr^3, by Isolume 1.0", 1),
            (Units{"e/bohr^3"}));
  EXPECT_EQ(units("gradient of things", "some density", 1), (Units{"e/bohr^3"}));
}

Document commented(const std::string& first, const std::string& second, const std::string& axes_of = axes) {
  return read_text(first + "\n" + second + "\n    1   0.0 0.0 0.0\n" + axes_of + atom + values());
}

TEST(Cube, a_stated_unit_counts_more_than_the_name_of_the_field) {
  struct Case {
    const char *comment, *unit;
    bool is_unusual;
  };
  for (const Case& one :
       {Case{"electron density in e/A^3", "e/angstrom^3", true},
        Case{"electron density (e/\u00C5\u00B3)", "e/angstrom^3", true},
        Case{"density, electrons/Angstrom**3", "e/angstrom^3", true},
        Case{"density in e/a0^3", "e/bohr^3", false},
        Case{"Electron density in real space (e/Bohr^3)", "e/bohr^3", false},
        Case{"orbital in angstrom^-3/2", "angstrom^-3/2", true},
        Case{"electrostatic potential in kJ/mol", "kJ/mol/e", true},
        Case{"electrostatic potential (V)", "V", true}, Case{"Electrostatic potential [mV]", "mV", true},
        Case{"potential of the density, unit: kcal/mol", "kcal/mol/e", true},
        Case{"electrostatic potential (kT/e)", "kT/e", false},
        Case{"potential V of the nuclei", "Eh/e", false},
        Case{"total density of iron (V) oxide", "e/bohr^3", false},
        Case{"density of a response, a test", "e/bohr^3", false}}) {
    const Document document = commented("t", one.comment);
    EXPECT_EQ(document.fields[0]->unit, one.unit) << one.comment;
    EXPECT_EQ(document.remarks.size(), one.is_unusual ? 1U : 0U) << one.comment << document.remarks.text();
    EXPECT_EQ(document.fields[0]->at(1, 2, 3), 123) << one.comment;
  }
}

TEST(Cube, functions_without_a_unit_of_density_have_none) {
  for (const char* comment : {"ELF from total density", "LOL of the density", "RDG, electron density",
                              "localized orbital locator", "spin polarization of the density"})
    EXPECT_EQ(commented("t", comment).fields[0]->unit, "") << comment;
  EXPECT_EQ(commented("self-consistent field", "spin density").fields[0]->unit, "e/bohr^3");
}

TEST(Cube, comments_that_contradict_the_signs_of_the_counts_are_named) {
  std::string negative = axes;
  for (const char* count : {"    2 ", "    3 ", "    4 "}) negative[negative.find(count) + 3] = '-';
  const auto remarks = [](const std::string& comment, const std::string& axes_of) {
    return commented("t", comment, axes_of).remarks.text();
  };
  EXPECT_NE(
      remarks("density, coordinates in Angstrom", axes).find("the positive numbers of points mean bohr"),
      std::string::npos);
  EXPECT_NE(remarks("density, coordinates in bohr", negative).find("mean angstrom"), std::string::npos);
  EXPECT_EQ(remarks("density, coordinates in bohr", axes), "");
  EXPECT_EQ(remarks("density, spacing 0.1 Angstrom", axes), "");
}

TEST(Cube, fractional_atomic_numbers_are_refused) {
  std::string half = atom;
  half.replace(0, 5, "  8.5");
  const std::string error = error_of(comments + "    1   0.0 0.0 0.0\n" + axes + half + values());
  EXPECT_NE(error.find(":7: the atomic number 8.5 is not a whole number"), std::string::npos) << error;
}

TEST(Cube, errors_name_the_line_and_the_reason) {
  const std::string origin = "    1   0.0 0.0 0.0\n";
  const auto expect_error = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << error;
  };
  const std::string most = values().substr(0, values().size() - 13);
  expect_error(comments + origin + axes + atom + most,
               "the file ends where a value of the field was expected");
  std::string huge = axes;
  huge.replace(huge.find("    2"), 5, "90000");
  expect_error(comments + origin + huge + atom + values(), "needs more numbers than the file holds");
  std::string overflowing = axes;
  for (const char* count : {"    2 ", "    3 ", "    4 "})
    overflowing.replace(overflowing.find(count), 6, "999999999 ");
  expect_error(comments + origin + overflowing + atom + values(), "needs more numbers than the file holds");
  expect_error(comments + "  999   0.0 0.0 0.0\n" + axes + atom + values(), "number of atoms is 999");
  std::string flat = axes;
  flat.replace(flat.find("0.125000"), 8, "0.000000");
  expect_error(comments + origin + flat + atom + values(), "do not span a volume");
  std::string nan = values();
  nan.replace(nan.find("1.23000E+02"), 11, "        NaN");
  expect_error(comments + origin + axes + atom + nan,
               ":13: expected a finite number (value of the field), found \"NaN\"");
  std::string none = axes;
  none.replace(none.find("    2"), 5, "    0");
  expect_error(comments + origin + none + atom + values(), "an axis needs at least one point");
  std::string large = values();
  large.replace(large.find("1.23000E+02"), 11, "1.23000E+99");
  expect_error(comments + origin + axes + atom + large, "out of range");
}

}  // namespace
}  // namespace isolume::molecules
