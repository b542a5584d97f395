// Every writer mistake is made here, by the formulas of the programs that make it, in a file that was right
// before; the loader must name it and bring back the right coefficients.
#include "core/molecules/orthonormality.h"

#include <cmath>
#include <cstdio>
#include <numbers>

#include <gtest/gtest.h>

#include "core/base/units.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::example_wavefunction;
using testing::molden_text;
using testing::MoldenStyle;
using testing::read_text;

/// Norm of x^i y^j z^k exp(-a r^2), as in Helgaker's book: (2a/pi)^(3/4) sqrt((4a)^l /
/// ((2i-1)!!(2j-1)!!(2k-1)!!)).
double norm(double a, int l, double double_factorials) {
  return std::pow(2 * a / std::numbers::pi, 0.75) * std::sqrt(std::pow(4 * a, l) / double_factorials);
}

template <class Factor>
void scale_contractions(Wavefunction& wavefunction, Factor factor) {
  for (Shell& shell : wavefunction.basis.shells) {
    for (std::size_t p = 0; p < shell.exponents.size(); ++p)
      shell.coefficients[p] *= factor(shell, shell.exponents[p]);
  }
}

/// Multiplies the coefficient of each Cartesian function.
template <class Factor>
void scale_functions(Wavefunction& wavefunction, Factor factor) {
  Eigen::Index row = 0;
  for (const Shell& shell : wavefunction.basis.shells) {
    for (const CartesianPowers& powers : cartesian_powers(shell.angular_momentum)) {
      wavefunction.sets.front().coefficients.row(row++) *= factor(shell.angular_momentum, powers);
    }
  }
}

void expect_check(const std::string& text, const Wavefunction& right, const std::string& name) {
  const Document document = read_text(text);
  EXPECT_EQ(document.orthonormality.name, name) << document.orthonormality.explanation;
  if (name != "unproven") {
    EXPECT_LT(document.orthonormality.worst_deviation, 1e-4);
    EXPECT_LT(
        (document.wavefunction->sets[0].coefficients - right.sets[0].coefficients).cwiseAbs().maxCoeff(),
        1e-9);
    for (std::size_t i = 0; i < right.basis.shells.size(); ++i) {
      for (std::size_t p = 0; p < right.basis.shells[i].coefficients.size(); ++p) {
        EXPECT_NEAR(document.wavefunction->basis.shells[i].coefficients[p],
                    right.basis.shells[i].coefficients[p], 1e-9);
      }
    }
    const ElectronCount electrons = electrons_from_occupations(right.sets[0]);
    EXPECT_NEAR(document.electrons_from_overlap.alpha, electrons.alpha, 1e-4);
  }
  if (name != "as written") {
    EXPECT_GT(document.orthonormality.deviation_as_written, 1e-3);
    EXPECT_FALSE(document.remarks.empty());
  }
}

TEST(Orthonormality, right_files_stay_as_they_are) {
  MoldenStyle style;
  style.tags = "[5D]\n[9G]\n";
  const Wavefunction made = example_wavefunction("spdfgh", true);
  expect_check(molden_text(made, style), made, "as written");
}

TEST(Orthonormality, orca) {
  const Wavefunction right = example_wavefunction("spdfgh", true);
  Wavefunction wrong = right;
  // Coefficients of unnormalised primitives; above p of the product with the largest norm, h as x^5.
  scale_contractions(wrong, [](const Shell& shell, double a) {
    static constexpr std::array<double, 6> factorials{1, 1, 1, 1, 3, 945};
    return norm(a, shell.angular_momentum, factorials[static_cast<std::size_t>(shell.angular_momentum)]);
  });
  MoldenStyle style;
  style.tags = "[5D]\n[9G]\n";
  style.order.spherical = {"c0",
                           "c0 c1 s1",
                           "c0 c1 s1 c2 s2",
                           "c0 c1 s1 c2 s2 -c3 -s3",
                           "c0 c1 s1 c2 s2 -c3 -s3 -c4 -s4",
                           "c0 c1 s1 c2 s2 -c3 -s3 -c4 -s4 c5 s5"};
  expect_check(molden_text(wrong, style), right, "primitive-norms-and-signs");
}

