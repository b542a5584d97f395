#include "core/nbody/forces/split_force.h"

#include <cmath>
#include <numbers>

namespace isolume::nbody {

SmoothPull smooth_pull(double r, double split) {
  const double root = std::sqrt(std::numbers::pi), s = r / (2 * split);
  // Near 0 the closed form is a difference of almost equal numbers.
  if (s < 0.05) {
    const double s2 = s * s, scale = 1 / (root * split);
    return {scale / (4 * split * split) * (2.0 / 3 - s2 * (2.0 / 5 - s2 * (1.0 / 7 - s2 / 27))),
            scale * (1 - s2 * (1.0 / 3 - s2 * (1.0 / 10 - s2 / 42)))};
  }
  const double inside = std::erf(s), edge = 2 * s / root * std::exp(-s * s);
  return {(inside - edge) / (r * r * r), inside / r};
}

}  // namespace isolume::nbody
