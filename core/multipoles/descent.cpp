#include "core/multipoles/descent.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/multipoles/near_field.h"
#include "core/multipoles/softening.h"
#include "core/multipoles/translations.h"

namespace isolume::multipoles {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;
using Candidates = SourceFinder::Candidates;

/// At smaller distances, in units of the frame, the cube of a distance is out of the range of single
/// precision.
constexpr double least_single = 1e-12;

/// Scratch memory of one thread.
struct Lists {
  explicit Lists(const Harmonics& harmonics) : workspace(harmonics) {}

  Workspace workspace;
  FoundSources found;
  std::vector<Expansion<double>> far;
  std::vector<Expansion<float>> far_singles;
  std::vector<SofteningSource> far_softened;
  std::vector<NearSource<float>> singles;
  std::vector<NearSource<double>> doubles;
  NearTargets<float> single_targets;
  NearTargets<double> double_targets;
};

class Descent {
 public:
  Descent(const PointTree& targets, const CellMoments& moments, const Opening& opening,
          const NearField& near_field, SortedSums& sums, const jobs::Progress& progress)
      : targets_(targets),
        moments_(moments),
        harmonics_(moments.harmonics),
        opening_(opening),
        near_field_(near_field),
        finder_(targets, moments, opening, near_field.leaf_size),
        single_points_(near_field.in_single_precision && !near_field.roughly ? single_points_of(moments.tree)
                                                                             : Paged<NearSource<float>>()),
        sums_(sums),
        progress_(progress),
        field_size_(harmonics_.size() + (opening.softening > 0 ? softening_terms : 0)) {}

  void add_all() {
    const auto lists = std::make_unique<Lists>(harmonics_);
    std::vector<double> field(field_size_);
    descend(0, field.data(), {0}, *lists);
    sums_.point_pairs += point_pairs_;
    sums_.cell_pairs += cell_pairs_;
  }

 private:
  static constexpr std::uint32_t worth_a_thread = 1 << 12;
  /// Number of sources that are passed to a leaf of targets together; see add_near_field.
  static constexpr std::size_t enough = 512;

