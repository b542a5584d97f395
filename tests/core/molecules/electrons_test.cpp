// Electrons, spins and calculations of wavefunction files that contradict themselves, or leave them open.
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/molecules/writers.h"
#include "tests/core/molecules/small_files.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;
using testing::says;
using testing::small_wfn;
using testing::with;

TEST(WfnEnd, a_second_calculation_is_named_and_its_energy_is_not_taken) {
  const std::string second = with(small_wfn(), "ENERGY =       -1.0", "ENERGY =       -9.0");
  const Document document = read_text(small_wfn() + second);
  EXPECT_EQ(document.energy.value().hartree, -1);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "more than one calculation")) << document.remarks.text();
  EXPECT_EQ(document.wavefunction->sets[0].orbitals.size(), 1u);
  EXPECT_TRUE(read_text(small_wfn()).remarks.empty());
}

TEST(WfnEnd, more_orbitals_than_announced_are_refused) {
  const std::string text = small_wfn();
  const std::size_t begin = text.find("MO    1"), end = text.find("END DATA");
  const std::string two = with(text, "END DATA", text.substr(begin, end - begin) + "END DATA");
  EXPECT_NE(error_of(two).find("more orbitals than the 1"), std::string::npos);
  // Without an end, too, and not the energy of that orbital for the total one.
  EXPECT_NE(error_of(two.substr(0, two.find("END DATA"))).find("more orbitals"), std::string::npos);
}

// --- Molden
// -----------------------------------------------------------------------------------------------------------

/// Two atoms 9 bohr apart with one s function each, exp(-r^2): their overlap is exp(-81/2), nothing.
std::string molden(std::string_view symbols, std::string_view orbitals) {
  return fmt::format(
      "[Molden Format]\n[Atoms] AU\n{} 1 {} 0 0 0\n{} 2 {} 0 0 9\n[GTO]\n1 0\ns 1 1.0\n 1.0 1.0\n\n2 0\ns 1 "
      "1.0\n 1.0 1.0\n\n[MO]\n{}",
      symbols, symbols == "H" ? 1 : 2, symbols, symbols == "H" ? 1 : 2, orbitals);
}
constexpr std::string_view left = "1 1.00000000\n2 0.0\n", right = "1 0.0\n2 1.00000000\n";

std::string orbital(double energy, std::string_view spin, double occupation, std::string_view numbers) {
  return fmt::format(" Ene= {}\n{} Occup= {}\n{}", energy, spin, occupation, numbers);
}

TEST(MoldenSpins, without_lines_of_spin_the_second_list_is_beta) {
  // An unrestricted H2: two alpha orbitals, then the two beta ones, over two functions. One electron each.
  const Document document =
      read_text(molden("H", orbital(-0.5, "", 1, left) + orbital(0.3, "", 0, right) +
                                orbital(-0.5, "", 1, left) + orbital(0.3, "", 0, right)));
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.explanation;
  EXPECT_EQ(document.wavefunction->sets[0].of_spin(Spin::beta), (std::vector{2, 3}));
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 1, 1e-9);
  EXPECT_NEAR(document.electrons_from_overlap.beta, 1, 1e-9);
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
}

TEST(MoldenSpins, orbitals_of_two_components_have_no_density) {
  // Interleaved: no cut leaves two orthonormal lists.
  const Document document =
      read_text(molden("H", orbital(-0.5, "", 1, left) + orbital(-0.5, "", 1, left) +
                                orbital(0.3, "", 0, right) + orbital(0.3, "", 0, right)));
  EXPECT_TRUE(says(document, RemarkKind::warning, "two-component")) << document.remarks.text();
  EXPECT_THROW(require_occupations(document.wavefunction->sets[0]), Error);
}

TEST(MoldenOccupations, of_two_electrons_in_an_orbital_of_one_spin_are_halved) {
  // Two helium atoms have four electrons: two orbitals of each spin with one electron each.
  const std::string alpha = " Spin= Alpha\n", beta = " Spin= Beta\n";
  const Document document =
      read_text(molden("He", orbital(-0.9, alpha, 2, left) + orbital(-0.8, alpha, 2, right) +
                                 orbital(-0.9, beta, 2, left) + orbital(-0.8, beta, 2, right)));
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 2, 1e-9);
  EXPECT_NEAR(document.electrons_from_overlap.beta, 2, 1e-9);
  ASSERT_EQ(document.remarks.size(), 1u) << document.remarks.text();
  EXPECT_EQ(document.remarks[0].kind, RemarkKind::corrected);
  EXPECT_EQ(document.remarks[0].count, 4u);
}

