#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/base/units.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::example_wavefunction;
using testing::molden_text;
using testing::MoldenStyle;
using testing::read_text;
using testing::reference;
using testing::sample;

double coefficient_difference(const Wavefunction& a, const Wavefunction& b) {
  const auto& left = a.sets.front().coefficients;
  const auto& right = b.sets.front().coefficients;
  if (left.rows() != right.rows() || left.cols() != right.cols()) return INFINITY;
  return (left - right).cwiseAbs().maxCoeff();
}

void expect_reads_back(const Wavefunction& made, const std::string& text) {
  const Document document = read_text(text);
  EXPECT_EQ(document.format, "molden");
  ASSERT_TRUE(document.wavefunction);
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.explanation;
  EXPECT_LT(coefficient_difference(made, *document.wavefunction), 1e-12);
  EXPECT_LT((made.molecule.atoms[1].position_bohr - document.molecule.atoms[1].position_bohr).norm(), 1e-9);
  for (std::size_t i = 0; i < made.basis.shells.size(); ++i) {
    EXPECT_EQ(made.basis.shells[i].spherical, document.wavefunction->basis.shells[i].spherical);
    EXPECT_EQ(made.basis.shells[i].angular_momentum, document.wavefunction->basis.shells[i].angular_momentum);
  }
}

TEST(Molden, kinds_of_functions_by_all_tags) {
  expect_reads_back(example_wavefunction("spdfg", false), molden_text(example_wavefunction("spdfg", false)));
  MoldenStyle style;
  style.tags = "[5D]\n[9G]\n";
  const Wavefunction spherical = example_wavefunction("spdfg", true);
  expect_reads_back(spherical, molden_text(spherical, style));
  for (const char* tags : {"[5d7f]\n[9g]\n", "[5D]\n[7F]\n[9G]\n", "[5D7F9G]\n", " [5D] \n\t[ 9G ]\n"}) {
    style.tags = tags;
    expect_reads_back(spherical, molden_text(spherical, style));
  }
  for (const char* tags : {"[5D10F]\n", "[5D]\n[10F]\n"}) {
    Wavefunction mixed = example_wavefunction("spd", true);
    mixed.basis.shells.push_back({1, 3, false, {0.8}, {1.0}});
    const Eigen::MatrixXd overlap = overlap_matrix(mixed.molecule, mixed.basis);
    mixed.sets.front().coefficients =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap).operatorInverseSqrt();
    while (mixed.sets.front().orbitals.size() < static_cast<std::size_t>(overlap.rows()))
      mixed.sets.front().orbitals.push_back({});
    style.tags = tags;
    expect_reads_back(mixed, molden_text(mixed, style));
  }
  style.tags = "[7F]\n";
  Wavefunction seven = example_wavefunction("sf", true);
  expect_reads_back(seven, molden_text(seven, style));
}

TEST(Molden, h_functions_follow_g_or_have_a_tag) {
  const Wavefunction spherical = example_wavefunction("sgh", true);
  MoldenStyle style;
  for (const char* tags : {"[5D]\n[9G]\n", "[9G]\n[11H]\n"}) {
    style.tags = tags;
    expect_reads_back(spherical, molden_text(spherical, style));
  }
  const Wavefunction cartesian = example_wavefunction("sgh", false);
  expect_reads_back(cartesian, molden_text(cartesian));
}

TEST(Molden, sections_in_any_order) {
  const Wavefunction made = example_wavefunction("spd", true);
  MoldenStyle style;
  style.tags = "[5D]\n";
  style.mo_first = true;
  style.tags_last = true;
  expect_reads_back(made, molden_text(made, style));
  style.blank_between_atoms = false;
  expect_reads_back(made, molden_text(made, style));
}

TEST(Molden, units_are_angstrom_or_bohr_in_any_spelling) {
  const Wavefunction made = example_wavefunction("sp", false);
  MoldenStyle style;
  for (const char* unit : {"AU", "(AU)", "au", ""}) {
    style.unit = unit;
    expect_reads_back(made, molden_text(made, style));
  }
  style.length = units::angstrom_per_bohr;
  for (const char* unit : {"Angs", "(Angs)", "ANGSTROM", "angs"}) {
    style.unit = unit;
    expect_reads_back(made, molden_text(made, style));
  }
}

TEST(Molden, line_ends_tabs_marks_and_letters_do_not_matter) {
  const Wavefunction made = example_wavefunction("spd", false);
  const std::string text = molden_text(made);
  std::string windows, mac, tabs, upper;
  for (const char c : text) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
    mac += c == '\n' ? '\r' : c;
    tabs += c == ' ' ? '\t' : c;
    upper += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  }
  expect_reads_back(made, windows);
  expect_reads_back(made, mac);
  expect_reads_back(made, tabs);
  expect_reads_back(made, upper);
  expect_reads_back(made, "\xef\xbb\xbf" + text);
}

