// Outputs that hold several jobs, that are cut, or whose calculations failed.
#include <algorithm>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/small_files.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;
using testing::says;
using testing::with;

std::string gaussian_job() {
  return testing::gaussian_log({"3D 0", "3D+1", "3D-1", "3D+2", "3D-2"});
}

/// The part of a text from one phrase to the next occurrence of another.
std::string from_to(const std::string& text, std::string_view from, std::string_view to) {
  const std::size_t begin = text.find(from);
  EXPECT_NE(begin, std::string::npos) << from;
  return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

/// The text without the line of the last occurrence of a phrase.
std::string without_last_line(std::string text, std::string_view phrase) {
  const std::size_t at = text.rfind(phrase);
  EXPECT_NE(at, std::string::npos) << phrase;
  const std::size_t begin = text.rfind('\n', at) + 1;
  return text.erase(begin, text.find('\n', at) + 1 - begin);
}

std::string gaussian_of_both_spins() {
  const std::string table = from_to(gaussian_job(), "     Molecular Orbital", " Density");
  const std::string of_beta = with(table, "     Mol", "     Beta Mol");
  return with(with(gaussian_job(), "     Mol", "     Alpha Mol"), " Density", of_beta + " Density");
}

std::string qchem_of_both_spins() {
  const std::string text = testing::qchem_output();
  const std::string table = text.substr(text.find("RESTRICTED (RHF)") + 16);
  return with(text, "RESTRICTED (RHF)", "ALPHA") + "                        BETA " + table;
}

std::string psi4_of_both_spins() {
  const std::string text = with(testing::small_psi4(), "==> Mol", "==> Alpha-Spin Mol");
  const std::string table = text.substr(text.find("==> Alpha-Spin"));
  return text + with(table, "Alpha", "Beta");
}

TEST(OutputSpins, complete_tables_of_both_spins_are_read) {
  for (const std::string& text : {gaussian_of_both_spins(), qchem_of_both_spins(), psi4_of_both_spins()}) {
    const Document document = read_text(text);
    ASSERT_TRUE(document.wavefunction);
    const auto& orbitals = document.wavefunction->sets[0].orbitals;
    EXPECT_EQ(std::ranges::count(orbitals, Spin::alpha, &Orbital::spin) * 2, std::ssize(orbitals));
  }
}

TEST(OutputSpins, a_missing_table_of_beta_orbitals_is_an_error) {
  const std::string log = gaussian_of_both_spins(), output = qchem_of_both_spins(),
                    psi4 = psi4_of_both_spins();
  EXPECT_NE(error_of(log.substr(0, log.find("     Beta"))).find("found 9 alpha and 0 beta"),
            std::string::npos);
  EXPECT_NE(
      error_of(output.substr(0, output.find("                        BETA"))).find("9 alpha and 0 beta"),
      std::string::npos);
  EXPECT_NE(error_of(psi4.substr(0, psi4.find("==> Beta"))).find("2 alpha and 0 beta"), std::string::npos);
  const std::string orca = with(testing::orca_output(), " Total Charge",
                                " Hartree-Fock type      HFTyp           .... UHF\n Total Charge");
  EXPECT_NE(error_of(orca).find("9 alpha and 0 beta"), std::string::npos);
}

TEST(OutputSpins, a_table_that_ends_within_the_beta_orbitals_is_an_error) {
  const std::string log = gaussian_of_both_spins();
  const std::string error = error_of(log.substr(0, log.rfind("         6         7")));
  EXPECT_NE(error.find("found 9 alpha and 5 beta"), std::string::npos) << error;
  const std::string table =
      from_to(testing::orca_output(), "------------------\nMOL", "\nnothing").substr(57);
  const std::string orca = testing::orca_output() + table;
  ASSERT_TRUE(read_text(orca).wavefunction);
  EXPECT_NE(error_of(orca.substr(0, orca.rfind("         6         7"))).find("9 alpha and 6 beta"),
            std::string::npos);
}

TEST(OutputSpins, a_missing_line_of_orbital_numbers_is_an_error) {
  EXPECT_NE(error_of(without_last_line(gaussian_job(), "6         7"))
                .find("expected the numbers of orbitals from 6"),
            std::string::npos);
  EXPECT_NE(error_of(without_last_line(testing::orca_output(), "6         7")).find("orbitals from 6"),
            std::string::npos);
  EXPECT_NE(error_of(without_last_line(testing::qchem_output(), "7         8")).find("orbitals from 7"),
            std::string::npos);
  std::string psi4 = testing::small_psi4();
  std::string second = psi4.substr(psi4.find("                            1            2"));
  psi4 += with(second, "                            1            2\n", "");
  EXPECT_NE(error_of(psi4).find("orbitals from 3"), std::string::npos);
  std::string nwchem = with(testing::small_nwchem(), "[1:2,1:2]", "[1:2,1:4]");
  EXPECT_NE(error_of(nwchem).find("expected 4 orbitals, found 2"), std::string::npos);
}

TEST(OutputSpins, the_end_of_the_file_within_a_restricted_table_is_named) {
  const std::string orca = testing::orca_output(), log = gaussian_job();
  const std::string cut = orca.substr(0, orca.rfind("         6         7"));
  EXPECT_TRUE(says(read_text(cut), RemarkKind::warning, "The file ends after 6 orbitals of 9 functions"));
  EXPECT_TRUE(says(read_text(log.substr(0, log.rfind("         6         7"))), RemarkKind::warning,
                   "The file ends after 5 orbitals of 9 functions"));
  EXPECT_FALSE(says(read_text(orca), RemarkKind::warning, "The file ends"));
  // Programs can print some of the virtual orbitals.
  EXPECT_FALSE(says(read_text(cut + "\nTOTAL RUN TIME\n\nEND\n"), RemarkKind::warning, "The file ends"));
}

TEST(OutputSpins, some_virtual_orbitals_of_each_spin_are_read) {
  // Q-Chem prints the same number of virtual orbitals for both spins: here 5.
  std::string text = qchem_of_both_spins();
  const std::string heading = "                        BETA";
  const std::size_t beta = text.find(heading), group = text.rfind("         7         8", beta);
  text.erase(text.rfind('\n', group), beta - text.rfind('\n', group) - 1);
  text.resize(text.rfind("         7         8"));
  std::string one_less;
  for (std::size_t at = text.find(heading), end; at < text.size(); at = end) {
    end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at - 1);
    one_less += (line.size() >= 78 ? line.substr(0, 68) : line) + '\n';
  }
  text.replace(text.find(heading), std::string::npos, one_less);
  EXPECT_NE(error_of(text).find("found 6 alpha and 5 beta"), std::string::npos);
  const Document document = read_text(with(text, "1 beta", "0 beta"));
  ASSERT_TRUE(document.wavefunction);
  EXPECT_EQ(document.wavefunction->sets[0].orbitals.size(), 11u);
}