  /// `field` is the local expansion about the parent; `candidates` are the sources that have not acted yet.
  void descend(std::uint32_t number, double* field, const Candidates& candidates, Lists& lists) {
    const PointCell& target = targets_.cells[number];
    Candidates remaining;
    finder_.find(number, candidates, remaining, lists.found);
    cell_pairs_ += lists.found.far.size();
    take_far(target, lists);
    add_far_field(harmonics_, lists.far, unit_of(target), field, lists.workspace);
    add_far_field(harmonics_, lists.far_singles, unit_of(target), field, lists.workspace);
    if (opening_.softening > 0) {
      add_softening_field(lists.far_softened, opening_.softening, field + harmonics_.size());
    }
    if (finder_.is_leaf(target)) {
      add_to_points(target, field, lists);
      return;
    }
    progress_.check();
    std::vector<std::uint32_t> parts;
    for (std::uint32_t part = number + 1; part < target.next; part = targets_.cells[part].next) {
      parts.push_back(part);
    }
    std::vector<double> fields(parts.size() * field_size_);
    std::vector<ExpansionPlace> places;
    for (const std::uint32_t part : parts) {
      const PointCell& to = targets_.cells[part];
      places.push_back({fields.data() + places.size() * field_size_, to.centre - target.centre, unit_of(to)});
    }
    move_field(harmonics_, field, unit_of(target), places, lists.workspace);
    if (opening_.softening > 0) {
      for (const ExpansionPlace& place : places) {
        move_softening_field(field + harmonics_.size(), place.from, place.values + harmonics_.size());
      }
    }
    const auto add = [&](const Range& range, Lists& own) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) {
        descend(parts[i], places[i].values, remaining, own);
      }
    };
    const Range all(0, parts.size(), 1);
    if (target.count() < worth_a_thread) {
      add(all, lists);
      return;
    }
    handover::parallel_for(
        all,
        [&](const Range& range) {
          const auto own = std::make_unique<Lists>(harmonics_);
          add(range, *own);
        },
        tbb::simple_partitioner());
  }

  void take_far(const PointCell& target, Lists& lists) const {
    lists.far.clear();
    lists.far_singles.clear();
    lists.far_softened.clear();
    for (const FarCell& from : lists.found.far) {
      const Vector3d to = target.centre - moments_.tree.cells[from.cell].centre;
      if (!from.alone) add_far(from.cell, to, target.radius == 0, lists);
      if (from.softened) {
        lists.far_softened.push_back(
            {opening_.softening_moments->data() + from.cell * softening_terms, to, from.alone});
      }
    }
  }

  /// Powers of the unit of a target without extent are too small for single precision.
  void add_far(std::uint32_t cell, const Vector3d& to, bool to_one_place, Lists& lists) const {
    const double unit = unit_of(moments_.tree.cells[cell]);
    if (moments_.singles.empty() || to_one_place) {
      lists.far.push_back({moments_.of(cell), to, unit});
    } else {
      lists.far_singles.push_back({moments_.singles.data() + cell * harmonics_.size(), to, unit});
    }
  }

  void add_to_points(const PointCell& target, const double* field, Lists& lists) {
    constexpr std::uint32_t most = NearTargets<float>::capacity;
    for (std::uint32_t begin = target.begin; begin < target.end; begin += most) {
      const std::uint32_t count = std::min(most, target.end - begin);
      const FieldSums sums{sums_.potential.data() + begin, sums_.x.data() + begin, sums_.y.data() + begin,
                           sums_.z.data() + begin};
      for (double* values : {sums.potential, sums.x, sums.y, sums.z}) std::fill_n(values, count, 0.0);
      add_field_at_points(harmonics_, field, target.centre, unit_of(target), {targets_, begin, count}, sums,
                          lists.workspace);
      if (opening_.softening > 0) {
        add_softening_at_points(field + harmonics_.size(), target.centre, {targets_, begin, count}, sums);
      }
      if (near_field_.roughly) {
        add_leaves_roughly(target, begin, count, lists, sums);
      } else if (!near_field_.in_single_precision ||
                 !add_near(target, begin, count, lists, lists.singles, lists.single_targets, sums)) {
        add_near(target, begin, count, lists, lists.doubles, lists.double_targets, sums);
      }
    }
    done_ += target.count();
    progress_.report(static_cast<double>(done_) / static_cast<double>(targets_.original.size()), "sums");
  }

  /// In double precision positions are exact, and so are their differences.
  template <class Real>
  static Vector3d reference(const PointCell& target) {
    return sizeof(Real) == sizeof(float) ? target.centre : Vector3d(0, 0, 0);
  }
  template <class Real>
  void set_targets(const PointCell& target, std::uint32_t begin, std::uint32_t count,
                   NearTargets<Real>& targets) const {
    targets.count = static_cast<int>(count);
    const Vector3d centre = reference<Real>(target);
    for (std::uint32_t i = 0; i < count; ++i) {
      targets.x[i] = static_cast<Real>(targets_.x[begin + i] - centre.x());
      targets.y[i] = static_cast<Real>(targets_.y[begin + i] - centre.y());
      targets.z[i] = static_cast<Real>(targets_.z[begin + i] - centre.z());
      targets.close[i] = 0;
      targets.potential[i] = targets.dx[i] = targets.dy[i] = targets.dz[i] = 0;
    }
  }
  template <class Real>
  static void add_sums(const NearTargets<Real>& targets, const FieldSums& sums) {
    for (int i = 0; i < targets.count; ++i) {
      sums.potential[i] += targets.potential[i];
      sums.x[i] += targets.dx[i];
      sums.y[i] += targets.dy[i];
      sums.z[i] += targets.dz[i];
    }
  }
  /// Returns false and adds nothing if this precision is insufficient.
  template <class Real>
  bool add_near(const PointCell& target, std::uint32_t begin, std::uint32_t count, Lists& lists,
                std::vector<NearSource<Real>>& sources, NearTargets<Real>& targets, const FieldSums& sums) {
    set_targets(target, begin, count, targets);
    const double close = std::pow(std::max(near_field_.close * target.radius, least_single), 2),
                 softening = opening_.softening * opening_.softening;
    std::uint64_t pairs = 0;
    const auto add = [&](int own) {
      pairs += sources.size() * count;
      add_near_field(targets, sources, static_cast<Real>(softening), static_cast<Real>(close), own);
      sources.clear();
    };
    const bool has_own = &targets_ == &moments_.tree;
    std::optional<std::uint32_t> own_leaf;
    sources.clear();
    for (const std::uint32_t number : lists.found.near_leaves) {
      const PointCell& leaf = moments_.tree.cells[number];
      if (has_own && leaf.begin == target.begin) {
        own_leaf = number;
        continue;
      }
      append(leaf, number, reference<Real>(target), sources);
      if (sources.size() >= enough) add(no_target);
    }
    if (!sources.empty()) add(no_target);
    if (own_leaf && target.radius > 0) {
      append(target, *own_leaf, reference<Real>(target), sources);
      add(static_cast<int>(begin - target.begin));
    }
    if (sizeof(Real) == sizeof(float) && softening < close) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (targets.close[i] > 0) return false;
      }
    }
    point_pairs_ += pairs;
    add_sums(targets, sums);
    // All points of the leaf are at one position: all others of the leaf act on each.
    if (own_leaf && target.radius == 0 && opening_.softening > 0) {
      for (std::uint32_t i = 0; i < count; ++i) {
        const double others = moments_.charge[*own_leaf] - targets_.charge[begin + i];
        sums.potential[i] += others / opening_.softening;
      }
    }
    return true;
  }
  template <class Real>
  void append(const PointCell& cell, std::uint32_t number, const Vector3d& centre,
              std::vector<NearSource<Real>>& sources) const {
    const PointTree& tree = moments_.tree;
    if (cell.radius == 0) {  // all points at one position act as one charge
      const Vector3d from = cell.centre - centre;
      sources.push_back({static_cast<Real>(from.x()), static_cast<Real>(from.y()),
                         static_cast<Real>(from.z()), static_cast<Real>(moments_.charge[number])});
      return;
    }
    std::size_t to = sources.size();
    sources.resize(to + cell.count());
    if constexpr (sizeof(Real) == sizeof(float)) {
      const Eigen::Vector3f from = (cell.centre - centre).cast<float>();
      const Eigen::Vector4f by(from.x(), from.y(), from.z(), 0);
      for (std::uint32_t i = cell.begin; i < cell.end; ++i, ++to)
        Eigen::Map<Eigen::Vector4f>(&sources[to].x) =
            Eigen::Map<const Eigen::Vector4f>(&single_points_[i].x) + by;
      return;
    }
    for (std::uint32_t i = cell.begin; i < cell.end; ++i, ++to) {
      sources[to] = {static_cast<Real>(tree.x[i] - centre.x()), static_cast<Real>(tree.y[i] - centre.y()),
                     static_cast<Real>(tree.z[i] - centre.z()), static_cast<Real>(tree.charge[i])};
    }
  }
  void add_leaves_roughly(const PointCell& target, std::uint32_t begin, std::uint32_t count, Lists& lists,
                          const FieldSums& sums) {
    set_targets(target, begin, count, lists.double_targets);
    lists.doubles.clear();
    for (const std::uint32_t number : lists.found.near_leaves) {
      const Vector3d& from = moments_.tree.cells[number].centre;
      lists.doubles.push_back({from.x(), from.y(), from.z(), moments_.charge[number]});
    }
    const double spread = target.radius * target.radius + opening_.softening * opening_.softening;
    add_near_field(lists.double_targets, lists.doubles, spread, 0.0);
    add_sums(lists.double_targets, sums);
  }

  const PointTree& targets_;
  const CellMoments& moments_;
  const Harmonics& harmonics_;
  const Opening& opening_;
  const NearField& near_field_;
  const SourceFinder finder_;
  const Paged<NearSource<float>> single_points_;
  SortedSums& sums_;
  jobs::Progress progress_;
  std::size_t field_size_;  ///< of harmonics, then of the softening series
  std::atomic<std::uint64_t> point_pairs_ = 0, cell_pairs_ = 0, done_ = 0;
};

}  // namespace

Paged<NearSource<float>> single_points_of(const PointTree& tree) {
  Paged<NearSource<float>> points(tree.original.size());
  handover::parallel_for(Range(0, tree.cells.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t number = part.begin(); number != part.end(); ++number) {
      const PointCell& leaf = tree.cells[number];
      if (!leaf.leaf) continue;
      for (std::uint32_t i = leaf.begin; i < leaf.end; ++i) {
        points[i] = {static_cast<float>(tree.x[i] - leaf.centre.x()),
                     static_cast<float>(tree.y[i] - leaf.centre.y()),
                     static_cast<float>(tree.z[i] - leaf.centre.z()), static_cast<float>(tree.charge[i])};
      }
    }
  });
  return points;
}

void sum_down(const PointTree& targets, const CellMoments& sources, const Opening& opening,
              const NearField& near_field, SortedSums& sums, const jobs::Progress& progress) {
  Descent(targets, sources, opening, near_field, sums, progress).add_all();
}

}  // namespace isolume::multipoles