TEST(Molden, sparse_and_fortran_numbers) {
  const Wavefunction made = example_wavefunction("sp", false);
  MoldenStyle style;
  style.keep_zeros = false;
  Wavefunction sparse = made;
  sparse.sets.front().coefficients.setIdentity();
  const Document document = read_text(molden_text(sparse, style));
  EXPECT_LT(coefficient_difference(sparse, *document.wavefunction), 1e-15);

  std::string text = molden_text(made);
  for (std::size_t at = text.find('e', text.find("[GTO]")); at != std::string::npos;
       at = text.find('e', at + 1)) {
    if (text[at + 1] == '+' || text[at + 1] == '-') text[at] = 'D';
  }
  expect_reads_back(made, text);
}

TEST(Molden, sp_shells_scale_factors_and_odd_shell_lines) {
  const std::string head = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n";
  const std::string orbital = "[MO]\nEne= -0.5\nSpin= Alpha\nOccup= 1\n1 1.0\n";
  const Document both = read_text(head + "1 0\nsp 2 1.00\n1.0 0.5 0.25\n0.5 0.5 0.75\n\n" + orbital);
  ASSERT_EQ(both.wavefunction->basis.shells.size(), 2u);
  EXPECT_EQ(both.wavefunction->basis.shells[1].angular_momentum, 1);
  EXPECT_EQ(both.wavefunction->basis.shells[1].coefficients, (std::vector<double>{0.25, 0.75}));
  const Document scaled = read_text(head + "1 0\ns 1 1.24\n1.0 1.0\n\n" + orbital);
  EXPECT_DOUBLE_EQ(scaled.wavefunction->basis.shells[0].exponents[0], 1.24 * 1.24);
  for (const char* line : {"s 1 0\n", "s 1\n", "S 1 1.0D+00\n", "s\n"}) {
    const Document document = read_text(head + "1\n" + line + "1.0D0 1.0\n\n" + orbital);
    EXPECT_DOUBLE_EQ(document.wavefunction->basis.shells.at(0).exponents.at(0), 1.0) << line;
    EXPECT_EQ(document.orthonormality.name, "as written");
  }
}

TEST(Molden, orbital_properties_in_any_order_or_missing) {
  const std::string head = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\n\n[MO]\n";
  const Document odd = read_text(head + "Occup= 0.5\nSpin= beta\n Sym=  1a'\nEne=-0.25\n1 1.0\n");
  const Orbital& orbital = odd.wavefunction->sets[0].orbitals.at(0);
  EXPECT_EQ(orbital.occupation, 0.5);
  EXPECT_EQ(orbital.spin, Spin::beta);
  EXPECT_EQ(orbital.symmetry, "1a'");
  EXPECT_EQ(orbital.energy_hartree, -0.25);
  const Document one_line = read_text(head + "Sym= a1 Ene= -0.25 Spin= Alpha Occup= 2.0\n1 1.0\n");
  EXPECT_EQ(one_line.wavefunction->sets[0].orbitals.size(), 1u);
  EXPECT_EQ(one_line.wavefunction->sets[0].orbitals[0].symmetry, "a1");
  EXPECT_EQ(one_line.wavefunction->sets[0].orbitals[0].occupation, 2);
  const Document bare = read_text(head + "Ene= -0.5\n1 1.0\n");
  EXPECT_EQ(bare.wavefunction->sets[0].orbitals[0].occupation, 1) << "a neutral hydrogen atom";
  EXPECT_FALSE(bare.remarks.empty());
  const Document no_energy = read_text(head + "Spin= Alpha\nOccup= 1\n1 1.0\n");
  EXPECT_TRUE(std::isnan(no_energy.wavefunction->sets[0].orbitals[0].energy_hartree));
}

/// The [MO] section of a wavefunction's file.
std::string orbitals_of(const Wavefunction& wavefunction) {
  const std::string text = molden_text(wavefunction);
  return text.substr(text.find("[MO]"));
}

