#include "core/orbitals/separable_terms.h"

#include <algorithm>
#include <cmath>

namespace isolume::orbitals {
namespace {

RadialBound term_bound(const PrimitiveGroup& group, int power_x, const Eigen::VectorXd& norms) {
  RadialBound bound;
  bound.exponent = group.exponent;
  for (int j = 0; power_x + j <= group.degree; ++j) {
    for (int k = 0; power_x + j + k <= group.degree; ++k) {
      bound.add(norms[group.first + polynomial_row(group.degree, power_x, j, k)], power_x, j, k);
    }
  }
  return bound;
}

}  // namespace

std::array<GridAxis, 3> axes_of(const grid::Grid& grid) {
  std::array<GridAxis, 3> axes;
  for (int axis = 0; axis < 3; ++axis) {
    axes[axis] = {grid.origin[axis], grid.step(axis, axis), grid.dimensions[axis]};
  }
  return axes;
}

std::vector<SeparableTerm> choose_terms(const std::vector<PrimitiveGroup>& groups,
                                        const Eigen::VectorXd& norms, double tolerance) {
  struct Bounded {
    SeparableTerm term;
    RadialBound bound;
    double share;
  };
  std::vector<Bounded> all;
  double shares = 0;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (int i = 0; i <= groups[g].degree; ++i) {
      const RadialBound bound = term_bound(groups[g], i, norms);
      if (bound.beyond(0) == 0) continue;
      const double share = 1 / (groups[g].exponent * std::sqrt(groups[g].exponent));
      shares += share;
      all.push_back({{static_cast<std::int32_t>(g), i, 0}, bound, share});
    }
  }
  std::vector<SeparableTerm> chosen;
  for (auto& each : all) {
    each.term.radius = each.bound.radius(tolerance * each.share / shares);
    if (each.term.radius >= 0) chosen.push_back(each.term);
  }
  return chosen;
}

PointRange points_within(const GridAxis& axis, double centre, double radius, double margin, int granularity) {
  const double low = std::floor((centre - radius - axis.origin) / axis.step) - margin;
  const double high = std::ceil((centre + radius - axis.origin) / axis.step) + margin;
  if (high < 0 || low > axis.count - 1) return {};
  return {static_cast<int>(std::max(low, 0.0)) / granularity * granularity,
          (static_cast<int>(std::min(high, axis.count - 1.0)) / granularity + 1) * granularity};
}

}  // namespace isolume::orbitals