TEST(OutputJobs, the_facts_of_a_later_job_do_not_change_those_of_the_orbitals) {
  const std::string later = with(from_to(gaussian_job(), " Entering", " AO basis"),
                                 "Charge =  0 Multiplicity = 1", "Charge =  1 Multiplicity = 2");
  const std::string log = with(gaussian_job(), "     1 alpha", " He1-ECP   3 1\n     1 alpha");
  const Document document = read_text(
      log + later + "     1 alpha electrons        0 beta electrons\n SCF Done:  E(UHF) = -1.5 A.U.\n");
  EXPECT_EQ(document.molecule.charge, 0);
  EXPECT_EQ(document.molecule.multiplicity, 1);
  EXPECT_FALSE(document.energy);
  EXPECT_EQ(electrons_from_occupations(document.wavefunction->sets[0]).beta, 1);
  EXPECT_EQ(document.molecule.atoms[0].nuclear_charge, 1);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "The file has 2 jobs. Job 1 is shown"));
}

TEST(OutputJobs, the_facts_of_an_earlier_job_do_not_change_those_of_the_orbitals) {
  std::string earlier = with(from_to(gaussian_job(), " Entering", " AO basis"), "0.500000", "0.900000");
  earlier += " He1-ECP   3 1\n SCF Done:  E(RHF) = -1.5 A.U.\n";
  // Without symmetry there is no standard orientation.
  const Document document =
      read_text(earlier + with(gaussian_job(), "Standard orientation", "Input orientation"));
  EXPECT_NEAR(document.molecule.atoms[0].position_bohr.z(), 0.5 * units::bohr_per_angstrom, 1e-12);
  EXPECT_EQ(document.molecule.atoms[0].nuclear_charge, 2);
  EXPECT_FALSE(document.energy);
  EXPECT_TRUE(document.frames.empty());
  EXPECT_TRUE(says(document, RemarkKind::dropped, "Job 2 is shown"));
}