TEST(Orthonormality, psi4_before_1_0) {
  const Wavefunction right = example_wavefunction("spdf", true);
  Wavefunction wrong = right;
  scale_contractions(wrong, [](const Shell& shell, double a) {
    static constexpr std::array<double, 4> factorials{1, 1, 3, 15};
    return norm(a, shell.angular_momentum, factorials[static_cast<std::size_t>(shell.angular_momentum)]);
  });
  MoldenStyle style;
  style.tags = "[5D]\n";
  expect_check(molden_text(wrong, style), right, "primitive-norms");
  // With s and p alone ORCA writes the same. A program is named only where the file names it.
  const Wavefunction small = example_wavefunction("sp", false);
  wrong = small;
  scale_contractions(wrong, [](const Shell& shell, double a) { return norm(a, shell.angular_momentum, 1); });
  expect_check(molden_text(wrong), small, "primitive-norms");
  const std::string silent = read_text(molden_text(wrong)).orthonormality.explanation;
  for (const std::string_view program : {"ORCA", "Psi4"})
    EXPECT_EQ(silent.find(program), std::string::npos) << silent;
  style.title = "written by Psi4";
  expect_check(molden_text(wrong, style), small, "primitive-norms");
  const std::string told = read_text(molden_text(wrong, style)).orthonormality.explanation;
  EXPECT_NE(told.find("Psi4"), std::string::npos) << told;
}

TEST(Orthonormality, psi4_cartesian) {
  const Wavefunction right = example_wavefunction("spdfg", false);
  Wavefunction wrong = right;
  scale_functions(wrong, [](int l, CartesianPowers p) {
    const int largest = std::max({p.x, p.y, p.z}), zeros = (p.x == 0) + (p.y == 0) + (p.z == 0);
    if (l < 2 || zeros == 2) return 1.0;
    if (l == 2) return std::sqrt(3.0);
    if (l == 3) return largest == 2 ? std::sqrt(5.0) : std::sqrt(15.0);
    return largest == 3 ? std::sqrt(7.0) : zeros == 1 ? std::sqrt(35.0 / 3) : std::sqrt(35.0);
  });
  expect_check(molden_text(wrong), right, "cartesian-xy-norms");
  // Psi4 1.3.2 left the contractions unnormalised too.
  scale_contractions(wrong, [](const Shell& shell, double) { return 1.3 + 0.1 * shell.angular_momentum; });
  expect_check(molden_text(wrong), right, "cartesian-xy-norms");
}

TEST(Orthonormality, turbomole) {
  const Wavefunction right = example_wavefunction("spdfg", false);
  Wavefunction wrong = right;
  scale_contractions(wrong, [](const Shell& shell, double) {
    static constexpr std::array<double, 5> factors{1, 1, 3, 15, 105};
    return 1 / std::sqrt(factors[static_cast<std::size_t>(shell.angular_momentum)]);
  });
  expect_check(molden_text(wrong), right, "cartesian-shell-norms");
}

TEST(Orthonormality, cfour) {
  const Wavefunction right = example_wavefunction("spdfg", false);
  Wavefunction wrong = right;
  scale_functions(wrong, [](int l, CartesianPowers p) {
    const int largest = std::max({p.x, p.y, p.z}), zeros = (p.x == 0) + (p.y == 0) + (p.z == 0);
    if (l < 2) return 1.0;
    if (l == 2) return zeros == 2 ? 1 / std::sqrt(3.0) : 1.0;
    if (l == 3) return largest == 3 ? 1 / std::sqrt(15.0) : largest == 2 ? 1 / std::sqrt(3.0) : 1.0;
    if (largest == 4) return 1 / std::sqrt(105.0);
    return largest == 3 ? 1 / std::sqrt(15.0) : zeros == 1 ? 1 / 3.0 : 1 / std::sqrt(3.0);
  });
  expect_check(molden_text(wrong), right, "cartesian-xx-norms");
}

TEST(Orthonormality, unnormalised_contractions) {
  for (const bool spherical : {false, true}) {
    const Wavefunction right = example_wavefunction("spdf", spherical);
    Wavefunction wrong = right;
    scale_contractions(wrong, [](const Shell& shell, double) {
      return 0.8 + 0.15 * shell.angular_momentum + 0.1 * shell.atom;
    });
    MoldenStyle style;
    style.tags = spherical ? "[5D]\n" : "";
    expect_check(molden_text(wrong, style), right, "unnormalised-contractions");
  }
}

