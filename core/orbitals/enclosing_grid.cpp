#include <algorithm>
#include <cmath>
#include <functional>

#include "core/orbitals/field_request.h"
#include "core/orbitals/primitive_groups.h"

namespace isolume::orbitals {
namespace {

/// An upper bound on a field beyond a plane at `place` across one axis. Every group's bound is evaluated at its own
/// distance from the plane: |psi| <= sum_g bound_g; for densities see below.
class PlaneBound {
 public:
  PlaneBound(const molecules::Wavefunction& wavefunction, const Combination& combination)
      : molecule_(wavefunction.molecule),
        weights_(combination.weights.cwiseAbs()),
        quadratic_(combination.quadratic) {
    const auto grouped =
        group_primitives(wavefunction.molecule, wavefunction.basis,
                         quadratic_ ? combination.coefficients
                                    : Eigen::MatrixXd(combination.coefficients * combination.weights));
    const Eigen::VectorXd norms =
        quadratic_ ? Eigen::VectorXd((grouped.polynomials.cwiseAbs2() * weights_).cwiseSqrt())
                   : Eigen::VectorXd(grouped.polynomials.cwiseAbs());
    for (const auto& group : grouped.groups) {
      RadialBound bound;
      bound.exponent = group.exponent;
      for (int i = 0; i <= group.degree; ++i) {
        for (int j = 0; i + j <= group.degree; ++j) {
          for (int k = 0; i + j + k <= group.degree; ++k) {
            bound.add(norms[group.first + polynomial_row(group.degree, i, j, k)], i, j, k);
          }
        }
      }
      bounds_.push_back({group.atom, bound});
    }
  }

  /// `direction` +1: the half space above `place`, -1: below.
  double beyond(int axis, double place, int direction) const {
    double sum = 0;
    for (const auto& [atom, bound] : bounds_) {
      const double distance = direction * (place - molecule_.atoms[atom].position_bohr[axis]);
      sum += bound.beyond(std::max(0.0, distance));
    }
    // sum_k |w_k| psi_k^2 <= (sum_m |chi_m| sqrt(sum_k |w_k| c_mk^2))^2 by Minkowski's inequality.
    return quadratic_ ? sum * sum : sum;
  }

 private:
  struct Entry {
    int atom;
    RadialBound bound;
  };
  const molecules::Molecule& molecule_;
  Eigen::VectorXd weights_;
  bool quadratic_;
  std::vector<Entry> bounds_;
};

/// The plane beyond which the bound stays below the isovalue, to 0.01 bohr, searched outwards from the far side of
/// the nuclei (beyond which the whole field lies).
double outermost_plane(const PlaneBound& bound, int axis, double inside, int direction, double isovalue) {
  if (bound.beyond(axis, inside, direction) < isovalue) return inside;
  constexpr double farthest =
      1e6;  // limit for any exponents: such a grid is refused rather than searched for
  double step = 1;
  while (step < farthest && bound.beyond(axis, inside + direction * step, direction) >= isovalue) step *= 2;
  double low = step == 1 ? 0 : step / 2;
  double high = step;
  while (high - low > 0.01) {
    const double middle = (low + high) / 2;
    (bound.beyond(axis, inside + direction * middle, direction) >= isovalue ? low : high) = middle;
  }
  return inside + direction * high;
}

}  // namespace

grid::Grid enclosing_grid(const molecules::Wavefunction& wavefunction, const FieldRequest& request,
                          const BoxOptions& options) {
  const molecules::Box nuclei = molecules::nuclei_box(wavefunction.molecule);
  Eigen::Vector3d low = nuclei.low_bohr;
  Eigen::Vector3d high = nuclei.high_bohr;
  if (options.isovalue > 0) {
    const PlaneBound bound(wavefunction, combine(wavefunction, request));
    for (int axis = 0; axis < 3; ++axis) {
      high[axis] = outermost_plane(bound, axis, nuclei.low_bohr[axis], +1, options.isovalue);
      low[axis] = outermost_plane(bound, axis, nuclei.high_bohr[axis], -1, options.isovalue);
      if (low[axis] > high[axis]) {  // nowhere that large: an empty picture still needs a position
        low[axis] = nuclei.low_bohr[axis];
        high[axis] = nuclei.high_bohr[axis];
      }
    }
  }
  const Eigen::Vector3d centre = (low + high) / 2;
  const Eigen::Vector3d half =
      ((high - low).array() / 2 + options.margin_bohr).max(options.spacing_bohr / 2).matrix();
  return grid::cover_box(centre - half, centre + half, options.spacing_bohr);
}

}  // namespace isolume::orbitals
