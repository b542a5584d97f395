#include "core/volumes/gaussian.h"

#include <algorithm>
#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/volumes/gaussian_kernels.h"

namespace isolume::volumes {
namespace {

/// A damped oscillation (a cos(w t) + b sin(w t)) exp(-d t), t in standard deviations.
struct Oscillation {
  double a, b, w, d;
};
/// Deriche's form, fitted by least squares to exp(-t^2 / 2) for t from 0 to 6.5 with its area and variance: at most 3.4e-4
/// from it, area and variance right to 2e-6 (Deriche's own numbers: 5.2e-4, 2e-4 and 4e-3).
constexpr Oscillation fit[2] = {{1.774382, 4.032885, 0.606829, 1.833818},
                                {-0.774392, -0.270995, 1.949965, 1.7382}};

/// The z-transform of an oscillation at whole voxels: (n0 + n1 / z) / (1 + d1 / z + d2 / z^2).
struct Section {
  double n0, n1, d1, d2;
  Section(const Oscillation& part, double sigma) {
    const double damping = std::exp(-part.d / sigma), angle = part.w / sigma;
    n0 = part.a;
    n1 = damping * (part.b * std::sin(angle) - part.a * std::cos(angle));
    d1 = -2 * damping * std::cos(angle);
    d2 = damping * damping;
  }
};

RecursiveFilter gaussian_filter(double sigma) {
  const Section p(fit[0], sigma), q(fit[1], sigma);
  RecursiveFilter filter;
  filter.causal = {p.n0 + q.n0, p.n1 + q.n1 + p.n0 * q.d1 + q.n0 * p.d1,
                   p.n0 * q.d2 + q.n0 * p.d2 + p.n1 * q.d1 + q.n1 * p.d1, p.n1 * q.d2 + q.n1 * p.d2};
  filter.feedback = {p.d1 + q.d1, p.d2 + q.d2 + p.d1 * q.d1, p.d1 * q.d2 + q.d1 * p.d2, p.d2 * q.d2};
  // The point itself belongs to the causal part alone.
  for (std::size_t k = 0; k < 4; ++k) {
    filter.anticausal[k] = (k < 3 ? filter.causal[k + 1] : 0) - filter.feedback[k] * filter.causal[0];
  }
  double gain = 0, loss = 1;
  for (std::size_t k = 0; k < 4; ++k) {
    gain += filter.causal[k] + filter.anticausal[k];
    loss += filter.feedback[k];
  }
  for (std::size_t k = 0; k < 4; ++k) {
    filter.causal[k] *= loss / gain;
    filter.anticausal[k] *= loss / gain;
  }
  return filter;
}

}  // namespace

void smooth_gaussian(std::span<float> volume, const Counts& counts, const std::array<double, 3>& sigma) {
  const std::array<std::size_t, 3> strides{
      1, static_cast<std::size_t>(counts[0]),
      static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1])};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (sigma[axis] <= 0 || counts[axis] == 1) continue;
    const RecursiveFilter filter = gaussian_filter(sigma[axis]);
    // Lines that are filtered together lie along x; those along x itself, along y.
    const std::size_t across = axis == 0 ? 1 : 0, other = axis == 2 ? 1 : 2;
    const int blocks = (counts[across] + lines_at_once - 1) / lines_at_once;
    using Range = tbb::blocked_range<int>;
    handover::parallel_for(Range(0, blocks * counts[other]), [&](const Range& part) {
      for (int i = part.begin(); i != part.end(); ++i) {
        const int first = i % blocks * lines_at_once;
        float* line = volume.data() + static_cast<std::size_t>(i / blocks) * strides[other] +
                      static_cast<std::size_t>(first) * strides[across];
        filter_lines(filter, sigma[axis] > 6, line, counts[axis], strides[axis],
                     std::min(lines_at_once, counts[across] - first), strides[across]);
      }
    });
  }
}

}  // namespace isolume::volumes
