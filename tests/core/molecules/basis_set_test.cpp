#include "core/molecules/basis_set.h"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

namespace isolume::molecules {
namespace {

using Polynomial = std::function<double(double, double, double)>;

/// Real solid harmonics as textbooks print them, up to a positive factor, in the order m = 0, +1, -1, +2, -2
/// ...
const std::vector<std::vector<Polynomial>>& textbook_harmonics() {
#define P(expression)                                                                    \
  [](double x, double y, double z) {                                                     \
    [[maybe_unused]] const double xx = x * x, yy = y * y, zz = z * z, rr = xx + yy + zz; \
    return expression;                                                                   \
  }
  static const std::vector<std::vector<Polynomial>> all{
      {P(1 + 0 * (x + y + z))},
      {P(z), P(x), P(y)},
      {P(2 * zz - xx - yy), P(x * z), P(y * z), P(xx - yy), P(x * y)},
      {P(z * (2 * zz - 3 * xx - 3 * yy)), P(x * (4 * zz - xx - yy)), P(y * (4 * zz - xx - yy)),
       P(z * (xx - yy)), P(x * y * z), P(x * (xx - 3 * yy)), P(y * (3 * xx - yy))},
      {P(35 * zz * zz - 30 * zz * rr + 3 * rr * rr), P(x * z * (7 * zz - 3 * rr)),
       P(y * z * (7 * zz - 3 * rr)), P((xx - yy) * (7 * zz - rr)), P(x * y * (7 * zz - rr)),
       P(x * z * (xx - 3 * yy)), P(y * z * (3 * xx - yy)), P(xx * xx - 6 * xx * yy + yy * yy),
       P(x * y * (xx - yy))},
      {P(z * (63 * zz * zz - 70 * zz * rr + 15 * rr * rr)), P(x * (21 * zz * zz - 14 * zz * rr + rr * rr)),
       P(y * (21 * zz * zz - 14 * zz * rr + rr * rr)), P(z * (xx - yy) * (3 * zz - rr)),
       P(x * y * z * (3 * zz - rr)), P(x * (xx - 3 * yy) * (9 * zz - rr)),
       P(y * (3 * xx - yy) * (9 * zz - rr)), P(z * (xx * xx - 6 * xx * yy + yy * yy)),
       P(x * y * z * (xx - yy)), P(x * (xx * xx - 10 * xx * yy + 5 * yy * yy)),
       P(y * (5 * xx * xx - 10 * xx * yy + yy * yy))}};
#undef P
  return all;
}

Eigen::VectorXd monomials(int l, double x, double y, double z) {
  const auto& powers = cartesian_powers(l);
  Eigen::VectorXd values(static_cast<Eigen::Index>(powers.size()));
  for (std::size_t i = 0; i < powers.size(); ++i) {
    values[static_cast<Eigen::Index>(i)] =
        std::pow(x, powers[i].x) * std::pow(y, powers[i].y) * std::pow(z, powers[i].z);
  }
  return values;
}

TEST(BasisSet, cartesian_functions_fall_in_x_then_y) {
  const auto& d = cartesian_powers(2);
  const std::vector<std::array<int, 3>> expected{{2, 0, 0}, {1, 1, 0}, {1, 0, 1},
                                                 {0, 2, 0}, {0, 1, 1}, {0, 0, 2}};
  ASSERT_EQ(d.size(), expected.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    EXPECT_EQ((std::array<int, 3>{d[i].x, d[i].y, d[i].z}), expected[i]) << i;
  }
}

TEST(BasisSet, spherical_functions_are_the_textbook_harmonics) {
  const std::array<std::array<double, 3>, 3> places{{{0.7, -0.4, 0.9}, {-1.1, 0.3, 0.2}, {0.5, 1.3, -0.8}}};
  for (int l = 0; l <= max_angular_momentum; ++l) {
    for (int row = 0; row < 2 * l + 1; ++row) {
      const Polynomial& expected =
          textbook_harmonics()[static_cast<std::size_t>(l)][static_cast<std::size_t>(row)];
      double factor = 0;
      for (const auto& [x, y, z] : places) {
        const double value = spherical_to_monomials(l).row(row).dot(monomials(l, x, y, z));
        if (factor == 0) factor = value / expected(x, y, z);
        EXPECT_NEAR(value, factor * expected(x, y, z), 1e-12 * (1 + std::abs(value)))
            << "l " << l << " row " << row;
      }
      EXPECT_GT(factor, 0) << "l " << l << " row " << row;
    }
  }
}

/// The trapezoidal rule is exact to rounding for Gaussians on a grid this fine and wide.
template <class Function>
double integrate(const Function& function) {
  const double step = 0.3, reach = 9;
  const int n = static_cast<int>(reach / step);
  double sum = 0;
  for (int i = -n; i <= n; ++i) {
    for (int j = -n; j <= n; ++j) {
      for (int k = -n; k <= n; ++k) sum += function(step * i, step * j, step * k);
    }
  }
  return sum * step * step * step;
}

TEST(BasisSet, primitive_norm_makes_the_integral_one) {
  for (const CartesianPowers powers :
       {CartesianPowers{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0}, {3, 1, 0}, {2, 2, 1}}) {
    const double norm = primitive_norm(0.6, powers);
    const double integral = integrate([&](double x, double y, double z) {
      const double f = norm * std::pow(x, powers.x) * std::pow(y, powers.y) * std::pow(z, powers.z) *
                       std::exp(-0.6 * (x * x + y * y + z * z));
      return f * f;
    });
    EXPECT_NEAR(integral, 1, 1e-10) << powers.x << powers.y << powers.z;
  }
}

TEST(BasisSet, functions_of_a_shell_have_unit_norm_and_spherical_ones_are_orthogonal) {
  for (int l = 0; l <= max_angular_momentum; ++l) {
    for (const bool spherical : {true, false}) {
      const Shell shell{0, l, spherical, {0.8}, {1.0}};
      const Eigen::MatrixXd& matrix = functions_to_monomials(shell);
      ASSERT_EQ(matrix.rows(), shell.function_count());
      // Moments of the squared radial part over monomials of degree 2l, by quadrature in one dimension.
      const double norm = primitive_norm(0.8, {l, 0, 0});
      std::vector<double> moments(static_cast<std::size_t>(2 * l) + 1, 0);
      for (int i = -400; i <= 400; ++i) {
        const double x = 0.025 * i;
        for (int k = 0; k <= 2 * l; ++k)
          moments[static_cast<std::size_t>(k)] += 0.025 * std::pow(x, k) * std::exp(-1.6 * x * x);
      }
      const auto& powers = cartesian_powers(l);
      Eigen::MatrixXd overlap(matrix.cols(), matrix.cols());
      for (std::size_t a = 0; a < powers.size(); ++a) {
        for (std::size_t b = 0; b < powers.size(); ++b) {
          overlap(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) =
              norm * norm * moments[static_cast<std::size_t>(powers[a].x + powers[b].x)] *
              moments[static_cast<std::size_t>(powers[a].y + powers[b].y)] *
              moments[static_cast<std::size_t>(powers[a].z + powers[b].z)];
        }
      }
      const Eigen::MatrixXd gram = matrix * overlap * matrix.transpose();
      const auto size = gram.rows();
      if (spherical) {
        EXPECT_LT((gram - Eigen::MatrixXd::Identity(size, size)).cwiseAbs().maxCoeff(), 1e-11) << "l " << l;
      } else {
        EXPECT_LT((gram.diagonal() - Eigen::VectorXd::Ones(size)).cwiseAbs().maxCoeff(), 1e-11) << "l " << l;
      }
    }
  }
}

TEST(BasisSet, counts) {
  BasisSet basis;
  basis.shells = {{0, 0, false, {1, 2}, {1, 1}}, {0, 2, true, {1}, {1}}, {0, 3, false, {1}, {1}}};
  EXPECT_EQ(basis.function_count(), 1u + 5u + 10u);
  EXPECT_EQ(basis.primitive_count(), 4u);
  EXPECT_EQ(basis.max_angular_momentum(), 3);
}

}  // namespace
}  // namespace isolume::molecules
