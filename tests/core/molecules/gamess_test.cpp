// Logs are written here in the layout of GAMESS (US) and of PC GAMESS from a calculation of Psi4.
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/units.h"
#include "core/molecules/document.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::example_wavefunction;
using testing::read_text;

const std::array<std::vector<const char*>, 5> row_names{
    {{"S"},
     {"X", "Y", "Z"},
     {"XX", "YY", "ZZ", "XY", "XZ", "YZ"},
     {"XXX", "YYY", "ZZZ", "XXY", "XXZ", "YYX", "YYZ", "ZZX", "ZZY", "XYZ"},
     {"XXXX", "YYYY", "ZZZZ", "XXXY", "XXXZ", "YYYX", "YYYZ", "ZZZX", "ZZZY", "XXYY", "XXZZ", "YYZZ", "XXYZ",
      "YYXZ", "ZZXY"}}};
constexpr const char* gamess_rows[] = {
    "1", "x y z", "xx yy zz xy xz yz", "xxx yyy zzz xxy xxz yyx yyz zzx zzy xyz",
    "xxxx yyyy zzzz xxxy xxxz yyyx yyyz zzzx zzzy xxyy xxzz yyzz xxyz yyxz zzxy"};

std::string orbital_table(const Wavefunction& w, const OrbitalSet& set, std::size_t first, std::size_t last,
                          bool energies = true) {
  std::vector<std::string> labels;
  for (const Shell& shell : w.basis.shells) {
    for (const char* type : row_names[static_cast<std::size_t>(shell.angular_momentum)]) {
      labels.push_back(
          fmt::format("{:5d}  {:<2}{:2d}{:<4}", labels.size() + 1, "X", shell.atom + 1,
                      std::string_view(type).size() < 3 ? fmt::format("{:>3} ", type) : std::string(type)));
    }
  }
  AngularOrder order = isolume_order;
  for (std::size_t l = 0; l < 5; ++l) order.cartesian[l] = gamess_rows[l];
  Eigen::MatrixXd rows = set.coefficients;
  rearrange_rows(rearrangement(w.basis, isolume_order, order), rows);
  std::string text;
  for (std::size_t start = first; start < last; start += 5) {
    const std::size_t end = std::min(start + 5, last);
    text += "\n               ";
    for (std::size_t i = start; i < end; ++i) text += fmt::format("{:8d}   ", i - first + 1);
    if (energies) {
      text += "\n               ";
      for (std::size_t i = start; i < end; ++i)
        text += fmt::format("{:11.4f}", set.orbitals[i].energy_hartree);
      text += "\n               ";
      for (std::size_t i = start; i < end; ++i) text += "     A1    ";
    }
    text += '\n';
    for (Eigen::Index row = 0; row < rows.rows(); ++row) {
      text += labels[static_cast<std::size_t>(row)];
      for (std::size_t i = start; i < end; ++i)
        text += fmt::format("{:11.6f}", rows(row, static_cast<Eigen::Index>(i)));
      text += '\n';
    }
  }
  return text;
}

std::string head(const Wavefunction& w) {
  std::string text =
      "          *         GAMESS VERSION = 20 APR 2017 (R1)          *\n          *             FROM IOWA "
      "STATE UNIVERSITY             *\n"
      " INPUT CARD> $DATA\n\n     RUN TITLE\n     ---------\n a title of one line\n\n"
      " ATOM      ATOMIC                      COORDINATES (BOHR)\n           CHARGE         X                "
      "   Y                   Z\n";
  for (const Atom& atom : w.molecule.atoms) {
    const auto& p = atom.position_bohr;
    text += fmt::format(" {:<10}{:5.1f}{:17.10f}{:20.10f}{:20.10f}\n", "X", atom.nuclear_charge, p.x(), p.y(),
                        p.z());
  }
  return text + "\n          INTERNUCLEAR DISTANCES (ANGS.)\n\n";
}

