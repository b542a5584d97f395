#include "core/nbody/forces/kept_error.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/multipoles/sum_setup.h"
#include "core/nbody/forces/fast_multipole.h"

namespace isolume::nbody {

bool asks_for_error(const ForceOptions& options) {
  return options.error > 0 && options.solver != SolverKind::particle_mesh;
}

std::size_t bodies_to_compare(std::size_t bodies) {
  constexpr std::size_t pairs = 100'000'000, fewest = 64, most = 512;
  return std::clamp(pairs / std::max<std::size_t>(1, bodies), fewest, most);
}

namespace {

/// The largest factor with which the fast multipole method sums in double precision; other solvers do not.
double factor_of_double_precision(const ForceOptions& options) {
  if (options.solver != SolverKind::fmm) return options.error_factor;
  constexpr double below = 0.99;
  return below * multipoles::least_error_in_single_precision(sum_options(options)) / options.error;
}

}  // namespace

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
    Forces forces;
    try {
      forces = sum(stricter);
    } catch (const Error&) {
      if (!best) throw;
      break;  // GPUs do not sum in double precision: what is there is returned, with the error that it has
    }
    const SampledErrors reached = compare(forces);
    if (!best || reached.p995 < best->error.reached.p995)
      best = ForcesWithinError{std::move(forces),
                               {options.error, stricter.error_factor, reached, options.solver}};
    if (reached.p995 <= options.error) break;
    const bool is_stuck = i > 0 && !(reached.p995 < helps * before);
    const double of_double = factor_of_double_precision(stricter);
    if (is_stuck && !(of_double < stricter.error_factor)) break;
    before = reached.p995;
    stricter.error_factor *= std::clamp(0.7 * options.error / reached.p995, 0.05, 0.5);
    if (is_stuck) stricter.error_factor = std::min(stricter.error_factor, of_double);
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
                                        : "Choose the solver \"fmm\", which sums in double precision where "
                                          "single precision does not suffice, or ask for a larger error."));
  return remarks;
}

}  // namespace isolume::nbody
