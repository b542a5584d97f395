#include "core/nbody/forces/sampled_error.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/base/philox.h"
#include "core/nbody/forces/exact_force.h"

namespace isolume::nbody {

SampledErrors summary_of(std::vector<double> errors) {
  std::ranges::sort(errors);
  if (errors.empty()) return {};
  const auto below = [&](std::size_t of_1000) { return errors[errors.size() * of_1000 / 1000]; };
  return {errors.size(), below(500), below(900), below(990), below(995)};
}

std::vector<std::size_t> bodies_of_sample(std::size_t bodies, std::size_t most_samples) {
  std::vector<std::size_t> sampled(std::min(bodies, std::max<std::size_t>(1, most_samples)));
  constexpr std::uint64_t seed = 1;
  for (std::size_t sample = 0; sample < sampled.size(); ++sample) {
    const std::size_t begin = sample * bodies / sampled.size(), end = (sample + 1) * bodies / sampled.size();
    const double place = Random(seed, sample).uniform() * static_cast<double>(end - begin);
    sampled[sample] = begin + std::min(static_cast<std::size_t>(place), end - begin - 1);
  }
  return sampled;
}

namespace {

/// `forces` are those on bodies from `first` on.
SampledErrors sampled_from(std::size_t first, const Bodies& bodies, const Forces& forces,
                           const ForceOptions& options, std::size_t most_samples,
                           const jobs::Progress& progress) {
  const auto sampled = bodies_of_sample(bodies.size() - first, most_samples);
  std::vector<double> errors(sampled.size(), -1);
  const ExactForces exactly(bodies, options, progress);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, errors.size(), 1), [&](const auto& part) {
    for (std::size_t sample = part.begin(); sample != part.end(); ++sample) {
      progress.check();
      const std::size_t on = sampled[sample];
      const Eigen::Vector3d exact = exactly.on(first + on).acceleration;
      const Eigen::Vector3d found(forces.ax[on], forces.ay[on], forces.az[on]);
      const double size = exact.stableNorm();  // squares of representable forces may overflow
      if (!(size > 0)) continue;
      const Eigen::Vector3d difference = found - exact;
      // stableNorm() leaves out what is no number.
      errors[sample] =
          difference.allFinite() ? difference.stableNorm() / size : std::numeric_limits<double>::infinity();
    }
  });
  std::erase_if(errors, [](double error) { return error < 0; });
  return summary_of(std::move(errors));
}

}  // namespace

SampledErrors sampled_errors(const Bodies& bodies, const Forces& forces, const ForceOptions& options,
                             std::size_t most_samples, const jobs::Progress& progress) {
  return sampled_from(0, bodies, forces, options, most_samples, progress);
}

SampledErrors sampled_errors_at(const Places& places, const Bodies& bodies, const Forces& forces,
                                const ForceOptions& options, std::size_t most_samples,
                                const jobs::Progress& progress) {
  return sampled_from(bodies.size(), with_places(bodies, places), forces, options, most_samples, progress);
}

}  // namespace isolume::nbody
