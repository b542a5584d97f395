#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/grid/grid.h"
#include "core/orbitals/primitive_groups.h"

/// Common preparation of all separable engines: determines which terms
///   A_t(x) B_t(y, z) = x^i exp(-a x^2) sum_jk c_ijk y^j z^k exp(-a (y^2 + z^2)),  t = (group, power i of x),
/// matter, and how far they extend.
namespace isolume::orbitals {

using AlignedFloats = std::vector<float, UninitialisedAllocator<float>>;

/// One axis of an axis-aligned grid.
struct GridAxis {
  double origin = 0;
  double step = 1;
  int count = 0;
};
std::array<GridAxis, 3> axes_of(const grid::Grid& grid);

struct SeparableTerm {
  std::int32_t group = 0;
  int power_x = 0;
  double radius = 0;  ///< from the group's atom; farther away the term may be omitted
};

/// Screening: with e the tolerance, every term t has a distance beyond which its bound (RadialBound) stays below e_t,
/// and sum_t e_t = e. A term is omitted for a block of points that are all farther away; hence the error of an
/// amplitude is at most e, and for quadratic fields, whose terms are measured by `row_norms` with their weights,
/// |error| <= 2 e sqrt(sum_k |w_k| psi_k^2) + e^2. Rounding is additional. The e_t are proportional to a^(-3/2),
/// which spends the tolerance where it saves most volume.
///
/// `norms`: row_norms of the groups' polynomials. Terms that are negligible everywhere are not in the result, which
/// is in the order of groups, then of powers.
std::vector<SeparableTerm> choose_terms(const std::vector<PrimitiveGroup>& groups,
                                        const Eigen::VectorXd& norms, double tolerance);

/// The points first .. last-1 of an axis; none when last <= first.
struct PointRange {
  int first = 0;
  int last = 0;
  bool empty() const { return last <= first; }
};
/// The points of the axis not farther than `radius` from `centre`, plus `margin` on each side, with the ends moved
/// outwards to multiples of `granularity` (so that `last` may lie beyond the axis).
PointRange points_within(const GridAxis& axis, double centre, double radius, double margin, int granularity);

}  // namespace isolume::orbitals
