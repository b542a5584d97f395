// Every format that holds orbitals, by files of other programs, against the values that PySCF finds at
// points.
#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/letter_case.h"
#include "core/base/text_file.h"
#include "core/molecules/document.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/writers.h"
#include "tests/core/molecules/small_files.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::error_of;
using testing::read_text;
using testing::reference;
using testing::small_wfn;

std::filesystem::path format_file(std::string_view name) {
  return reference(std::string("formats/").append(name));
}

std::string text_of(std::string_view name) {
  return read_text_file(format_file(name));
}

/// Points and the values of all orbitals there, one row a point.
struct Values {
  Eigen::Matrix3Xd points;
  Eigen::MatrixXd orbitals;
};

Values read_values(std::string_view name) {
  std::istringstream file(text_of(name));
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream words(line);
    rows.emplace_back();
    for (double number = 0; words >> number;) rows.back().push_back(number);
  }
  Values values;
  const auto count = static_cast<Eigen::Index>(rows.size());
  const auto orbitals = static_cast<Eigen::Index>(rows.at(0).size()) - 3;
  values.points.resize(3, count);
  values.orbitals.resize(count, orbitals);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto& row = rows[static_cast<std::size_t>(i)];
    for (Eigen::Index k = 0; k < 3; ++k) values.points(k, i) = row[static_cast<std::size_t>(k)];
    for (Eigen::Index k = 0; k < orbitals; ++k)
      values.orbitals(i, k) = row.at(static_cast<std::size_t>(k + 3));
  }
  return values;
}

/// All basis functions at a point, term by term.
Eigen::RowVectorXd functions_at(const Wavefunction& wavefunction, const Eigen::Vector3d& point) {
  std::vector<double> values;
  for (const Shell& shell : wavefunction.basis.shells) {
    const Eigen::Vector3d r =
        point - wavefunction.molecule.atoms[static_cast<std::size_t>(shell.atom)].position_bohr;
    double radial = 0;
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      radial += shell.coefficients[p] * primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0}) *
                std::exp(-shell.exponents[p] * r.squaredNorm());
    }
    Eigen::VectorXd monomials(static_cast<Eigen::Index>(cartesian_powers(shell.angular_momentum).size()));
    Eigen::Index i = 0;
    for (const auto& p : cartesian_powers(shell.angular_momentum))
      monomials[i++] = std::pow(r.x(), p.x) * std::pow(r.y(), p.y) * std::pow(r.z(), p.z);
    const Eigen::VectorXd functions = functions_to_monomials(shell) * monomials * radial;
    values.insert(values.end(), functions.begin(), functions.end());
  }
  return Eigen::Map<const Eigen::RowVectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

struct Case {
  const char* file;
  const char* format;
  const char* values;
  const char* orthonormality;
  double tolerance;
  bool only_occupied = false;
};

void PrintTo(const Case& one, std::ostream* out) {
  *out << one.file;
}

class Format : public ::testing::TestWithParam<Case> {};

TEST_P(Format, has_the_orbitals_of_the_calculation) {
  const Case& one = GetParam();
  const Document document = read_document(format_file(one.file));
  EXPECT_EQ(document.format, one.format);
  ASSERT_TRUE(document.wavefunction);
  EXPECT_TRUE(document.orthonormality.proven()) << document.orthonormality.explanation;
  EXPECT_EQ(document.orthonormality.name, one.orthonormality) << document.orthonormality.deviation_as_written;
  const OrbitalSet& set = document.wavefunction->sets[0];
  const Values values = read_values(one.values);
  EXPECT_EQ(set.coefficients.cols(), one.only_occupied ? 5 : values.orbitals.cols());
  for (Eigen::Index i = 0; i < values.points.cols(); ++i) {
    const Eigen::RowVectorXd found =
        functions_at(*document.wavefunction, values.points.col(i)) * set.coefficients;
    EXPECT_LT((found - values.orbitals.row(i).head(found.size())).cwiseAbs().maxCoeff(), one.tolerance);
  }
  const bool radical = std::string_view(one.file).starts_with("oh");
  EXPECT_EQ(set.unrestricted(), radical);
  const ElectronCount electrons = electrons_from_occupations(set);
  EXPECT_NEAR(electrons.alpha, 5, 1e-6);
  EXPECT_NEAR(electrons.beta, radical ? 4 : 5, 1e-6);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, radical ? 8 : 9);
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.z(), 1.7952398, 1e-5);
  // NWChem tells the energies of the orbitals near the frontier only.
  const bool without_energies = document.format == "gamess-punch" || document.format == "nwchem-output";
  EXPECT_EQ(set.orbitals[0].energy_hartree < -20, !without_energies);
  // Punch files say neither charge nor occupations; corrections are told.
  const bool warned =
      document.format == "gamess-punch" || one.orthonormality != std::string_view("as written");
  EXPECT_EQ(document.remarks.size(), warned ? 1u : 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Files, Format,
    ::testing::Values(
        Case{"oh-cartesian.wfn.gz", "wfn", "oh-cartesian.values.txt", "as written", 2e-7},
        Case{"oh-cartesian.wfx.gz", "wfx", "oh-cartesian.values.txt", "as written", 2e-7},
        Case{"hf-spherical.wfn.gz", "wfn", "hf-spherical.values.txt", "as written", 2e-7, true},
        Case{"hf-spherical.mwfn.gz", "mwfn", "hf-spherical.values.txt", "as written", 1e-6},
        Case{"hf-spherical.mkl.gz", "mkl", "hf-spherical.values.txt", "as written", 1e-5},
        Case{"hf-spherical.cjson.gz", "cjson", "hf-spherical.values.txt", "as written", 1e-6},
        Case{"hf-spherical.47.gz", "nbo", "hf-spherical.values.txt", "as written", 1e-6},
        Case{"oh-cartesian.dat.gz", "gamess-punch", "oh-cartesian.values.txt", "as written", 1e-6},
        // Outputs are rounded to five or six digits.
        Case{"oh-spherical.log.gz", "gaussian-log", "oh-spherical.values.txt", "as written", 5e-5},
        Case{"oh-spherical.out.gz", "orca-output", "oh-spherical.values.txt", "as written", 5e-6},
        Case{"oh-spherical.psi4.out.gz", "psi4-output", "oh-spherical.values.txt", "as written", 2e-6},
        Case{"oh-spherical.nwchem.out.gz", "nwchem-output", "oh-spherical.values.txt", "opposite-signs",
             5e-5},
        Case{"oh-spherical.qchem.out.gz", "qchem-output", "oh-spherical.values.txt", "as written", 5e-5},
        Case{"oh-spherical.orca.json.gz", "orca-json", "oh-spherical.values.txt", "as written", 2e-7},
        Case{"oh-spherical.qcschema.json.gz", "qcschema", "oh-spherical.values.txt", "as written", 2e-7}));

