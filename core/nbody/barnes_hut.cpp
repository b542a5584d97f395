#include <algorithm>
#include <atomic>
#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/close_pairs.h"
#include "core/nbody/direct.h"
#include "core/nbody/octree.h"
#include "core/nbody/processor_solver.h"
#include "core/nbody/target_group.h"
#include "core/nbody/taylor.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

/// Of the two ways to say how far a cell must be, as distance = opening x a factor of the place's.
enum class Criterion {
  /// opening = side / angle + how far the centre of mass is from the middle (Barnes, ASP Conf. Ser. 10 (1995)).
  angle,
  /// The first moments that are left out exert at most some M r^3 / d^5, with r the cell's radius: below
  /// the wanted error of the force a where d = (M r^3)^(1/5) x (error a)^(-1/5).
  error
};

/// What is read of a cell to decide whether it acts as a whole. Parts of a cell follow each other.
struct alignas(64) Stop {
  Vector3d centre_of_mass;
  float radius;   ///< it acts on nothing that is nearer
  float opening;  ///< a distance: a cell that is nearer (times the place's factor) does not act as a whole
  float mass;
  float spread = 1;            ///< an expansion is nearest at so many times the usual distance
  std::uint32_t first, parts;  ///< without parts: a leaf
  std::uint32_t cell = 0;      ///< in the octree
  CellMoments moments;
};

Paged<Stop> stops_of(const Octree& tree) {
  const auto moments = cell_moments(tree);
  Paged<Stop> stops(tree.cells.size());
  std::uint32_t count = 1;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    Stop& stop = stops[i];
    const Cell& cell = tree.cells[stop.cell];
    stop.first = count;
    if (!cell.leaf) {
      for (std::uint32_t part = stop.cell + 1; part < cell.next; part = tree.cells[part].next) {
        stops[count++].cell = part;
      }
    }
    stop.parts = count - stop.first;
  }
  handover::parallel_for(Range(0, stops.size(), 1 << 10), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      Stop& stop = stops[i];
      const Cell& cell = tree.cells[stop.cell];
      stop.centre_of_mass = cell.centre_of_mass;
      stop.radius = static_cast<float>(cell.radius * (1 + 1e-6));
      stop.moments = moments[stop.cell];
      stop.mass = static_cast<float>(cell.mass);
    }
  });
  return stops;
}

/// Of all mass.
constexpr double heavy_mass = 1e-3;

void set_openings(const Octree& tree, Criterion criterion, double angle, Paged<Stop>& stops) {
  handover::parallel_for(Range(0, stops.size(), 1 << 10), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Cell& cell = tree.cells[stops[i].cell];
      stops[i].opening = static_cast<float>(
          criterion == Criterion::angle
              ? cell.box.sizes().maxCoeff() / angle + (cell.centre_of_mass - cell.box.center()).norm()
              : std::pow(cell.mass * cell.radius * cell.radius * cell.radius, 0.2));
      // Without a measure of the forces: what an expansion of a cell with much of the mass leaves out counts for more.
      const bool heavy = criterion == Criterion::angle && cell.mass > heavy_mass;
      stops[i].spread = static_cast<float>(heavy ? std::pow(cell.mass / heavy_mass, 1.0 / 6) : 1);
    }
  });
}

/// Bodies that a cell acts on together, or a cell of them.
struct Place {
  Eigen::AlignedBox3d box;
  Vector3d at;
  double radius;
  double factor;   ///< of openings
  double allowed;  ///< what a Taylor expansion may leave out of accelerations; 0: not looked at
};

