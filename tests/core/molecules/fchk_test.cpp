#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::example_wavefunction;
using testing::read_text;
using testing::sample;

std::string integers(const std::string& name, const std::vector<long>& values) {
  std::string text = fmt::format("{:<40}   I   N={:12d}\n", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{:12d}{}", values[i], i % 6 == 5 || i + 1 == values.size() ? "\n" : "");
  return text;
}

std::string reals(const std::string& name, const std::vector<double>& values) {
  std::string text = fmt::format("{:<40}   R   N={:12d}\n", name, values.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    text += fmt::format("{:16.8E}{}", values[i], i % 5 == 4 || i + 1 == values.size() ? "\n" : "");
  return text;
}

std::string integer(const std::string& name, long value) {
  return fmt::format("{:<40}   I     {:12d}\n", name, value);
}

std::vector<double> flat(const Eigen::MatrixXd& m) {
  return {m.data(), m.data() + m.size()};
}

/// A checkpoint in Gaussian's layout. Functions in the order `order`, which a test gives in full.
std::string fchk_text(const Wavefunction& w, const AngularOrder& order = fchk_order) {
  std::string text = "title\nSP        RHF                                                         basis\n";
  std::vector<long> numbers, types, counts, owners;
  std::vector<double> charges, places, exponents, coefficients;
  for (const Atom& atom : w.molecule.atoms) {
    numbers.push_back(atom.atomic_number);
    charges.push_back(atom.nuclear_charge);
    places.insert(places.end(), atom.position_bohr.data(), atom.position_bohr.data() + 3);
  }
  for (const Shell& shell : w.basis.shells) {
    types.push_back(shell.spherical ? -shell.angular_momentum : shell.angular_momentum);
    counts.push_back(static_cast<long>(shell.exponents.size()));
    owners.push_back(shell.atom + 1);
    exponents.insert(exponents.end(), shell.exponents.begin(), shell.exponents.end());
    coefficients.insert(coefficients.end(), shell.coefficients.begin(), shell.coefficients.end());
  }
  Eigen::MatrixXd rows = w.sets.front().coefficients;
  rearrange_rows(rearrangement(w.basis, isolume_order, order), rows);
  std::vector<double> energies;
  for (const Orbital& o : w.sets.front().orbitals) energies.push_back(o.energy_hartree);
  text += integer("Number of atoms", static_cast<long>(numbers.size())) + integer("Charge", 0) +
          integer("Multiplicity", 1) + integer("Number of electrons", 14) +
          integer("Number of alpha electrons", 7) + integer("Number of beta electrons", 7) +
          integer("Number of basis functions", rows.rows()) +
          integer("Number of independent functions", rows.cols());
  text += integers("Atomic numbers", numbers) + reals("Nuclear charges", charges) +
          reals("Current cartesian coordinates", places);
  text += integers("Shell types", types) + integers("Number of primitives per shell", counts) +
          integers("Shell to atom map", owners) + reals("Primitive exponents", exponents) +
          reals("Contraction coefficients", coefficients);
  text += reals("Alpha Orbital Energies", energies) + reals("Alpha MO coefficients", flat(rows));
  return text;
}

void expect_reads_back(const Wavefunction& made, const std::string& text) {
  const Document document = read_text(text);
  EXPECT_EQ(document.format, "fchk");
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.deviation_as_written;
  EXPECT_LT((document.wavefunction->sets[0].coefficients - made.sets[0].coefficients).cwiseAbs().maxCoeff(),
            1e-7);
}

TEST(Fchk, spherical_and_cartesian_shells_to_h) {
  const Wavefunction spherical = example_wavefunction("spdfgh", true);
  expect_reads_back(spherical, fchk_text(spherical));
  const Wavefunction cartesian = example_wavefunction("spdfgh", false);
  // Gaussian's orders, written out: g and h run from z to x.
  AngularOrder gaussian = fchk_order;
  gaussian.cartesian[2] = "xx yy zz xy xz yz";
  gaussian.cartesian[3] = "xxx yyy zzz xyy xxy xxz xzz yzz yyz xyz";
  gaussian.cartesian[4] = "zzzz yzzz yyzz yyyz yyyy xzzz xyzz xyyz xyyy xxzz xxyz xxyy xxxz xxxy xxxx";
  gaussian.cartesian[5] =
      "zzzzz yzzzz yyzzz yyyzz yyyyz yyyyy xzzzz xyzzz xyyzz xyyyz xyyyy xxzzz xxyzz xxyyz xxyyy "
      "xxxzz xxxyz xxxyy xxxxz xxxxy xxxxx";
  expect_reads_back(cartesian, fchk_text(cartesian, gaussian));
}

TEST(Fchk, steps_of_an_optimisation_are_frames) {
  const Wavefunction made = example_wavefunction("sp", false);
  std::vector<double> places;
  for (const double shift : {-0.25, -0.125, 0.0}) {  // the last one is the geometry of the orbitals
    for (const Atom& atom : made.molecule.atoms) {
      for (const double x : atom.position_bohr) places.push_back(x + shift);
    }
  }
  const std::string text = fchk_text(made);
  const Document document = read_text(text + reals("Opt point       1 Geometries", places));
  EXPECT_EQ(document.orthonormality.name, "as written");
  ASSERT_EQ(document.frames.size(), 2u);
  EXPECT_NEAR(document.frames[0].atoms[1].position_bohr.z(), made.molecule.atoms[1].position_bohr.z() - 0.25,
              1e-7);
  EXPECT_NEAR(document.frames[1].atoms[0].position_bohr.x(), made.molecule.atoms[0].position_bohr.x() - 0.125,
              1e-7);
  EXPECT_EQ(document.frames[1].atoms[0].atomic_number, 8);
  places.pop_back();
  EXPECT_NE(error_of(text + reals("Opt point       1 Geometries", places)).find("17 coordinates"),
            std::string::npos);
}

std::vector<double> moved_places(const Wavefunction& made, double shift) {
  std::vector<double> places;
  for (const Atom& atom : made.molecule.atoms) {
    for (const double x : atom.position_bohr) places.push_back(x + shift);
  }
  return places;
}

TEST(Fchk, orbitals_and_geometry_are_of_one_step) {
  // Dynamics that writes orbitals with its first step alone: they stay with that step's geometry.
  const Wavefunction made = example_wavefunction("spd", true);
  const std::string coordinates = "Current cartesian coordinates";
  std::vector<double> bent = moved_places(made, 0);
  bent[0] += 0.3;
  const std::string text = fchk_text(made) + reals("Cartesian Forces", bent) + reals(coordinates, bent) +
                           reals("Cartesian Forces", bent) + reals(coordinates, moved_places(made, -0.125));
  const Document document = read_text(text);
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.deviation_as_written;
  EXPECT_EQ(document.frames.size(), 2u);
  EXPECT_NEAR(document.molecule.atoms[0].position_bohr.x(), made.molecule.atoms[0].position_bohr.x(), 1e-7);
  EXPECT_NE(document.remarks.text().find("orbitals belong to step 1"), std::string::npos)
      << document.remarks.text();
}

TEST(Fchk, of_several_steps_with_orbitals_the_last_is_taken_whole) {
  // An optimisation: the orbitals of the first step are not orthonormal at the last geometry, nor the other way round.
  Wavefunction first = example_wavefunction("sp", false);
  const Wavefunction last = example_wavefunction("sp", false);
  first.molecule.atoms[0].position_bohr.x() += 0.4;
  const Eigen::MatrixXd overlap = overlap_matrix(first.molecule, first.basis);
  first.sets[0].coefficients = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap).operatorInverseSqrt();
  std::string second = fchk_text(last);
  second = second.substr(second.find("Current cartesian"));
  const Document document = read_text(fchk_text(first) + second);
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.deviation_as_written;
  EXPECT_NEAR(document.molecule.atoms[0].position_bohr.x(), last.molecule.atoms[0].position_bohr.x(), 1e-7);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_NEAR(document.frames[0].atoms[0].position_bohr.x(), first.molecule.atoms[0].position_bohr.x(), 1e-7);
}

TEST(Fchk, contraction_coefficients_may_include_the_primitives_norms) {
  // As Q-Chem writes them, and with virtual orbitals to a few thousandths, because it neglects small overlaps.
  const Wavefunction right = example_wavefunction("sp", false);
  Wavefunction wrong = right;
  for (Shell& shell : wrong.basis.shells) {
    for (std::size_t p = 0; p < shell.exponents.size(); ++p)
      shell.coefficients[p] *= primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0});
  }
  const Document exact = read_text(fchk_text(wrong));
  EXPECT_EQ(exact.orthonormality.name, "primitive-norms");
  EXPECT_FALSE(exact.orthonormality.limited);
  auto& coefficients = wrong.sets[0].coefficients;
  for (Eigen::Index i = 7; i < coefficients.cols(); ++i) coefficients.col(i) *= std::sqrt(1.002);
  const Document document = read_text(fchk_text(wrong));
  EXPECT_EQ(document.orthonormality.name, "primitive-norms");
  EXPECT_TRUE(document.orthonormality.proven());
  EXPECT_TRUE(document.orthonormality.limited);
  EXPECT_NEAR(document.orthonormality.worst_deviation, 0.002, 1e-6);
  EXPECT_NEAR(document.electrons_from_overlap.alpha + document.electrons_from_overlap.beta, 14, 1e-5);
  ASSERT_FALSE(document.remarks.empty());
  EXPECT_EQ(document.remarks[0].kind, RemarkKind::corrected);
  // The same in occupied orbitals is no such thing.
  for (Eigen::Index i = 0; i < 7; ++i) coefficients.col(i) *= std::sqrt(1.002);
  EXPECT_EQ(read_text(fchk_text(wrong)).orthonormality.name, "unproven");
}