struct Told {
  const char* file;
  const char* kind;
};

/// What PySCF found for these orbitals: energy -75.38825140 hartree, dipole (0.38825, 0.48532, 1.80537)
/// debye.
class Property : public ::testing::TestWithParam<Told> {};

TEST_P(Property, energy_and_dipole_are_those_of_the_calculation) {
  const Document document = read_document(format_file(GetParam().file));
  ASSERT_TRUE(document.energy);
  EXPECT_NEAR(document.energy->hartree, -75.38825140, 1e-8);
  EXPECT_EQ(document.energy->kind, GetParam().kind);
  ASSERT_TRUE(document.dipole_debye);
  EXPECT_LT((*document.dipole_debye - Eigen::Vector3d(0.38825, 0.48532, 1.80537)).cwiseAbs().maxCoeff(),
            1e-4);
  if (document.format != "qchem-output") {
    EXPECT_EQ(document.molecule.charge, 0);
    EXPECT_EQ(document.molecule.multiplicity, 2);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Property,
                         ::testing::Values(Told{"oh-spherical.log.gz", "SCF"},
                                           Told{"oh-spherical.out.gz", "total"},
                                           Told{"oh-spherical.qchem.out.gz", "SCF"},
                                           Told{"oh-spherical.psi4.out.gz", "SCF"},
                                           Told{"oh-spherical.qcschema.json.gz", "total"}));

TEST(Properties, of_files_that_hold_an_energy_alone) {
  const Document mwfn = read_document(format_file("hf-spherical.mwfn.gz"));
  ASSERT_TRUE(mwfn.energy);
  EXPECT_NEAR(mwfn.energy->hartree, -100.0036, 1e-4);
  const Document wfn =
      read_text(small_wfn() + "\n TOTAL ENERGY =       -1.125000 THE VIRIAL(-V/T)=   1.99977\n");
  ASSERT_TRUE(wfn.energy);
  EXPECT_EQ(wfn.energy->hartree, -1.125);
  // Writers that do not know it write zero or NAN.
  EXPECT_FALSE(read_document(format_file("hf-spherical.wfn.gz")).energy);
  EXPECT_FALSE(read_document(format_file("oh-cartesian.wfx.gz")).energy);
}

TEST(Properties, fchk_has_energy_dipole_and_gap) {
  const Document document = read_document(testing::sample("water-631gs.fchk.gz"));
  ASSERT_TRUE(document.energy);
  EXPECT_NEAR(document.energy->hartree, -76.01, 0.05);
  const auto gap = frontier_gap_hartree(document.wavefunction->sets[0], Spin::alpha);
  OrbitalSet correlated = document.wavefunction->sets[0];
  correlated.orbitals[4].occupation = 1.96;
  correlated.orbitals[5].occupation = 0.04;
  EXPECT_FALSE(frontier_gap_hartree(correlated, Spin::alpha)) << "energies of natural orbitals are no levels";
  ASSERT_TRUE(gap);
  const auto& orbitals = document.wavefunction->sets[0].orbitals;
  EXPECT_DOUBLE_EQ(*gap, orbitals[5].energy_hartree - orbitals[4].energy_hartree);
  const Document occupied = read_document(format_file("hf-spherical.wfn.gz"));
  EXPECT_FALSE(frontier_gap_hartree(occupied.wavefunction->sets[0], Spin::alpha)) << "it has no LUMO";
}

// --- WFN and WFX
// -----------------------------------------------------------------------------------------------------------

constexpr double s_norm = 0.7127054703549902;  // (2/pi)^(3/4), of exp(-r^2)

TEST(Wfn, effective_cores_and_ghosts) {
  Document document = read_text(small_wfn());
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 1);
  document = read_text(small_wfn("0.0"));
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 0);
  EXPECT_EQ(document.molecule.atoms[0].ghost_of, 1);
}

TEST(Wfn, wrong_norm_is_not_proven) {
  std::string text = small_wfn();
  text.replace(text.find("7.12705"), 7, "5.12705");
  EXPECT_FALSE(read_text(text).orthonormality.proven());
}

TEST(Wfn, numbers_of_three_digits_touch) {
  std::string text = " many\nGAUSSIAN              1 MOL ORBITALS    101 PRIMITIVES      101 NUCLEI\n";
  std::string centres, kinds, exponents;
  for (int i = 1; i <= 101; ++i) {
    text += fmt::format("  H  {:3d}    (CENTRE{:3d}) {:12.8f}{:12.8f}{:12.8f}  CHARGE =  1.0\n", i, i,
                        9.0 * i, -10.0, -10.0);
    if (i % 20 == 1) centres += fmt::format("{}CENTRE ASSIGNMENTS  ", i > 1 ? "\n" : "");
    if (i % 20 == 1) kinds += fmt::format("{}TYPE ASSIGNMENTS    ", i > 1 ? "\n" : "");
    if (i % 5 == 1) exponents += fmt::format("{}EXPONENTS ", i > 1 ? "\n" : "");
    centres += fmt::format("{:3d}", i == 101 ? 101 : 102 - i);
    kinds += "  1";
    exponents += " 0.1000000D+01";
  }
  text += centres + '\n' + kinds + '\n' + exponents +
          "\nMO    1     MO 0.0        OCC NO =    2.0000000  ORB. ENERGY =   -0.500000\n";
  for (int i = 0; i < 101; ++i)
    text += fmt::format("{:16.8E}{}", i == 100 ? s_norm : 0, i % 5 == 4 ? "\n" : "");
  const Document document = read_text(text + "\nEND DATA\n");
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.wavefunction->basis.shells[0].atom, 100);
  EXPECT_EQ(document.wavefunction->basis.shells[1].atom, 99);
  EXPECT_NEAR(document.molecule.atoms[100].position_bohr.y(), -10, 1e-12);
}

