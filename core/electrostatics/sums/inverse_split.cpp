#include "core/electrostatics/sums/inverse_split.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace isolume::electrostatics {
namespace {

using std::numbers::pi;

constexpr double to_double = 1e-15, to_single = 2e-8;

/// Coefficients in Chebyshev polynomials.
std::vector<double> chebyshev_coefficients(const std::function<double(double)>& of) {
  constexpr int count = RadialPolynomial::capacity;
  std::vector<double> values, coefficients;
  for (int i = 0; i < count; ++i) values.push_back(of(std::cos(pi * (i + 0.5) / count)));
  for (int n = 0; n < count; ++n) {
    double sum = 0;
    for (int i = 0; i < count; ++i)
      sum += values[static_cast<std::size_t>(i)] * std::cos(pi * n * (i + 0.5) / count);
    coefficients.push_back((n == 0 ? 1.0 : 2.0) / count * sum);
  }
  return coefficients;
}

PairTerms split_terms(double cutoff, const std::function<double(double)>& smooth) {
  return {.law = PairLaw::split,
          .cutoff = cutoff,
          .smooth = radial_polynomial(smooth, to_double),
          .smooth_single = radial_polynomial(smooth, to_single)};
}

double erf_over(double x) {
  return x < 1e-8 ? 2 / std::sqrt(pi) : std::erf(x) / x;
}

}  // namespace

RadialPolynomial radial_polynomial(const std::function<double(double)>& of, double tolerance) {
  auto chebyshev = chebyshev_coefficients(of);
  double largest = 0;
  for (const double each : chebyshev) largest = std::max(largest, std::abs(each));
  while (chebyshev.size() > 1 && std::abs(chebyshev.back()) < tolerance * largest) chebyshev.pop_back();
  RadialPolynomial polynomial{.terms = static_cast<int>(chebyshev.size())};
  // T(n + 1) = 2 u T(n) - T(n - 1), in powers of u.
  std::vector<double> last(chebyshev.size()), now(chebyshev.size());
  now[0] = 1;
  for (std::size_t n = 0; n < chebyshev.size(); ++n) {
    std::vector<double> next(chebyshev.size());
    for (std::size_t power = 0; power < now.size(); ++power) {
      polynomial.coefficients[power] += chebyshev[n] * now[power];
      next[power] = (power > 0 ? (n == 0 ? 1 : 2) * now[power - 1] : 0) - (n == 0 ? 0 : last[power]);
    }
    last = std::move(now);
    now = std::move(next);
  }
  return polynomial;
}

double multilevel_smooth(double distance) {
  if (distance >= 1) return 1 / distance;
  constexpr int terms = 6;
  const double s = distance * distance - 1;
  double sum = 0, term = 1;
  for (int k = 0; k < terms; ++k) {
    sum += term;
    term *= s * (-0.5 - k) / (k + 1);
  }
  return sum;
}

PairTerms multilevel_terms(double cutoff) {
  return split_terms(cutoff, [&](double u) { return multilevel_smooth(std::sqrt((u + 1) / 2)) / cutoff; });
}

EwaldSplit ewald_split(double cutoff, double at_cutoff) {
  // erfc falls from 1 to below any positive number in this interval.
  double low = 0, high = 30;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle) > at_cutoff ? low : high) = middle;
  }
  const double alpha = low / cutoff;
  return {alpha,
          split_terms(cutoff, [&](double u) { return alpha * erf_over(low * std::sqrt((u + 1) / 2)); })};
}

}  // namespace isolume::electrostatics
