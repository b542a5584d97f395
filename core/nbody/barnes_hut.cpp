#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/task_arena.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/octree.h"
#include "core/nbody/solver.h"
#include "core/nbody/target_group.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

/// What the walk through the tree reads of a cell.
struct Stop {
  Vector3d centre_of_mass;
  double opening;  ///< a distance: a cell that is nearer than this (times the group's factor) is opened
  double radius;   ///< nor does a cell act as a whole on what is nearer than this
  std::uint32_t next, begin, end;
  bool leaf;
  float mass;
  SecondMoments moments;
};

/// Of the two ways to say how far a cell must be, as distance = opening x a factor of the group's.
enum class Criterion {
  /// opening = side / angle + how far the centre of mass is from the middle (Barnes, ASP Conf. Ser. 10 (1995)).
  angle,
  /// The first moments that are left out exert at most some M r^3 / d^5, with r the cell's radius: below
  /// the wanted error of the force a where d = (M r^3)^(1/5) x (error a)^(-1/5).
  error
};

std::vector<Stop> stops(const Octree& tree, Criterion criterion, double angle) {
  std::vector<Stop> stops(tree.cells.size());
  handover::parallel_for(Range(0, stops.size(), 1 << 10), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Cell& cell = tree.cells[i];
      const double opening =
          criterion == Criterion::angle
              ? cell.box.sizes().maxCoeff() / angle + (cell.centre_of_mass - cell.box.center()).norm()
              : std::pow(cell.mass * cell.radius * cell.radius * cell.radius, 0.2);
      const Eigen::Matrix3f m = cell.moments.cast<float>();
      stops[i] = {cell.centre_of_mass,
                  opening,
                  cell.radius,
                  cell.next,
                  cell.begin,
                  cell.end,
                  cell.leaf,
                  static_cast<float>(cell.mass),
                  {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)}};
    }
  });
  return stops;
}

/// Walks through the tree with a group of bodies.
class Walk {
 public:
  Walk(const Octree& tree, const TargetGroup& group, float softening_squared)
      : tree_(tree), group_(group), softening_squared_(softening_squared) {}

  /// Adds what all of the tree exerts.
  void add(const std::vector<Stop>& stops, double factor, Targets& targets) {
    for (std::uint32_t number = 0; number < stops.size();) {
      const Stop& stop = stops[number];
      const double reach = std::max(stop.opening * factor, stop.radius);
      const bool whole = group_.box.squaredExteriorDistance(stop.centre_of_mass) > reach * reach;
      number = whole || stop.leaf ? stop.next : number + 1;
      // Two bodies one by one cost no more than a cell.
      if (whole && stop.end - stop.begin > 2 && stop.radius > 0) {
        append_cell(stop);
      } else if (whole || stop.leaf) {
        append_bodies(stop);
      }
      flush(512, targets);  // while they are near the processor, and before single precision loses digits
    }
    flush(1, targets);
  }

  std::uint64_t body_pairs = 0, cell_pairs = 0;

 private:
  void append_bodies(const Stop& stop) {
    if (stop.radius == 0) {  // all at one place: one body as heavy as all, however many
      const Eigen::Vector3f from = group_.from_place(stop.centre_of_mass);
      points_.push_back({from.x(), from.y(), from.z(), stop.mass});
      return;
    }
    for (std::uint32_t i = stop.begin; i < stop.end; ++i) {
      const Eigen::Vector3f from = group_.from_place(tree_.bodies.place(i));
      points_.push_back({from.x(), from.y(), from.z(), tree_.bodies.mass[i]});
    }
  }
  void append_cell(const Stop& stop) {
    const Eigen::Vector3f from = group_.from_place(stop.centre_of_mass);
    cells_.push_back({from.x(), from.y(), from.z(), stop.mass, stop.moments});
  }
  void flush(std::size_t least, Targets& targets) {
    if (points_.size() >= least) {
      add_points(targets, points_, softening_squared_);
      body_pairs += points_.size() * static_cast<std::size_t>(targets.count);
      points_.clear();
    }
    if (cells_.size() >= least) {
      add_cells(targets, cells_, softening_squared_);
      cell_pairs += cells_.size() * static_cast<std::size_t>(targets.count);
      cells_.clear();
    }
  }

