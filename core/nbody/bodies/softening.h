#pragma once

#include <cmath>

namespace isolume::nbody {

/// Form of the softening.
enum class SofteningKind {
  /// Plummer spheres: gravity is weaker everywhere, by 1 % at 12 softening lengths.
  plummer,
  /// A spline kernel with support 2.8 softening lengths: exact from there on. The central potential is Plummer's, -m
  /// / softening (Hernquist, Katz, ApJS 70, 419 (1989); Springel, MNRAS 364, 1105 (2005)).
  spline
};

/// Support of the spline kernel, in softening lengths.
inline constexpr double spline_support = 2.8;

/// For a body of mass 1 at distance r, softened: the acceleration is `pull` r towards it, its derivative with respect
/// to r is `change` r^2, and the potential is `potential`.
struct SoftenedPull {
  double pull, change, potential;
};

inline SoftenedPull plummer_pull(double r_squared, double softening) {
  const double inverse = 1 / std::sqrt(r_squared + softening * softening);
  const double cube = inverse * inverse * inverse;
  return {cube, -3 * cube * inverse * inverse, -inverse};
}

/// The kernel W of Monaghan and Lattanzio (1985) with its support h, integrated twice; u = r / h. `softening` above 0.
inline SoftenedPull spline_pull(double r_squared, double softening) {
  const double h = spline_support * softening;
  if (r_squared >= h * h) return plummer_pull(r_squared, 0);
  const double u = std::sqrt(r_squared) / h, u2 = u * u;
  const double h3 = h * h * h;
  if (u < 0.5) {
    return {(32.0 / 3 + u2 * (32 * u - 38.4)) / h3, (96 * u - 76.8) / (h3 * h * h),
            (-2.8 + u2 * (16.0 / 3 + u2 * (6.4 * u - 9.6))) / h};
  }
  const double u3 = u2 * u;
  return {(64.0 / 3 - 48 * u + 38.4 * u2 - 32.0 / 3 * u3 - 1 / (15 * u3)) / h3,
          (-48 + 76.8 * u - 32 * u2 + 0.2 / (u3 * u)) / (u * h3 * h * h),
          (-3.2 + 1 / (15 * u) + u2 * (32.0 / 3 + u * (-16 + u * (9.6 - 32.0 / 15 * u)))) / h};
}

inline SoftenedPull softened_pull(double r_squared, double softening, SofteningKind kind) {
  return kind == SofteningKind::spline && softening > 0 ? spline_pull(r_squared, softening)
                                                        : plummer_pull(r_squared, softening);
}

}  // namespace isolume::nbody