TEST(Wfn, equal_primitives_of_several_contractions_are_one_function) {
  std::string text = small_wfn();
  text.replace(text.find("ASSIGNMENTS    1  2"), 19, "ASSIGNMENTS    1  1");
  text.replace(text.find("7.12705470E-01  0.00000000E+00"), 30, "5.12705470E-01  2.00000000E-01");
  const Document document = read_text(text);
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.wavefunction->basis.function_count(), 1u);
}

TEST(Outputs, stars_in_place_of_numbers_are_no_ends_of_tables) {
  const std::string text = testing::gaussian_log({"D 0", "D+1", "D-1", "D+2", "D-2"});
  const auto with = [&text](std::string_view old, const std::string& replacement) {
    std::string changed = text;
    const std::size_t place = changed.find(old);
    EXPECT_NE(place, std::string::npos);
    return error_of(changed.replace(place, old.size(), replacement));
  };
  const std::string row = "      1          2           0        0.000000    0.100000    0.500000\n";
  EXPECT_NE(with(row, row + "      2          1           0        0.000000    ********    0.500000\n")
                .find("atom 2"),
            std::string::npos);
  EXPECT_NE(with("  -0.90000", "  ********").find("energies"), std::string::npos);
}

TEST(Wfn, damage_is_named_with_its_place) {
  const auto with = [](std::string_view old, std::string_view replacement) {
    std::string text = small_wfn();
    return error_of(text.replace(text.find(old), old.size(), replacement));
  };
  EXPECT_NE(with("MENTS      1  1", "MENTS      1 57").find(":6: "), std::string::npos);
  EXPECT_NE(with("MENTS    1  2", "MENTS    1  3").find("centre 3"), std::string::npos);
  EXPECT_NE(with("EXPONENTS  0.1", "EXPONENTS -0.1").find("not positive"), std::string::npos);
  EXPECT_NE(with("     2 PRIMI", "999999 PRIMI").find("at most"), std::string::npos);
  EXPECT_NE(with("GAUSSIAN", "SLATER  ").find("Slater"), std::string::npos);
  std::string cut = small_wfn();
  EXPECT_NE(error_of(cut.substr(0, cut.find("ORB. ENERGY"))).find("the file ends"), std::string::npos);
}

/// Two hydrogen atoms 14 bohr apart with one s function each: orbitals 1 and 2 are one atom's each, orbital 3 is the first
/// atom's again.
std::string small_unrestricted_wfn(const std::array<int, 3>& numbers) {
  std::string text = small_wfn();
  text.replace(text.find("    1 MOL ORBITALS"), 18, "    3 MOL ORBITALS");
  std::string orbitals;
  for (std::size_t i = 0; i < 3; ++i) {
    orbitals += fmt::format(
        "MO{:5d}     MO 0.0        OCC NO =    1.0000000  ORB. ENERGY = {:11.6f}\n  {:.8E}  {:.8E}\n",
        numbers[i], -0.5 + 0.1 * static_cast<double>(i), i == 1 ? 0.0 : 0.71270547,
        i == 1 ? 0.71270547 : 0.0);
  }
  const std::size_t first = text.find("MO    1");
  return text.replace(first, text.find("END DATA") - first, orbitals);
}

TEST(Wfn, overlaps_tell_where_beta_begins) {
  // The energies rise throughout.
  for (const std::array<int, 3>& numbers : {std::array{1, 2, 3}, std::array{1, 2, 9}, std::array{1, 2, 1}}) {
    const Document document = read_text(small_unrestricted_wfn(numbers));
    EXPECT_EQ(document.orthonormality.name, "as written");
    EXPECT_EQ(document.wavefunction->sets[0].of_spin(Spin::beta), (std::vector{2}));
    EXPECT_NEAR(document.electrons_from_overlap.alpha, 2, 1e-6);
    EXPECT_NEAR(document.electrons_from_overlap.beta, 1, 1e-6);
  }
}

/// Hydrogen molecule at 14 bohr, restricted.
std::string small_wfx(std::string_view alpha, std::string_view beta, std::string_view occupations,
                      std::string_view spins, std::string_view orbitals) {
  const auto section = [](std::string_view name, std::string_view content) {
    return fmt::format("<{0}>\n{1}\n</{0}>\n", name, content);
  };
  return section("Title", "two atoms") + section("Keywords", "GTO") + section("Number of Nuclei", "2") +
         section("Number of Alpha Electrons", alpha) + section("Number of Beta Electrons", beta) +
         section("Nuclear Names", "H1 H2") + section("Atomic Numbers", "1 1") +
         section("Nuclear Charges", "1.0 1.0") + section("Nuclear Cartesian Coordinates", "0 0 0 0 0 14.0") +
         section("Primitive Centers", "1 2") + section("Primitive Types", "1 1") +
         section("Primitive Exponents", "1.0 1.0") +
         section("Molecular Orbital Occupation Numbers", occupations) +
         section("Molecular Orbital Spin Types", spins) +
         section("Molecular Orbital Primitive Coefficients", orbitals);
}
constexpr std::string_view first_atom = "7.12705470E-01 0.0", second_atom = "0.0 7.12705470E-01";

TEST(Wfx, lines_before_the_first_tag_are_comments) {
  const std::string orbital = fmt::format("<MO Number>\n1\n</MO Number>\n{}", first_atom);
  const std::string text =
      "  ####\n  # a banner #\n\nWarning: text\n" + small_wfx("1", "1", "2.0", "Alpha and Beta", orbital);
  const Document document = read_text(text);
  EXPECT_EQ(document.format, "wfx");
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 1, 1e-6);
}