TEST(Molden, each_section_of_orbitals_is_a_set) {
  const Wavefunction canonical = example_wavefunction("spd", false);
  Wavefunction natural = canonical;
  for (Orbital& orbital : natural.sets.front().orbitals) orbital.occupation *= 0.95;
  const Eigen::Index last = natural.sets.front().coefficients.cols() - 1;
  natural.sets.front().coefficients.col(0).swap(natural.sets.front().coefficients.col(last));
  const Document document = read_text(molden_text(canonical) + orbitals_of(natural) +
                                      "[GEOMETRIES] XYZ\n1\n\nH 0 0 0\n" + orbitals_of(canonical));
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.explanation;
  const auto& sets = document.wavefunction->sets;
  ASSERT_EQ(sets.size(), 3u);
  EXPECT_EQ(sets[0].name, "canonical");
  EXPECT_EQ(sets[1].name, "natural");
  EXPECT_EQ(sets[2].name, "canonical (2)");
  EXPECT_LT((sets[0].coefficients - canonical.sets[0].coefficients).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_LT((sets[1].coefficients - natural.sets[0].coefficients).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(sets[1].orbitals[0].occupation, 1.9);
}

TEST(Molden, a_section_of_beta_orbitals_belongs_to_the_alpha_ones) {
  Wavefunction alpha = example_wavefunction("sp", false);
  for (Orbital& orbital : alpha.sets.front().orbitals) orbital.occupation /= 2;
  Wavefunction beta = alpha;
  for (Orbital& orbital : beta.sets.front().orbitals) orbital.spin = Spin::beta;
  const Document document = read_text(molden_text(alpha) + orbitals_of(beta));
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.explanation;
  ASSERT_EQ(document.wavefunction->sets.size(), 1u);
  EXPECT_TRUE(document.wavefunction->sets[0].unrestricted());
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 7, 1e-9);
  EXPECT_NEAR(document.electrons_from_overlap.beta, 7, 1e-9);
}

TEST(Molden, orbitals_without_coefficients_are_zero_and_keep_their_place) {
  const std::string head = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\n\n[MO]\n";
  const Document document = read_text(head + "Ene= -1\nOccup= 2\nEne= 2\nOccup= 0\n1 1.0\n");
  const OrbitalSet& set = document.wavefunction->sets[0];
  ASSERT_EQ(set.orbitals.size(), 2u);
  EXPECT_EQ(set.coefficients(0, 0), 0);
  EXPECT_EQ(set.coefficients(0, 1), 1);
  EXPECT_EQ(document.orthonormality.name, "unproven");
}

TEST(Molden, occupations_in_place_of_energies_are_no_energies) {
  const std::string head =
      "[Molden Format]\n[Atoms] AU\nHe 1 2 0 0 0\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\np 1 1.0\n1.0 1.0\n\n[MO]\n";
  const Document document =
      read_text(head + "Ene= 0.025\nOccup= 0.05\n2 1.0\nEne= 0.975\nOccup= 1.95\n1 1.0\n");
  const OrbitalSet& set = document.wavefunction->sets[0];
  EXPECT_EQ(set.name, "natural");
  EXPECT_TRUE(std::isnan(set.orbitals[0].energy_hartree));
  EXPECT_EQ(find_orbital(set, "homo", Spin::alpha), 1);
}

const std::string two_functions =
    "[Molden Format]\n[Atoms] AU\nBe 1 4 0 0 0\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\np 1 1.0\n1.0 1.0\n\n[MO]\n";

TEST(Molden, energies_that_count_the_orbitals_are_no_energies) {
  const Document counted = read_text(two_functions +
                                     "Ene= 0\nOccup= 2\n1 1.0\nEne= 1\nOccup= 2\n2 1.0\nEne= 2\n"
                                     "Occup= 0\n3 1.0\n");
  const OrbitalSet& set = counted.wavefunction->sets[0];
  EXPECT_EQ(set.name, "molecular") << "localised ones, for instance";
  for (const Orbital& each : set.orbitals) EXPECT_TRUE(std::isnan(each.energy_hartree));
  EXPECT_FALSE(frontier_gap_hartree(set, Spin::alpha));
  EXPECT_EQ(find_orbital(set, "homo", Spin::alpha), 1);
  EXPECT_TRUE(std::ranges::any_of(counted.remarks, [](const Remark& each) {
    return each.kind == RemarkKind::dropped && each.text.find("they count the orbitals") != std::string::npos;
  }));
  const Document computed = read_text(two_functions +
                                      "Ene= 0\nOccup= 2\n1 1.0\nEne= 1\nOccup= 2\n2 1.0\nEne= 2.5\n"
                                      "Occup= 0\n3 1.0\n");
  EXPECT_EQ(computed.wavefunction->sets[0].orbitals[1].energy_hartree, 1);
}

TEST(Molden, an_empty_orbital_below_an_occupied_one_is_named) {
  const auto named = [](const std::string& orbitals) {
    const Document document = read_text(two_functions + orbitals);
    return std::ranges::any_of(document.remarks, [](const Remark& each) {
      return each.text.starts_with(
          "The empty orbital 2 (-0.500 Eh) lies below the occupied orbital 3 (0.200 Eh)");
    });
  };
  EXPECT_TRUE(named("Ene= -4\nOccup= 2\n1 1.0\nEne= -0.5\nOccup= 0\n2 1.0\nEne= 0.2\nOccup= 2\n3 1.0\n"));
  EXPECT_FALSE(named("Ene= -4\nOccup= 2\n1 1.0\nEne= -0.5\nOccup= 2\n2 1.0\nEne= 0.2\nOccup= 0\n3 1.0\n"));
}

TEST(Molden, ghosts_keep_the_element_whose_functions_they_carry) {
  for (const auto& [name, element] : {std::pair{"GHOST-O", 8},
                                      {"Ghost_He", 2},
                                      {"Bq:N", 7},
                                      {"X-Cl", 17},
                                      {"Gh(O)", 8},
                                      {"O", 8},
                                      {"Xe", 54},
                                      {"Bq", 0},
                                      {"XX", 0}}) {
    const Document document = read_text("[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n" + std::string(name) +
                                        " 2 0 0 0 4\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\n\n2 0\ns 1 1.0\n1.0 "
                                        "1.0\n\n[MO]\nEne= -0.5\nOccup= 1\n1 1.0\n");
    EXPECT_EQ(document.molecule.atoms[1].atomic_number, 0) << name;
    EXPECT_EQ(document.molecule.atoms[1].ghost_of, element) << name;
  }
}

TEST(Molden, closed_shells_with_occupations_of_one_are_doubled) {
  const std::string text =
      "[Molden Format]\n[Atoms] AU\nBe 1 4 0 0 0\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\np 1 1.0\n1.0 1.0\n\n[MO]\n"
      "Ene= -4\nOccup= 1.0\n1 1.0\nEne= -1\nOccup= 1.0\n2 1.0\n";
  const Document document = read_text(text);
  EXPECT_EQ(electrons_from_occupations(document.wavefunction->sets[0]).beta, 2);
  EXPECT_FALSE(document.remarks.empty());
}

TEST(Molden, shells_may_come_in_another_order_of_atoms) {
  // As Molpro does: the functions count in the order of [GTO], which need not be that of [Atoms].
  const Wavefunction made = example_wavefunction("sp", false);
  std::string text = molden_text(made);
  const std::size_t gto = text.find("  1 0\n");
  const std::size_t second = text.find("  2 0\n");
  text.replace(gto, 6, "  2 0\n");
  text.replace(second, 6, "  1 0\n");
  text.replace(text.find("O 1 8"), 5, "O 2 8");
  text.replace(text.find("C 2 6"), 5, "C 1 6");
  const Document document = read_text(text);
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.wavefunction->basis.shells.front().atom, 0);
}