TEST(Fchk, orbitals_of_two_components_are_named) {
  const Wavefunction made = example_wavefunction("s", false);
  const auto functions = static_cast<std::size_t>(made.sets[0].coefficients.rows());
  const std::string text = fchk_text(made);
  const auto with = [&](std::size_t orbitals, std::size_t numbers) {
    return text.substr(0, text.find("Alpha Orbital Energies")) +
           reals("Alpha Orbital Energies", std::vector<double>(orbitals, -0.5)) +
           reals("Alpha MO coefficients", std::vector<double>(numbers, 0.25));
  };
  for (const std::size_t parts : {std::size_t{1}, std::size_t{2}}) {  // real, complex
    const Document general = read_text(with(2 * functions, parts * 4 * functions * functions));
    EXPECT_EQ(general.wavefunction, nullptr);
    EXPECT_NE(general.remarks.text().find("generalised (two-component)"), std::string::npos)
        << general.remarks.text();
    EXPECT_EQ(general.molecule.atoms.size(), 2u);
  }
  const Document complex = read_text(with(functions, 2 * functions * functions));
  EXPECT_EQ(complex.wavefunction, nullptr);
  EXPECT_NE(complex.remarks.text().find("complex"), std::string::npos) << complex.remarks.text();
}

TEST(Fchk, a_further_set_has_the_occupations_that_follow_from_the_first) {
  const Wavefunction made = example_wavefunction("sp", false);
  const Eigen::MatrixXd& canonical = made.sets[0].coefficients;
  Eigen::MatrixXd rows = canonical;
  rows.col(0) = 0.6 * canonical.col(0) + 0.8 * canonical.col(5);
  rows.col(5) = -0.8 * canonical.col(0) + 0.6 * canonical.col(5);
  const auto text_with = [&](Eigen::MatrixXd columns) {
    rearrange_rows(rearrangement(made.basis, isolume_order, fchk_order), columns);
    return fchk_text(made) + reals("Localized Alpha MO Coefficients (ER)", flat(columns));
  };
  const Document document = read_text(text_with(rows));
  ASSERT_EQ(document.wavefunction->sets.size(), 2u);
  const OrbitalSet& localised = document.wavefunction->sets[1];
  ASSERT_TRUE(localised.occupations_known);
  for (std::size_t i = 0; i < localised.orbitals.size(); ++i)
    EXPECT_EQ(localised.orbitals[i].occupation, i < 7 ? 2 : 0);
  EXPECT_NE(document.remarks.text().find("they follow from the density"), std::string::npos)
      << document.remarks.text();
  // Where occupied and virtual orbitals are mixed, no occupations of the new ones give the density.
  rows = canonical;
  rows.col(6) = 0.6 * canonical.col(6) + 0.8 * canonical.col(7);
  rows.col(7) = -0.8 * canonical.col(6) + 0.6 * canonical.col(7);
  const Document mixed = read_text(text_with(rows));
  EXPECT_FALSE(mixed.wavefunction->sets[1].occupations_known);
  EXPECT_THROW(require_occupations(mixed.wavefunction->sets[1]), Error);
  EXPECT_THROW(find_orbital(mixed.wavefunction->sets[1], "homo", Spin::alpha), Error);
}