TEST(Wfx, spins_that_contradict_the_rest_are_corrected) {
  const std::string orbital = fmt::format("<MO Number>\n1\n</MO Number>\n{}\n", first_atom);
  // Two electrons cannot both be alpha.
  const Document pair = read_text(small_wfx("1", "1", "2.0", "Alpha", orbital));
  EXPECT_FALSE(pair.wavefunction->sets[0].unrestricted());
  EXPECT_NEAR(pair.electrons_from_overlap.alpha, 1, 1e-6);
  EXPECT_NEAR(pair.electrons_from_overlap.beta, 1, 1e-6);
  ASSERT_EQ(pair.remarks.size(), 1u);
  EXPECT_EQ(pair.remarks[0].kind, RemarkKind::corrected);
  EXPECT_EQ(pair.remarks[0].count, 1u);
  // All called alpha, beside one beta electron; the two orbitals are the same.
  const std::string again = fmt::format("{}<MO Number>\n2\n</MO Number>\n{}\n", orbital, first_atom);
  const Document open = read_text(small_wfx("1", "1", "1.0 1.0", "Alpha Alpha", again));
  EXPECT_EQ(open.wavefunction->sets[0].of_spin(Spin::beta), (std::vector{1}));
  // An open-shell singlet: a pair, and one electron of each spin.
  const std::string three = fmt::format("{}<MO Number>\n2\n</MO Number>\n{}\n", orbital, second_atom);
  const Document mixed = read_text(small_wfx("1", "2", "2.0 1.0", "Alpha and Beta Beta", three));
  EXPECT_NEAR(mixed.electrons_from_overlap.alpha, 1, 1e-6);
  EXPECT_NEAR(mixed.electrons_from_overlap.beta, 2, 1e-6);
  EXPECT_NE(error_of(small_wfx("1", "1", "2.0", "Up", orbital)).find("Alpha and Beta"), std::string::npos);
}

TEST(Wfx, core_densities_are_named_and_missing_sections_too) {
  std::string text = text_of("oh-cartesian.wfx.gz");
  const std::string edf =
      "<Additional Electron Density Function (EDF)>\n<Number of EDF Primitives>\n 0\n</Number of EDF "
      "Primitives>\n"
      "</Additional Electron Density Function (EDF)>\n";
  const std::size_t place = text.find("<Molecular Orbital Occ");
  const Document document = read_text(text.substr(0, place) + edf + text.substr(place));
  ASSERT_EQ(document.remarks.size(), 1u);
  EXPECT_NE(document.remarks[0].text.find("EDF"), std::string::npos);
  EXPECT_TRUE(document.orthonormality.proven());
  std::string missing = text;
  missing.replace(missing.find("<Nuclear Charges>"), 17, "<Nuclear Sharges>");
  EXPECT_NE(error_of(missing).find("<Nuclear Charges>"), std::string::npos);
  EXPECT_NE(error_of(text.substr(0, text.size() / 2)).find("end"), std::string::npos);
}

// --- what is written
// --------------------------------------------------------------------------------------------------------

/// Largest difference between the orbitals of a file and those of PySCF at the points.
double worst_difference(const Document& document, std::string_view values_name) {
  const Values values = read_values(values_name);
  const OrbitalSet& set = document.wavefunction->sets[0];
  double worst = 0;
  for (Eigen::Index i = 0; i < values.points.cols(); ++i) {
    Eigen::RowVectorXd wanted(set.coefficients.cols());
    const Eigen::Index all = values.orbitals.cols();
    const bool occupied = set.coefficients.cols() < all;  // alpha and beta follow each other in the values
    for (Eigen::Index k = 0; k < wanted.size(); ++k) {
      const bool beta = set.orbitals[static_cast<std::size_t>(k)].spin == Spin::beta;
      const auto before = static_cast<Eigen::Index>(set.of_spin(Spin::alpha).size());
      wanted[k] = values.orbitals(i, occupied && beta ? all / 2 + k - before : k);
    }
    const Eigen::RowVectorXd found =
        functions_at(*document.wavefunction, values.points.col(i)) * set.coefficients;
    worst = std::max(worst, (found - wanted).cwiseAbs().maxCoeff());
  }
  return worst;
}

TEST(WriteWfx, holds_the_occupied_orbitals) {
  for (const auto& [file, values] : {std::pair("hf-spherical.mwfn.gz", "hf-spherical.values.txt"),
                                     std::pair("oh-cartesian.wfx.gz", "oh-cartesian.values.txt")}) {
    const Document made = read_document(format_file(file));
    const testing::TemporaryFile written({}, ".wfx");
    write_wfx(*made.wavefunction, made.wavefunction->sets[0], written.path());
    const Document document = read_document(written.path());
    EXPECT_EQ(document.format, "wfx");
    EXPECT_EQ(document.orthonormality.name, "as written");
    EXPECT_TRUE(document.remarks.empty());
    EXPECT_EQ(document.molecule.charge, 0);
    const OrbitalSet& set = document.wavefunction->sets[0];
    EXPECT_EQ(set.orbitals.size(), set.unrestricted() ? 9u : 5u);
    EXPECT_LT(worst_difference(document, values), 1e-6);
    EXPECT_LT(set.orbitals[0].energy_hartree, -20);
  }
  Wavefunction empty = *read_document(format_file("hf-spherical.mwfn.gz")).wavefunction;
  for (Orbital& orbital : empty.sets[0].orbitals) orbital.occupation = 0;
  const testing::TemporaryFile written({}, ".wfx");
  EXPECT_THROW(write_wfx(empty, empty.sets[0], written.path()), Error);
}

TEST(WriteWfx, states_the_energy_where_it_is_known) {
  const Document made = read_text(testing::small_qcschema());
  const testing::TemporaryFile written({}, ".wfx");
  write_wfx(*made.wavefunction, made.wavefunction->sets[0], written.path(),
            {.energy_hartree = -1.25, .dipole_debye = {}});
  const Document known = read_document(written.path());
  ASSERT_TRUE(known.energy);
  EXPECT_EQ(known.energy->hartree, -1.25);
  EXPECT_NE(known.molecule.title.find("; virial ratio unknown"), std::string::npos) << known.molecule.title;
  write_wfx(*made.wavefunction, made.wavefunction->sets[0], written.path());
  const Document unknown = read_document(written.path());
  EXPECT_FALSE(unknown.energy);
  EXPECT_NE(unknown.molecule.title.find("energy and virial ratio unknown"), std::string::npos);
}