TEST(OutputJobs, one_job_has_no_remark_on_jobs) {
  for (const std::string& text : {gaussian_job(), testing::orca_output(), testing::qchem_output(),
                                  testing::small_psi4(), testing::small_nwchem()}) {
    EXPECT_FALSE(says(read_text(text), RemarkKind::dropped, "jobs"));
  }
}

TEST(OutputJobs, of_orca_and_qchem) {
  const std::string orca = testing::orca_output();
  const std::string later = with(from_to(orca, " Total Charge", "BASIS SET"), "....    0", "....    2");
  const std::string job = " $$$$$$$$$$$$$$$$  JOB NUMBER  2 $$$$$$$$$$$$$$\n";
  Document document = read_text(orca + job + later + "FINAL SINGLE POINT ENERGY   -1.5\n");
  EXPECT_EQ(document.molecule.charge, 0);
  EXPECT_FALSE(document.energy);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "Job 1 is shown"));
  const std::string qchem = testing::qchem_output();
  document = read_text(qchem + "User input: 2 of 2\n" +
                       with(from_to(qchem, "             Standard Nuc", " Basis"), "1 beta", "0 beta") +
                       "Total energy in the final basis set =      -74.9\n");
  EXPECT_FALSE(document.energy);
  EXPECT_EQ(electrons_from_occupations(document.wavefunction->sets[0]).beta, 1);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "Job 1 is shown"));
}

TEST(OutputJobs, psi4_reads_the_basis_set_of_each_job) {
  const std::string first = with(testing::small_psi4(), "1.00000000   0.71", "2.00000000   0.71");
  const Document document = read_text(first + testing::small_psi4());
  EXPECT_EQ(document.wavefunction->basis.shells[0].exponents[0], 1);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "Job 2 is shown"));
  // In one run a new basis set begins a calculation with the same molecule.
  std::string second = testing::small_psi4();
  second.erase(0, second.find("  ==> AO Basis"));
  EXPECT_EQ(read_text(first + second).wavefunction->basis.shells[0].exponents[0], 1);
  EXPECT_EQ(read_text(first + second).molecule.charge, -1);
  // Steps of an optimisation are no jobs.
  EXPECT_FALSE(says(read_text(testing::small_psi4() + second), RemarkKind::dropped, "jobs"));
}

TEST(OutputJobs, nwchem_tasks_keep_the_geometry) {
  const std::string text = testing::small_nwchem();
  const Document document =
      read_text(text +
                "              NWChem Input Module\n          charge          =   1.00\n"
                "         Total SCF energy =     -0.250000000000\n");
  EXPECT_EQ(document.molecule.charge, -1);
  EXPECT_EQ(document.energy.value().hartree, -0.5);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "Job 1 is shown"));
  EXPECT_FALSE(says(read_text(text + "              NWChem Input Module\n"), RemarkKind::dropped, "jobs"));
}

