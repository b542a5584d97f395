#include "core/multipoles/sum_setup.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/dispatch/dispatch.h"
#include "core/multipoles/softening.h"

namespace isolume::multipoles {

double least_error_in_single_precision(const SumOptions& options) {
  return options.softening > 0 ? 5e-5 : 3e-6;
}

namespace {

/// The settings derived from the options.
struct Plan {
  int order;
  std::uint32_t leaf_size;  ///< cells with at most this many points are leaves
  NearField near_field;
  double widest;  ///< see Opening::widest
  double share;   ///< allowed error of two cells, as a part of the gradient; 0: no limit
};

Plan plan_for(const SumOptions& options) {
  if (options.error == 0) return {8, 64, {}, options.opening_angle, 0};
  // Softened forces may be small differences of larger ones. For cusps well within the softening length,
  // which were measured too, rounding and truncation are a larger part of the force.
  const bool is_softened = options.softening > 0;
  const double error = is_softened ? options.error / 2 : options.error;
  const double digits = -std::log10(error);
  Plan plan{.order = static_cast<int>(std::lround(std::clamp(1.15 + 2.1 * digits, 3.0, 22.0))),
            .leaf_size = error < 1e-8 ? 96u : 64u,
            .near_field = {},
            .widest = 0.85,
            .share = 0};
  // Measured, like the order: on Plummer spheres, Hernquist's cusp, a ball, a cube, a shell, a disc, a galaxy,
  // a filament, pairs and clumps of spheres, a perturbed grid and unequal masses, of 2e4 and 1e5 points, from
  // 1e-1 to 1e-10, the 99th percentile of the error was at most 85 % of the requested error.
  plan.share = error * std::min(2.0, 130.0 / (plan.order * plan.order));
  plan.near_field.in_single_precision = options.error >= least_error_in_single_precision(options);
  plan.near_field.close = 1e-7 / error;
  return plan;
}

/// Whether single precision suffices: no leaf is so small that single precision, in units of the frame,
/// merges its points, and no charge is so small that its products underflow.
bool suits_single_precision(const PointTree& tree) {
  const auto is_light = [](double charge) { return charge != 0 && std::abs(charge) < 1e-30; };
  return std::ranges::none_of(tree.cells,
                              [](const PointCell& cell) { return cell.radius > 0 && cell.radius < 1e-12; }) &&
         std::ranges::none_of(tree.charge, is_light);
}

/// Rough gradients determine the allowed error of each cell: three quarters of a leaf's points have a larger
/// gradient, and no part of a cell has a smaller one.
std::vector<float> log_gradients(const PointTree& targets, const SortedSums& estimate) {
  std::vector<double> gradients(targets.cells.size(), std::numeric_limits<double>::infinity()), of_leaf;
  std::vector<float> logs(targets.cells.size());
  for (std::size_t i = logs.size(); i-- > 0;) {
    const PointCell& cell = targets.cells[i];
    if (cell.leaf) {
      of_leaf.clear();
      for (std::uint32_t j = cell.begin; j < cell.end; ++j) {
        of_leaf.push_back(std::hypot(estimate.x[j], estimate.y[j], estimate.z[j]));
      }
      const auto quarter = of_leaf.begin() + static_cast<std::ptrdiff_t>(of_leaf.size() / 4);
      std::nth_element(of_leaf.begin(), quarter, of_leaf.end());
      gradients[i] = *quarter;
    } else {
      for (std::size_t part = i + 1; part < cell.next; part = targets.cells[part].next) {
        gradients[i] = std::min(gradients[i], gradients[part]);
      }
    }
    logs[i] = static_cast<float>(std::log2(gradients[i]));
  }
  return logs;
}

constexpr double estimate_angle = 0.8;
constexpr int estimate_order = 2;
/// Larger leaves are quicker, and over a small part of the points the gradient varies little.
std::uint32_t estimate_leaf(std::size_t points) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(points / 256, 512));
}

/// Position, charge, number and four sums in the order of the tree; twice a point while the tree is built.
constexpr std::size_t bytes_a_point = 200;

void require_memory_for_points(std::size_t points) {
  dispatch::require_memory(fmt::format("Sums over {} points", points), points * bytes_a_point,
                           "Take fewer points.");
}
void require_memory_for_moments(const PointTree& tree, const Plan& plan, bool softened) {
  const std::size_t expansion = 3 * (Harmonics(plan.order).size() + Harmonics(estimate_order).size()) / 2 +
                                (softened ? softening_terms : 0);
  dispatch::require_memory(fmt::format("Expansions for {} cells", tree.cells.size()),
                           tree.cells.size() * (expansion + 20) * sizeof(double),
                           "Take fewer points, or a larger error.");
}

}  // namespace

void check(const SumOptions& options) {
  if (!(options.softening >= 0 && std::isfinite(options.softening))) {
    throw Error(fmt::format("The softening is {}. Give a length of 0 or more.", options.softening));
  }
  if (options.error == 0 &&
      !(options.opening_angle >= 0.05 && options.opening_angle <= widest_opening_angle)) {
    throw Error(
        fmt::format("The opening angle is {}. For the fast multipole method give one from 0.05 to {}, "
                    "or an error.",
                    options.opening_angle, widest_opening_angle));
  }
  if (!(options.error == 0 || (options.error >= least_error && options.error <= most_error))) {
    throw Error(fmt::format("The error is {}. Give one from {} to {}, or 0 to go by the opening angle.",
                            options.error, shown_setting(least_error), shown_setting(most_error)));
  }
}

SumSetup::SumSetup(const Points* at, const Points& from, const SumOptions& options, int highest_single,
                   const jobs::Progress& progress)
    : sums((at != nullptr ? *at : from).size()) {
  check(options);
  const std::size_t count = sums.potential.size();
  const Plan plan = plan_for(options);
  require_memory_for_points(from.size() + (at != nullptr ? count : 0));
  auto start = std::chrono::steady_clock::now();
  const auto lap = [&start] {
    const double passed = seconds_since(start);
    start = std::chrono::steady_clock::now();
    return passed;
  };
  frame = frame_around(from, at != nullptr ? *at : Points());
  tree = build_point_tree(from, frame, plan.leaf_size, progress);
  if (at != nullptr) target_tree = build_point_tree(*at, frame, plan.leaf_size, progress);
  order = plan.order;
  near_field = plan.near_field;
  near_field.in_single_precision &= suits_single_precision(tree) && suits_single_precision(targets());
  const bool singly = near_field.in_single_precision && order <= highest_single;
  require_memory_for_moments(tree, plan, options.softening > 0);
  seconds.order = lap();

  opening = {.widest = plan.widest, .softening = options.softening / frame.length};
  if (options.softening > 0) softening_moments = softening_moments_of(tree);
  opening.softening_moments = &softening_moments;
  opening.log_share = static_cast<float>(std::log2(plan.share > 0 ? plan.share : 1e-4));
  if (plan.share > 0) {
    const CellMoments rough = moments_of(tree, estimate_order, singly, progress);
    Opening wide = opening;
    wide.widest = estimate_angle;
    wide.log_share = static_cast<float>(std::log2(0.05));
    sum_down(targets(), rough, wide, {.roughly = true, .leaf_size = estimate_leaf(count)}, sums,
             progress.part(0, 0.1));
    opening.log_gradients = log_gradients(targets(), sums);
    sums.point_pairs = sums.cell_pairs = 0;
    seconds.estimate = lap();
  }
  moments.emplace(moments_of(tree, order, singly, progress));
  seconds.moments = lap();
}

}  // namespace isolume::multipoles