TEST(WriteCjson, states_energy_and_dipole_moment) {
  const Document made = read_text(testing::small_qcschema());
  const testing::TemporaryFile written({}, ".cjson");
  write_cjson(made.molecule, made.wavefunction.get(), made.wavefunction->sets.data(), written.path(),
              {.energy_hartree = -1.25, .dipole_debye = Eigen::Vector3d(1, -2, 0.5)});
  const Document document = read_document(written.path());
  EXPECT_EQ(document.energy.value().hartree, -1.25);
  EXPECT_EQ(document.dipole_debye.value(), Eigen::Vector3d(1, -2, 0.5));
}

TEST(WriteCjson, holds_basis_and_orbitals) {
  for (const auto& [file, values] : {std::pair("hf-spherical.mwfn.gz", "hf-spherical.values.txt"),
                                     std::pair("oh-cartesian.wfx.gz", "oh-cartesian.values.txt")}) {
    const Document made = read_document(format_file(file));
    const testing::TemporaryFile written({}, ".cjson");
    write_cjson(made.molecule, made.wavefunction.get(), made.wavefunction->sets.data(), written.path());
    const Document document = read_document(written.path());
    EXPECT_EQ(document.format, "cjson");
    EXPECT_EQ(document.orthonormality.name, "as written");
    EXPECT_LT(worst_difference(document, values), 1e-6);
    const OrbitalSet& before = made.wavefunction->sets[0];
    const OrbitalSet& after = document.wavefunction->sets[0];
    ASSERT_EQ(after.orbitals.size(), before.orbitals.size());
    for (std::size_t i = 0; i < after.orbitals.size(); ++i) {
      EXPECT_EQ(after.orbitals[i].occupation, before.orbitals[i].occupation);
      EXPECT_NEAR(after.orbitals[i].energy_hartree, before.orbitals[i].energy_hartree, 1e-9);
    }
  }
}

TEST(WriteXyz, holds_all_frames) {
  const Document made = read_text(testing::small_cif());
  const testing::TemporaryFile written({}, ".xyz");
  write_xyz(made.molecule, made.frames, written.path());
  const Document document = read_document(written.path());
  EXPECT_EQ(document.format, "xyz");
  EXPECT_EQ(document.molecule.title, made.molecule.title);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_EQ(document.frames[0].atoms.size(), 3u);
  EXPECT_LT((document.frames[0].atoms[2].position_bohr - made.frames[0].atoms[2].position_bohr).norm(), 1e-9);
}

// --- small files of every format
// -------------------------------------------------------------------------------------------

TEST(SmallFiles, are_recognised_and_proven) {
  for (const testing::SmallFile& file : testing::small_files()) {
    SCOPED_TRACE(file.name);
    const Document document = read_text(file.text);
    EXPECT_EQ(document.format, file.name);
    const std::string name = file.name;
    if (name == "pdb" || name == "sdf" || name == "cif") continue;
    ASSERT_TRUE(document.wavefunction);
    EXPECT_EQ(document.orthonormality.name, "as written") << document.orthonormality.explanation;
    EXPECT_EQ(document.wavefunction->sets[0].orbitals[0].occupation, 2);
    EXPECT_EQ(document.remarks.size(), name == "gamess-punch" ? 1u : 0u);
  }
}

/// Orbital k of the tables is function k of the program: where it is in our order, and its sign.
void expect_functions(const Document& document, std::string_view functions_of_d) {
  ASSERT_TRUE(document.wavefunction);
  const Wavefunction& wavefunction = *document.wavefunction;
  ASSERT_EQ(wavefunction.basis.shells.size(), 3u);
  const Shell& d = wavefunction.basis.shells[2];
  const Rearrangement how = rearrangement(isolume_order.of(d), functions_of_d);
  const Eigen::MatrixXd& coefficients = wavefunction.sets[0].coefficients;
  EXPECT_EQ(coefficients(0, 0), 1);
  for (std::size_t k = 0; k < how.source.size(); ++k)
    EXPECT_EQ(coefficients(4 + how.source[k], 4 + static_cast<Eigen::Index>(k)), how.sign[k]) << k;
  EXPECT_NEAR(wavefunction.sets[0].orbitals[6].energy_hartree, -0.3, 1e-9);
  EXPECT_EQ(wavefunction.sets[0].orbitals[0].occupation, 2);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 2);
}

TEST(Outputs, rows_are_told_by_their_names) {
  expect_functions(read_text(testing::gaussian_log({"3D 0", "3D+1", "3D-1", "3D+2", "3D-2"})),
                   "c0 c1 s1 c2 s2");
  expect_functions(read_text(testing::gaussian_log({"3XX", "3YY", "3ZZ", "3XY", "3XZ", "3YZ"})),
                   "xx yy zz xy xz yz");
  const Document orca = read_text(testing::orca_output());
  expect_functions(orca, "c0 c1 s1 c2 s2");
  EXPECT_EQ(orca.wavefunction->sets[0].coefficients(3, 1), 1);  // pz comes first
  EXPECT_NEAR(orca.molecule.atoms[0].position_bohr.z(), 0.5, 1e-12);
  const Document qchem = read_text(testing::qchem_output());
  expect_functions(qchem, "s2 s1 c0 c1 c2");
  EXPECT_NEAR(qchem.molecule.atoms[0].position_bohr.z(), 0.5 / 0.529177210903, 1e-12);
}

TEST(Outputs, without_basis_or_orbitals_the_keyword_is_named) {
  const auto without = [](std::string text, std::string_view title, std::string_view replacement,
                          std::size_t atoms = 1) {
    const Document document = read_text(text.replace(text.find(title), title.size(), replacement));
    EXPECT_FALSE(document.wavefunction);
    EXPECT_EQ(document.molecule.atoms.size(), atoms);
    return document.remarks[0].text;
  };
  const std::string log = testing::gaussian_log({"3D 0", "3D+1", "3D-1", "3D+2", "3D-2"});
  EXPECT_NE(without(log, "AO basis set in", "nothing").find("gfinput"), std::string::npos);
  EXPECT_NE(without(log, "Molecular Orbital Coeff", "nothing").find("pop=full"), std::string::npos);
  EXPECT_NE(without(testing::orca_output(), "NewGTO", "nothing").find("PrintBasis"), std::string::npos);
  EXPECT_NE(without(testing::orca_output(), "MOLECULAR ORB", "nothing").find("PrintMOs"), std::string::npos);
  EXPECT_NE(without(testing::qchem_output(), "$basis", "nothing").find("print_general_basis"),
            std::string::npos);
  EXPECT_NE(without(testing::small_psi4(), "AO Basis", "nothing", 2).find("print_basis"), std::string::npos);
  EXPECT_NE(without(testing::small_psi4(), "Molecular Orb", "nothing", 2).find("print_mos"),
            std::string::npos);
  EXPECT_NE(without(testing::small_nwchem(), "global array", "nothing", 2).find("final vectors"),
            std::string::npos);
  EXPECT_NE(without(testing::small_orca_json(), "\"MOs\"", "\"none\"", 2).find("MOCoefficients"),
            std::string::npos);
  EXPECT_NE(without(testing::small_qcschema(), "\"wavefunction\"", "\"none\"", 2).find("protocols"),
            std::string::npos);
}

