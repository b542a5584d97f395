#include "core/nbody/forces/direct.h"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/forces/close_pairs.h"
#include "core/nbody/forces/pairwise.h"
#include "core/nbody/forces/processor_solver.h"
#include "core/nbody/forces/target_group.h"

namespace isolume::nbody {

namespace {

using Range = tbb::blocked_range<std::size_t>;

/// Number of target bodies that share the conversion of sources to relative coordinates.
constexpr std::size_t group_size = 4 * Targets::capacity;
/// Sources added in single precision before the sum goes into double precision; 16 bytes each.
constexpr std::size_t source_block = 512;

/// A subset of the bodies, in the units of all of them, sorted along the Hilbert curve.
SortedBodies sorted_part_of(const SortedBodies& all, const Bodies& bodies,
                            std::span<const std::uint32_t> numbers) {
  Bodies some;
  for (const std::uint32_t number : numbers) {
    some.mass.push_back(bodies.mass[number]);
    some.x.push_back(bodies.x[number]);
    some.y.push_back(bodies.y[number]);
    some.z.push_back(bodies.z[number]);
  }
  SortedBodies part = sort_bodies(some);
  part.centre = all.centre;
  part.length = all.length;
  part.mass_sum = all.mass_sum;
  for (std::size_t i = 0; i < part.size(); ++i) {
    part.original[i] = numbers[part.original[i]];
    part.points[i] = all.points[part.original[i]];
  }
  return part;
}

/// Bodies that exert forces: massless ones (Solver::forces_at) do not.
struct Acting {
  Paged<Eigen::Vector4d> points;
  /// Index among the points for each given body; none for massless bodies.
  std::vector<std::size_t> position;
};
Acting acting(const SortedBodies& bodies) {
  Acting found{{}, std::vector<std::size_t>(bodies.size(), ClosePairs::nobody)};
  found.points.reserve(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!(bodies.mass(i) > 0)) continue;
    found.position[bodies.original[i]] = found.points.size();
    found.points.push_back(bodies.points[i]);
  }
  return found;
}

/// Position of one of a group's bodies among the sources.
struct OwnPosition {
  std::size_t position, number;
};
std::vector<OwnPosition> own_positions(const Acting& acting, const SortedBodies& targets, std::size_t first,
                                       std::size_t end) {
  std::vector<OwnPosition> found;
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t position = acting.position[targets.original[i]];
    if (position != ClosePairs::nobody) found.push_back({position, i});
  }
  std::ranges::sort(found, {}, &OwnPosition::position);
  return found;
}

/// Adds the forces of all bodies on some of `targets`.
void add_to_direct_group(const Acting& bodies, const SortedBodies& targets, std::size_t first,
                         std::size_t end, double softening, Forces& forces, const jobs::Progress& progress) {
  const TargetGroup group(targets, first, end);
  const double scaled_softening = softening / targets.length;
  const auto softening_squared = static_cast<float>(scaled_softening * scaled_softening);
  ClosePairs close(targets, group, end, scaled_softening);
  std::vector<Targets> parts;
  for (std::size_t at = first; at < end; at += Targets::capacity) {
    parts.push_back(targets_of(targets, group, at, std::min(at + Targets::capacity, end)));
  }
  const auto own = own_positions(bodies, targets, first, end);
  std::vector<PointSource> own_sources(end - first);
  auto next = own.begin();
  Paged<PointSource> sources;
  for (std::size_t at = 0; at < bodies.points.size(); at += source_block) {
    progress.check();
    sources.clear();
    const std::span block(&bodies.points[at], std::min(source_block, bodies.points.size() - at));
    group.append(block, sources);
    for (std::size_t i = 0; i < block.size(); ++i) {
      const bool is_own = next != own.end() && next->position == at + i;
      close.offer(block[i], sources[i], is_own ? next->number : ClosePairs::nobody);
      if (is_own) own_sources[next++->number - first] = std::exchange(sources[i], {});
    }
    for (Targets& part : parts) add_points(part, sources, softening_squared);
  }
  int before = 0;
  for (Targets& part : parts) {
    add_points_but_own(part, own_sources, before, softening_squared);
    close.correct(first, part);
    store(part, targets, first, forces);
    first += Targets::capacity;
    before += Targets::capacity;
  }
}

}  // namespace

void add_direct_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
  if (options.softening_kind == SofteningKind::spline) {
    Forces found = pairwise_forces(bodies, options, false, active, progress).forces;
    found.report = std::move(forces.report);
    forces = std::move(found);
    return;
  }
  const auto start = std::chrono::steady_clock::now();
  // In sorted order groups are compact, so that single precision can distinguish their bodies. Sources need not be
  // sorted.
  const SortedBodies sorted = active.empty() ? sort_bodies(bodies) : in_given_order(bodies);
  const SortedBodies part = active.empty() ? SortedBodies() : sorted_part_of(sorted, bodies, active);
  const SortedBodies& targets = active.empty() ? sorted : part;
  forces.seconds.sort = seconds_since(start);
  const auto sorted_at = std::chrono::steady_clock::now();
  const Acting sources = acting(sorted);
  const auto bounds =
      group_bounds(targets, 0, targets.size(), active.empty() ? group_size : Targets::capacity);
  const std::size_t groups = bounds.size() - 1;
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(Range(0, groups, 1), [&](const Range& range) {
    for (std::size_t number = range.begin(); number != range.end(); ++number) {
      const std::size_t first = bounds[number], end = bounds[number + 1];
      add_to_direct_group(sources, targets, first, end, options.softening, forces, progress);
      progress.report(static_cast<double>(++done) / static_cast<double>(groups), "forces");
    }
  });
  forces.body_pairs = static_cast<std::uint64_t>(targets.size()) * sources.points.size();
  forces.seconds.sums = seconds_since(sorted_at);
}

std::unique_ptr<Solver> make_direct_solver() {
  return make_processor_solver(
      "direct", "direct sum", 130,  // bytes per body, measured with 160000 bodies
      [](const Bodies& bodies, const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
        add_direct_forces(bodies, {}, options, forces, progress);
      },
      add_direct_forces);
}

}  // namespace isolume::nbody
