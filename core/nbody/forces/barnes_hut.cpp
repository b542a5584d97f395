#include "core/nbody/forces/barnes_hut.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/nbody/forces/close_pairs.h"
#include "core/nbody/forces/direct.h"
#include "core/nbody/forces/octree.h"
#include "core/nbody/forces/processor_solver.h"
#include "core/nbody/forces/stop_tests.h"
#include "core/nbody/forces/target_group.h"
#include "core/nbody/forces/taylor.h"
#include "core/nbody/forces/tree_stops.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;

/// Cost of a near cell, and overhead of a body in addition to its pairs and near cells, both in units of a body pair
/// (approximate).
constexpr double pairs_of_near_cell = 3, pairs_of_body = 150;

/// Cells with up to this many bodies share one interaction list. Larger groups have longer lists, smaller ones more
/// lists.
constexpr std::uint32_t bodies_per_group = 256;

/// The preliminary force estimate leaves out bodies and enlarges groups by this factor.
constexpr std::uint32_t bodies_per_sample = 8;

/// The box of targets, wider by the support of a spline kernel: cells that act as wholes are farther away than that,
/// where gravity is not softened.
Eigen::AlignedBox3d widened(const Eigen::AlignedBox3d& box, double support) {
  const Vector3d margin = Vector3d::Constant(support);
  return {box.min() - margin, box.max() + margin};
}

/// Support of the spline kernel in the units of the sorted bodies; 0 with Plummer softening.
double support_of(const ForceOptions& options, const SortedBodies& bodies) {
  return options.softening_kind == SofteningKind::spline ? spline_support * options.softening / bodies.length
                                                         : 0;
}

/// Acceptance criterion of a sum: how far away a cell must be to act through its multipoles.
struct Openings {
  std::vector<double> factors;  ///< opening factor of each cell, for the bodies in it as targets
  double distance = 0;  ///< smallest distance of a Taylor expansion, in units of the two radii together
  /// Acceleration error allowed for one expansion, as a fraction of that allowed for a near cell by the opening
  /// factor; 0: no limit.
  double allowed = 0;
  std::uint32_t largest_group = bodies_per_group;

  bool is_group(const Cell& cell) const { return cell.leaf || cell.count() <= largest_group; }
};

/// Walks down the tree of targets with interaction lists: each cell passes on to its parts the sources that it could
/// not deal with as a whole.
class Descent {
 public:
  /// `work`: work for each body, in pairs; may be null.
  Descent(const Octree& tree, const ForceOptions& options, Forces& forces, std::vector<float>* work,
          const jobs::Progress& progress)
      : tree_(tree),
        scaled_softening_(options.softening / tree.bodies.length),
        kind_(options.softening_kind),
        support_(support_of(options, tree.bodies)),
        softening_squared_(
            kind_ == SofteningKind::plummer ? static_cast<float>(scaled_softening_ * scaled_softening_) : 0),
        forces_(forces),
        work_(work),
        progress_(progress),
        has_light_bodies_(std::ranges::any_of(
            tree.bodies.points, [](const Eigen::Vector4d& body) { return ClosePairs::is_light(body.w()); })) {
  }

  /// `active`: bodies whose forces are summed; none: all. `roots`: roots of the source trees, the first one being this
  /// tree's; `points`: bodies of the other trees.
  void add(const SortedPart* active, const Paged<Stop>& stops, const std::vector<std::uint32_t>& roots,
           const Paged<Eigen::Vector4d>& points, const Openings& openings) {
    active_ = active;
    openings_ = &openings;
    stops_ = stops.data();
    const StopTests tests(stops);
    tests_ = &tests;
    other_points_ = points.data();
    const auto lists = std::make_unique<Lists>();
    descend(0, {0, 0, 0}, {}, roots, *lists);
    forces_.body_pairs += body_pairs_.exchange(0);
    forces_.cell_pairs += cell_pairs_.exchange(0);
    done_ = 0;
  }

 private:
  static constexpr std::uint32_t worth_a_thread = 1 << 12;
  /// Small enough for the sources to stay in cache, and for single-precision sums to keep their digits.
  static constexpr std::size_t enough = 512;
  /// Pairs within a smaller support are out of range of single precision, and corrected.
  static constexpr double least_support = 1e-10;

