#include "core/nbody/kept_error.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace isolume::nbody {

bool asks_for_error(const ForceOptions& options) {
  return options.error > 0 && options.solver != SolverKind::particle_mesh;
}

std::size_t bodies_to_compare(std::size_t bodies) {
  constexpr std::size_t pairs = 100'000'000, fewest = 64, most = 512;
  return std::clamp(pairs / std::max<std::size_t>(1, bodies), fewest, most);
}

ForcesWithinError forces_within_error(const ForceOptions& options,
                                      const std::function<Forces(const ForceOptions&)>& sum,
                                      const std::function<SampledErrors(const Forces&)>& compare) {
  if (!asks_for_error(options)) return {sum(options), {}};
  // A direct sum's error is that of single precision.
  const int most_sums = options.solver == SolverKind::direct ? 1 : 6;
  constexpr double helps = 0.7;  // smaller improvements are rounding, which no smaller factor changes
  ForceOptions stricter = options;
  std::optional<ForcesWithinError> best;
  double before = 0;
  for (int i = 0; i < most_sums; ++i) {
    Forces forces = sum(stricter);
    const SampledErrors reached = compare(forces);
    if (!best || reached.p995 < best->error.reached.p995)
      best = ForcesWithinError{std::move(forces),
                               {options.error, stricter.error_factor, reached, options.solver}};
    if (reached.p995 <= options.error || (i > 0 && !(reached.p995 < helps * before))) break;
    before = reached.p995;
    stricter.error_factor *= std::clamp(0.7 * options.error / reached.p995, 0.05, 0.5);
  }
  return std::move(*best);
}

Remarks remarks_on(const KeptError& error, bool at_end) {
  Remarks remarks;
  if (error.is_kept()) return remarks;
  remarks.warn(fmt::format(
      "{} requested force error of {:.1e} is not kept: 99 % of {} forces that were compared with "
      "exact ones are within {:.1e}. {}",
      at_end ? "At the last step, the" : "The", error.asked, error.reached.samples, error.reached.p99,
      error.solver == SolverKind::barnes_hut
          ? "Choose the solver \"fmm\" or \"direct\", or ask for a larger error."
      : error.solver == SolverKind::fmm ? "Choose the solver \"direct\", or ask for a larger error."
                                        : "Ask for a larger error."));
  return remarks;
}

}  // namespace isolume::nbody