TEST(Fchk, numbers_that_cannot_be_read_are_no_defaults) {
  const std::string text = fchk_text(example_wavefunction("s", false));
  const auto with = [&text](std::string_view old, std::string_view replacement) {
    std::string changed = text;
    return error_of(changed.replace(changed.find(old), old.size(), replacement));
  };
  EXPECT_NE(with(integer("Charge", 0), fmt::format("{:<40}   I     ************\n", "Charge")).find("Charge"),
            std::string::npos);
  EXPECT_NE(
      with("Nuclear charges                            R   N=           2\n  8.00000000E+00  6.00000000E+00",
           "Nuclear charges                            R   N=           1\n  8.00000000E+00")
          .find("Nuclear charges"),
      std::string::npos);
}

TEST(Fchk, beta_orbitals_that_are_cut_off_are_missed) {
  const std::string whole = fchk_text(example_wavefunction("s", false));
  EXPECT_EQ(read_text(whole).remarks.text().find("beta orbitals"), std::string::npos);
  const auto cut = read_text(whole + reals("Beta Orbital Energies", {-1, -0.5}));
  EXPECT_NE(cut.remarks.text().find("energies of beta orbitals, but not their coefficients"),
            std::string::npos)
      << cut.remarks.text();
}

/// Psi4 writes all of alpha before beta: nothing of beta is left of a file that ends there.
TEST(Fchk, beta_orbitals_are_missed_where_the_method_is_unrestricted) {
  const auto told = [](const std::string& text) {
    return read_text(text).remarks.text().find("states an unrestricted calculation") != std::string::npos;
  };
  const std::string whole = fchk_text(example_wavefunction("s", false));
  EXPECT_FALSE(told(whole));
  std::string text = whole;
  text.replace(text.find(" RHF"), 4, " UHF");
  EXPECT_TRUE(told(text));
  EXPECT_TRUE(told(whole + integer("IOpCl", 1)));
  EXPECT_FALSE(told(whole + integer("IOpCl", 0)));
}

