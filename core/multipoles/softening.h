#pragma once

#include <span>

#include <Eigen/Core>

#include "core/multipoles/translations.h"

namespace isolume::multipoles {

/// The effect of softening on distant cells, 1 / sqrt(r^2 + softening^2) - 1 / r, is not a harmonic function,
/// and it is small. It is expanded in Taylor series in x, y and z, up to this total degree in both cells'
/// lengths (Dehnen, J. Comput. Phys. 179, 27 (2002)). Terms are ordered by products of powers, lower degrees
/// first. With d from a cell's centre to its charges, moments are sums of charge (-d)^b / b!; the field at s
/// from its centre is a sum of field[a] s^a / a!.
inline constexpr int softening_degree = 6;
inline constexpr std::size_t softening_terms =
    (softening_degree + 1) * (softening_degree + 2) * (softening_degree + 3) / 6;

/// Writes the softening moments of charges.
void softening_moments(const PointSpan& points, const Eigen::Vector3d& centre, double* moments);
/// Adds moments translated to a centre that is `to` away.
void add_softening_moments(const double* part, const Eigen::Vector3d& to, double* moments);

struct SofteningSource {
  const double* moments;
  Eigen::Vector3d to;  ///< from its centre to that of the field; at least 1e-22 long
  /// Whether the series represents all of 1 / sqrt(r^2 + softening^2) rather than its difference from 1 / r.
  /// At distances near and below the softening length 1 / r is so much larger that the difference would lose
  /// too many digits.
  bool alone;
};
void add_softening_field(std::span<const SofteningSource> sources, double softening, double* field);

/// Writes the field translated to a centre that is `by` away.
void move_softening_field(const double* field, const Eigen::Vector3d& by, double* moved);
/// Adds the field at points.
void add_softening_at_points(const double* field, const Eigen::Vector3d& centre, const PointSpan& points,
                             const FieldSums& sums);

}  // namespace isolume::multipoles