TEST(Formats, vibrations_are_not_read_and_named) {
  const auto remarks_after = [](const std::string& text, std::string_view added, std::size_t place) {
    std::string longer = text;
    longer.insert(place, added);
    EXPECT_TRUE(read_text(text).remarks.empty());
    return read_text(longer).remarks.text();
  };
  const std::string json = testing::small_cjson(), output = testing::small_nwchem();
  EXPECT_EQ(remarks_after(json, R"("vibrations": {"frequencies": [1595.0]}, )", json.find('{') + 1),
            "The vibrations (normal modes) of the file are not read.");
  EXPECT_EQ(remarks_after(output, "\n P.Frequency         1595.00\n", output.size()),
            "The vibrations (normal modes) of the file are not read.");
}

TEST(Outputs, nwchem_tells_only_of_orbitals_near_the_frontier) {
  const Document document = read_text(testing::small_nwchem());
  const auto& orbitals = document.wavefunction->sets[0].orbitals;
  EXPECT_EQ(orbitals.at(0).occupation, 2);
  EXPECT_NEAR(orbitals.at(0).energy_hartree, -0.5, 1e-12);
  EXPECT_EQ(orbitals.at(0).symmetry, "a1");
  EXPECT_EQ(document.molecule.atoms[1].ghost_of, 1);
  EXPECT_EQ(document.molecule.charge, -1);
  EXPECT_EQ(document.molecule.multiplicity, 1);
  ASSERT_TRUE(document.energy);
  EXPECT_EQ(document.energy->hartree, -0.5);
  std::string text = testing::small_nwchem();
  const std::string first = " Vector    1  Occ=2.000000D+00  E=-5.000000D-01  Symmetry=a1\n";
  text.erase(text.find(first), first.size());
  text.replace(text.find("Occ=0.000000D+00"), 16, "Occ=2.000000D+00");
  EXPECT_EQ(read_text(text).wavefunction->sets[0].orbitals.at(0).occupation, 2) << "below those told of";
}

TEST(Outputs, psi4_knows_ghosts_and_gives_equal_atoms_the_basis_of_the_printed_one) {
  const Document document = read_text(testing::small_psi4());
  EXPECT_EQ(document.molecule.atoms[1].atomic_number, 0);
  EXPECT_EQ(document.molecule.atoms[1].ghost_of, 1);
  EXPECT_EQ(document.molecule.charge, -1);
  EXPECT_EQ(document.wavefunction->basis.shells.at(1).atom, 1);
  // 0.71270547 is the norm of exp(-r^2): newer versions leave it out.
  EXPECT_NEAR(document.wavefunction->basis.shells[0].coefficients[0], 1, 1e-7);
  std::string text = testing::small_psi4();
  text.replace(text.find("0.71270547"), 10, "1.00000000");
  text +=
      "  Dipole Moment: [D]\n     X:     0.1000      Y:     0.2000      Z:     0.3000     Total:     "
      "0.3742\n";
  EXPECT_NEAR(read_text(text).dipole_debye.value().z(), 0.3, 1e-12);
  EXPECT_NEAR(read_text(text).wavefunction->basis.shells[0].coefficients[0], 1, 1e-7);
}

TEST(Outputs, further_geometries_are_frames) {
  std::string text = testing::qchem_output();
  const std::size_t begin = text.find("             Standard Nuclear"), end = text.find(" There are ");
  std::string first = text.substr(begin, end - begin);
  first.replace(first.find("0.5000000000"), 12, "0.7500000000");
  const Document document = read_text(text.insert(begin, first));
  EXPECT_NEAR(document.molecule.atoms[0].position_bohr.z(), 0.5 / 0.529177210903, 1e-12);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_NEAR(document.frames[0].atoms[0].position_bohr.z(), 0.75 / 0.529177210903, 1e-12);
}

TEST(Outputs, effective_cores_of_gaussian) {
  std::string log = testing::gaussian_log({"3D 0", "3D+1", "3D-1", "3D+2", "3D-2"});
  log.insert(log.find("     1 alpha"),
             " Effective core potential in the form of general ECP input:\n      1 0\n He1-ECP   3 1\n");
  EXPECT_EQ(read_text(log).molecule.atoms[0].nuclear_charge, 1);
}

TEST(Nbo, natural_orbitals_where_there_are_no_others) {
  const Document document = read_text(testing::small_nbo(false));
  EXPECT_EQ(document.orthonormality.name, "as written");
  const OrbitalSet& set = document.wavefunction->sets[0];
  EXPECT_EQ(set.name, "natural");
  ASSERT_EQ(set.orbitals.size(), 1u);
  EXPECT_NEAR(set.orbitals[0].occupation, 2, 1e-12);
  EXPECT_NEAR(std::abs(set.coefficients(0, 0)), 1, 1e-12);
  EXPECT_NE(document.remarks[0].text.find("natural orbitals"), std::string::npos);
  // The energies are those of the Fock matrix.
  EXPECT_NEAR(read_text(testing::small_nbo()).wavefunction->sets[0].orbitals[1].energy_hartree, 0.3, 1e-12);
}

TEST(Nbo, an_empty_title_is_no_atom) {
  std::string text = testing::small_nbo();
  text.replace(text.find(" two atoms"), 10, "");
  EXPECT_EQ(read_text(text).molecule.atoms.size(), 2u);
  EXPECT_EQ(read_text(text).molecule.title, "");
}