TEST(Molden, ghosts_labels_and_effective_cores) {
  const std::string text =
      "[Molden Format]\n[Atoms] AU\nH 1 0 0 0 0\nAu 2 19 0 0 4\nCA 3 6 0 0 8\nO1 4 8 4 0 0\nAg 5 47 8 0 0\nI "
      "6 53 0 9 0\n"
      "[Core]\n5 : 28\n[Pseudo]\nI 6 7\n[GTO]\n1 0\ns 1 1.0\n1.0 1.0\n\n[MO]\nEne=0\nOccup=0\n1 1.0\n";
  const Document document = read_text(text);
  const auto& atoms = document.molecule.atoms;
  ASSERT_EQ(atoms.size(), 6u);
  EXPECT_EQ(atoms[0].atomic_number, 0);
  EXPECT_EQ(atoms[1].atomic_number, 79);
  EXPECT_EQ(atoms[1].nuclear_charge, 19);
  EXPECT_EQ(atoms[2].atomic_number, 6);
  EXPECT_EQ(atoms[3].atomic_number, 8);
  EXPECT_EQ(atoms[4].nuclear_charge, 19);
  EXPECT_EQ(atoms[5].atomic_number, 53);
  EXPECT_EQ(atoms[5].nuclear_charge, 7);
}

TEST(Molden, untagged_spherical_functions_are_found_by_their_number) {
  const Wavefunction made = example_wavefunction("spd", true);
  const Document document = read_text(molden_text(made));  // no [5D]
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_TRUE(document.wavefunction->basis.shells.back().spherical);
  EXPECT_FALSE(document.remarks.empty());
}

