#include "core/nbody/sampled_error.h"

#include <algorithm>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/exact_force.h"

namespace isolume::nbody {

SampledErrors summary_of(std::vector<double> errors) {
  std::ranges::sort(errors);
  if (errors.empty()) return {};
  return {errors.size(), errors[errors.size() / 2], errors[errors.size() * 9 / 10],
          errors[errors.size() * 99 / 100]};
}

SampledErrors sampled_errors(const Bodies& bodies, const Forces& forces, double softening,
                             std::size_t most_samples, const jobs::Progress& progress) {
  const std::size_t step = std::max<std::size_t>(1, bodies.size() / std::max<std::size_t>(1, most_samples));
  std::vector<double> errors((bodies.size() + step - 1) / step, -1);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, errors.size(), 1), [&](const auto& part) {
    for (std::size_t sample = part.begin(); sample != part.end(); ++sample) {
      progress.check();
      const std::size_t on = sample * step;
      const Eigen::Vector3d exact = exact_force(bodies, on, softening).acceleration;
      const Eigen::Vector3d found(forces.ax[on], forces.ay[on], forces.az[on]);
      if (exact.norm() > 0) errors[sample] = (found - exact).norm() / exact.norm();
    }
  });
  std::erase_if(errors, [](double error) { return error < 0; });
  return summary_of(std::move(errors));
}

}  // namespace isolume::nbody
