#include "core/molecules/angular_order.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "core/molecules/document.h"
#include "tests/core/molecules/example_wavefunction.h"
#include "tests/core/molecules/test_files.h"

namespace isolume::molecules {
namespace {

using testing::read_text;
using Powers = std::array<int, 3>;

TEST(AngularOrder, rearranges_and_flips_signs) {
  const Rearrangement how = rearrangement("c0 c1 s1 c2 -s2", "s2 c0 s1 c1 c2");
  EXPECT_EQ(how.source, (std::vector<int>{4, 0, 2, 1, 3}));
  EXPECT_EQ(how.sign, (std::vector<double>{-1, 1, 1, 1, 1}));
  EXPECT_EQ(rearrangement("yyx xyz", "zxy xyy").source, (std::vector<int>{1, 0}));
}

TEST(AngularOrder, refuses_lists_that_differ) {
  EXPECT_THROW(rearrangement("xx xy", "xx"), std::invalid_argument);
  EXPECT_THROW(rearrangement("xx xy", "xx yy"), std::invalid_argument);
  EXPECT_THROW(rearrangement("xx xx", "xx xx"), std::invalid_argument);
}

TEST(AngularOrder, all_tables_name_the_same_functions) {
  for (const AngularOrder* order : {&molden_order, &fchk_order, &orca_order, &lexicographic_order,
                                    &reverse_lexicographic_order, &gamess_order}) {
    for (int l = 0; l <= max_angular_momentum; ++l) {
      for (const bool spherical : {false, true}) {
        const Shell shell{0, l, spherical, {1}, {1}};
        EXPECT_EQ(rearrangement(order->of(shell), isolume_order.of(shell)).source.size(),
                  static_cast<std::size_t>(shell.function_count()));
      }
    }
  }
}

/// A Molden file of one atom with one shell whose orbital k is the k-th function of the file alone; read, the
/// orbital must be x^i y^j z^k as the format's page lists it.
void expect_molden_order(char letter, const std::vector<Powers>& listed) {
  const int l = static_cast<int>(std::string_view("spdfgh").find(letter));
  std::string text = fmt::format(
      "[Molden Format]\n[Atoms] AU\nNe 1 10 0 0 0\n[GTO]\n1 0\n{} 1 1.0\n0.7 1.0\n\n[MO]\n", letter);
  for (std::size_t k = 0; k < listed.size(); ++k) {
    text += fmt::format("Ene= {}\nSpin= Alpha\nOccup= 2.0\n{} 1.0\n", k, k + 1);
  }
  const Document document = read_text(text);
  const Wavefunction& wavefunction = *document.wavefunction;
  ASSERT_EQ(wavefunction.basis.function_count(), listed.size());
  const Eigen::MatrixXd& functions = functions_to_monomials(wavefunction.basis.shells.front());
  const auto& powers = cartesian_powers(l);
  const double x = 0.9, y = -0.6, z = 1.3;
  for (std::size_t k = 0; k < listed.size(); ++k) {
    double value = 0;
    for (std::size_t m = 0; m < powers.size(); ++m) {
      const auto row = static_cast<Eigen::Index>(m);
      const double coefficient = wavefunction.sets.front().coefficients(row, static_cast<Eigen::Index>(k));
      value += coefficient * functions(row, row) * primitive_norm(0.7, {l, 0, 0}) * std::pow(x, powers[m].x) *
               std::pow(y, powers[m].y) * std::pow(z, powers[m].z);
    }
    const auto [i, j, n] = listed[k];
    const double expected = primitive_norm(0.7, {i, j, n}) * std::pow(x, i) * std::pow(y, j) * std::pow(z, n);
    EXPECT_NEAR(value, expected, 1e-12) << letter << " function " << k + 1;
  }
}

TEST(AngularOrder, molden_6d_10f_15g_as_the_format_lists_them) {
  expect_molden_order('p', {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  expect_molden_order('d', {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}, {1, 1, 0}, {1, 0, 1}, {0, 1, 1}});
  // xxx, yyy, zzz, xyy, xxy, xxz, xzz, yzz, yyz, xyz
  expect_molden_order('f', {{3, 0, 0},
                            {0, 3, 0},
                            {0, 0, 3},
                            {1, 2, 0},
                            {2, 1, 0},
                            {2, 0, 1},
                            {1, 0, 2},
                            {0, 1, 2},
                            {0, 2, 1},
                            {1, 1, 1}});
  // xxxx yyyy zzzz xxxy xxxz yyyx yyyz zzzx zzzy xxyy xxzz yyzz xxyz yyxz zzxy
  expect_molden_order('g', {{4, 0, 0},
                            {0, 4, 0},
                            {0, 0, 4},
                            {3, 1, 0},
                            {3, 0, 1},
                            {1, 3, 0},
                            {0, 3, 1},
                            {1, 0, 3},
                            {0, 1, 3},
                            {2, 2, 0},
                            {2, 0, 2},
                            {0, 2, 2},
                            {2, 1, 1},
                            {1, 2, 1},
                            {1, 1, 2}});
}

TEST(AngularOrder, molden_21h_is_lexicographic_as_cfour_writes_it) {
  // xxxxx xxxxy xxxxz xxxyy xxxyz xxxzz xxyyy xxyyz xxyzz xxzzz xyyyy xyyyz xyyzz xyzzz xzzzz yyyyy ...
  expect_molden_order('h', {{5, 0, 0}, {4, 1, 0}, {4, 0, 1}, {3, 2, 0}, {3, 1, 1}, {3, 0, 2}, {2, 3, 0},
                            {2, 2, 1}, {2, 1, 2}, {2, 0, 3}, {1, 4, 0}, {1, 3, 1}, {1, 2, 2}, {1, 1, 3},
                            {1, 0, 4}, {0, 5, 0}, {0, 4, 1}, {0, 3, 2}, {0, 2, 3}, {0, 1, 4}, {0, 0, 5}});
}

}  // namespace
}  // namespace isolume::molecules
