#include "core/molecules/basis_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace isolume::molecules {
namespace {

constexpr int kind_count = max_angular_momentum + 1;

double binomial(int n, int k) {
  double value = 1;
  for (int i = 0; i < k; ++i) value = value * (n - i) / (i + 1);
  return value;
}

std::vector<CartesianPowers> make_powers(int l) {
  std::vector<CartesianPowers> powers;
  for (int x = l; x >= 0; --x) {
    for (int y = l - x; y >= 0; --y) powers.push_back({x, y, l - x - y});
  }
  return powers;
}

/// Column of x^i y^j z^k in `cartesian_powers`.
int column_of(int l, int x, int y) {
  const int behind = l - x;  // functions with a higher power of x precede
  return behind * (behind + 1) / 2 + (behind - y);
}

/// Overlap of two monomials of one shell, each with the radial norm N_l.
double monomial_overlap(int l, CartesianPowers a, CartesianPowers b) {
  const int x = a.x + b.x, y = a.y + b.y, z = a.z + b.z;
  if (x % 2 != 0 || y % 2 != 0 || z % 2 != 0) return 0;
  return odd_double_factorial(x / 2) * odd_double_factorial(y / 2) * odd_double_factorial(z / 2) /
         odd_double_factorial(l);
}

/// Unnormalised real solid harmonic r^l Y_lm as a row over monomials; m < 0 is the sine-like one.
Eigen::RowVectorXd solid_harmonic(int l, int m) {
  const int order = std::abs(m);
  Eigen::RowVectorXd row = Eigen::RowVectorXd::Zero((l + 1) * (l + 2) / 2);
  for (int t = 0; 2 * t <= l - order; ++t) {
    for (int u = 0; u <= t; ++u) {
      // The real part of (x+iy)^order has even powers of y, the imaginary part odd ones.
      for (int v = m < 0 ? 1 : 0; v <= order; v += 2) {
        const double sign = (t + v / 2) % 2 == 0 ? 1 : -1;
        const double value = sign * std::pow(0.25, t) * binomial(l, t) * binomial(l - t, order + t) *
                             binomial(t, u) * binomial(order, v);
        const int y = 2 * u + v;
        row[column_of(l, 2 * t + order - y, y)] += value;
      }
    }
  }
  return row;
}

Eigen::MatrixXd make_spherical(int l) {
  const auto& powers = cartesian_powers(l);
  const auto columns = static_cast<Eigen::Index>(powers.size());
  Eigen::MatrixXd overlap(columns, columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    for (Eigen::Index j = 0; j < columns; ++j) overlap(i, j) = monomial_overlap(l, powers[i], powers[j]);
  }
  Eigen::MatrixXd matrix(2 * l + 1, columns);
  for (int row = 0; row <= 2 * l; ++row) {
    const int order = (row + 1) / 2;
    const Eigen::RowVectorXd harmonic = solid_harmonic(l, row % 2 == 0 ? -order : order);
    matrix.row(row) = harmonic / std::sqrt((harmonic * overlap).dot(harmonic));
  }
  return matrix;
}

Eigen::MatrixXd make_cartesian(int l) {
  const auto& powers = cartesian_powers(l);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(powers.size()),
                                                 static_cast<Eigen::Index>(powers.size()));
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    matrix(k, k) = 1 / std::sqrt(monomial_overlap(l, powers[i], powers[i]));
  }
  return matrix;
}

template <class Make>
auto for_each_kind(Make make) {
  std::array<decltype(make(0)), kind_count> all;
  for (int l = 0; l < kind_count; ++l) all[static_cast<std::size_t>(l)] = make(l);
  return all;
}

}  // namespace

std::size_t BasisSet::function_count() const {
  std::size_t count = 0;
  for (const Shell& shell : shells) count += static_cast<std::size_t>(shell.function_count());
  return count;
}

int BasisSet::max_angular_momentum() const {
  int highest = 0;
  for (const Shell& shell : shells) highest = std::max(highest, shell.angular_momentum);
  return highest;
}

std::size_t BasisSet::primitive_count() const {
  std::size_t count = 0;
  for (const Shell& shell : shells) count += shell.exponents.size();
  return count;
}

const std::vector<CartesianPowers>& cartesian_powers(int angular_momentum) {
  static const auto all = for_each_kind(make_powers);
  return all.at(static_cast<std::size_t>(angular_momentum));
}

double odd_double_factorial(int n) {
  double product = 1;
  for (int factor = 2 * n - 1; factor > 1; factor -= 2) product *= factor;
  return product;
}

double primitive_norm(double exponent, CartesianPowers powers) {
  const int l = powers.x + powers.y + powers.z;
  return std::pow(2 * exponent / std::numbers::pi, 0.75) * std::pow(4 * exponent, 0.5 * l) /
         std::sqrt(odd_double_factorial(powers.x) * odd_double_factorial(powers.y) *
                   odd_double_factorial(powers.z));
}

const Eigen::MatrixXd& spherical_to_monomials(int angular_momentum) {
  static const auto all = for_each_kind(make_spherical);
  return all.at(static_cast<std::size_t>(angular_momentum));
}

const Eigen::MatrixXd& cartesian_to_monomials(int angular_momentum) {
  static const auto all = for_each_kind(make_cartesian);
  return all.at(static_cast<std::size_t>(angular_momentum));
}

const Eigen::MatrixXd& functions_to_monomials(const Shell& shell) {
  return shell.spherical ? spherical_to_monomials(shell.angular_momentum)
                         : cartesian_to_monomials(shell.angular_momentum);
}

}  // namespace isolume::molecules