double squared_reach(const Stop& stop, double factor) {
  const double reach = std::max(static_cast<double>(stop.opening) * factor, static_cast<double>(stop.radius));
  return reach * reach;
}
/// Of all that are in the box, that of the nearest.
bool acts_on_bodies_as_a_whole(const Stop& stop, const Place& on) {
  return on.box.squaredExteriorDistance(stop.centre_of_mass) > squared_reach(stop, on.factor);
}
/// `distance`: in radii of both together. What is left out is some M / d^2 (radii / d)^(order + 1).
bool acts_on_place_as_a_whole(const Stop& stop, const Place& on, double distance) {
  const double squared = (stop.centre_of_mass - on.at).squaredNorm();
  const double radii = on.radius + static_cast<double>(stop.radius), radii_squared = radii * radii;
  const double far = distance * static_cast<double>(stop.spread);
  if (squared <= far * far * radii_squared) return false;
  if (on.allowed == 0) return true;
  const double ratio = radii_squared / squared;
  return static_cast<double>(stop.mass) * (ratio * ratio * ratio) < on.allowed * squared;
}

/// Goes down the tree with what acts on its cells: each hands on to those in it what acts on all of it.
class Descent {
 public:
  /// `active`: what forces are wanted on; none: on all.
  Descent(const Octree& tree, const SortedPart* active, const ForceOptions& options, Forces& forces,
          const jobs::Progress& progress)
      : tree_(tree),
        active_(active),
        softening_(options.softening),
        softening_squared_(static_cast<float>(std::pow(options.softening / tree.bodies.length, 2))),
        forces_(forces),
        progress_(progress) {}

  /// `factors`: of the openings, for each cell's bodies. `distance`: nearer ones, in radii of both together, have
  /// no Taylor expansion. `allowed`: what one expansion may leave out of an acceleration, in what a cell may by its
  /// factor; 0: not looked at.
  void add(const Paged<Stop>& stops, const std::vector<double>& factors, double distance, double allowed) {
    distance_ = distance;
    allowed_ = allowed;
    stops_ = stops.data();
    factors_ = factors.data();
    const auto lists = std::make_unique<Lists>();
    descend(0, {0, 0, 0}, {}, {0}, *lists);
    forces_.body_pairs += body_pairs_.exchange(0);
    forces_.cell_pairs += cell_pairs_.exchange(0);
    done_ = 0;
  }

 private:
  /// Cells with so many bodies have one list of what acts on them. Larger ones have longer lists, smaller ones
  /// more of them.
  static constexpr std::uint32_t group_size = 256;
  static constexpr std::uint32_t worth_a_thread = 1 << 12;

  using Cells = std::vector<std::uint32_t>;
  /// Memory that is used again and again by one thread.
  struct Lists {
    CellSources distant;
    Cells stack, near_cells, near_leaves;
    std::vector<PointSource> points;
    std::vector<CellSource> cells;
  };

  const SortedBodies& targets() const { return active_ == nullptr ? tree_.bodies : active_->bodies; }
  /// Where those of a cell begin, by where all of it do.
  std::uint32_t target(std::uint32_t body) const { return active_ == nullptr ? body : active_->before[body]; }
  bool has_targets(const Cell& cell) const { return target(cell.begin) != target(cell.end); }

  Place place_of(std::uint32_t cell) const {
    const Eigen::AlignedBox3d& box = tree_.cells[cell].box;
    const double allowed = allowed_ > 0 ? allowed_ * std::pow(factors_[cell], -5) : 0;
    return {box, box.center(), box.diagonal().norm() / 2, factors_[cell], allowed};
  }