TEST(Fchk, counts_of_the_header_are_promises) {
  const std::string whole = fchk_text(example_wavefunction("s", false));
  const auto remarks = [](const std::string& text) { return read_text(text).remarks.text(); };
  const auto with_77 = [&whole](const std::string& name) {
    const auto line = whole.find(name);
    if (line == std::string::npos) return whole + integer(name, 77);
    return std::string(whole).replace(line, whole.find('\n', line) + 1 - line, integer(name, 77));
  };
  EXPECT_EQ(remarks(whole).find("The header states"), std::string::npos) << remarks(whole);
  for (const std::string name :
       {"Number of contracted shells", "Number of primitive shells", "Number of independent functions"}) {
    const auto text = remarks(with_77(name));
    EXPECT_NE(text.find("\" as 77, but"), std::string::npos) << name << ": " << text;
  }
  EXPECT_NE(error_of(with_77("Number of atoms")).find("77 atoms"), std::string::npos);
}

TEST(Fchk, other_programs_order_is_found) {
  const Wavefunction made = example_wavefunction("spdfg", false);
  const Document document = read_text(fchk_text(made, molden_order));
  EXPECT_EQ(document.orthonormality.name, "swapped-10f-15g");
  EXPECT_LT((document.wavefunction->sets[0].coefficients - made.sets[0].coefficients).cwiseAbs().maxCoeff(),
            1e-7);
}

