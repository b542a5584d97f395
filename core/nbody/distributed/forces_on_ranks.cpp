#include "core/nbody/distributed/forces_on_ranks.h"

#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/nbody/forces/barnes_hut.h"
#include "core/nbody/forces/direct.h"
#include "core/nbody/forces/exact_force.h"

namespace isolume::nbody {

namespace {

using Range = tbb::blocked_range<std::size_t>;

/// Essential trees for each rank, or from each rank, in the layout in which they are sent.
struct EssentialTrees {
  PerRank<EssentialCell> cells;
  PerRank<EssentialPoint> points;
};

template <class T>
void append(std::span<const T> values, PerRank<T>& to) {
  if (to.begin.empty()) to.begin = {0};
  to.values.insert(to.values.end(), values.begin(), values.end());
  to.begin.push_back(to.values.size());
}

class BarnesHutOnRanks {
 public:
  BarnesHutOnRanks(const Ranks& ranks, OwnBodies& own, const ForceOptions& options, Forces& forces,
                   tbb::task_arena& arena, const jobs::Progress& progress)
      : ranks_(ranks), own_(own), options_(options), forces_(forces), arena_(arena), progress_(progress) {}

  void add() {
    const Extent extent = extent_of(ranks_, own_);
    std::ranges::fill(own_.work, 0.0f);
    locally([&] {
      if (own_.size() == 0) return;  // more ranks than bodies, or all bodies are elsewhere
      sum_ = std::make_unique<BarnesHutSum>(own_.bodies, extent, std::span<const std::uint32_t>(), options_,
                                            forces_, &own_.work, progress_);
    });
    for (int number = 0; number < sums_of(options_); ++number) add_one();
  }

 private:
  /// Runs on this rank's threads; if it throws, all ranks throw.
  template <class Work>
  void locally(const Work& work) const {
    ranks_.together([&] {
      progress_.check();
      arena_.execute(work);
    });
  }

  void add_one() {
    std::vector<GroupOutline> groups;
    locally([&] {
      if (sum_ && sum_->next()) groups = sum_->groups();
    });
    const auto start = std::chrono::steady_clock::now();
    const auto groups_of_all = ranks_.gather<GroupOutline>(groups);
    const EssentialTrees wanted = essential_to_all(groups_of_all);
    const EssentialTrees given{ranks_.exchange(wanted.cells), ranks_.exchange(wanted.points)};
    forces_.seconds.tree += seconds_since(start);
    locally([&] {
      if (sum_) sum_->add(trees(given));
    });
  }

  EssentialTrees essential_to_all(const PerRank<GroupOutline>& groups) const {
    EssentialTrees all;
    locally([&] {
      std::vector<EssentialTree> trees(static_cast<std::size_t>(ranks_.count()));
      handover::parallel_for(Range(0, trees.size(), 1), [&](const Range& part) {
        for (std::size_t rank = part.begin(); rank != part.end(); ++rank) {
          progress_.check();
          const auto other = static_cast<int>(rank);
          if (sum_ && other != ranks_.rank()) trees[rank] = sum_->essential_to(groups.of(other));
        }
      });
      for (EssentialTree& tree : trees) {
        append<EssentialCell>(tree.cells, all.cells);
        append<EssentialPoint>(tree.points, all.points);
        tree = {};
      }
    });
    return all;
  }

  std::vector<EssentialTree> trees(const EssentialTrees& all) const {
    std::vector<EssentialTree> trees;
    for (int rank = 0; rank < ranks_.count(); ++rank) {
      const auto cells = all.cells.of(rank);
      const auto points = all.points.of(rank);
      trees.push_back({{cells.begin(), cells.end()}, {points.begin(), points.end()}});
    }
    return trees;
  }

