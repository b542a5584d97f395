#include "core/electrostatics/poisson_boltzmann/multigrid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/handover.h"
#include "core/electrostatics/poisson_boltzmann/stencil.h"

namespace isolume::electrostatics {
namespace {

using Planes = tbb::blocked_range<int>;

constexpr int red = 0, black = 1;
/// Sweeps over both colours before, and after, the coarse-grid correction.
constexpr int sweeps = 1;
/// Grids with fewer points are processed faster by one thread.
constexpr std::size_t worth_threads = 20'000;
/// The coarsest grid has at most this many intervals along its shortest axis, and at least least_intervals.
constexpr int most_intervals = 24, least_intervals = 3;
/// Cost of a cycle and a step of conjugate gradients per point of the finest grid, in sweeps.
constexpr double sweeps_a_cycle = 12;

/// Both colours in one pass through memory, since data read for the first colour of a plane are still in the cache
/// for its second: the second colour of a plane follows as soon as the first is done in the plane above. Planes where
/// two threads' parts meet come last. Each point reads what it would read if all of the first colour came first.
void sweep(Level& level, int first_colour, bool from_zero) {
  const Extents& e = level.extents;
  const int second = 1 - first_colour, end = e.nz - 1;
  const auto relax_first = [&](int k) { relax_plane(level, k, first_colour, from_zero); };
  const auto relax_second = [&](int k) { relax_plane(level, k, second, false); };
  const int threads = e.count() < worth_threads ? 1 : tbb::this_task_arena::max_concurrency();
  const int parts = threads == 1 ? 1 : std::clamp(2 * threads, 1, std::max(1, (end - 1) / 4));
  const auto start_of = [&](int part) {
    return 1 + static_cast<int>(static_cast<long>(end - 1) * part / parts);
  };
  const auto pass = [&](int part) {
    const int low = start_of(part), high = start_of(part + 1);
    for (int k = low; k < high; ++k) {
      relax_first(k);
      if (k - 1 > low || (k - 1 == low && low == 1)) relax_second(k - 1);
    }
    if (high == end && (high - 1 > low || low == 1)) relax_second(high - 1);
  };
  if (parts == 1) return pass(0);
  const auto each = [&](int first, int last, const auto& work) {
    handover::parallel_for(Planes(first, last, 1), [&](const Planes& range) {
      for (int part = range.begin(); part != range.end(); ++part) work(part);
    });
  };
  each(0, parts, pass);
  each(1, parts, [&](int part) {
    relax_second(start_of(part) - 1);
    relax_second(start_of(part));
  });
}

/// A sweep reduces the slowest error component of a grid of n intervals along its shortest axis by cos^2(pi / n).
int sweeps_that_solve(int intervals) {
  return 2 + intervals * intervals / 4;
}

int rounded_up(int value, int multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

int sweeps_that_solve(const Extents& coarsest) {
  return sweeps_that_solve(std::min({coarsest.nx, coarsest.ny, coarsest.nz}) - 1);
}

void for_planes(const Extents& extents, int first, int end, const std::function<void(int)>& work) {
  if (extents.count() < worth_threads) {
    for (int k = first; k < end; ++k) work(k);
    return;
  }
  handover::parallel_for(Planes(first, end), [&](const Planes& range) {
    for (int k = range.begin(); k != range.end(); ++k) work(k);
  });
}

double sum_planes(const Extents& extents, const std::function<double(int)>& work) {
  std::vector<double> sums(static_cast<std::size_t>(extents.nz), 0.0);
  for_planes(extents, 1, extents.nz - 1, [&](int k) { sums[static_cast<std::size_t>(k)] = work(k); });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

Halvings halvings_of(const Extents& wanted) {
  const std::array<int, 3> intervals{wanted.nx - 1, wanted.ny - 1, wanted.nz - 1};
  const int shortest = *std::ranges::min_element(intervals);
  Halvings best;
  double least = std::numeric_limits<double>::max();
  for (int levels = 1, factor = 1; levels == 1 || rounded_up(shortest, factor) / factor >= least_intervals;
       ++levels, factor *= 2) {
    const int coarsest = rounded_up(shortest, factor) / factor;
    if (coarsest > most_intervals) continue;
    const Extents grown{rounded_up(intervals[0], factor) + 1, rounded_up(intervals[1], factor) + 1,
                        rounded_up(intervals[2], factor) + 1};
    const Extents of_coarsest{grown.nx / factor + 1, grown.ny / factor + 1, grown.nz / factor + 1};
    // Additional points cost time and memory, as do sweeps over a large coarsest grid.
    const double cost = sweeps_a_cycle * static_cast<double>(grown.count()) +
                        2.0 * sweeps_that_solve(coarsest) * static_cast<double>(of_coarsest.count());
    if (cost > least) continue;
    least = cost;
    best = {grown, levels};
  }
  return best;
}

std::size_t Multigrid::bytes_of(const Halvings& halvings) {
  std::size_t points = 0;
  Extents extents = halvings.extents;
  for (int level = 0; level < halvings.levels; ++level, extents = extents.halved()) points += extents.count();
  return points * Level::bytes_a_point;
}

Multigrid::Multigrid(const Halvings& halvings) {
  levels_.reserve(static_cast<std::size_t>(halvings.levels));
  Extents extents = halvings.extents;
  for (int level = 0; level < halvings.levels; ++level, extents = extents.halved()) {
    Level& made = levels_.emplace_back(extents);
    for_planes(extents, 0, extents.nz, [&](int k) {
      const auto first = static_cast<std::ptrdiff_t>(extents.row(0, k)),
                 end = first + static_cast<std::ptrdiff_t>(extents.plane());
      for (FieldValues* values : {&made.gx, &made.gy, &made.gz, &made.d, &made.z, &made.r})
        std::fill(values->begin() + first, values->begin() + end, 0.0f);
    });
  }
}

void Multigrid::rebuild(const jobs::Progress& progress) {
  for (std::size_t at = 1; at < levels_.size(); ++at) {
    const Level& fine = levels_[at - 1];
    Level& coarse = levels_[at];
    for_planes(coarse.extents, 0, coarse.extents.nz, [&](int k) {
      progress.check();
      coarsen_plane(fine, k, coarse);
    });
  }
}

void Multigrid::rebuild_ions(const jobs::Progress& progress) {
  for (std::size_t at = 1; at < levels_.size(); ++at) {
    for_planes(levels_[at].extents, 0, levels_[at].extents.nz, [&](int k) {
      progress.check();
      coarsen_ions_plane(levels_[at - 1], k, levels_[at]);
    });
  }
}

void Multigrid::cycle(const jobs::Progress& progress) {
  visit(0, true, progress);
}

namespace {

void restrict_to(const Level& fine, Points points, Level& coarse) {
  const int end = coarse.extents.nz - 1;
  if (fine.extents.count() < worth_threads) return restrict_planes(fine, points, 1, end, coarse);
  // Both neighbouring parts contribute to odd planes between them.
  handover::parallel_for(Planes(1, end, 4), [&](const Planes& range) {
    restrict_planes(fine, points, range.begin(), range.end(), coarse);
  });
}

void prolong_from(const Level& coarse, Points points, bool add, Level& fine) {
  for_planes(fine.extents, 1, fine.extents.nz - 1,
             [&](int k) { prolong_plane(coarse, points, add, k, fine); });
}

}  // namespace

void Multigrid::full(const jobs::Progress& progress) {
  for (std::size_t at = 1; at < levels_.size(); ++at) restrict_to(levels_[at - 1], Points::all, levels_[at]);
  solve_coarsest();
  for (std::size_t at = levels_.size() - 1; at-- > 0;) {
    // Relaxing the red points first needs only the black ones.
    prolong_from(levels_[at + 1], Points::odd, false, levels_[at]);
    visit(at, false, progress);
  }
}

void Multigrid::visit(std::size_t at, bool from_zero, const jobs::Progress& progress) {
  progress.check();
  if (at + 1 == levels_.size()) return solve_coarsest();
  Level& level = levels_[at];
  for (int i = 0; i < sweeps; ++i) sweep(level, red, from_zero && i == 0);
  // Black points were relaxed last: their residual is zero.
  restrict_to(level, Points::even, levels_[at + 1]);
  visit(at + 1, true, progress);
  // Relaxing the black points first needs only the red ones.
  prolong_from(levels_[at + 1], Points::even, true, level);
  for (int i = 0; i < sweeps; ++i) sweep(level, black, false);
}

void Multigrid::solve_coarsest() {
  Level& level = levels_.back();
  const Extents& e = level.extents;
  const int times = sweeps_that_solve(e);
  for (int i = 0; i < times; ++i) sweep(level, red, i == 0);
  for (int i = 0; i < times; ++i) sweep(level, black, false);
}

}  // namespace isolume::electrostatics
