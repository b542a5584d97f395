#include "core/gaussians/boys_function.h"

#include <array>
#include <cmath>
#include <numbers>
#include <tuple>

#include <gtest/gtest.h>

namespace isolume::gaussians {
namespace {

using Rule = std::array<std::array<long double, 2>, 200>;  ///< nodes in [0, 1], and their weights

/// A function, because compilers evaluate the lambda of a constant, for 17 s.
Rule gauss_legendre() {
  constexpr int nodes = std::tuple_size_v<Rule>;
  Rule made;
  for (int i = 0; i < nodes; ++i) {
    long double x = std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (nodes + 0.5L)), slope = 1;
    for (int step = 0; step < 20; ++step) {
      long double before = 1, here = x;
      for (int n = 2; n <= nodes; ++n) {
        const long double next = ((2 * n - 1) * x * here - (n - 1) * before) / n;
        before = here;
        here = next;
      }
      slope = nodes * (x * here - before) / (x * x - 1);
      x -= here / slope;
    }
    made[static_cast<std::size_t>(i)] = {(1 + x) / 2, 1 / ((1 - x * x) * slope * slope)};
  }
  return made;
}

/// Quadrature of the definition in long double; 200 nodes are far more than enough for T up to 1000.
long double by_quadrature(int m, long double t) {
  static const Rule rule = gauss_legendre();
  long double sum = 0;
  for (const auto& [x, weight] : rule) sum += weight * std::pow(x, 2 * m) * std::exp(-t * x * x);
  return sum;
}

TEST(BoysFunction, IsItsIntegral) {
  for (double t = 0; t < 900; t = t * 1.013 + 0.0171) {
    std::array<double, max_order + 1> values;
    boys_function(t, values);
    for (int m = 0; m <= max_order; ++m) {
      const auto expected = static_cast<double>(by_quadrature(m, t));
      // Of the largest orders at large T the quadrature itself loses digits.
      ASSERT_NEAR(values[static_cast<std::size_t>(m)], expected, 1e-14 * expected + 1e-19) << m << ' ' << t;
    }
  }
}

TEST(BoysFunction, IsKnownAtItsEnds) {
  std::array<double, max_order + 1> values;
  boys_function(0, values);
  for (int m = 0; m <= max_order; ++m)
    EXPECT_NEAR(values[static_cast<std::size_t>(m)], 1.0 / (2 * m + 1), 1e-16);
  std::array<double, 1> alone;
  for (const double t : {0.01, 1.0, 7.3, 39.999, 40.0, 40.001, 1e5, 1e300}) {
    boys_function(t, alone);
    EXPECT_NEAR(alone[0], std::sqrt(std::numbers::pi / t) / 2 * std::erf(std::sqrt(t)), 1e-14 * alone[0])
        << t;
  }
}

}  // namespace
}  // namespace isolume::gaussians