  /// `candidates` act on the target's parent, or not as a whole.
  void descend(std::uint32_t target, const Vector3d& parent, const Taylor& on_parent, const Cells& candidates,
               Lists& lists) {
    const Stop& stop = stops_[target];
    const Cell& cell = tree_.cells[stop.cell];
    if (!has_targets(cell)) return;
    const Place place = place_of(stop.cell);
    // 1e-20 stands in for 0: what it divides is a sum of zeros then.
    Taylor taylor = moved(on_parent, place.at - parent, std::max(place.radius, 1e-20));
    if (cell.leaf || cell.count() <= group_size) {
      add_to_group(cell, place, taylor, candidates, lists);
      return;
    }
    progress_.check();
    Cells remaining;
    walk(candidates, lists.stack, [&](std::uint32_t number) {
      const Stop& source = stops_[number];
      if (acts_on_place_as_a_whole(source, place, distance_)) {
        append(source, place, taylor, lists.distant);
      } else if (source.parts == 0 || static_cast<double>(source.radius) < 2 * place.radius) {
        remaining.push_back(number);
      } else {
        return true;
      }
      return false;
    });
    flush(taylor, lists.distant);
    const Range parts(stop.first, stop.first + stop.parts, 1);
    const auto add = [&](const Range& range, Lists& own) {
      for (std::size_t part = range.begin(); part != range.end(); ++part) {
        descend(static_cast<std::uint32_t>(part), place.at, taylor, remaining, own);
      }
    };
    if (cell.count() < worth_a_thread) {
      add(parts, lists);
      return;
    }
    const auto add_with_own = [&](const Range& range) {
      const auto own = std::make_unique<Lists>();
      add(range, *own);
    };
    handover::parallel_for(parts, add_with_own, tbb::simple_partitioner());
  }

  /// `act` is told of cells, and says whether their parts come next.
  template <class Act>
  void walk(const Cells& candidates, Cells& stack, const Act& act) const {
    stack = candidates;
    while (!stack.empty()) {
      const std::uint32_t number = stack.back();
      stack.pop_back();
      if (!act(number)) continue;
      const Stop& source = stops_[number];
      for (std::uint32_t part = 0; part < source.parts; ++part) stack.push_back(source.first + part);
    }
  }

  void append(const Stop& stop, const Place& place, Taylor& taylor, CellSources& sources) {
    const Eigen::Vector3f from = (stop.centre_of_mass - place.at).cast<float>();
    const int at = sources.count++;
    sources.x[at] = from.x();
    sources.y[at] = from.y();
    sources.z[at] = from.z();
    sources.mass[at] = stop.mass;
    sources.radius[at] = stop.radius;
    for (std::size_t i = 0; i < CellMoments::count; ++i) {
      sources.moments[i][at] = stop.moments.values[i];
    }
    if (sources.count == CellSources::capacity) flush(taylor, sources);
  }
  void flush(Taylor& taylor, CellSources& sources) {
    cell_pairs_ += static_cast<std::uint64_t>(sources.count);
    add_distant_cells(taylor, sources, softening_squared_);
  }