TEST(Nbo, names_may_be_in_lower_case) {
  const std::string text = lower_case(testing::small_nbo());
  EXPECT_EQ(read_text(text).format, "nbo");
  EXPECT_EQ(read_text(text).wavefunction->basis.function_count(), 2u);
}

TEST(Nbo, stated_counts_are_compared) {
  for (const auto& [good, bad, message] :
       {std::tuple("NATOMS=2", "NATOMS=3", ":1: NATOMS is \"3\", but the file lists 2 atoms"),
        std::tuple("NBAS=2", "NBAS = 40", ":1: NBAS is \"40\", but the file lists 2 functions"),
        std::tuple("NSHELL =      2", "NSHELL =      1", "NSHELL is \"1\", but the file lists 2 shells"),
        std::tuple("NEXP =      2", "NEXP =5", "NEXP is \"5\", but the file lists 2 exponents")}) {
    std::string text = testing::small_nbo();
    ASSERT_NE(text.find(good), std::string::npos) << good;
    text.replace(text.find(good), std::string_view(good).size(), bad);
    EXPECT_NE(error_of(text).find(message), std::string::npos) << error_of(text);
  }
}

TEST(Nbo, functions_that_are_not_normalised_are_told_by_the_files_overlaps) {
  std::string text = testing::small_nbo();
  text.replace(text.find("1.0  0.0  1.0\n $END\n $DENSITY"), 13, "4.0  0.0  1.0");
  text.replace(text.find("1.0 0.0 0.0 1.0"), 3, "0.5");
  const Document document = read_text(text);
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_NEAR(document.wavefunction->sets[0].coefficients(0, 0), 1, 1e-12);
}

TEST(Punch, a_named_basis_set_is_not_known) {
  std::string text = testing::small_punch();
  const std::string explicit_basis = "   S       1\n     1              1.0  1.00000000\n";
  text.replace(text.find(explicit_basis), explicit_basis.size(), "   N31     6\n");
  const Document document = read_text(text);
  EXPECT_FALSE(document.wavefunction);
  EXPECT_EQ(document.molecule.atoms.size(), 2u);
  EXPECT_NE(document.remarks[0].text.find("N31 6"), std::string::npos);
}

TEST(Structures, pdb_models_alternatives_and_elements) {
  const Document document = read_text(testing::small_pdb());
  EXPECT_EQ(document.molecule.title, "WATER AND CALCIUM");
  ASSERT_EQ(document.molecule.atoms.size(), 4u);
  EXPECT_EQ(document.molecule.atoms[1].atomic_number, 6);  // CA of a residue
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.x(), 26.266 / 0.529177210903, 1e-9);
  EXPECT_EQ(document.molecule.atoms[2].atomic_number, 1);
  EXPECT_EQ(document.molecule.atoms[3].atomic_number, 20);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_EQ(document.frames[0].atoms.size(), 1u);
  EXPECT_NE(document.remarks[0].text.find(
                "equally occupied alternate locations was used, and the others were left out: 1 atom, in"),
            std::string::npos);
}

TEST(Structures, sdf_of_both_versions) {
  const Document document = read_text(testing::small_sdf());
  EXPECT_EQ(document.molecule.title, "water");
  EXPECT_EQ(document.molecule.charge, -1);  // the line M  CHG replaces the column
  ASSERT_EQ(document.molecule.atoms.size(), 3u);
  EXPECT_EQ(document.molecule.atoms[2].atomic_number, 1);
  EXPECT_NEAR(document.molecule.atoms[1].position_bohr.z(), -0.4692 / 0.529177210903, 1e-9);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_EQ(document.frames[0].title, "neon");
  EXPECT_EQ(document.frames[0].charge, 1);
  EXPECT_EQ(document.frames[0].atoms.at(0).atomic_number, 10);
  std::string drawing = testing::small_sdf();
  drawing.replace(drawing.find("  prog    3D"), 12, "  prog    01022612002D");
  EXPECT_EQ(read_text(drawing).remarks.size(), 1u);
}

TEST(Structures, cif_models_quotes_and_text) {
  const Document document = read_text(testing::small_cif());
  EXPECT_EQ(document.molecule.title, "Five o''clock: it's fine");
  ASSERT_EQ(document.molecule.atoms.size(), 3u);
  EXPECT_EQ(document.molecule.atoms[2].atomic_number, 8);
  EXPECT_NEAR(document.molecule.atoms[2].position_bohr.x(), 1 / 0.529177210903, 1e-9);
  ASSERT_EQ(document.frames.size(), 1u);
  EXPECT_EQ(document.frames[0].atoms.size(), 3u);
}

/// Two hydrogen atoms: positions that no frame has are not lost without a word.
TEST(Structures, cjson_positions_that_are_no_frame_are_named) {
  const auto remarks = [](const std::string& first_set) {
    const auto document = read_text(
        R"({"chemicalJson": 1, "atoms": {"elements": {"number": [1, 1]}, "coords": {"3d": [0, 0, 0, 0.74, 0, 0],
            "3dSets": [)" +
        first_set + R"(, [0, 0, 0, 6, 0, 0]]}}})");
    return document.remarks;
  };
  EXPECT_TRUE(remarks("[0, 0, 0, 0.74, 0, 0]").empty());
  ASSERT_EQ(remarks("[0, 0, 0, 5, 0, 0]").size(), 1U);
  EXPECT_NE(remarks("[0, 0, 0, 5, 0, 0]").text().find("3dSets"), std::string::npos);
}