TEST(MoldenOccupations, that_no_orbital_can_have_are_named) {
  const std::string alpha = " Spin= Alpha\n", beta = " Spin= Beta\n";
  const Document mixed =
      read_text(molden("He", orbital(-0.9, alpha, 2, left) + orbital(-0.8, alpha, 1, right) +
                                 orbital(-0.9, beta, 1, left) + orbital(-0.8, beta, 1, right)));
  EXPECT_TRUE(says(mixed, RemarkKind::warning, "more electrons than 1")) << mixed.remarks.text();
  const Document more =
      read_text(molden("He", orbital(-0.9, alpha, 2.5, left) + orbital(-0.8, alpha, 1.5, right)));
  EXPECT_TRUE(says(more, RemarkKind::warning, "more electrons than 2")) << more.remarks.text();
  // Natural orbitals of a relaxed density: by theory slightly more than two.
  const Document relaxed =
      read_text(molden("He", orbital(-0.9, alpha, 2.004, left) + orbital(-0.8, alpha, 1.996, right)));
  EXPECT_FALSE(says(relaxed, RemarkKind::warning, "more electrons than")) << relaxed.remarks.text();
}

// --- what files state of electrons
// ------------------------------------------------------------------------------

/// A helium atom with one s function and a pair of electrons, or with the charge that is told.
std::string fchk(int multiplicity, int electrons, int alpha, int beta) {
  return fmt::format(
      "helium\nSP        RHF                                                         STO-1G\n"
      "Number of atoms                            I                1\n"
      "Charge                                     I                {}\n"
      "Multiplicity                               I                {}\n"
      "Number of electrons                        I                {}\n"
      "Number of alpha electrons                  I                {}\n"
      "Number of beta electrons                   I                {}\n"
      "Number of basis functions                  I                1\n"
      "Atomic numbers                             I   N=           1\n           2\n"
      "Nuclear charges                            R   N=           1\n  2.00000000E+00\n"
      "Current cartesian coordinates              R   N=           3\n"
      "  0.00000000E+00  0.00000000E+00  0.00000000E+00\n"
      "Shell types                                I   N=           1\n           0\n"
      "Number of primitives per shell             I   N=           1\n           1\n"
      "Shell to atom map                          I   N=           1\n           1\n"
      "Primitive exponents                        R   N=           1\n  1.00000000E+00\n"
      "Contraction coefficients                   R   N=           1\n  1.00000000E+00\n"
      "Alpha Orbital Energies                     R   N=           1\n -9.00000000E-01\n"
      "Alpha MO coefficients                      R   N=           1\n  1.00000000E+00\n",
      2 - alpha - beta, multiplicity, electrons, alpha, beta);
}

TEST(StatedElectrons, a_multiplicity_that_a_closed_shell_cannot_have_is_named) {
  // A pair has no unpaired electron: its multiplicity is 1. One electron has the multiplicity 2.
  EXPECT_TRUE(read_text(fchk(1, 2, 1, 1)).remarks.empty()) << read_text(fchk(1, 2, 1, 1)).remarks.text();
  EXPECT_TRUE(read_text(fchk(2, 1, 1, 0)).remarks.empty()) << read_text(fchk(2, 1, 1, 0)).remarks.text();
  const Document triplet = read_text(fchk(3, 2, 1, 1));
  EXPECT_TRUE(says(triplet, RemarkKind::warning, "multiplicity of 3")) << triplet.remarks.text();
}

TEST(StatedElectrons, that_differ_from_those_of_the_orbitals_are_named) {
  const Document fewer = read_text(fchk(1, 1, 1, 1));
  EXPECT_TRUE(says(fewer, RemarkKind::warning, "states 1 electrons")) << fewer.remarks.text();
  // A file of one pair that states three electrons, two of them alpha.
  const auto wfx = [](std::string_view sections) {
    return with(testing::small_wfx(), "<Net Charge>", std::string(sections) + "<Net Charge>");
  };
  const Document agreeing = read_text(wfx("<Number of Electrons>\n2\n</Number of Electrons>\n"));
  EXPECT_TRUE(agreeing.remarks.empty()) << agreeing.remarks.text();
  for (const char* sections : {"<Number of Electrons>\n3\n</Number of Electrons>\n",
                               "<Number of Alpha Electrons>\n2\n</Number of Alpha Electrons>\n"}) {
    const Document wrong = read_text(wfx(sections));
    EXPECT_TRUE(says(wrong, RemarkKind::warning, "its orbitals hold 1 alpha and 1 beta"))
        << wrong.remarks.text();
  }
}

