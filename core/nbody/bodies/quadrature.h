#pragma once

#include <array>
#include <cmath>

namespace isolume::nbody {

/// Integrates a smooth function by five-point Gauss-Legendre quadrature in intervals no longer than a twentieth:
/// exact to rounding where the function changes by a factor of e over a length of 1 or more. Negative where `to` is
/// before `from`.
template <class Function>
double integral(const Function& function, double from, double to) {
  constexpr double longest_piece = 0.05;
  constexpr std::array<std::array<double, 2>, 3> points{{{0, 0.5688888888888889},
                                                         {0.5384693101056831, 0.4786286704993665},
                                                         {0.9061798459386640, 0.2369268850561891}}};
  const double pieces = std::max(1.0, std::ceil(std::abs(to - from) / longest_piece));
  const double half = 0.5 * (to - from) / pieces;
  double sum = 0;
  for (double piece = 0; piece < pieces; ++piece) {
    const double middle = from + (2 * piece + 1) * half;
    for (const auto& [place, weight] : points) {
      sum += weight * function(middle + place * half);
      if (place > 0) sum += weight * function(middle - place * half);
    }
  }
  return half * sum;
}

}  // namespace isolume::nbody