  using Cells = std::vector<std::uint32_t>;
  /// Buffers reused by one thread.
  struct Lists {
    CellSources distant;
    Cells stack, near_cells, near_leaves;
    Paged<PointSource> points;
    std::vector<PointSource> own_points;  ///< the targets themselves, as sources
    std::vector<CellSource> cells;
  };

  const SortedBodies& targets() const { return active_ == nullptr ? tree_.bodies : active_->bodies; }
  /// Converts the index of a body in the tree to an index among the targets, for the begin and end of cells.
  std::uint32_t target(std::uint32_t body) const { return active_ == nullptr ? body : active_->before[body]; }
  bool has_targets(const Cell& cell) const { return target(cell.begin) != target(cell.end); }

  /// `candidates`: sources whose effect is not yet in `on_parent`.
  void descend(std::uint32_t target, const Vector3d& parent, const Taylor& on_parent, const Cells& candidates,
               Lists& lists) {
    const Stop& stop = stops_[target];
    const Cell& cell = tree_.cells[stop.cell];
    if (!has_targets(cell)) return;
    const Place place = place_of(widened(cell.box, support_), openings_->factors[stop.cell],
                                 openings_->allowed, close_reach(cell.box, scaled_softening_));
    // 1e-20 avoids a division by 0: the sums divided by it are 0 then.
    Taylor taylor = moved(on_parent, place.at - parent, std::max(place.radius, 1e-20));
    if (openings_->is_group(cell)) {
      add_to_group(cell, place, taylor, candidates, lists);
      return;
    }
    progress_.check();
    Cells remaining;
    walk(candidates, place, lists.stack, [&](std::uint32_t number, ActsOn on) {
      const Stop& source = stops_[number];
      if (on == ActsOn::place) {
        append(source, place, taylor, lists.distant);
      } else if (source.parts == 0 || !is_for_parts_of(place, source)) {
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

  /// Calls `act` with each cell and with what it acts on as a whole; `act` returns whether to open the cell.
  template <class Act>
  void walk(const Cells& candidates, const Place& place, Cells& stack, const Act& act) const {
    stack.clear();
    const auto look_at = [&](std::uint32_t first, std::uint32_t count) {
      ActsOn on[StopTests::most];
      tests_->judge(first, count, place, openings_->distance, on);
      for (std::uint32_t i = 0; i < count; ++i) {
        if (act(first + i, on[i])) stack.push_back(first + i);
      }
    };
    for (std::size_t first = 0, end = 0; first < candidates.size(); first = end) {
      // Most candidates are followed by other children of the same parent.
      while (end < candidates.size() && end - first < StopTests::most &&
             candidates[end] - candidates[first] == end - first)
        ++end;
      look_at(candidates[first], static_cast<std::uint32_t>(end - first));
      while (!stack.empty()) {
        const Stop& source = stops_[stack.back()];
        stack.pop_back();
        look_at(source.first, source.parts);
      }
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
    walk(candidates, place, lists.stack, [&](std::uint32_t number, ActsOn on) {
      const Stop& source = stops_[number];
      if (on == ActsOn::place) {
        append(source, place, taylor, lists.distant);
      } else if (on == ActsOn::bodies) {
        // Summing two bodies directly costs no more than a cell.
        const bool is_few = source.count() == 1 || source.count() == 2;
        (is_few ? lists.near_leaves : lists.near_cells).push_back(number);
      } else if (source.parts == 0) {
        // Essential trees do not send coincident bodies one by one.
        const bool has_bodies = source.count() > 0 || source.radius == 0;
        (has_bodies ? lists.near_leaves : lists.near_cells).push_back(number);
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
      const double near = add_near(lists, group, bounds[i], targets);
      store(targets, bodies, bounds[i], forces_);
      if (work_ == nullptr) continue;
      for (std::size_t body = bounds[i]; body < bounds[i + 1]; ++body)
        (*work_)[bodies.original[body]] += static_cast<float>(near + pairs_of_body);
    }
    done_ += bounds.back() - bounds.front();
    progress_.report(static_cast<double>(done_) / static_cast<double>(bodies.size()), "forces");
  }
  /// Whether a spline softens in single precision.
  bool has_spline() const { return support_ >= least_support; }
  /// Whether bodies of a leaf may be within the support of one of the group's.
  bool is_in_support(const Stop& leaf, const TargetGroup& group) const {
    const double reach = support_ + static_cast<double>(leaf.radius);
    return group.box.squaredExteriorDistance(leaf.centre_of_mass) <= reach * reach;
  }
  /// Returns the work for one of the targets, in pairs.
  double add_near(Lists& lists, const TargetGroup& group, std::size_t first, Targets& targets) {
    const auto count = static_cast<std::uint64_t>(targets.count);
    double work = pairs_of_near_cell * static_cast<double>(lists.near_cells.size());
    ClosePairs close(this->targets(), group, first + count, scaled_softening_, kind_);
    lists.own_points.assign(count, {});
    const auto add_leaves = [&](std::span<const std::uint32_t> leaves, const auto& add) {
      for (const std::uint32_t number : leaves) {
        append_bodies(stops_[number], group, first + count, close, lists);
        if (lists.points.size() < enough && number != leaves.back()) continue;
        body_pairs_ += lists.points.size() * count;
        work += static_cast<double>(lists.points.size());
        add(lists.points);
        lists.points.clear();
      }
    };
    const auto softened =
        has_spline() ? std::ranges::partition(
                           lists.near_leaves,
                           [&](std::uint32_t number) { return !is_in_support(stops_[number], group); })
                           .begin()
                     : lists.near_leaves.end();
    add_leaves({lists.near_leaves.begin(), softened},
               [&](std::span<const PointSource> points) { add_points(targets, points, softening_squared_); });
    add_leaves({softened, lists.near_leaves.end()}, [&](std::span<const PointSource> points) {
      add_spline_points(targets, points, static_cast<float>(1 / support_));
    });
    for (const std::uint32_t number : lists.near_cells) {
      append_cell(stops_[number], group, lists.cells);
      if (lists.cells.size() < enough && number != lists.near_cells.back()) continue;
      cell_pairs_ += lists.cells.size() * count;
      add_cells(targets, lists.cells, softening_squared_);
      lists.cells.clear();
    }
    if (has_spline()) {
      add_spline_points_but_own(targets, lists.own_points, 0, static_cast<float>(1 / support_));
    } else {
      add_points_but_own(targets, lists.own_points, 0, softening_squared_);
    }
    close.correct(first, targets);
    return work;
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
  /// `end`: end of the group's targets.
  void append_bodies(const Stop& stop, const TargetGroup& group, std::size_t end, ClosePairs& close,
                     Lists& lists) const {
    const std::size_t in_tree = tree_.bodies.points.size();
    const bool has_own = stop.begin < in_tree && target(stop.begin) < end && target(stop.end) > group.first;
    Paged<PointSource>& points = lists.points;
    if (stop.radius == 0) {  // coincident bodies act as one body with their total mass
      const Eigen::Vector3d& at = stop.centre_of_mass;
      const double mass = has_own ? tree_.cells[stop.cell].mass : static_cast<double>(stop.mass);
      const Eigen::Vector4d whole(at.x(), at.y(), at.z(), mass);
      if (has_own) return close.add_exactly(whole, target(stop.begin), target(stop.end));
      group.append({&whole, 1}, points);
      close.offer(whole, points.back());
      return;
    }
    const Eigen::Vector4d* all =
        stop.begin < in_tree ? &tree_.bodies.points[stop.begin] : &other_points_[stop.begin - in_tree];
    const std::size_t before = points.size();
    group.append({all, stop.count()}, points);
    if (!has_own && !has_light_bodies_ &&
        !close.reaches(stop.centre_of_mass, static_cast<double>(stop.radius)))
      return;
    for (std::uint32_t i = 0; i < stop.count(); ++i) {
      PointSource& acting = points[before + i];
      const std::size_t own = has_own ? own_number(stop.begin + i, group.first, end) : ClosePairs::nobody;
      close.offer(all[i], acting, own);
      if (own != ClosePairs::nobody) lists.own_points[own - group.first] = std::exchange(acting, {});
    }
  }
  /// Index of a body of the tree among the targets from `first` to `end`; `nobody` if it is none of them.
  std::size_t own_number(std::uint32_t body, std::size_t first, std::size_t end) const {
    const std::uint32_t number = target(body);
    const bool is_own = target(body + 1) != number && number >= first && number < end;
    return is_own ? number : ClosePairs::nobody;
  }

  const Octree& tree_;
  const SortedPart* active_ = nullptr;
  const Openings* openings_ = nullptr;
  const Stop* stops_ = nullptr;
  const StopTests* tests_ = nullptr;
  const Eigen::Vector4d* other_points_ = nullptr;
  double scaled_softening_;
  SofteningKind kind_;
  double support_;           ///< support_of()
  float softening_squared_;  ///< Plummer's
  Forces& forces_;
  std::vector<float>* work_;
  jobs::Progress progress_;
  bool has_light_bodies_;
  std::atomic<std::uint64_t> body_pairs_ = 0, cell_pairs_ = 0, done_ = 0;
};

/// Opening angle of the preliminary force estimate, used where a relative error is asked for.
constexpr double estimate_angle = 1.2;
/// Smallest distance of expansions, in units of the two radii together, for the series to converge fast enough.
constexpr double nearest_expansion = 1.15;
/// The same where an error is asked for, measured together with share_of.
double nearest_expansion_of(double error) {
  return std::max(nearest_expansion, 1.4 * std::pow(error / 1e-3, -0.125));
}
/// Share of an expansion in the error allowed for a near cell: many more cells act as expansions, and their errors
/// are correlated between neighbours.
constexpr double share_of_expansion = 0.05;
/// Cells with no more bodies than this are not divided further.
constexpr std::uint32_t bodies_per_leaf = 32;
/// Relative force error allowed for one cell, such that 99 of 100 forces keep the requested error: measured for the
/// distributions that the fast multipole method was measured for (core/multipoles/charge_sums.cpp), from 1e-5 to 1e-1.
/// With a smaller error, more cells contribute.
double share_of(double error) {
  return 0.95 * error * std::min(1.0, std::pow(error / 1e-3, 0.55));
}

/// Opening factors of all cells, from approximate forces on some bodies: the lower quartile of their accelerations in
/// each leaf, and the largest factor of its parts for other cells. Cells without any of the bodies keep 0.
std::vector<double> error_factors(const Octree& tree, const SortedPart& known, const Forces& forces,
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
      if (known.before[j] == known.before[j + 1]) continue;
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

/// Bodies of the preliminary estimate, by their indices among the given ones: some of every leaf.
std::vector<std::uint32_t> sample_of(const Octree& tree) {
  std::vector<std::uint32_t> numbers;
  for (const Cell& cell : tree.cells) {
    if (!cell.leaf) continue;
    for (std::uint32_t i = cell.begin; i < cell.end; i += bodies_per_sample)
      numbers.push_back(tree.bodies.original[i]);
  }
  return numbers;
}

/// For so few active bodies, the direct sum is faster than building a tree of all bodies.
constexpr std::size_t not_worth_a_tree = 512;

/// Adds forces on the active bodies; on all bodies if `active` is empty.
void add_barnes_hut_forces(const Bodies& bodies, std::span<const std::uint32_t> active,
                           const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
  if (!active.empty() && active.size() <= not_worth_a_tree) {
    add_direct_forces(bodies, active, options, forces, progress);
    return;
  }
  const Extent extent = extent_of(bodies);
  BarnesHutSum sum(bodies, extent, active, options, forces, nullptr, progress);
  while (sum.next()) sum.add();
}

}  // namespace

struct BarnesHutSum::State {
  State(const Bodies& bodies, const Extent& all, std::span<const std::uint32_t> active,
        const ForceOptions& force_options, Forces& to, std::vector<float>* work,
        const jobs::Progress& progress)
      : options(force_options),
        forces(to),
        tree(build_octree(bodies, all, bodies_per_leaf, to.seconds, progress)),
        wants_all(active.empty()),
        part(wants_all && options.error == 0 ? SortedPart()
                                             : part_of(tree.bodies, wants_all ? sample_of(tree) : active)),
        descent(tree, options, forces, work, progress) {}

  /// The first of two sums is an estimate for a sample.
  bool is_estimate() const { return options.error > 0 && number == 1; }
  /// None: all bodies.
  const SortedPart* targets() const { return wants_all && !is_estimate() ? nullptr : &part; }

  void take_openings() {
    if (number == 2) {
      set_openings(tree, Criterion::error, 0, stops);
      openings = {error_factors(tree, part, forces, share_of(options.error_of_sums())),
                  nearest_expansion_of(options.error_of_sums()), share_of_expansion};
      return;
    }
    const double angle = options.error > 0 ? estimate_angle : options.opening_angle;
    stops = stops_of(tree);
    set_openings(tree, Criterion::angle, angle, stops);
    // Errors of expansions scale with the sixth power of the inverse distance, those of near cells with the third
    // power of the angle.
    openings = {std::vector<double>(tree.cells.size(), 1),
                nearest_expansion * std::max(1.0, std::pow(angle, -0.5)), 0};
    if (wants_all && is_estimate()) openings.largest_group *= bodies_per_sample;
  }

  ForceOptions options;
  Forces& forces;
  Octree tree;
  bool wants_all;
  SortedPart part;  ///< active bodies, or those of the estimate
  Paged<Stop> stops;
  Openings openings;
  Descent descent;
  int number = 0;  ///< number of the current sum, from 1 on
};

BarnesHutSum::BarnesHutSum(const Bodies& bodies, const Extent& all, std::span<const std::uint32_t> active,
                           const ForceOptions& options, Forces& forces, std::vector<float>* work,
                           const jobs::Progress& progress)
    : state_(std::make_unique<State>(bodies, all, active, options, forces, work, progress)) {}

BarnesHutSum::~BarnesHutSum() = default;

bool BarnesHutSum::next() {
  if (state_->number == sums_of(state_->options)) return false;
  const auto start = std::chrono::steady_clock::now();
  ++state_->number;
  state_->take_openings();
  state_->forces.seconds.sums += seconds_since(start);
  return true;
}

std::vector<GroupOutline> BarnesHutSum::groups() const {
  const auto& cells = state_->tree.cells;
  std::vector<GroupOutline> groups;
  for (std::size_t i = 0; i < cells.size();) {
    const Cell& cell = cells[i];
    if (!state_->openings.is_group(cell)) {
      ++i;
      continue;
    }
    const Eigen::AlignedBox3d box = widened(cell.box, support_of(state_->options, state_->tree.bodies));
    const Vector3d &low = box.min(), &high = box.max();
    groups.push_back({{low.x(), low.y(), low.z()},
                      {high.x(), high.y(), high.z()},
                      state_->openings.factors[i],
                      close_reach(cell.box, state_->options.softening / state_->tree.bodies.length)});
    i = cell.next;
  }
  return groups;
}

EssentialTree BarnesHutSum::essential_to(std::span<const GroupOutline> groups) const {
  return essential_tree(state_->tree, state_->stops, groups, state_->openings.distance,
                        state_->openings.allowed);
}

void BarnesHutSum::add(std::span<const EssentialTree> others) {
  const auto start = std::chrono::steady_clock::now();
  Paged<Stop>& stops = state_->stops;
  const std::size_t own = stops.size();
  std::vector<std::uint32_t> roots{0};
  Paged<Eigen::Vector4d> points;
  for (const EssentialTree& other : others) {
    if (other.cells.empty()) continue;
    const std::size_t before = state_->tree.bodies.size() + points.size();
    roots.push_back(append(other, static_cast<std::uint32_t>(before), stops));
    for (const EssentialPoint& point : other.points) points.emplace_back(point.data());
  }
  state_->descent.add(state_->targets(), stops, roots, points, state_->openings);
  stops.resize(own);
  state_->forces.seconds.sums += seconds_since(start);
}

int sums_of(const ForceOptions& options) {
  return options.error > 0 ? 2 : 1;
}

std::unique_ptr<Solver> make_barnes_hut_solver() {
  return make_processor_solver(
      "barnes-hut", "Barnes-Hut", 180,  // bytes per body, measured with three million bodies
      [](const Bodies& bodies, const ForceOptions& options, Forces& forces, const jobs::Progress& progress) {
        add_barnes_hut_forces(bodies, {}, options, forces, progress);
      },
      add_barnes_hut_forces);
}

}  // namespace isolume::nbody