std::string basis(const Wavefunction& w, bool pc_gamess = false) {
  std::string text = "     ATOMIC BASIS SET\n     ----------------\n";
  text += pc_gamess ? " SHELL TYPE PRIM    EXPONENT          CONTRACTION COEFFICIENTS\n"
                    : "  SHELL TYPE  PRIMITIVE        EXPONENT          CONTRACTION COEFFICIENT(S)\n";
  int atom = -1, number = 0, primitive = 0;
  for (const Shell& shell : w.basis.shells) {
    if (shell.atom != atom) text += "\n X         \n";
    atom = shell.atom;
    ++number;
    text += '\n';
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      const char type = "SPDFG"[shell.angular_momentum];
      text += pc_gamess ? fmt::format("{:4d}   {}  {:3d}  {:14.6f}  {:10.6f} ( {:9.6f}) \n", number, type,
                                      ++primitive, shell.exponents[p], shell.coefficients[p] * 3.3,
                                      shell.coefficients[p])
                        : fmt::format("{:7d}   {}  {:6d} {:21.7f} {:17.12f}\n", number, type, ++primitive,
                                      shell.exponents[p], shell.coefficients[p]);
    }
  }
  return text + fmt::format(
                    "\n TOTAL NUMBER OF BASIS SET SHELLS             = {:4d}\n NUMBER OF ELECTRONS           "
                    "               =   14\n"
                    " CHARGE OF MOLECULE                           =    0\n SPIN MULTIPLICITY                "
                    "            =    1\n"
                    " NUMBER OF OCCUPIED ORBITALS (ALPHA)          =    7\n NUMBER OF OCCUPIED ORBITALS "
                    "(BETA )          =    7\n",
                    number);
}

const std::string eigenvectors = "\n          ------------\n          EIGENVECTORS\n          ------------\n";

void expect_coefficients(const Wavefunction& made, const Document& document, double tolerance = 1e-6) {
  ASSERT_TRUE(document.wavefunction);
  EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.deviation_as_written;
  EXPECT_LT((document.wavefunction->sets[0].coefficients - made.sets[0].coefficients).cwiseAbs().maxCoeff(),
            tolerance);
}

TEST(Gamess, restricted_log_with_shells_to_g) {
  const Wavefunction made = example_wavefunction("spdfg", false);
  const Document document = read_text(head(made) + basis(made) + eigenvectors +
                                      orbital_table(made, made.sets[0], 0, made.sets[0].orbitals.size()) +
                                      "\n ...... END OF RHF CALCULATION ......\n");
  EXPECT_EQ(document.format, "gamess");
  EXPECT_EQ(document.molecule.title, "a title of one line");
  EXPECT_EQ(document.molecule.charge, 0);
  expect_coefficients(made, document);
  const OrbitalSet& set = document.wavefunction->sets[0];
  EXPECT_NEAR(set.orbitals[3].energy_hartree, made.sets[0].orbitals[3].energy_hartree, 1e-4);
  EXPECT_EQ(set.orbitals[3].symmetry, "A1");
  EXPECT_EQ(set.orbitals[6].occupation, 2);
  EXPECT_EQ(set.orbitals[7].occupation, 0);
}

TEST(Gamess, pc_gamess_prints_two_coefficients) {
  const Wavefunction made = example_wavefunction("spd", false);
  expect_coefficients(made, read_text(head(made) + basis(made, true) + eigenvectors +
                                      orbital_table(made, made.sets[0], 0, made.sets[0].orbitals.size())));
}

TEST(Gamess, alpha_beta_localised_and_last_sets) {
  Wavefunction made = example_wavefunction("sp", false);
  const std::size_t count = made.sets[0].orbitals.size();
  const std::string table = orbital_table(made, made.sets[0], 0, count);
  OrbitalSet swapped = made.sets[0];
  swapped.coefficients.col(0).swap(swapped.coefficients.col(1));
  const Document document =
      read_text(head(made) + basis(made) + "\n  ----- ALPHA SET ----- \n" + eigenvectors + table +
                "\n  ----- BETA SET ----- \n" + eigenvectors + orbital_table(made, swapped, 0, count) +
                "\n ...... END OF UHF ......\n" +
                "\n  **** ALPHA ORBITAL LOCALIZATION ****\n          THE BOYS LOCALIZED ORBITALS ARE\n\n" +
                orbital_table(made, made.sets[0], 0, 7, false) + "\n DONE\n");
  ASSERT_EQ(document.wavefunction->sets.size(), 2u);
  const OrbitalSet& set = document.wavefunction->sets[0];
  ASSERT_EQ(set.orbitals.size(), 2 * count);
  EXPECT_EQ(set.orbitals[count].spin, Spin::beta);
  EXPECT_LT((set.coefficients.rightCols(static_cast<Eigen::Index>(count)) - swapped.coefficients)
                .cwiseAbs()
                .maxCoeff(),
            1e-6);
  EXPECT_EQ(set.orbitals[6].occupation, 1);
  EXPECT_EQ(set.orbitals[count + 7].occupation, 0);
  EXPECT_EQ(document.wavefunction->sets[1].name, "localised (Boys)");
  EXPECT_EQ(document.wavefunction->sets[1].orbitals.size(), 7u);
}