TEST(Molden, coefficients_equal_those_of_the_checkpoint_of_the_same_calculation) {
  const std::vector<std::pair<const char*, const char*>> pairs{{"water-631gs", "water-631gs"},
                                                               {"benzene-631gs", "benzene"},
                                                               {"oxygen-triplet-uhf", "oxygen-triplet"},
                                                               {"water-def2tzvp", "water-def2tzvp"},
                                                               {"water-ccpvqz", "water-ccpvqz"}};
  for (const auto& [molden, fchk] : pairs) {
    const Document a = read_document(reference(std::string(molden) + ".molden.gz"));
    const Document b = read_document(sample(std::string(fchk) + ".fchk.gz"));
    ASSERT_EQ(a.molecule.atoms.size(), b.molecule.atoms.size());
    const auto& shells = a.wavefunction->basis.shells;
    ASSERT_EQ(shells.size(), b.wavefunction->basis.shells.size()) << molden;
    // Contraction coefficients: the checkpoint has nine digits.
    for (std::size_t i = 0; i < shells.size(); ++i) {
      ASSERT_EQ(shells[i].exponents.size(), b.wavefunction->basis.shells[i].exponents.size());
      EXPECT_EQ(shells[i].atom, b.wavefunction->basis.shells[i].atom);
      EXPECT_EQ(shells[i].spherical, b.wavefunction->basis.shells[i].spherical);
      for (std::size_t p = 0; p < shells[i].exponents.size(); ++p) {
        EXPECT_NEAR(shells[i].coefficients[p], b.wavefunction->basis.shells[i].coefficients[p], 2e-6)
            << molden << " shell " << i;
      }
    }
    EXPECT_LT(coefficient_difference(*a.wavefunction, *b.wavefunction), 1e-7) << molden;
    EXPECT_NEAR(a.electrons_from_overlap.alpha, b.electrons_from_overlap.alpha, 1e-5);
    for (std::size_t i = 0; i < a.wavefunction->sets[0].orbitals.size(); ++i) {
      EXPECT_NEAR(a.wavefunction->sets[0].orbitals[i].energy_hartree,
                  b.wavefunction->sets[0].orbitals[i].energy_hartree, 1e-6);
      EXPECT_EQ(a.wavefunction->sets[0].orbitals[i].occupation,
                b.wavefunction->sets[0].orbitals[i].occupation);
    }
  }
}

TEST(Molden, c60_has_fewer_orbitals_than_functions) {
  const Document document = read_document(sample("c60.molden.gz"));
  const Wavefunction& wavefunction = *document.wavefunction;
  EXPECT_EQ(wavefunction.basis.function_count(), 900u);
  EXPECT_EQ(wavefunction.basis.shells.size(), 360u);
  EXPECT_EQ(wavefunction.sets[0].orbitals.size(), 220u);
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_LT(document.orthonormality.worst_deviation, 1e-5);
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 180, 1e-4);
  EXPECT_EQ(find_orbital(wavefunction.sets[0], "homo", Spin::alpha), 179);
  EXPECT_NEAR(wavefunction.sets[0].orbitals[179].energy_hartree, -0.27114, 1e-5);
  EXPECT_NEAR(wavefunction.sets[0].orbitals[180].energy_hartree, -0.03144, 1e-5);
}

TEST(Molden, aomix_names_each_function_before_its_coefficient) {
  // As Turbomole writes for AOMix; the atom's number must not become the coefficient.
  const Wavefunction made = example_wavefunction("sp", false);
  std::string text = molden_text(made);
  text.replace(text.find("[Molden Format]"), 15, "[AOMix Format]");
  text.insert(text.find("[Atoms]"), "[SCF Energy / Hartree]\n  -.75E+02\n");
  const std::size_t orbitals = text.find("[MO]");
  std::string named = text.substr(0, orbitals);
  std::istringstream lines(text.substr(orbitals));
  for (std::string line; std::getline(lines, line);) {
    const bool plain = line.find_first_of("=[") != std::string::npos;
    named += plain ? line : line.substr(0, 4) + "   1 h     1 px  " + line.substr(4);
    named += '\n';
  }
  const Document document = read_text(named + "[overlap matrix]\n (  1  ,  1 ) =    1.00000000000000\n");
  EXPECT_EQ(document.format, "aomix");
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_LT(coefficient_difference(made, *document.wavefunction), 1e-12);
  EXPECT_NE(error_of(text).find("expected 6 words (function, atom, element, shell, kind, coefficient)"),
            std::string::npos);
}

TEST(Molden, surplus_words_are_refused) {
  const std::string atoms = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n";
  const std::string basis = "[GTO]\n1 0\ns 1 1.0\n1.0 1.0\n\n";
  const std::string orbital = "[MO]\nEne=0\nOccup=1\n1 1.0\n";
  EXPECT_EQ(error_of(atoms + basis + orbital), "");
  const auto expect_error = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << error;
  };
  expect_error(atoms + basis + "[MO]\nEne=0\nOccup=1\n1 1 h 1 s 0.27\n",
               ":12: expected 2 numbers (function, coefficient), found 6 words: \"1 1 h 1 s 0.27\"");
  expect_error(atoms + basis + "[MO]\nEne=0\nOccup=1\n1 1.0 0.0\n", "found 3 words");
  expect_error(atoms + basis + "[MO]\nEne=0\nOccup=1 2\n1 1.0\n", ":11: expected one number (occupation)");
  expect_error(atoms + basis + "[MO]\nEne=0 -1\nOccup=1\n1 1.0\n", ":10: expected one number (energy)");
  expect_error(atoms + "[GTO]\n1 0\ns 1 1.0\n1.0 1.0 0.5\n\n" + orbital, ":7: expected 2 numbers (exponent");
  expect_error(atoms + "[GTO]\n1 0\ns 1 1.0 2.0\n1.0 1.0\n\n" + orbital, ":6: expected 3 words");
  EXPECT_EQ(error_of(atoms + "[GTO]\n1 0\ns 1 1.0 0.000\n1.0 1.0\n\n" + orbital), "");  // Gaussian's form
  expect_error(atoms + "[GTO]\n1 0 3\ns 1 1.0\n1.0 1.0\n\n" + orbital, ":5: expected 2 words");
  expect_error("[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0 9\n", ":3: expected 6 words");
}