TEST(Fchk, charges_of_bare_nuclei_beside_effective_cores_are_no_alarm) {
  // Q-Chem: nuclear charges 42 and 53, but only the 14 electrons outside of the cores; here charged, so that
  // 42 - 28 + 53 - 46 = 21 = 14 + 7. No s function is steep enough for the 1s of either.
  Wavefunction made = example_wavefunction("sp", false);
  made.molecule.atoms[0] = {42, made.molecule.atoms[0].position_bohr, 42};
  made.molecule.atoms[1] = {53, made.molecule.atoms[1].position_bohr, 53};
  const auto text_of = [&made] {
    std::string text = fchk_text(made);
    return text.replace(text.find(integer("Charge", 0)), integer("Charge", 0).size(), integer("Charge", 7));
  };
  const Document document = read_text(text_of());
  EXPECT_EQ(document.molecule.atoms[0].nuclear_charge, 14);
  EXPECT_EQ(document.molecule.atoms[1].nuclear_charge, 7);
  ASSERT_EQ(document.remarks.size(), 1u);
  EXPECT_NE(document.remarks[0].text.find("were subtracted (28 of Mo, 46 of I)"), std::string::npos)
      << document.remarks[0].text;
  // 38 electrons may be 28 of Mo and 10 of Cl, or 36 and 2: nothing is guessed.
  made.molecule.atoms[1] = {17, made.molecule.atoms[1].position_bohr, 17};
  const Document open = read_text(text_of());
  EXPECT_EQ(open.molecule.atoms[0].nuclear_charge, 42);
  ASSERT_EQ(open.remarks.size(), 1u);
  EXPECT_NE(open.remarks[0].text.find("counts 38 electrons fewer"), std::string::npos)
      << open.remarks[0].text;
  // With functions for the innermost electrons it is an alarm.
  made.basis.shells[0].exponents[0] = 5000;
  const Document alarm = read_text(text_of());
  EXPECT_TRUE(std::any_of(alarm.remarks.begin(), alarm.remarks.end(), [](const Remark& remark) {
    return remark.text.find("require 52 electrons") != std::string::npos;
  }));
}

TEST(Fchk, facts_of_the_samples) {
  const Document benzene = read_document(sample("benzene.fchk.gz"));
  EXPECT_EQ(benzene.format, "fchk");
  EXPECT_EQ(benzene.molecule.atoms.size(), 12u);
  EXPECT_EQ(benzene.wavefunction->basis.function_count(), 102u);
  EXPECT_EQ(benzene.molecule.charge, 0);
  EXPECT_EQ(benzene.molecule.multiplicity, 1);
  EXPECT_EQ(find_orbital(benzene.wavefunction->sets[0], "homo", Spin::alpha), 20);
  EXPECT_NEAR(benzene.electrons_from_overlap.alpha, 21, 1e-6);
  const Document quadruple = read_document(sample("water-ccpvqz.fchk.gz"));
  EXPECT_EQ(quadruple.wavefunction->basis.max_angular_momentum(), 4);
  EXPECT_EQ(quadruple.wavefunction->basis.function_count(), 115u);
}

TEST(Fchk, sp_shells) {
  std::string text =
      "t\nSP RHF STO-3G\n" + integer("Number of atoms", 1) + integer("Number of electrons", 2) +
      integer("Number of alpha electrons", 1) + integer("Number of beta electrons", 1) +
      integer("Number of basis functions", 4) + integers("Atomic numbers", {2}) +
      reals("Nuclear charges", {2}) + reals("Current cartesian coordinates", {0, 0, 1}) +
      integers("Shell types", {-1}) + integers("Number of primitives per shell", {2}) +
      integers("Shell to atom map", {1}) + reals("Primitive exponents", {1.0, 0.3}) +
      reals("Contraction coefficients", {0.5, 0.4}) + reals("P(S=P) Contraction coefficients", {0.3, 0.7}) +
      reals("Alpha MO coefficients", {1, 0, 0, 0, 0, 1, 0, 0});
  const Document document = read_text(text);
  const auto& shells = document.wavefunction->basis.shells;
  ASSERT_EQ(shells.size(), 2u);
  EXPECT_EQ(shells[0].angular_momentum, 0);
  EXPECT_EQ(shells[1].angular_momentum, 1);
  EXPECT_NEAR(shells[1].coefficients[1] / shells[1].coefficients[0], 0.7 / 0.3, 1e-12);  // normalised since
  EXPECT_EQ(document.orthonormality.name, "unnormalised-contractions");
  EXPECT_TRUE(std::isnan(document.wavefunction->sets[0].orbitals[0].energy_hartree));
  EXPECT_EQ(document.wavefunction->sets[0].orbitals[0].occupation, 2);
  EXPECT_NE(error_of(text.replace(text.find("P(S=P)"), 6, "Q(S=P)")).find("p(s=p) contraction coefficients"),
            std::string::npos);
}