TEST(Structures, what_cjson_holds_and_is_not_read_is_named) {
  const auto remarks = [](std::string_view before, std::string_view after) {
    std::string text = testing::small_cjson();
    EXPECT_NE(text.find(before), std::string::npos) << before;
    text.replace(text.find(before), before.size(), after);
    return read_text(text).remarks.text();
  };
  EXPECT_EQ(read_text(testing::small_cjson()).remarks.text(), "");
  const auto expect_remark = [&](std::string_view before, std::string_view after, std::string_view part) {
    EXPECT_NE(remarks(before, after).find(part), std::string::npos) << part << "\n" << remarks(before, after);
  };
  expect_remark(R"("chemicalJson": 1)", R"("chemicalJson": 1, "cube": {"scalars": [1, 2, 3]})",
                "(cube) is not read: 3");
  expect_remark(R"("3d": [0, 0, 0, 0, 0, 7.0])",
                R"("3d": [0, 0, 0, 0, 0, 7.0]}, "partialCharges": {"Mulliken": [0, 0])",
                "partial charges of the file");
  expect_remark(
      R"("3d": [0, 0, 0, 0, 0, 7.0])",
      R"("3d": [0, 0, 0, 0, 0, 7.0], "3dSets": [[0, 0, 0, 0, 0, 7.0], [0, 0, 0, 0, 0, 8]])",
      "Further geometries (atoms/coords/3dSets) were left out, because the orbitals belong to one: 1.");
  expect_remark("[-13.6, 5.0]", "[-13.6]",
                "orbitals/energies was left out, because it has 1 numbers for 2 orbitals");
  expect_remark("[-13.6, 5.0]", "[-13.6, 5.0, 6.0]", "orbitals/energies has 3 numbers for 2 orbitals");
  expect_remark(R"("electronCount": 2)", R"("electronCount": 2, "occupations": [2])",
                "orbitals/occupations was left out");
  expect_remark(R"("totalCharge": 0)", R"("totalCharge": "1")",
                "totalCharge was left out, because \"1\" is not");
  expect_remark(R"("totalCharge": 0)", R"("totalCharge": 0.5)",
                "totalCharge was left out, because 0.5 is not");
  expect_remark(R"("electronCount": 2)", R"("electronCount": 2, "betaCoefficients": [1, 0, 0, 1])",
                "The orbitals of betaCoefficients were left out");
}

TEST(Structures, what_qcschema_states_and_is_not_read_is_named) {
  const auto remarks = [](std::string_view before, std::string_view after) {
    std::string text = testing::small_qcschema();
    text.replace(text.find(before), before.size(), after);
    return read_text(text).remarks.text();
  };
  const std::string usual = read_text(testing::small_qcschema()).remarks.text();
  EXPECT_EQ(usual.find("localised"), std::string::npos);
  EXPECT_EQ(usual.find("failed"), std::string::npos);
  EXPECT_NE(remarks(R"("restricted": true,)", R"("restricted": true, "localized_orbitals_a": "scf_loc_a",)")
                .find("The localised orbitals of the file are not read: localized_orbitals_a."),
            std::string::npos);
  EXPECT_NE(remarks("{\"schema_name\"",
                    R"({"success": false, "error": {"error_type": "convergence_error"}, "schema_name")")
                .find("The calculation failed, \"convergence_error\""),
            std::string::npos);
}

TEST(Structures, a_byte_order_mark_is_no_part_of_a_file) {
  for (const std::string& text : {testing::small_cjson(), testing::small_nbo(), testing::small_mkl(),
                                  testing::small_qcschema(), testing::small_molpro()})
    EXPECT_EQ(read_text("\xEF\xBB\xBF" + text).format, read_text(text).format);
}

/// A cell of 4 x 5 x 6 angstrom.
TEST(Structures, cjson_with_fractional_coordinates_alone) {
  for (const char* cell : {R"("unitCell": {"a": 4, "b": 5, "c": 6, "alpha": 90, "beta": 90, "gamma": 90})",
                           R"("unitCell": {"cellVectors": [4, 0, 0, 0, 5, 0, 0, 0, 6]})"}) {
    const Document document = read_text(
        std::string(
            R"({"chemicalJson": 1, "atoms": {"elements": {"number": [11, 17]}, "coords": {"3dFractional": )") +
        "[0, 0, 0, 0.5, 0.5, 0.5]}}, " + cell + "}");
    ASSERT_EQ(document.molecule.atoms.size(), 2u);
    const Eigen::Vector3d place = document.molecule.atoms[1].position_bohr * 0.529177210903;
    EXPECT_LT((place - Eigen::Vector3d(2, 2.5, 3)).norm(), 1e-9);
  }
}

TEST(Structures, cif_of_a_crystal) {
  // Monoclinic: the axes a and c make an angle of 100 degrees.
  const Document document = read_text(
      "data_x\n_cell_length_a 5.0(1)\n_cell_length_b 6.0\n_cell_length_c 7.0\n_cell_angle_alpha 90\n"
      "_cell_angle_beta 100\n_cell_angle_gamma 90\nloop_\n_atom_site_label\n_atom_site_fract_x\n"
      "_atom_site_fract_y\n_atom_site_fract_z\nFe1 0 0 0\nO2A 0.5 0.25 1\n");
  ASSERT_EQ(document.molecule.atoms.size(), 2u);
  EXPECT_EQ(document.molecule.atoms[0].atomic_number, 26);
  const Eigen::Vector3d place = document.molecule.atoms[1].position_bohr * 0.529177210903;
  EXPECT_NEAR(place.x(), 2.5 + 7 * std::cos(100 * M_PI / 180), 1e-9);
  EXPECT_NEAR(place.y(), 1.5, 1e-9);
  EXPECT_NEAR(place.z(), 7 * std::sin(100 * M_PI / 180), 1e-9);
  EXPECT_NE(document.remarks[0].text.find("asymmetric unit"), std::string::npos);
}

TEST(MayHoldOrbitals, IsKnownByContent) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(format_file("."))) {
    if (entry.path().extension() != ".gz") continue;
    EXPECT_TRUE(may_hold_orbitals(entry.path())) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 10);
  const auto all = std::filesystem::path(ISOLUME_TEST_REFERENCES);
  EXPECT_TRUE(may_hold_orbitals(all / "wavefunctions/benzene-631gs.molden.gz"));
  for (const auto* other :
       {"electrostatics/1FAS.pqr", "electrostatics/1FAS.cif.gz", "electrostatics/1AJJ.pdb.gz",
        "electrostatics/1FAS-coulomb-points.csv", "cubes/water-631gs-Dt.cube.gz", "images/mesh-light.png",
        "no-such-file", "electrostatics"})
    EXPECT_FALSE(may_hold_orbitals(all / other)) << other;
}

}  // namespace
}  // namespace isolume::molecules