TEST(Orthonormality, orders_of_other_programs) {
  const Wavefunction right = example_wavefunction("spdfg", false);
  MoldenStyle style;
  style.order = lexicographic_order;
  expect_check(molden_text(right, style), right, "swapped-10f-15g");
  style.order = gamess_order;
  expect_check(molden_text(right, style), right, "swapped-10f-15g");
  style.order = fchk_order;
  expect_check(molden_text(right, style), right, "swapped-10f-15g");
  const Wavefunction spherical = example_wavefunction("spdfg", true);
  style.order = lexicographic_order;  // m from -l to l
  style.tags = "[5D]\n[9G]\n";
  expect_check(molden_text(spherical, style), spherical, "swapped-10f-15g");
}

TEST(Orthonormality, functions_without_any_norm_in_another_order) {
  // As xtb does: x^i y^j z^k times the printed sum of primitives, nothing normalised.
  const Wavefunction right = example_wavefunction("spdf", false);
  Wavefunction wrong = right;
  scale_contractions(wrong, [](const Shell& shell, double a) {
    static constexpr std::array<double, 4> factorials{1, 1, 3, 15};
    return norm(a, shell.angular_momentum, factorials[static_cast<std::size_t>(shell.angular_momentum)]);
  });
  scale_functions(wrong, [](int l, CartesianPowers p) {
    const int largest = std::max({p.x, p.y, p.z}), zeros = (p.x == 0) + (p.y == 0) + (p.z == 0);
    if (l < 2 || zeros == 2) return 1.0;
    return l == 2 ? std::sqrt(3.0) : largest == 2 ? std::sqrt(5.0) : std::sqrt(15.0);
  });
  MoldenStyle style;
  expect_check(molden_text(wrong, style), right, "unnormalised-functions");
  style.order = gamess_order;
  expect_check(molden_text(wrong, style), right, "unnormalised-functions");
}

TEST(Orthonormality, wrong_unit) {
  const Wavefunction right = example_wavefunction("spd", false);
  MoldenStyle style;
  style.length = units::angstrom_per_bohr;  // angstrom, but called bohr
  const Document document = read_text(molden_text(right, style));
  EXPECT_EQ(document.orthonormality.name, "wrong-length-unit");
  EXPECT_LT((document.molecule.atoms[1].position_bohr - right.molecule.atoms[1].position_bohr).norm(), 1e-9);
}

TEST(Orthonormality, nonsense_is_unproven_and_says_how_far_off) {
  const Wavefunction right = example_wavefunction("spd", false);
  Wavefunction wrong = right;
  wrong.sets.front().coefficients.row(3) *= 1.7;
  const Document document = read_text(molden_text(wrong));
  EXPECT_EQ(document.orthonormality.name, "unproven");
  EXPECT_GT(document.orthonormality.worst_deviation, 1e-2);
  EXPECT_EQ(document.orthonormality.worst_deviation, document.orthonormality.deviation_as_written);
  ASSERT_FALSE(document.remarks.empty());
  EXPECT_NE(document.remarks[0].text.find("not orthonormal"), std::string::npos);
}

TEST(Orthonormality, more_orbitals_than_functions_means_missing_functions) {
  Wavefunction wrong = example_wavefunction("spd", true);  // as PySCF writes without its highest shells:
  const auto functions = static_cast<Eigen::Index>(wrong.basis.function_count());
  while (!wrong.basis.shells.empty() && wrong.basis.shells.back().angular_momentum == 2) {
    wrong.basis.shells.pop_back();
  }
  const auto kept = static_cast<Eigen::Index>(wrong.basis.function_count());
  ASSERT_LT(kept, functions);
  auto& coefficients = wrong.sets.front().coefficients;
  ASSERT_GT(coefficients.cols(), kept);
  coefficients = Eigen::MatrixXd(coefficients.topRows(kept));
  const Document document = read_text(molden_text(wrong));
  EXPECT_EQ(document.orthonormality.name, "unproven");
  EXPECT_NE(document.orthonormality.explanation.find("functions are missing"), std::string::npos)
      << document.orthonormality.explanation;
}

TEST(Orthonormality, a_further_set_that_is_not_orthonormal_is_named) {
  const Wavefunction right = example_wavefunction("spd", false);
  Wavefunction wrong = right;
  wrong.sets.front().coefficients.col(2) *= std::sqrt(1.5);  // a norm of 1.5
  const std::string text = molden_text(wrong);
  const Document document = read_text(molden_text(right) + text.substr(text.find("[MO]")));
  EXPECT_EQ(document.orthonormality.name, "unproven");
  EXPECT_NEAR(document.orthonormality.worst_deviation, 0.5, 1e-9);
  EXPECT_LT(document.orthonormality.deviation_as_written, 1e-9);
  EXPECT_NE(document.orthonormality.explanation.find("canonical (2)"), std::string::npos);
}