TEST(Gamess, last_geometry_with_its_orbitals) {
  Wavefunction first = example_wavefunction("sp", false);
  Wavefunction last = first;
  last.molecule.atoms[1].position_bohr.x() += 0.2;
  last.sets[0].coefficients =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap_matrix(last.molecule, last.basis))
          .operatorInverseSqrt();
  std::string text = head(first) + basis(first) + eigenvectors +
                     orbital_table(first, first.sets[0], 0, first.sets[0].orbitals.size());
  text +=
      "\n     ***** EQUILIBRIUM GEOMETRY LOCATED *****\n COORDINATES OF ALL ATOMS ARE (ANGS)\n   ATOM   "
      "CHARGE       X              Y              Z\n"
      " ------------------------------------------------------------\n";
  for (const Atom& atom : last.molecule.atoms) {
    const Eigen::Vector3d p = atom.position_bohr * units::angstrom_per_bohr;
    text += fmt::format(" X         {:5.1f}{:15.10f}{:15.10f}{:15.10f}\n", atom.nuclear_charge, p.x(), p.y(),
                        p.z());
  }
  text += "\n          ------------------\n          MOLECULAR ORBITALS\n          ------------------\n" +
          orbital_table(last, last.sets[0], 0, last.sets[0].orbitals.size());
  const Document document = read_text(text);
  expect_coefficients(last, document);
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.x(), last.molecule.atoms[1].position_bohr.x(), 1e-8);
  ASSERT_EQ(document.frames.size(), 1u);  // where the optimisation began
  EXPECT_NEAR(document.frames[0].atoms[1].position_bohr.x(), first.molecule.atoms[1].position_bohr.x(), 1e-8);
}

TEST(Gamess, symmetry_unique_atoms_share_a_printed_basis) {
  Wavefunction made;
  made.molecule.atoms = {{1, {0, 0, 1}, 1}, {1, {0, 0, -1}, 1}};
  for (int atom = 0; atom < 2; ++atom) {
    made.basis.shells.push_back({atom, 0, false, {0.9}, {1.0}});
    made.basis.shells.push_back({atom, 1, false, {0.7}, {1.0}});
  }
  OrbitalSet set;
  set.coefficients = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap_matrix(made.molecule, made.basis))
                         .operatorInverseSqrt();
  set.orbitals.resize(8);
  for (Orbital& orbital : set.orbitals) orbital.energy_hartree = -0.5;
  made.sets.push_back(set);
  // Only the first atom is printed, under the numbers of the last one's shells.
  const std::string shared =
      "  SHELL TYPE  PRIMITIVE        EXPONENT          CONTRACTION COEFFICIENT(S)\n\n H         \n\n"
      "      3   S       1             0.9000000    1.000000000000\n\n      4   P       2             "
      "0.7000000    1.000000000000\n\n"
      " TOTAL NUMBER OF BASIS SET SHELLS             =    4\n";
  expect_coefficients(made, read_text(head(made) + shared + eigenvectors + orbital_table(made, set, 0, 8)));
}

TEST(Gamess, effective_cores) {
  const Wavefunction made = example_wavefunction("sp", false);
  const std::string cores =
      " PARAMETERS FOR \"O-ECP   \" ON ATOM    1 WITH ZCORE   2 AND LMAX  3 ARE\n PARAMETERS FOR \"C-ECP   "
      "\" ON ATOM    2 ARE THE SAME AS ATOM   1\n"
      " NUMBER OF OCCUPIED ORBITALS (ALPHA) KEPT IS    =    5\n NUMBER OF OCCUPIED ORBITALS (BETA ) KEPT IS  "
      "  =    5\n";
  const Document document = read_text(head(made) + basis(made) + cores + eigenvectors +
                                      orbital_table(made, made.sets[0], 0, made.sets[0].orbitals.size()));
  EXPECT_EQ(document.molecule.atoms[0].nuclear_charge, 6);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 8);
  EXPECT_EQ(document.molecule.atoms[1].nuclear_charge, 4);
  EXPECT_EQ(electrons_from_occupations(document.wavefunction->sets[0]).alpha, 5);
}