  const Ranks& ranks_;
  OwnBodies& own_;
  const ForceOptions& options_;
  Forces& forces_;
  tbb::task_arena& arena_;
  jobs::Progress progress_;
  std::unique_ptr<BarnesHutSum> sum_;
};

/// mass, x, y, z
using Point = std::array<double, 4>;

void add_direct_on_ranks(const Ranks& ranks, OwnBodies& own, const ForceOptions& options, Forces& forces,
                         tbb::task_arena& arena, const jobs::Progress& progress) {
  std::vector<Point> points;
  ranks.together([&] {
    progress.check();
    for (std::size_t i = 0; i < own.size(); ++i)
      points.push_back({own.bodies.mass[i], own.bodies.x[i], own.bodies.y[i], own.bodies.z[i]});
  });
  const PerRank<Point> all_points = ranks.gather<Point>(points);
  ranks.together([&] {
    if (own.size() == 0) return;
    Bodies all;
    for (const Point& point : all_points.values) {
      all.mass.push_back(point[0]);
      all.x.push_back(point[1]);
      all.y.push_back(point[2]);
      all.z.push_back(point[3]);
    }
    const std::size_t first = all_points.begin[static_cast<std::size_t>(ranks.rank())];
    std::vector<std::uint32_t> active(own.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = static_cast<std::uint32_t>(first + i);
    Forces found = no_forces(all.size());
    arena.execute([&] { add_direct_forces(all, active, options, found, progress); });
    for (std::size_t i = 0; i < own.size(); ++i) {
      forces.ax[i] = found.ax[first + i];
      forces.ay[i] = found.ay[first + i];
      forces.az[i] = found.az[first + i];
      forces.potential[i] = found.potential[first + i];
    }
    forces.body_pairs = found.body_pairs;
    forces.seconds = found.seconds;
  });
  std::ranges::fill(own.work, static_cast<float>(all_points.values.size()));
}

/// Memory for bodies, forces, the tree, and data from other ranks.
constexpr std::size_t bytes_a_body = 700;

struct FoundForce {
  std::array<double, 3> place, acceleration;
};

}  // namespace

SolverKind solver_on_ranks(SolverKind wanted) {
  return wanted == SolverKind::best ? SolverKind::barnes_hut : wanted;
}

void check_on_ranks(const ForceOptions& wanted) {
  ForceOptions options = wanted;
  options.solver = solver_on_ranks(wanted.solver);
  if (options.period > 0) {
    throw Error(
        "Bodies in a periodic or comoving box are not followed on several ranks. Start the program without "
        "mpirun, or take bodies that are in no box.");
  }
  if (options.solver == SolverKind::particle_mesh) {
    throw Error(
        "The particle mesh does not work on several ranks. Choose the solver \"barnes-hut\" or \"direct\", "
        "or start the program without mpirun.");
  }
  check(options);
  if (options.solver == SolverKind::fmm) {
    throw Error(
        "The fast multipole method does not work on several ranks. Choose the solver \"barnes-hut\" or "
        "\"direct\", or start the program without mpirun.");
  }
  if (options.softening_kind != SofteningKind::plummer) {
    throw Error(
        "Several ranks sum forces with Plummer softening. Choose it, or start the program without mpirun.");
  }
  if (options.engine != "auto" && options.engine != "cpu") {
    throw Error(fmt::format(
        "Several ranks sum forces on their CPUs, but the engine {} was requested. Choose the engine "
        "\"auto\" or \"cpu\", or start the program without mpirun.",
        isolume::quoted(options.engine)));
  }
}

Forces forces_on_ranks(const Ranks& ranks, OwnBodies& own, const ForceOptions& options,
                       const jobs::Progress& progress) {
  check_on_ranks(options);
  const int threads = options.threads > 0 ? options.threads : ranks.threads();
  tbb::task_arena arena(threads);
  Forces forces;
  ranks.together([&] {
    check(own.bodies);
    dispatch::require_memory(fmt::format("A rank's part of {} bodies", own.size()), own.size() * bytes_a_body,
                             "Take more machines, or fewer bodies.");
    forces = no_forces(own.size());
  });
  check_softening(options, extent_of(ranks, own).box.sizes().maxCoeff());
  const bool direct = options.solver == SolverKind::direct;
  if (direct) {
    add_direct_on_ranks(ranks, own, options, forces, arena, progress);
  } else {
    BarnesHutOnRanks(ranks, own, options, forces, arena, progress).add();
  }
  ranks.together([&] { check_finite(forces, own.number); });
  forces.report = {.who = fmt::format("CPU, {}, {} {} of {} {}", direct ? "direct sum" : "Barnes-Hut",
                                      ranks.count(), ranks.count() == 1 ? "rank" : "ranks", threads,
                                      threads == 1 ? "thread" : "threads")};
  return forces;
}

SampledErrors sampled_errors(const Ranks& ranks, const OwnBodies& own, const Forces& forces, double softening,
                             std::size_t most_samples, const jobs::Progress& progress) {
  std::array<double, 1> count = {static_cast<double>(own.size())};
  ranks.sum(count);
  const auto sampled = bodies_of_sample(static_cast<std::size_t>(count[0]), most_samples);
  std::vector<FoundForce> mine;
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (!std::ranges::binary_search(sampled, own.number[i])) continue;
    mine.push_back(
        {{own.bodies.x[i], own.bodies.y[i], own.bodies.z[i]}, {forces.ax[i], forces.ay[i], forces.az[i]}});
  }
  const auto found = ranks.gather<FoundForce>(mine);
  std::vector<double> exact(3 * found.values.size());
  tbb::task_arena arena(ranks.threads());
  const auto add_exact = [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      progress.check();
      const Eigen::Vector3d at(found.values[i].place.data());
      const Eigen::Vector3d acceleration = exact_force(own.bodies, at, softening).acceleration;
      std::copy_n(acceleration.data(), 3, &exact[3 * i]);
    }
  };
  ranks.together(
      [&] { arena.execute([&] { handover::parallel_for(Range(0, found.values.size(), 1), add_exact); }); });
  ranks.sum(exact);
  std::vector<double> errors;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const Eigen::Vector3d expected(&exact[3 * i]), acceleration(found.values[i].acceleration.data());
    if (expected.norm() > 0) errors.push_back((acceleration - expected).norm() / expected.norm());
  }
  return summary_of(std::move(errors));
}

}  // namespace isolume::nbody