/// Its basis set with three decimals, as CP2K prints it by default.
std::string with_three_decimals(std::string text) {
  std::string rounded;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = text.find('\n', start);
    const std::string line = text.substr(start, end - start);
    double exponent = 0, coefficient = 0;
    const bool primitive = line.find('e') != std::string::npos &&
                           std::sscanf(line.c_str(), "%lf %lf", &exponent, &coefficient) == 2;
    rounded += primitive ? fmt::format("  {:.3f} {:.3f}\n", exponent, coefficient) : line + '\n';
    start = end + 1;
  }
  return rounded;
}

TEST(Orthonormality, few_printed_digits_explain_what_a_correction_leaves) {
  const Wavefunction right = example_wavefunction("spd", true);
  Wavefunction wrong = right;
  scale_contractions(wrong, [](const Shell& shell, double) { return 0.4 + 0.1 * shell.angular_momentum; });
  MoldenStyle style;
  style.tags = "[5D]\n";
  const Document document = read_text(with_three_decimals(molden_text(wrong, style)));
  EXPECT_EQ(document.orthonormality.name, "unnormalised-contractions") << document.orthonormality.explanation;
  EXPECT_TRUE(document.orthonormality.proven());
  EXPECT_TRUE(document.orthonormality.limited);
  EXPECT_GT(document.orthonormality.worst_deviation, 1e-4);
  EXPECT_LT(document.orthonormality.worst_deviation, 1e-2);
  EXPECT_NEAR(document.electrons_from_overlap.alpha, 7, 5e-3);
  EXPECT_NE(document.orthonormality.explanation.find("printed digits"), std::string::npos)
      << document.orthonormality.explanation;
  ASSERT_FALSE(document.remarks.empty());
  EXPECT_EQ(document.remarks[0].kind, RemarkKind::corrected);
  // As the format asks, but with three decimals: nothing is corrected, and the digits are named.
  const Document plain = read_text(with_three_decimals(molden_text(right, style)));
  EXPECT_TRUE(plain.orthonormality.proven()) << plain.orthonormality.explanation;
  EXPECT_FALSE(plain.remarks.empty());
  // What digits do not explain stays unproven.
  wrong = right;
  wrong.basis.shells[0].coefficients[0] *= 1.05;
  EXPECT_EQ(read_text(molden_text(wrong, style)).orthonormality.name, "unproven");
}

TEST(Orthonormality, the_numbers_with_few_digits_are_named) {
  const auto says = [](const Document& document, std::string_view words) {
    EXPECT_TRUE(document.orthonormality.proven() && document.orthonormality.limited);
    EXPECT_NE(document.orthonormality.explanation.find(words), std::string::npos)
        << document.orthonormality.explanation;
  };
  MoldenStyle style;
  style.tags = "[5D]\n";
  says(read_text(with_three_decimals(molden_text(example_wavefunction("spd", true), style))),
       "digits of the basis set allow");
  // Orbitals that are orthonormal where the atoms are, and coordinates of three decimals.
  Wavefunction moved = example_wavefunction("spd", true);
  moved.molecule.atoms[0].position_bohr += Eigen::Vector3d(0.00047, -0.00043, 0.00048);
  moved.molecule.atoms[1].position_bohr += Eigen::Vector3d(-0.00045, 0.00046, -0.00044);
  moved.sets.front().coefficients =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(overlap_matrix(moved.molecule, moved.basis))
          .operatorInverseSqrt();
  std::string text = molden_text(moved, style);
  EXPECT_FALSE(read_text(text).orthonormality.limited);
  for (const Atom& atom : moved.molecule.atoms) {
    for (const double coordinate : atom.position_bohr)
      text = testing::with(text, fmt::format("{:.14f}", coordinate), fmt::format("{:.3f}", coordinate));
  }
  says(read_text(text), "digits of the coordinates allow");
}

TEST(Orthonormality, many_orbitals_are_compared_block_by_block) {
  // More orbitals and functions than one block holds: s functions far from each other, so that S = 1.
  Wavefunction chain;
  constexpr int count = 300;
  for (int i = 0; i < count; ++i) {
    chain.molecule.atoms.push_back({1, {100.0 * i, 0, 0}, 1});
    chain.basis.shells.push_back({i, 0, false, {1.0}, {1.0}});
  }
  OrbitalSet set;
  set.coefficients = Eigen::MatrixXd::Identity(count, count);
  set.orbitals.resize(count);
  chain.sets.push_back(set);
  const AsRead as_read{&isolume_order, "", {}, {}};
  EXPECT_LT(prove(chain, as_read, {}).check.worst_deviation, 1e-14);
  chain.sets[0].coefficients(299, 3) = 0.125;
  const OrthonormalityCheck verdict = prove(chain, as_read, {}).check;
  EXPECT_FALSE(verdict.proven());
  EXPECT_EQ(verdict.spoilt_orbitals, std::vector{3});
  EXPECT_NEAR(verdict.worst_deviation, 0.125, 1e-14);
}