TEST(Gamess, jobs_keep_their_own_facts) {
  const Wavefunction made = example_wavefunction("sp", false);
  const std::size_t count = made.sets[0].orbitals.size();
  const std::string table = eigenvectors + orbital_table(made, made.sets[0], 0, count) + "\n ......\n";
  const std::string restricted =
      head(made) + basis(made) + " FINAL RHF ENERGY IS -1.5 AFTER 9 ITERATIONS\n" + table;
  const std::string unrestricted =
      head(made) + basis(made) + "          ALPHA SET\n" + table + "          BETA SET\n" + table;
  const Document document = read_text(unrestricted + restricted);
  EXPECT_EQ(document.wavefunction->sets[0].orbitals.size(), count);
  EXPECT_EQ(electrons_from_occupations(document.wavefunction->sets[0]).alpha, 7);
  ASSERT_EQ(document.remarks.size(), 1u);
  EXPECT_NE(document.remarks[0].text.find("The file has 2 jobs. Job 2 is shown"), std::string::npos);
  EXPECT_FALSE(read_text(restricted + unrestricted).energy);
  EXPECT_NE(error_of(unrestricted.substr(0, unrestricted.find("          BETA"))).find("and 0 beta"),
            std::string::npos);
}

TEST(Gamess, an_scf_that_did_not_converge_has_no_energy) {
  const Wavefunction made = example_wavefunction("sp", false);
  const std::string table = orbital_table(made, made.sets[0], 0, made.sets[0].orbitals.size());
  const Document document = read_text(head(made) + basis(made) +
                                      " SCF IS UNCONVERGED, TOO MANY ITERATIONS\n FINAL RHF ENERGY IS        "
                                      "0.0000000000 AFTER  30 ITERATIONS\n" +
                                      eigenvectors + table);
  EXPECT_FALSE(document.energy);
  ASSERT_EQ(document.remarks.size(), 1u);
  EXPECT_EQ(document.remarks[0].kind, RemarkKind::warning);
  EXPECT_NE(document.remarks[0].text.find("The SCF did not converge"), std::string::npos);
}

TEST(Gamess, stars_for_a_coordinate_are_an_error) {
  const Wavefunction made = example_wavefunction("sp", false);
  std::string text = head(made) + basis(made);
  const std::size_t row = text.find("X         ", text.find("CHARGE         X") + 20);
  text.replace(text.find('.', row + 17) - 2, 6, "******");
  EXPECT_NE(error_of(text).find("expected atom 1"), std::string::npos) << error_of(text);
}

TEST(Gamess, a_missing_line_of_orbital_numbers_is_an_error) {
  const Wavefunction made = example_wavefunction("sp", false);
  std::string text = head(made) + basis(made) + eigenvectors +
                     orbital_table(made, made.sets[0], 0, made.sets[0].orbitals.size());
  const std::size_t numbers = text.find("\n               " + fmt::format("{:8d}", 6));
  ASSERT_NE(numbers, std::string::npos);
  text.erase(numbers, text.find('\n', numbers + 1) - numbers);
  EXPECT_NE(error_of(text).find("expected the numbers of orbitals from 6"), std::string::npos)
      << error_of(text);
}

TEST(Gamess, errors_name_the_reason) {
  const Wavefunction made = example_wavefunction("sp", false);
  const std::string table = orbital_table(made, made.sets[0], 0, made.sets[0].orbitals.size());
  EXPECT_NE(error_of("GAMESS VERSION = 1 FROM IOWA STATE UNIVERSITY\n")
                .find("expected the coordinates of the atoms"),
            std::string::npos);
  const std::string cut = head(made) + basis(made) + eigenvectors + table.substr(0, table.size() - 200);
  EXPECT_NE(error_of(cut).find("expected"), std::string::npos);
  std::string stars = head(made) + basis(made) + eigenvectors + table;
  stars.replace(stars.rfind("0."), 6, "******");
  EXPECT_NE(error_of(stars).find("did not fit its column"), std::string::npos);
  Wavefunction other = example_wavefunction("spd", false);
  EXPECT_NE(
      error_of(head(made) + basis(other) + eigenvectors + table).find("functions, but the basis set has"),
      std::string::npos);
}

}  // namespace
}  // namespace isolume::molecules
