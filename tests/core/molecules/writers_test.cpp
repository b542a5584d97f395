#include "core/molecules/writers.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::example_wavefunction;
using testing::sample;
using testing::TemporaryFile;

void expect_round_trip(const Wavefunction& made) {
  const TemporaryFile file({}, ".molden");
  write_molden(made, made.sets.front(), file.path());
  const Document document = read_document(file.path());
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.deviation_as_written;
  const Wavefunction& back = *document.wavefunction;
  EXPECT_LT((back.sets[0].coefficients - made.sets[0].coefficients).cwiseAbs().maxCoeff(), 1e-14);
  ASSERT_EQ(back.basis.shells.size(), made.basis.shells.size());
  for (std::size_t i = 0; i < made.basis.shells.size(); ++i) {
    EXPECT_EQ(back.basis.shells[i].exponents, made.basis.shells[i].exponents);
    EXPECT_EQ(back.basis.shells[i].coefficients, made.basis.shells[i].coefficients);
    EXPECT_EQ(back.basis.shells[i].spherical, made.basis.shells[i].spherical);
    EXPECT_EQ(back.basis.shells[i].atom, made.basis.shells[i].atom);
  }
  for (std::size_t i = 0; i < made.molecule.atoms.size(); ++i) {
    EXPECT_EQ(document.molecule.atoms[i].position_bohr, made.molecule.atoms[i].position_bohr);
    EXPECT_EQ(document.molecule.atoms[i].atomic_number, made.molecule.atoms[i].atomic_number);
    EXPECT_EQ(document.molecule.atoms[i].nuclear_charge, made.molecule.atoms[i].nuclear_charge);
  }
  for (std::size_t i = 0; i < made.sets[0].orbitals.size(); ++i) {
    EXPECT_EQ(back.sets[0].orbitals[i].spin, made.sets[0].orbitals[i].spin);
    EXPECT_EQ(back.sets[0].orbitals[i].occupation, made.sets[0].orbitals[i].occupation);
    EXPECT_EQ(back.sets[0].orbitals[i].energy_hartree, made.sets[0].orbitals[i].energy_hartree);
  }
}

TEST(WriteMolden, round_trip) {
  expect_round_trip(example_wavefunction("spdfg", false));
  expect_round_trip(example_wavefunction("spdfg", true));
  expect_round_trip(example_wavefunction("spd", true));
  expect_round_trip(example_wavefunction("sf", true));
  Wavefunction core = example_wavefunction("sp", false);
  core.molecule.atoms[0] = {46, core.molecule.atoms[0].position_bohr, 18};
  expect_round_trip(core);
}

TEST(WriteMolden, spherical_h_functions_follow_g) {
  expect_round_trip(example_wavefunction("spdfgh", true));
  expect_round_trip(example_wavefunction("sdh", true));
  const TemporaryFile file({}, ".molden");
  const Wavefunction h = example_wavefunction("sh", true);
  write_molden(h, h.sets[0], file.path());
  const std::string text = read_text_file(file.path());
  EXPECT_NE(text.find("[9G]\n"), std::string::npos);
  EXPECT_NE(text.find("\n h "), std::string::npos);
}

TEST(WriteMolden, contractions_are_normalised) {
  // Turbomole leaves contractions as they come: s and p of two primitives with a square of about 1.7 and 0.3.
  Wavefunction made = example_wavefunction("spd", true);
  Eigen::Index row = 0;
  for (Shell& shell : made.basis.shells) {
    const double factor = shell.angular_momentum == 0 ? 1.3 : shell.angular_momentum == 1 ? 0.55 : 1;
    for (double& c : shell.coefficients) c *= factor;
    made.sets[0].coefficients.middleRows(row, shell.function_count()) /= factor;
    row += shell.function_count();
  }
  const TemporaryFile file({}, ".molden");
  write_molden(made, made.sets[0], file.path());
  const Document document = read_document(file.path());
  EXPECT_EQ(document.orthonormality.name, "as written");
  row = 0;
  for (std::size_t i = 0; i < made.basis.shells.size(); ++i) {
    const Shell& shell = document.wavefunction->basis.shells[i];
    const double l = shell.angular_momentum;
    double square = 0;  // <p|q> = (2 sqrt(pq) / (p + q))^(l + 3/2)
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      for (std::size_t q = 0; q < shell.exponents.size(); ++q) {
        const double a = shell.exponents[p], b = shell.exponents[q];
        square +=
            shell.coefficients[p] * shell.coefficients[q] * std::pow(2 * std::sqrt(a * b) / (a + b), l + 1.5);
      }
    }
    EXPECT_NEAR(square, 1, 1e-12);
    // The function times its coefficient is what it was.
    const double before = made.basis.shells[i].coefficients[0] * made.sets[0].coefficients(row, 3);
    const double after = shell.coefficients[0] * document.wavefunction->sets[0].coefficients(row, 3);
    EXPECT_NEAR(after, before, 1e-13);
    row += shell.function_count();
  }
}