  void add_to_group(const Cell& cell, const Place& place, Taylor& taylor, const Cells& candidates,
                    Lists& lists) {
    lists.near_cells.clear();
    lists.near_leaves.clear();
    walk(candidates, lists.stack, [&](std::uint32_t number) {
      const Stop& source = stops_[number];
      if (acts_on_place_as_a_whole(source, place, distance_)) {
        append(source, place, taylor, lists.distant);
      } else if (acts_on_bodies_as_a_whole(source, place)) {
        // Two bodies one by one cost no more than a cell.
        auto& list = tree_.cells[source.cell].count() > 2 ? lists.near_cells : lists.near_leaves;
        list.push_back(number);
      } else if (source.parts == 0) {
        lists.near_leaves.push_back(number);
      } else {
        return true;
      }
      return false;
    });
    flush(taylor, lists.distant);
    const SortedBodies& bodies = targets();
    const auto bounds = group_bounds(bodies, target(cell.begin), target(cell.end), Targets::capacity);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      const TargetGroup group(bodies, bounds[i], bounds[i + 1]);
      Targets targets = targets_of(bodies, group, bounds[i], bounds[i + 1]);
      add_taylor(targets, moved(taylor, group.place - place.at, taylor.length));
      add_near(lists, group, bounds[i], targets);
      store(targets, bodies, bounds[i], softening_, forces_);
    }
    done_ += bounds.back() - bounds.front();
    progress_.report(static_cast<double>(done_) / static_cast<double>(bodies.size()), "forces");
  }
  void add_near(Lists& lists, const TargetGroup& group, std::size_t first, Targets& targets) {
    const auto count = static_cast<std::uint64_t>(targets.count);
    ClosePairs close(this->targets(), group, first + count, softening_ / tree_.bodies.length);
    // While they are near the processor, and before single precision loses digits.
    constexpr std::size_t enough = 512;
    const auto flush_points = [&] {
      if (lists.points.empty()) return;
      body_pairs_ += lists.points.size() * count;
      add_points(targets, lists.points, softening_squared_);
      lists.points.clear();
    };
    const auto flush_cells = [&] {
      if (lists.cells.empty()) return;
      cell_pairs_ += lists.cells.size() * count;
      add_cells(targets, lists.cells, softening_squared_);
      lists.cells.clear();
    };
    for (const std::uint32_t number : lists.near_leaves) {
      append_bodies(tree_.cells[stops_[number].cell], group, close, lists.points);
      if (lists.points.size() >= enough) flush_points();
    }
    for (const std::uint32_t number : lists.near_cells) {
      const Stop& stop = stops_[number];
      if (close.reaches(stop.centre_of_mass)) {  // bodies can be corrected
        append_bodies(tree_.cells[stop.cell], group, close, lists.points);
        if (lists.points.size() >= enough) flush_points();
        continue;
      }
      append_cell(stop, group, lists.cells);
      if (lists.cells.size() >= enough) flush_cells();
    }
    flush_points();
    flush_cells();
    close.correct(first, targets);
  }
  static void append_cell(const Stop& stop, const TargetGroup& group, std::vector<CellSource>& cells) {
    const Eigen::Vector3f from = group.from_place(stop.centre_of_mass);
    const auto& values = stop.moments.values;
    const float squared = stop.radius * stop.radius, twice = 2 * squared;
    cells.push_back({from.x(),
                     from.y(),
                     from.z(),
                     stop.mass,
                     {twice * values[0], squared * values[1], squared * values[2], twice * values[3],
                      squared * values[4], twice * values[5]}});
  }
  void append_bodies(const Cell& cell, const TargetGroup& group, ClosePairs& close,
                     std::vector<PointSource>& points) const {
    if (cell.radius == 0) {  // all at one place: one body as heavy as all, however many
      const Eigen::Vector3d& at = cell.centre_of_mass;
      const Eigen::Vector4d whole(at.x(), at.y(), at.z(), cell.mass);
      points.push_back(group.source(whole));
      close.offer(whole, points.back());
      return;
    }
    const std::size_t before = points.size();
    points.resize(before + cell.count());
    for (std::uint32_t i = 0; i < cell.count(); ++i)
      points[before + i] = group.source(tree_.bodies.points[cell.begin + i]);
    if (close.reaches(cell.box)) {
      for (std::uint32_t i = 0; i < cell.count(); ++i)
        close.offer(tree_.bodies.points[cell.begin + i], points[before + i]);
    }
  }

  const Octree& tree_;
  const SortedPart* active_;
  const Stop* stops_ = nullptr;
  const double* factors_ = nullptr;
  double distance_ = 0, allowed_ = 0;
  double softening_;
  float softening_squared_;
  Forces& forces_;
  const jobs::Progress& progress_;
  std::atomic<std::uint64_t> body_pairs_ = 0, cell_pairs_ = 0, done_ = 0;
};

/// The angle by which forces are estimated, where an error is to be a part of them.
constexpr double estimate_angle = 1.2;
/// Where cells act as an expansion, in radii of both together, for series to converge soon enough.
constexpr double nearest_expansion = 1.15;
/// The same where an error is asked for, so that forces of galaxies, which come from one side, are as exact: measured
/// with share_of.
double nearest_expansion_of(double error) {
  return std::max(nearest_expansion, 1.8 * std::pow(error / 1e-3, -0.125));
}
/// Of what a near cell may contribute to the error: many more cells act as expansions, and their errors point the
/// same way for neighbours.
constexpr double share_of_expansion = 0.05;
/// As many bodies as cells are not divided further.
constexpr std::uint32_t bodies_per_leaf = 32;
/// What one cell may contribute to a force, relative, for 99 of 100 forces to be as exact as was asked for:
/// measured of one and two Plummer spheres, a cube and a disc, from 1e-4 to 1e-2. Where less is allowed, more
/// cells contribute.
double share_of(double error) {
  return 1.1 * error * std::min(1.0, std::pow(error / 1e-3, 0.4));
}