TEST(OutputFailures, an_scf_that_did_not_converge_is_named) {
  const std::pair<std::string, std::string> failures[] = {
      {gaussian_job(), " >>>>>>>>>> Convergence criterion not met.\n SCF Done:  E(RHF) =  -2.8 A.U.\n"},
      {testing::orca_output(), "       SCF NOT CONVERGED AFTER 125 CYCLES\n"},
      {testing::qchem_output(), " gen_scfman_exception:  SCF failed to converge\n"},
      {testing::small_psi4(), "PsiException: Could not converge SCF iterations in 100 iterations.\n"},
      {testing::small_nwchem(), "       Calculation failed to converge\n"}};
  for (const auto& [text, failure] : failures) {
    EXPECT_FALSE(says(read_text(text), RemarkKind::warning, "did not converge"));
    EXPECT_TRUE(says(read_text(text + failure), RemarkKind::warning, "The SCF did not converge")) << failure;
  }
  // A later SCF of the same job converged.
  EXPECT_FALSE(says(read_text(gaussian_job() + failures[0].second + " SCF Done:  E(RHF) =  -2.9 A.U.\n"),
                    RemarkKind::warning, "did not converge"));
}

TEST(OutputFailures, the_end_with_an_error_is_named) {
  EXPECT_TRUE(says(read_text(gaussian_job() + " Error termination via Lnk1e in l502.exe\n"),
                   RemarkKind::warning, "The job ended with an error: \"Error termination via"));
  EXPECT_TRUE(says(read_text(testing::orca_output() + "ORCA finished by error termination in SCF\n"),
                   RemarkKind::warning, "The job ended with an error"));
}

TEST(OutputGeometries, stars_for_a_coordinate_are_an_error_even_in_the_first_row) {
  const std::string stars = "************";
  EXPECT_NE(error_of(with(gaussian_job(), "        0.000000", "    " + stars)).find("expected atom 1"),
            std::string::npos);
  EXPECT_NE(error_of(with(testing::orca_output(), "    0.000000    0.1", stars + "    0.1"))
                .find("expected atom 1"),
            std::string::npos);
  EXPECT_NE(error_of(with(testing::qchem_output(), "0.0000000000", stars)).find("expected atom 1"),
            std::string::npos);
  EXPECT_NE(
      error_of(with(testing::small_psi4(), "0.0  0.0   0.0", "****  0.0   0.0")).find("expected atom 1"),
      std::string::npos);
  EXPECT_NE(
      error_of(with(testing::small_psi4(), "0.0  0.0  20.0", "****  0.0  20.0")).find("expected atom 2"),
      std::string::npos);
  EXPECT_NE(error_of(with(testing::small_nwchem(), "1.0000     0.00000000", "******     0.00000000"))
                .find("expected atom 1"),
            std::string::npos);
}

TEST(OutputGeometries, input_orientations_are_frames_where_there_are_no_others) {
  const std::string input =
      with(from_to(gaussian_job(), "                         Standard", " AO basis"), "Standard", "Input");
  const std::string log = with(gaussian_job(), "Standard", "Input");
  const std::size_t at = log.find("                         Input");
  std::string steps = log;
  steps.insert(at, with(input, "0.500000", "0.800000"));
  steps.insert(at, with(input, "0.500000", "0.700000"));
  const Document document = read_text(steps);
  ASSERT_EQ(document.frames.size(), 2u);
  EXPECT_NEAR(document.frames[0].atoms[0].position_bohr.z(), 0.7 * units::bohr_per_angstrom, 1e-12);
  // With standard orientations, input orientations are the same geometries in other axes.
  EXPECT_TRUE(read_text(with(gaussian_job(), "                         Standard",
                             with(input, "0.500000", "0.700000") + "                         Standard"))
                  .frames.empty());
}

TEST(OutputGeometries, dummy_atoms_of_a_z_matrix_are_left_out_with_a_remark) {
  const Document document =
      read_text(with(with(gaussian_job(), "Standard", "Z-Matrix"), "      1          2           0 ",
                     "      1         -1           0        0.000000    0.000000    1.000000\n"
                     "      2          2           0 "));
  ASSERT_EQ(document.molecule.atoms.size(), 1u);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 2);
  EXPECT_TRUE(document.wavefunction);
  EXPECT_TRUE(says(document, RemarkKind::dropped, "Dummy atoms"));
}

}  // namespace
}  // namespace isolume::molecules