TEST(Fchk, effective_cores_and_ghosts) {
  Wavefunction made = example_wavefunction("sp", false);
  made.molecule.atoms[0] = {79, made.molecule.atoms[0].position_bohr, 19};
  made.molecule.atoms[1] = {1, made.molecule.atoms[1].position_bohr, 0};
  const Document document = read_text(fchk_text(made));
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 79);
  EXPECT_EQ(document.molecule.atoms[0].nuclear_charge, 19);
  EXPECT_EQ(document.molecule.atoms[1].atomic_number, 0);
}

TEST(Fchk, fewer_orbitals_than_functions) {
  Wavefunction made = example_wavefunction("spd", true);
  const Eigen::MatrixXd some = made.sets[0].coefficients.leftCols(9);
  made.sets[0].coefficients = some;
  made.sets[0].orbitals.resize(9);
  expect_reads_back(made, fchk_text(made));
}

TEST(Fchk, occupations_in_place_of_energies_are_a_natural_set) {
  Wavefunction made = example_wavefunction("sp", false);
  const std::size_t count = made.sets[0].orbitals.size();
  for (std::size_t i = 0; i < count; ++i)
    made.sets[0].orbitals[i].energy_hartree =
        i < 7 ? 1.95 : 7 * 0.05 * 2 / 2 / static_cast<double>(count - 7);
  const Document document = read_text(fchk_text(made));
  const OrbitalSet& set = document.wavefunction->sets[0];
  EXPECT_EQ(set.name, "natural");
  EXPECT_NEAR(set.orbitals[0].occupation, 1.95, 1e-6);
  EXPECT_TRUE(std::isnan(set.orbitals[0].energy_hartree));
}

TEST(Fchk, further_tables_become_sets) {
  const Wavefunction made = example_wavefunction("sp", false);
  const std::string text =
      fchk_text(made) + reals("Localized Alpha MO Coefficients (Boys)", flat(made.sets[0].coefficients));
  const Document document = read_text(text);
  ASSERT_EQ(document.wavefunction->sets.size(), 2u);
  EXPECT_EQ(document.wavefunction->sets[1].name, "localized mo coefficients (boys)");
}

TEST(Fchk, numbers_that_touch_are_split_by_columns) {
  Wavefunction made = example_wavefunction("sp", false);
  std::string text = fchk_text(made);
  const std::size_t head = text.find("Alpha Orbital Energies");
  const std::size_t line = text.find('\n', head) + 1;
  text.replace(line, 32, fmt::format("{:>16}{:>16}", "1.00000000-123", "-2.00000000E+000"));
  const Document document = read_text(text);
  EXPECT_NEAR(document.wavefunction->sets[0].orbitals[0].energy_hartree, 1e-123, 1e-130);
}

TEST(Fchk, errors_name_the_line_and_the_reason) {
  const std::string good = fchk_text(example_wavefunction("spd", true));
  const auto expect_error = [&good](const std::string& from, const std::string& to, const std::string& part) {
    std::string text = good;
    const std::size_t place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    text.replace(place, from.size(), to);
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << error;
  };
  const std::string head = "Alpha MO coefficients                      R   N=";
  expect_error(head + "        1296", head + "999999999999", "the rest of the file can hold at most");
  expect_error(head + "        1296", head + "          -5", "a count cannot be negative");
  expect_error(head + "        1296", head + "        1295", "not a multiple of the 36 basis functions");
  expect_error("Primitive exponents", "Primitive exponentz", "expected the record \"primitive exponents\"");
  expect_error("Number of basis functions                  I               36",
               "Number of basis functions                  I               37",
               "the shells make 36 basis functions, but the file says 37");
  expect_error("  3.10000000E+00", " -3.10000000E+00", "is not positive");
  expect_error("  3.10000000E+00", "             NaN", "expected a finite number");
  expect_error("Shell types                                I   N=          12\n           0",
               "Shell types                                I   N=          12\n          -6",
               "angular momentum above h");
  expect_error("Shell to atom map                          I   N=          12\n           1",
               "Shell to atom map                          I   N=          12\n           9",
               "a shell belongs to atom 9, but there are 2 atoms");
  expect_error("Atomic numbers                             I   N=           2\n           8",
               "Atomic numbers                             I   N=           2\n         800",
               "atomic number 800");
}

}  // namespace
}  // namespace isolume::molecules