/// Factors of openings for the bodies of all cells, from forces that are about right: those of groups of
/// bodies are such that three quarters of them have stronger ones. Only `active` bodies count, where they are given:
/// cells without any keep 0.
std::vector<double> error_factors(const Octree& tree, const SortedPart* active, const Forces& forces,
                                  double error) {
  const SortedBodies& bodies = tree.bodies;
  const double unit = bodies.mass_sum / bodies.length / bodies.length;
  std::vector<double> factors(tree.cells.size());
  std::vector<double> pulls;
  for (std::size_t i = factors.size(); i-- > 0;) {
    const Cell& cell = tree.cells[i];
    for (std::size_t part = i + 1; part < cell.next; part = tree.cells[part].next) {
      factors[i] = std::max(factors[i], factors[part]);
    }
    if (!cell.leaf) continue;
    pulls.clear();
    for (std::uint32_t j = cell.begin; j < cell.end; ++j) {
      if (active != nullptr && active->before[j] == active->before[j + 1]) continue;
      const std::uint32_t body = bodies.original[j];
      pulls.push_back(std::hypot(forces.ax[body], forces.ay[body], forces.az[body]) / unit);
    }
    if (pulls.empty()) continue;
    const auto quarter = pulls.begin() + static_cast<std::ptrdiff_t>(pulls.size() / 4);
    std::nth_element(pulls.begin(), quarter, pulls.end());
    factors[i] = *quarter > 0 ? std::pow(error * *quarter, -0.2) : 1e15;
  }
  return factors;
}

/// On so few bodies every pair is summed sooner than a tree of all bodies is built.
constexpr std::size_t not_worth_a_tree = 512;

/// On those that are active; without any, on all.
void add_barnes_hut_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                           const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
  if (!active.empty() && active.size() <= not_worth_a_tree) {
    add_direct_forces(bodies, active, options, forces, progress);
    return;
  }
  const Octree tree = build_octree(bodies, bodies_per_leaf, forces.seconds, progress);
  const auto start = std::chrono::steady_clock::now();
  const SortedPart part = active.empty() ? SortedPart() : part_of(tree.bodies, active);
  const bool by_error = options.error > 0;
  const SortedPart* targets = active.empty() ? nullptr : &part;
  Descent descent(tree, targets, options, forces, progress);
  const double angle = by_error ? estimate_angle : options.opening_angle;
  auto stops = stops_of(tree);
  set_openings(tree, Criterion::angle, angle, stops);
  // Errors of expansions fall with the sixth power of the distance, those of near cells with the third of the angle.
  descent.add(stops, std::vector<double>(tree.cells.size(), 1),
              nearest_expansion * std::max(1.0, std::pow(angle, -0.5)), 0);
  if (by_error) {
    set_openings(tree, Criterion::error, 0, stops);
    descent.add(stops, error_factors(tree, targets, forces, share_of(options.error)),
                nearest_expansion_of(options.error), share_of_expansion);
  }
  forces.seconds.sums = seconds_since(start);
}

}  // namespace

std::unique_ptr<Solver> make_barnes_hut_solver() {
  return make_processor_solver(
      "barnes-hut", "Barnes-Hut",
      [](const Bodies& bodies, const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
        add_barnes_hut_forces(bodies, {}, options, forces, progress);
      },
      add_barnes_hut_forces);
}

}  // namespace isolume::nbody