TEST(Orthonormality, one_spoilt_orbital_does_not_hide_the_writers_mistake) {
  const Wavefunction right = example_wavefunction("spdf", true);
  Wavefunction wrong = right;
  scale_contractions(wrong, [](const Shell& shell, double a) {
    static constexpr std::array<double, 4> factorials{1, 1, 1, 1};
    return norm(a, shell.angular_momentum, factorials[static_cast<std::size_t>(shell.angular_momentum)]);
  });
  const auto count = wrong.sets[0].coefficients.cols();
  MoldenStyle style;
  style.tags = "[5D]\n";
  style.order = orca_order;
  for (const Eigen::Index spoilt : {Eigen::Index{0}, Eigen::Index{5}, count - 1}) {
    Wavefunction damaged = wrong;
    damaged.sets[0].coefficients(3, spoilt) += 20;
    const Document document = read_text(molden_text(damaged, style));
    EXPECT_EQ(document.orthonormality.name, "primitive-norms-and-signs");
    EXPECT_FALSE(document.orthonormality.proven());
    EXPECT_EQ(document.orthonormality.spoilt_orbitals, std::vector{static_cast<int>(spoilt)});
    EXPECT_GT(document.orthonormality.worst_deviation, 100);
    EXPECT_NE(
        document.orthonormality.explanation.find(fmt::format("Orbital {} is not orthonormal", spoilt + 1)),
        std::string::npos)
        << document.orthonormality.explanation;
    Eigen::MatrixXd difference = document.wavefunction->sets[0].coefficients - right.sets[0].coefficients;
    difference.col(spoilt).setZero();
    EXPECT_LT(difference.cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST(Orthonormality, several_spoilt_orbitals_are_named_but_no_mistake_is_guessed_from_few_whole_ones) {
  const Wavefunction right = example_wavefunction("spdf", false);
  Wavefunction damaged = right;
  for (const int i : {2, 11, 30}) damaged.sets[0].coefficients.col(i) *= 1.5;
  const Document document = read_text(molden_text(damaged));
  EXPECT_EQ(document.orthonormality.name, "as written");
  EXPECT_EQ(document.orthonormality.spoilt_orbitals, (std::vector{2, 11, 30}));
  EXPECT_NE(document.orthonormality.explanation.find("Orbitals 3, 12, 31 are"), std::string::npos);
  for (const int i : {3, 4, 5, 6, 7, 8, 9}) damaged.sets[0].coefficients.col(i) *= 1.5;
  EXPECT_EQ(read_text(molden_text(damaged)).orthonormality.name, "unproven");
}

TEST(Orthonormality, off_diagonals_count_as_well_as_norms) {
  // Two orbitals of unit norm that overlap: norms alone would pass.
  const Wavefunction right = example_wavefunction("sp", false);
  Wavefunction wrong = right;
  wrong.sets.front().coefficients.col(1) = right.sets.front().coefficients.col(0);
  EXPECT_EQ(read_text(molden_text(wrong)).orthonormality.name, "unproven");
}

TEST(Orthonormality, of_the_reference_files) {
  using testing::reference;
  using testing::sample;
  EXPECT_EQ(read_document(reference("water-631gs.molden.gz")).orthonormality.name, "cartesian-xy-norms");
  EXPECT_EQ(read_document(reference("benzene-631gs.molden.gz")).orthonormality.name, "cartesian-xy-norms");
  for (const char* name :
       {"benzene", "caffeine", "oxygen-triplet", "water-631gs", "water-def2tzvp", "water-ccpvqz"}) {
    const Document document = read_document(sample(std::string(name) + ".fchk.gz"));
    EXPECT_EQ(document.orthonormality.name, "as written") << name;
    EXPECT_LT(document.orthonormality.worst_deviation, 1e-6) << name;
    EXPECT_TRUE(document.remarks.empty()) << name;
  }
}

}  // namespace
}  // namespace isolume::molecules