// --- writing
// ----------------------------------------------------------------------------------------------------

/// Two natural orbitals that hold one electron each: a triplet and a singlet have them.
std::string two_half_filled() {
  return molden("H", orbital(0, " Spin= Alpha\n", 1, left) + orbital(0, " Spin= Alpha\n", 1, right));
}

TEST(WriteWfx, leaves_out_spins_that_nobody_knows) {
  const Document made = read_text(two_half_filled());
  ASSERT_EQ(made.wavefunction->sets[0].open_shells, OpenShells::unknown);
  const testing::TemporaryFile written({}, ".wfx");
  write_wfx(*made.wavefunction, made.wavefunction->sets[0], written.path());
  const std::string text = read_text_file(written.path());
  EXPECT_EQ(text.find("Multiplicity"), std::string::npos);
  EXPECT_EQ(text.find("Beta Electrons"), std::string::npos);
  EXPECT_NE(text.find("<Number of Electrons>\n2\n"), std::string::npos);
  const Document back = read_document(written.path());
  EXPECT_EQ(back.wavefunction->sets[0].open_shells, OpenShells::unknown);
  // A multiplicity that the input states is kept, although it does not divide the orbitals.
  Wavefunction told = *made.wavefunction;
  told.molecule.multiplicity = 3;
  write_wfx(told, told.sets[0], written.path());
  EXPECT_NE(read_text_file(written.path()).find("Multiplicity>\n3\n"), std::string::npos);
}

TEST(WriteCjson, leaves_out_occupations_that_nobody_knows) {
  const Document made = read_text(with(testing::small_mkl(), "2.0000000    0.0", "0.0000000    0.0"));
  ASSERT_FALSE(made.wavefunction->sets[0].occupations_known);
  const testing::TemporaryFile written({}, ".cjson");
  write_cjson(made.molecule, made.wavefunction.get(), made.wavefunction->sets.data(), written.path());
  const std::string text = read_text_file(written.path());
  EXPECT_EQ(text.find("electronCount"), std::string::npos);
  EXPECT_EQ(text.find("occupations"), std::string::npos);
  // H2 has two electrons if it is neutral, as is then said.
  const Document back = read_document(written.path());
  EXPECT_EQ(back.wavefunction->sets[0].orbitals[0].occupation, 2);
  EXPECT_TRUE(says(back, RemarkKind::assumed, "no occupations")) << back.remarks.text();
}

TEST(Cjson, numbers_of_electrons_that_cannot_be_make_no_half_electrons) {
  // Zero stands for an unknown number: a neutral H2 is assumed.
  const Document none = read_text(with(testing::small_cjson(), "Count\": 2", "Count\": 0"));
  EXPECT_EQ(none.wavefunction->sets[0].orbitals[0].occupation, 2);
  EXPECT_TRUE(says(none, RemarkKind::assumed, "no occupations")) << none.remarks.text();
  // Two electrons have no multiplicity of 2: they are a pair, and the contradiction is named.
  const Document odd = read_text(with(testing::small_cjson(), "Multiplicity\": 1", "Multiplicity\": 2"));
  EXPECT_EQ(odd.wavefunction->sets[0].orbitals[0].occupation, 2);
  EXPECT_TRUE(says(odd, RemarkKind::warning, "multiplicity of 2")) << odd.remarks.text();
}

TEST(CubeHeader, numbers_of_points_with_different_signs_are_refused) {
  const std::string cube = "two\npoints\n 0 0 0 0\n 2 1 0 0\n 1 0 1 0\n 1 0 0 1\n 0.5 0.25\n";
  EXPECT_EQ(read_text(cube).fields.size(), 1u);
  EXPECT_NE(error_of(with(cube, "\n 1 0 1 0", "\n -1 0 1 0")).find("bohr or in angstrom"), std::string::npos);
}

}  // namespace
}  // namespace isolume::molecules
