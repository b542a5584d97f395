#pragma once

#include <span>

#include <Eigen/Core>

#include "core/multipoles/translations.h"

namespace isolume::multipoles {

/// What softening changes from afar, 1 / sqrt(r^2 + softening^2) - 1 / r, is no harmonic function, and small: for it
/// there are Taylor series in x, y and z to this degree in both cells' lengths together (Dehnen, J. Comput. Phys.
/// 179, 27 (2002)). They are kept by products of powers, those of lower degree first. With d from a cell's centre to
/// its charges, moments are sums of charge (-d)^b / b!; the field at s from its centre is a sum of field[a] s^a / a!.
inline constexpr int softening_degree = 6;
inline constexpr std::size_t softening_terms =
    (softening_degree + 1) * (softening_degree + 2) * (softening_degree + 3) / 6;

/// Writes the moments of charges.
void softening_moments(const PointSpan& points, const Eigen::Vector3d& centre, double* moments);
/// Adds moments to those about a centre that is `to` away.
void add_softening_moments(const double* part, const Eigen::Vector3d& to, double* moments);

struct SofteningSource {
  const double* moments;
  Eigen::Vector3d to;  ///< from its centre to that of the field; not shorter than 1e-22
  /// All of 1 / sqrt(r^2 + softening^2), in place of what softening changes: near a distance of the softening length and
  /// within it, 1 / r is so much larger that too few digits of the sum would be left.
  bool alone;
};
void add_softening_field(std::span<const SofteningSource> sources, double softening, double* field);

/// Writes the field about a centre that is `by` away.
void move_softening_field(const double* field, const Eigen::Vector3d& by, double* moved);
/// Adds the field at points.
void add_softening_at_points(const double* field, const Eigen::Vector3d& centre, const PointSpan& points,
                             const FieldSums& sums);

}  // namespace isolume::multipoles
