#include "core/nbody/direct.h"

#include <atomic>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/close_pairs.h"
#include "core/nbody/processor_solver.h"
#include "core/nbody/target_group.h"

namespace isolume::nbody {

namespace {

using Range = tbb::blocked_range<std::size_t>;

/// So many bodies share what is done to bring a source near them.
constexpr std::size_t group_size = 4 * Targets::capacity;
/// Added up in single precision before they go into sums of double precision; 16 bytes each.
constexpr std::size_t source_block = 512;

/// Some of the bodies in the units of all of them, in the order of Hilbert's curve among themselves.
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

/// Those that exert something: places without a body (Solver::forces_at) have no mass.
Paged<Eigen::Vector4d> acting(const SortedBodies& bodies) {
  Paged<Eigen::Vector4d> points;
  points.reserve(bodies.size());
  for (const Eigen::Vector4d& each : bodies.points) {
    if (each.w() > 0) points.push_back(each);
  }
  return points;
}

/// What all bodies exert on some of `targets`.
void add_to_direct_group(const Paged<Eigen::Vector4d>& bodies, const SortedBodies& targets, std::size_t first,
                         std::size_t end, double softening, Forces& forces, const jobs::Progress& progress) {
  const TargetGroup group(targets, first, end);
  const double scaled_softening = softening / targets.length;
  const auto softening_squared = static_cast<float>(scaled_softening * scaled_softening);
  ClosePairs close(targets, group, end, scaled_softening);
  std::vector<Targets> parts;
  for (std::size_t at = first; at < end; at += Targets::capacity) {
    parts.push_back(targets_of(targets, group, at, std::min(at + Targets::capacity, end)));
  }
  Paged<PointSource> sources;
  for (std::size_t at = 0; at < bodies.size(); at += source_block) {
    progress.check();
    sources.clear();
    const std::span block(&bodies[at], std::min(source_block, bodies.size() - at));
    group.append(block, sources);
    for (std::size_t i = 0; i < block.size(); ++i) close.offer(block[i], sources[i]);
    for (Targets& part : parts) add_points(part, sources, softening_squared);
  }
  for (Targets& part : parts) {
    close.correct(first, part);
    store(part, targets, first, softening, forces);
    first += Targets::capacity;
  }
}

}  // namespace

void add_direct_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                       const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  // In their order groups are small, so that numbers of single precision tell their bodies apart. What acts on
  // them need not be in order.
  const SortedBodies sorted = active.empty() ? sort_bodies(bodies) : in_given_order(bodies);
  const SortedBodies part = active.empty() ? SortedBodies() : sorted_part_of(sorted, bodies, active);
  const SortedBodies& targets = active.empty() ? sorted : part;
  forces.seconds.sort = seconds_since(start);
  const auto sorted_at = std::chrono::steady_clock::now();
  const Paged<Eigen::Vector4d> sources = acting(sorted);
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
  forces.body_pairs = static_cast<std::uint64_t>(targets.size()) * sources.size();
  forces.seconds.sums = seconds_since(sorted_at);
}

std::unique_ptr<Solver> make_direct_solver() {
  return make_processor_solver(
      "direct", "direct sum", 130,  // bytes a body, measured of 160000
      [](const Bodies& bodies, const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
        add_direct_forces(bodies, {}, options, forces, progress);
      },
      add_direct_forces);
}

}  // namespace isolume::nbody