TEST(Molden, files_cut_in_the_last_orbital_are_read_and_called_truncated) {
  const Wavefunction made = example_wavefunction("spd", false);
  const std::string text = molden_text(made);
  const std::size_t last = text.rfind(" Sym=");
  // In the properties, between them, in and behind a line of coefficients, in a number.
  const std::size_t lines = text.find("\n   1 ", last);
  for (const std::size_t size : {last + 3, text.find("Ene=", last) + 4, lines + 1, lines + 4, lines + 40,
                                 text.size() - 90, text.size() - 40, text.size() - 18}) {
    const Document document = read_text(text.substr(0, size));
    ASSERT_TRUE(document.wavefunction) << size;
    ASSERT_FALSE(document.remarks.empty()) << size;
    EXPECT_NE(document.remarks[0].text.find("truncated"), std::string::npos) << document.remarks[0].text;
    EXPECT_EQ(document.orthonormality.name, "as written") << size;
    const auto& columns = document.wavefunction->sets[0].coefficients;
    const Eigen::Index whole = made.sets[0].coefficients.cols() - 1;
    EXPECT_LT((columns.leftCols(whole) - made.sets[0].coefficients.leftCols(whole)).cwiseAbs().maxCoeff(),
              1e-12);
  }
  EXPECT_TRUE(read_text(text.substr(0, text.size() - 1)).remarks.empty());  // only the line end is missing
  // Further up nothing can be shown, but the reason is said.
  EXPECT_NE(error_of(text.substr(0, text.find("C 2 6") + 9)).find("truncated"), std::string::npos);
  EXPECT_NE(error_of(text.substr(0, text.find("[GTO]") + 26)).find("truncated"), std::string::npos);
  EXPECT_NE(read_text(text.substr(0, text.find("[MO]"))).remarks[0].text.find("truncated"),
            std::string::npos);
}

TEST(Molden, errors_name_the_line_and_the_reason) {
  const std::string head = "[Molden Format]\n[Atoms] AU\nH 1 1 0 0 0\n";
  const std::string basis = "[GTO]\n1 0\ns 1 1.0\n1.0 1.0\n\n";
  const auto expect_error = [](const std::string& text, const std::string& part) {
    const std::string error = error_of(text);
    EXPECT_NE(error.find(part), std::string::npos) << "wanted: " << part << "\nfound:  " << error;
  };
  expect_error("[Molden Format]\n[STO]\n1 0 0 0 1.0 1.0\n",
               ":2: [STO]: Slater-type orbitals are not supported");
  expect_error(head + "[GTO]\n1 0\ns 999999999 1.0\n1.0 1.0\n",
               ":6: number of primitives is 999999999, but the rest of the file can hold at most");
  expect_error(head + "[GTO]\n1 0\ns 1 1.0\n-1.0 1.0\n", ":7: the exponent \"-1.0\" is not positive");
  expect_error(head + "[GTO]\n1 0\ns 1 1.0\nNaN 1.0\n",
               ":7: expected a finite number (exponent), found \"NaN\"");
  expect_error(head + "[GTO]\n7 0\ns 1 1.0\n1.0 1.0\n\n[MO]\nEne=0\nOccup=1\n1 1.0\n",
               ":6: the shell belongs to atom 7");
  expect_error(head + "[GTO]\n1 0\ni 1 1.0\n1.0 1.0\n", "angular momentum above h");
  expect_error(head + basis + "[MO]\nEne=0\nOccup=1\n1 ********\n", "did not fit its column");
  expect_error(head + basis + "[MO]\nEne=0\nOccup=1\n2 1.0\n",
               "function 2 is out of range: the basis set has 1 functions");
  expect_error(head + basis + "[MO]\nEne=0\nOccup=1\n0 1.0\n", "must lie between 1 and");
  expect_error(head + basis + "[MO]\nEne=0\nOccup=1\n1 1.0\n1 1.0\n", "lists function 1 twice");
  expect_error(head + basis + "[MO]\n1 1.0\n", "coefficients before the first orbital");
  expect_error(head + "[MO]\nEne=0\nOccup=1\n1 1.0\n", "no basis set");
  expect_error("[Molden Format]\n[GTO]\n1 0\n s 1 1.0\n1 1\n", "expected a section [Atoms]");
  expect_error("[Molden Format]\n[Atoms] AU\nH 1 1 0 0\n", "expected 6 words");
  expect_error("[Molden Format]\n[Atoms] AU\nH 1 1 0 0 inf\n",
               "expected a finite number (coordinate), found \"inf\"");
  expect_error("[Molden Format]\n[Atoms] AU\nH 1 500 0 0 0\n", "must lie between 0 and 118");
}