TEST(WriteMolden, effective_cores_and_ghosts_are_said_where_readers_look) {
  // PySCF and IOData take the third word of an atom for the charge that the electrons see, the first for the
  // element, which must be one.
  Wavefunction made = example_wavefunction("sp", false);
  made.molecule.atoms[0] = {24, made.molecule.atoms[0].position_bohr, 6};  // not to be taken for carbon
  made.molecule.atoms[1] = {0, made.molecule.atoms[1].position_bohr, 0, 9};
  made.molecule.atoms.push_back({83, {9, 9, 9}, 5});
  made.molecule.atoms.push_back({0, {-9, 9, 9}, 0});
  expect_round_trip(made);
  const TemporaryFile file({}, ".molden");
  write_molden(made, made.sets.front(), file.path());
  const std::string text = read_text_file(file.path());
  EXPECT_NE(text.find("\nCr     1   6 "), std::string::npos);
  EXPECT_NE(text.find("\nF      2   0 "), std::string::npos);
  EXPECT_NE(text.find("\nBi     3   5 "), std::string::npos);
  EXPECT_NE(text.find("\nH      4   0 "), std::string::npos);
  EXPECT_NE(text.find("[Core]\n1 : 18\n3 : 78\n"), std::string::npos);
}

TEST(WriteMolden, unknown_energies_stay_unknown) {
  Wavefunction made = example_wavefunction("sp", false);
  for (Orbital& orbital : made.sets[0].orbitals)
    orbital.energy_hartree = std::numeric_limits<double>::quiet_NaN();
  const auto expect_unknown = [&made](const std::string& first_energy) {
    const TemporaryFile file({}, ".molden");
    write_molden(made, made.sets.front(), file.path());
    EXPECT_NE(read_text_file(file.path()).find("Ene= " + first_energy), std::string::npos);
    const Document found = read_document(file.path());
    for (const Orbital& orbital : found.wavefunction->sets[0].orbitals)
      EXPECT_TRUE(std::isnan(orbital.energy_hartree));
  };
  expect_unknown("0.00000");
  made.sets[0].orbitals[0].occupation = 1.96875;  // natural: by custom the occupations stand there
  expect_unknown("1.96875");
}

TEST(WriteMolden, round_trip_of_the_samples) {
  for (const char* name :
       {"oxygen-triplet.fchk.gz", "water-ccpvqz.fchk.gz", "benzene.fchk.gz", "c60.molden.gz"}) {
    expect_round_trip(*read_document(sample(name)).wavefunction);
  }
}

TEST(WriteMolden, refuses_what_the_format_cannot_say_and_leaves_no_file) {
  const TemporaryFile file({}, ".molden");
  for (const bool spherical : {false, true}) {
    Wavefunction h = example_wavefunction("sgh", spherical);
    for (Shell& shell : h.basis.shells) {
      if (shell.angular_momentum == 4) shell.spherical = false;
    }
    try {
      write_molden(h, h.sets[0], file.path());
      ADD_FAILURE() << "Cartesian h functions were written";
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(file.path().string() + ": ")) << error.what();
    }
  }
  Wavefunction mixed = example_wavefunction("sd", true);
  mixed.basis.shells.back().spherical = false;
  EXPECT_THROW(write_molden(mixed, mixed.sets[0], file.path()), Error);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  const Wavefunction good = example_wavefunction("s", false);
  EXPECT_THROW(write_molden(good, good.sets[0], "/no-such-folder/x.molden"), Error);
}

grid::ScalarField random_field(unsigned seed) {
  grid::ScalarField field;
  field.grid.origin = {-1.5, 0.123456789, 3};
  field.grid.step << 0.2, 0.05, 0, -0.05, 0.2, 0, 0, 0, 0.188972612;
  field.grid.dimensions = {3, 4, 7};
  std::mt19937 random(seed);
  std::normal_distribution<float> value(0, 1);
  for (std::size_t i = 0; i < field.grid.point_count(); ++i)
    field.values.push_back(value(random) * (i % 5 == 0 ? 1e-20f : 1));
  return field;
}

