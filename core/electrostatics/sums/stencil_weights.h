#pragma once

#include <array>
#include <cstddef>

/// Weights of `order` points in a row, an even number, for a position at a distance `after`, below 1, after their
/// middle point (number order / 2 - 1). Constant expressions, which kernels call, too.
namespace isolume::electrostatics {

inline constexpr int most_stencil_points = 12;
using StencilWeights = std::array<double, most_stencil_points>;

/// Weights of the polynomial through all points: products of the distances to all others, over i! (order - 1 - i)!,
/// with alternating sign.
constexpr StencilWeights lagrange_weights(int order, double after) {
  StencilWeights weights{};
  double below = 1, denominator = 1;
  for (int i = 0; i < order; ++i) {
    weights[static_cast<std::size_t>(i)] = below;
    below *= after - (i - order / 2 + 1);
    if (i > 0) denominator *= -i;
  }
  double above = 1;
  for (int i = order; i-- > 0;) {
    weights[static_cast<std::size_t>(i)] *= above / -denominator;
    above *= after - (i - order / 2 + 1);
    if (i > 0) denominator *= -static_cast<double>(order - i) / i;
  }
  return weights;
}

/// Weights of cardinal B-splines, M_n(u) = (u M_{n-1}(u) + (n - u) M_{n-1}(u - 1)) / (n - 1). Essmann et al., J.
/// Chem. Phys. 103, 8577 (1995), their equation 4.1.
constexpr StencilWeights spline_weights(int order, double after) {
  StencilWeights weights{1 - after, after};
  for (int n = 3; n <= order; ++n) {
    const double share = 1.0 / (n - 1);
    for (int i = n; i-- > 0;) {
      const double u = after + (n - 1 - i);
      const auto at = static_cast<std::size_t>(i);
      const double before = i > 0 ? weights[at - 1] : 0, here = i < n - 1 ? weights[at] : 0;
      weights[at] = (u * before + (n - u) * here) * share;
    }
  }
  return weights;
}

}  // namespace isolume::electrostatics