TEST(Molden, effective_cores_that_are_not_stated_show_in_basis_set_and_electrons) {
  // Oxygen and carbon without functions for their 1s shells: 14 - 4 electrons in orbitals.
  Wavefunction made = example_wavefunction("sp", false);
  const auto occupy = [&made](std::size_t pairs) {
    for (std::size_t i = 0; i < made.sets[0].orbitals.size(); ++i)
      made.sets[0].orbitals[i].occupation = i < pairs ? 2 : 0;
  };
  occupy(5);
  const Document valence = read_text(molden_text(made));
  EXPECT_EQ(valence.molecule.atoms[0].nuclear_charge, 6);
  EXPECT_EQ(valence.molecule.atoms[1].nuclear_charge, 4);
  ASSERT_EQ(valence.remarks.size(), 1u);
  EXPECT_EQ(valence.remarks[0].kind, RemarkKind::corrected);
  // Two electrons fewer are no such cores: a charge.
  occupy(6);
  const Document charged = read_text(molden_text(made));
  EXPECT_EQ(charged.molecule.atoms[0].nuclear_charge, 8);
  ASSERT_EQ(charged.remarks.size(), 1u);
  EXPECT_EQ(charged.remarks[0].kind, RemarkKind::assumed);
  EXPECT_NE(charged.remarks[0].text.find("charge of +2"), std::string::npos) << charged.remarks[0].text;
}

/// As xtb writes them: contractions of Slater functions, steep but without the inner shells.
TEST(Molden, minimal_valence_functions_have_effective_cores) {
  Wavefunction made = example_wavefunction("p", false);
  for (Shell& shell : made.basis.shells) {
    shell.angular_momentum = shell.exponents.size() == 2 ? 0 : 1;  // one s shell of each atom
    shell.exponents.front() *= shell.angular_momentum == 0 ? 50 : 1;
    const double norm = self_overlap(shell);
    for (double& each : shell.coefficients) each /= std::sqrt(norm);
  }
  ASSERT_GT(made.basis.shells.front().exponents.front(), 0.5 * 8 * 8) << "as steep as an oxygen's 1s";
  const Eigen::MatrixXd overlap = overlap_matrix(made.molecule, made.basis);
  auto& set = made.sets.front();
  set.coefficients = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap).operatorInverseSqrt();
  set.orbitals.resize(static_cast<std::size_t>(set.coefficients.cols()));
  for (std::size_t i = 0; i < set.orbitals.size(); ++i) set.orbitals[i].occupation = i < 5 ? 2 : 0;
  const Document document = read_text(molden_text(made));
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.molecule.atoms[0].nuclear_charge, 6);
  EXPECT_EQ(document.molecule.atoms[1].nuclear_charge, 4);
}

TEST(Molden, further_calculations_are_frames_and_unused_sections_are_named) {
  const Wavefunction made = example_wavefunction("s", false);
  const std::string text = molden_text(made);
  std::string second = text.substr(text.find("[Atoms]"));
  const std::size_t place = second.find("-0.2");
  ASSERT_NE(place, std::string::npos);
  second.replace(place, 4, "-0.7");
  const Document document = read_text(text + "[FREQ]\n 100.0\n" + second);
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.wavefunction->sets.size(), 1u);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_NEAR(document.frames[0].atoms[0].position_bohr.y(), -0.7, 1e-12);
  EXPECT_NE(document.remarks.text().find("[freq]"), std::string::npos) << document.remarks.text();
  EXPECT_NE(document.remarks.text().find("2 calculations"), std::string::npos) << document.remarks.text();
  // Geometries in angstrom.
  const Document path =
      read_text(text + "[GEOMETRIES] XYZ\n2\nstep 1\nO 0 0 0\nC 0 0 1.2\n2\nstep 2\nO 0 0 0\nC 0 0 1.3\n");
  ASSERT_EQ(path.frames.size(), 2u);
  EXPECT_NEAR(path.frames[1].atoms[1].position_bohr.z(), 1.3 / 0.529177210903, 1e-6);
}