TEST(WriteCube, brings_every_float_back) {
  Molecule molecule;
  molecule.atoms = {{6, {0.25, 0.5, -1.125}, 6}, {79, {1, 2, 3}, 19}};
  const grid::ScalarField a = random_field(1), b = random_field(2);
  const std::array<const grid::ScalarField*, 2> fields{&a, &b};
  const std::array<int, 2> numbers{20, 21};
  const TemporaryFile file({}, ".cube");
  write_cube(molecule, fields, numbers, "two\norbitals", file.path());
  const Document document = read_document(file.path());
  ASSERT_EQ(document.fields.size(), 2u);
  EXPECT_EQ(document.fields[0]->name, "orbital 20");
  EXPECT_TRUE(std::equal(a.values.begin(), a.values.end(), document.fields[0]->values.begin(),
                         document.fields[0]->values.end()));
  EXPECT_TRUE(std::equal(b.values.begin(), b.values.end(), document.fields[1]->values.begin(),
                         document.fields[1]->values.end()));
  EXPECT_LT((document.fields[0]->grid.step - a.grid.step).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((document.fields[0]->grid.origin - a.grid.origin).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_EQ(document.molecule.atoms[1].atomic_number, 79);
  EXPECT_EQ(document.molecule.atoms[1].nuclear_charge, 19);
}

TEST(WriteCube, names_its_maker_before_the_title_of_the_molecule) {
  const grid::ScalarField field = random_field(1);
  const std::array<const grid::ScalarField*, 1> fields{&field};
  const TemporaryFile file({}, ".cube");
  Molecule molecule;
  molecule.title = "Generated by another program";
  for (int times = 0; times < 2; ++times) {  // also of one that it has written
    write_cube(molecule, fields, {}, "density", file.path());
    molecule = read_document(file.path()).molecule;
    EXPECT_EQ(molecule.title, "Isolume: Generated by another program");
  }
  write_cube({}, fields, {}, "density", file.path());
  EXPECT_EQ(read_document(file.path()).molecule.title, "Isolume");
}

TEST(WriteCube, without_numbers_and_without_atoms) {
  const grid::ScalarField a = random_field(3), b = random_field(4);
  const TemporaryFile file({}, ".cube");
  const std::array<const grid::ScalarField*, 1> one{&a};
  write_cube({}, one, {}, "density", file.path());
  EXPECT_EQ(read_document(file.path()).fields.at(0)->at(2, 3, 6), a.at(2, 3, 6));
  const std::array<const grid::ScalarField*, 2> two{&a, &b};
  write_cube({}, two, {}, "density", file.path());
  EXPECT_EQ(read_document(file.path()).fields.at(1)->at(2, 3, 6), b.at(2, 3, 6));
}

TEST(WriteCube, many_orbital_numbers_go_over_several_lines) {
  Molecule molecule;
  molecule.atoms = {{1, {0, 0, 0}, 1}};
  std::vector<grid::ScalarField> all(23, random_field(5));
  std::vector<const grid::ScalarField*> fields;
  std::vector<int> numbers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    fields.push_back(&all[i]);
    numbers.push_back(static_cast<int>(100 + i));
  }
  const TemporaryFile file({}, ".cube");
  write_cube(molecule, fields, numbers, "", file.path());
  const Document document = read_document(file.path());
  ASSERT_EQ(document.fields.size(), 23u);
  EXPECT_EQ(document.fields[22]->name, "orbital 122");
}

TEST(WriteCube, can_be_cancelled_and_leaves_no_file) {
  const TemporaryFile file;
  grid::ScalarField field;
  field.grid.dimensions = {2, 2, 2};
  field.values.assign(8, 1.0f);
  const std::array<const grid::ScalarField*, 1> fields{&field};
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(write_cube({}, fields, {}, "", file.path(), jobs::Progress(source.get_token(), {})),
               Cancelled);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

TEST(WriteCube, refuses_fields_that_do_not_belong_together) {
  const grid::ScalarField a = random_field(1);
  grid::ScalarField b = random_field(2);
  b.grid.origin.x() += 1;
  const TemporaryFile file({}, ".cube");
  const std::array<const grid::ScalarField*, 2> fields{&a, &b};
  EXPECT_THROW(write_cube({}, fields, {}, "", file.path()), Error);
  EXPECT_THROW(write_cube({}, {}, {}, "", file.path()), Error);
  b.grid.unit = grid::LengthUnit::millimetre;
  const auto* in_millimetres = &b;
  EXPECT_THROW(write_cube({}, {&in_millimetres, 1}, {}, "", file.path()), Error);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
}

}  // namespace
}  // namespace isolume::molecules