  const Octree& tree_;
  const TargetGroup& group_;
  float softening_squared_;
  std::vector<PointSource> points_;
  std::vector<CellSource> cells_;
};

/// So strong are the forces on three quarters of the bodies at least.
double usual_force(const Targets& targets) {
  std::array<double, Targets::capacity> squared = {};
  for (int i = 0; i < targets.count; ++i) {
    squared[static_cast<std::size_t>(i)] =
        targets.ax[i] * targets.ax[i] + targets.ay[i] * targets.ay[i] + targets.az[i] * targets.az[i];
  }
  const auto quarter = squared.begin() + targets.count / 4;
  std::nth_element(squared.begin(), quarter, squared.begin() + targets.count);
  return std::sqrt(*quarter);
}

class BarnesHut final : public Solver {
 public:
  std::string_view name() const override { return "barnes-hut"; }
  Forces forces(const Bodies& bodies, const ForceOptions& options,
                const jobs::Progress& progress) const override {
    check(bodies);
    check(options);
    const int threads = options.threads > 0 ? options.threads : dispatch::processor_threads();
    Forces forces = no_forces(bodies.size());
    forces.report = {.who =
                         fmt::format("CPU, Barnes-Hut, {} {}", threads, threads == 1 ? "thread" : "threads")};
    if (bodies.size() == 0) return forces;
    tbb::task_arena arena(threads);
    arena.execute([&] { add_forces(bodies, options, forces, progress); });
    return forces;
  }

 private:
  /// As many bodies as lists are made for at once, and as cells are not divided further: larger groups have
  /// longer lists, smaller ones more of them. Not tuned yet.
  static constexpr std::size_t group_size = Targets::capacity;
  static constexpr std::uint32_t leaf_size = 12;
  /// The angle by which a group's forces are estimated, where an error is to be a part of them.
  static constexpr double estimate_angle = 1.2;
  /// 99 of 100 forces are then as exact as was asked for, of a Plummer sphere and of two, from 1e-4 to 1e-2.
  static constexpr double error_factor = 0.4;

  static void add_forces(const Bodies& bodies, const ForceOptions& options, Forces& forces,
                         const jobs::Progress& progress) {
    const Octree tree = build_octree(bodies, leaf_size, forces.seconds, progress);
    const auto start = std::chrono::steady_clock::now();
    const bool by_error = options.error > 0;
    const auto coarse = stops(tree, Criterion::angle, by_error ? estimate_angle : options.opening_angle);
    const auto fine = by_error ? stops(tree, Criterion::error, 0) : std::vector<Stop>();
    const double softening = options.softening / tree.bodies.length;
    const auto softening_squared = static_cast<float>(softening * softening);
    const auto bounds = group_bounds(tree.bodies, group_size);
    const std::size_t groups = bounds.size() - 1;
    std::atomic<std::uint64_t> body_pairs = 0, cell_pairs = 0;
    std::atomic<std::size_t> done = 0;
    handover::parallel_for(Range(0, groups), [&](const Range& part) {
      for (std::size_t number = part.begin(); number != part.end(); ++number) {
        progress.check();
        const std::size_t first = bounds[number], end = bounds[number + 1];
        const TargetGroup group(tree.bodies, first, end);
        Walk walk(tree, group, softening_squared);
        Targets targets = targets_of(tree.bodies, group, first, end);
        walk.add(coarse, 1, targets);
        if (by_error) {
          const double error = error_factor * options.error * usual_force(targets);
          targets = targets_of(tree.bodies, group, first, end);
          walk.add(fine, error > 0 ? std::pow(error, -0.2) : HUGE_VAL, targets);
        }
        store(targets, tree.bodies, first, options.softening, forces);
        body_pairs += walk.body_pairs;
        cell_pairs += walk.cell_pairs;
      }
      progress.report(static_cast<double>(done += part.size()) / static_cast<double>(groups), "forces");
    });
    forces.body_pairs = body_pairs;
    forces.cell_pairs = cell_pairs;
    forces.seconds.sums = seconds_since(start);
  }
};

}  // namespace

std::unique_ptr<Solver> make_barnes_hut_solver() {
  return std::make_unique<BarnesHut>();
}

}  // namespace isolume::nbody