TEST(Molden, geometries_of_other_atoms_are_counted) {
  // Oxygen and carbon: one geometry of them, one of one atom, one of another element.
  const std::string text =
      molden_text(example_wavefunction("s", false)) +
      "[GEOMETRIES] XYZ\n2\n\nO 0 0 0\nC 0 0 1.2\n1\n\nO 0 0 0\n2\n\nO 0 0 0\nN 0 0 1.3\n";
  const Document document = read_text(text);
  EXPECT_EQ(document.frames.size(), 1u);
  const auto remark = std::ranges::find(document.remarks, RemarkKind::dropped, &Remark::kind);
  ASSERT_NE(remark, document.remarks.end()) << document.remarks.text();
  EXPECT_NE(remark->text.find("2 of 3 geometries"), std::string::npos) << remark->text;
  EXPECT_EQ(remark->count, 2u);
  // The labels of [Atoms] name their atoms, even if they look like other elements.
  std::string labelled = text;
  for (std::size_t at = labelled.find("\nC "); at != std::string::npos; at = labelled.find("\nC ", at + 1))
    labelled.replace(at, 3, "\nCA ");
  EXPECT_EQ(read_text(labelled).frames.size(), 1u);
}

TEST(Molden, geometries_alone_are_a_molecule_without_orbitals) {
  const std::string head = "[Molden Format]\n";
  const std::string path = "[GEOMETRIES] XYZ\n2\nfirst\nO 0 0 0\nH 0 0 1.0\n2\nsecond\n8 0 0 0\n1 0 0 1.1\n";
  const std::string vibration =
      "[FREQ]\n100.0\n[FR-COORD]\nO 0 0 0\nH 0 0 1.8\n[FR-NORM-COORD]\nvibration 1\n";
  const Document angstrom = read_text(head + path);
  ASSERT_EQ(angstrom.molecule.atoms.size(), 2u);
  EXPECT_FALSE(angstrom.wavefunction);
  EXPECT_EQ(angstrom.molecule.atoms[0].atomic_number, 8);
  EXPECT_EQ(angstrom.molecule.atoms[1].nuclear_charge, 1);
  EXPECT_NEAR(angstrom.molecule.atoms[1].position_bohr.z(), 1.0 / 0.529177210903, 1e-9);
  ASSERT_EQ(angstrom.frames.size(), 1u);
  EXPECT_NEAR(angstrom.frames[0].atoms[1].position_bohr.z(), 1.1 / 0.529177210903, 1e-9);
  EXPECT_NE(angstrom.remarks.text().find("geometries only"), std::string::npos) << angstrom.remarks.text();
  const Document bohr = read_text(head + vibration);
  ASSERT_EQ(bohr.molecule.atoms.size(), 2u);
  EXPECT_NEAR(bohr.molecule.atoms[1].position_bohr.z(), 1.8, 1e-12);
  EXPECT_NE(bohr.remarks.text().find("[freq], [fr-norm-coord]"), std::string::npos) << bohr.remarks.text();
  EXPECT_EQ(read_text(head + path + vibration).frames.size(), 2u);
  EXPECT_NE(error_of(head + "[FR-COORD]\nO 0 0 0\nQq 0 0 1\n").find(":4: expected an element, found \"Qq\""),
            std::string::npos);
  EXPECT_NE(
      error_of(head + "[GEOMETRIES] ZMAT\nO\nH 1 1.0\n").find(":2: the geometries are not in Cartesian"),
      std::string::npos);
  // Orbitals belong to the atoms of their own section.
  EXPECT_NE(error_of(head + path + "[GTO]\n1 0\ns 1 1.0\n 1.0 1.0\n\n").find("section [Atoms]"),
            std::string::npos);
}

TEST(Molden, values_that_cannot_be_read_are_no_defaults) {
  const std::string text = molden_text(example_wavefunction("s", false));
  const auto with = [&text](std::string_view old, std::string_view replacement) {
    std::string changed = text;
    return changed.replace(changed.find(old), old.size(), replacement);
  };
  EXPECT_NE(error_of(with("Spin= Alpha", "Spin= Up")).find("Alpha or Beta"), std::string::npos);
  const Document starred = read_text(with("Ene= -1.0000000000", "Ene= ************"));
  EXPECT_NE(starred.remarks.text().find("energies of 1 orbital"), std::string::npos)
      << starred.remarks.text();
  const Document missing = read_text(with(" Occup= 2.000000\n", ""));
  EXPECT_NE(missing.remarks.text().find("no occupation"), std::string::npos) << missing.remarks.text();
  EXPECT_NE(error_of(text + "[Core]\n 1 : x\n").find("core"), std::string::npos);
}

}  // namespace
}  // namespace isolume::molecules
