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
using Cells = std::vector<std::uint32_t>;

/// At smaller distances, in units of the frame, the cube of a distance is out of the range of single
/// precision.
constexpr double least_single = 1e-12;

/// log2 of a positive, normal number, within 2e-5: what a criterion needs, in a tenth of the time.
float rough_log2(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  constexpr std::uint64_t fraction = (std::uint64_t{1} << 52) - 1, one = std::uint64_t{1023} << 52;
  const auto exponent = static_cast<float>(static_cast<std::int64_t>(bits >> 52) - 1023);
  const auto t = static_cast<float>(std::bit_cast<double>((bits & fraction) | one) - 1);
  // The polynomial through log2(1 + t) at the Chebyshev nodes of 0 to 1.
  return exponent + 1.6515e-5F +
         t * (1.4414924F + t * (-0.7064864F + t * (0.4094703F + t * (-0.1874886F + t * 0.0430050F))));
}

/// The data of a source cell that the acceptance criterion reads.
struct alignas(64) Source {
  Vector3d centre;
  double radius;
  float log_radius, log_magnitude, log_power;  ///< logarithms to base 2
  std::uint32_t first, parts;                  ///< children, which are consecutive; none for a leaf
  std::uint32_t cell, count;

  bool leaf() const { return parts == 0; }
};

/// Cells with at most `leaf_size` points are leaves. The first source holds all points, and those of one level are
/// together, so that walks wait less for memory.
Paged<Source> sources_of(const CellMoments& moments, std::uint32_t leaf_size) {
  const auto& cells = moments.tree.cells;
  Paged<Source> sources(cells.size());
  sources[0].cell = 0;
  std::uint32_t count = 1;
  for (std::uint32_t i = 0; i < count; ++i) {
    const PointCell& cell = cells[sources[i].cell];
    sources[i].first = count;
    if (!cell.leaf && cell.count() > leaf_size) {
      for (std::uint32_t part = sources[i].cell + 1; part < cell.next; part = cells[part].next) {
        sources[count++].cell = part;
      }
    }
    sources[i].parts = count - sources[i].first;
  }
  sources.resize(count);
  handover::parallel_for(Range(0, sources.size(), 1 << 10), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      Source& source = sources[i];
      const PointCell& cell = cells[source.cell];
      const auto log = [](double value) { return static_cast<float>(std::log2(value)); };
      source.centre = cell.centre;
      source.radius = cell.radius;
      source.log_radius = log(cell.radius);
      source.log_magnitude = log(moments.magnitude[source.cell]);
      source.log_power = log(moments.power[source.cell]);
      source.count = cell.count();
    }
  });
  return sources;
}

/// Points of each leaf relative to its centre: converted once, rather than for each target.
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

/// Scratch memory of one thread.
struct Lists {
  explicit Lists(const Harmonics& harmonics) : workspace(harmonics) {}

  Workspace workspace;
  Cells stack, near_leaves;
  std::vector<Expansion<double>> far;
  std::vector<Expansion<float>> far_singles;
  std::vector<SofteningSource> far_softened;
  std::uint64_t far_cells = 0;
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
        sources_(sources_of(moments, near_field.leaf_size)),
        single_points_(near_field.in_single_precision && !near_field.roughly ? single_points_of(moments.tree)
                                                                             : Paged<NearSource<float>>()),
        sums_(sums),
        progress_(progress),
        field_size_(harmonics_.size() + (opening.softening > 0 ? softening_terms : 0)),
        few_pairs_(static_cast<std::uint64_t>(2.5 * std::pow(harmonics_.order() + 1, 2))) {}

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

  bool is_leaf(const PointCell& cell) const { return cell.leaf || cell.count() <= near_field_.leaf_size; }

  bool acts_as_a_whole(const Source& source, const PointCell& target, float log_radius,
                       float gradient) const {
    const double squared = (source.centre - target.centre).squaredNorm();
    const double radii = source.radius + target.radius;
    if (radii * radii >= opening_.widest * opening_.widest * squared || squared == 0) return false;
    if (opening_.softening > 0 && squared < 1e-44) return false;
    if (is_softened_alone(squared)) return acts_softened(source, radii, squared, log_radius, gradient);
    const float left_out = softening_left_out(radii, squared);
    if (opening_.log_gradients.empty()) return left_out <= opening_.log_share;
    const float own = log_own(source, squared);
    const float most = most_of(own, gradient),
                on_target = left_out_on_target(source, own, log_radius, gradient);
    // Truncation errors of the softening series have one sign for many cells, more so for smaller errors.
    // Softened forces are a smaller part of the terms of the unsoftened expansions. Both effects were
    // measured on Plummer spheres and on cusps well within the softening length.
    const float softened = opening_.softening > 0 ? 0.5F : 0;
    const LeftOut harmonic = expansions_left_out(source, target, log_radius, std::sqrt(squared));
    return harmonic.of_source <= mixed(gradient, own, 0.2F) - most - softened &&
           harmonic.of_field <= on_target - softened &&
           log_unsoftened(source, squared) + left_out <= on_target - 7 + 0.14F * opening_.log_share;
  }
  /// If one cell exerts most of the gradient, errors do not average out.
  static float most_of(float own, float gradient) { return std::clamp(own - gradient + 2, 0.0F, 2.0F); }
  float left_out_on_target(const Source& source, float own, float log_radius, float gradient) const {
    // Small cells around one position each have a smaller truncation error, but the same one in total.
    const float together = 2 * std::max(0.0F, log_radius - source.log_radius);
    return std::max(mixed(gradient, own, 0) - together, mixed(gradient, own, 1)) - most_of(own, gradient);
  }
  /// True near and below the softening length, where 1 / r is much larger than the softened potential.
  bool is_softened_alone(double squared) const {
    return 4 * opening_.softening * opening_.softening > squared;
  }
  /// With D^2 = distance^2 + softening^2 and t = radii / D, the series of 1 / sqrt(r^2 + softening^2) is that
  /// of Legendre polynomials in t, none of which exceeds 1: truncated at degree p, it has an error of about
  /// (p + 1) t^p / D^2 in the gradient.
  bool acts_softened(const Source& source, double radii, double squared, float log_radius,
                     float gradient) const {
    const double softened = squared + opening_.softening * opening_.softening;
    const float left_out =
        std::log2(softening_degree + 1.0F) + softening_degree * rough_log2(radii / std::sqrt(softened));
    if (opening_.log_gradients.empty())
      return left_out - 0.5F * rough_log2(squared / softened) <= opening_.log_share;
    const float exerted = source.log_magnitude - rough_log2(softened);
    return exerted + left_out <= left_out_on_target(source, log_own(source, squared), log_radius, gradient) -
                                     2 + 0.14F * opening_.log_share;
  }
  /// Truncation errors, as logarithms to base 2.
  struct LeftOut {
    float of_source, of_field;
  };
  /// Truncation errors of the two expansions. Multipole moments of higher degrees n = order + 1 ... each
  /// contribute (n + 1) power radius^n / distance^(n + 2) at the nearest point of the target. Terms of the
  /// local expansion of higher degrees contribute n magnitude (the target's radius)^(n - 1) / distance^(n +
  /// 1) for the nearest point of the source. Both geometric series are summed without the factor n, which
  /// cancellation makes up for.
  LeftOut expansions_left_out(const Source& source, const PointCell& target, float log_radius,
                              double distance) const {
    const auto order = static_cast<float>(harmonics_.order());
    const float gap = rough_log2(distance - source.radius - target.radius);
    return {
        source.log_power + (order + 1) * source.log_radius -
            (order + 2) * rough_log2(distance - target.radius) - gap,
        source.log_magnitude + order * log_radius - (order + 1) * rough_log2(distance - source.radius) - gap};
  }
  /// Upper bound of the gradient that a cell exerts without softening.
  float log_unsoftened(const Source& source, double squared) const {
    return source.log_magnitude - rough_log2(squared);
  }
  float log_own(const Source& source, double squared) const {
    if (opening_.softening == 0) return log_unsoftened(source, squared);
    const double ratio = squared / (squared + opening_.softening * opening_.softening);
    return log_unsoftened(source, squared) + 1.5F * rough_log2(ratio);
  }
  /// The change by softening, relative to the gradient without softening.
  float softening_change(double squared) const {
    const double change = 1.5 * opening_.softening * opening_.softening / squared;
    return rough_log2(std::min(1.0, change));
  }
  /// The truncation error of the softening series, relative to the same.
  float softening_left_out(double radii, double squared) const {
    if (opening_.softening == 0) return -std::numeric_limits<float>::infinity();
    return softening_change(squared) + 2 + (softening_degree + 1) * rough_log2(radii / std::sqrt(squared));
  }
  /// Whether the change by softening is too large to be neglected.
  bool is_softened(const Source& source, const PointCell& target, float gradient) const {
    if (opening_.softening == 0) return false;
    const double squared = (source.centre - target.centre).squaredNorm();
    const float change = softening_change(squared);
    if (opening_.log_gradients.empty()) return change > opening_.log_share - 6;
    return log_unsoftened(source, squared) + change > mixed(gradient, log_own(source, squared), 1) - 6;
  }
  /// The allowed error: a part of the target's gradient (part = 0), of the cell's own (part = 1), or of a
  /// mean of both.
  float mixed(float gradient, float own, float part) const {
    return opening_.log_share + gradient + part * (own - gradient);
  }

  /// `field` is the local expansion about the parent; `candidates` are the sources that have not acted yet.
  void descend(std::uint32_t number, double* field, const Cells& candidates, Lists& lists) {
    const PointCell& target = targets_.cells[number];
    Cells remaining;
    find(number, target, candidates, remaining, lists);
    cell_pairs_ += lists.far_cells;
    add_far_field(harmonics_, lists.far, unit_of(target), field, lists.workspace);
    add_far_field(harmonics_, lists.far_singles, unit_of(target), field, lists.workspace);
    if (opening_.softening > 0) {
      add_softening_field(lists.far_softened, opening_.softening, field + harmonics_.size());
    }
    if (is_leaf(target)) {
      add_to_points(target, field, lists);
      return;
    }
    progress_.check();
    Cells parts;
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

  /// Sorts candidates into far cells, near cells (for a leaf), and cells that remain for the target's parts.
  void find(std::uint32_t number, const PointCell& target, const Cells& candidates, Cells& remaining,
            Lists& lists) const {
    lists.far.clear();
    lists.far_singles.clear();
    lists.far_softened.clear();
    lists.far_cells = 0;
    lists.near_leaves.clear();
    const float gradient = opening_.log_gradients.empty() ? 0 : opening_.log_gradients[number],
                log_radius = static_cast<float>(std::log2(target.radius));
    lists.stack = candidates;
    while (!lists.stack.empty()) {
      const std::uint32_t at = lists.stack.back();
      lists.stack.pop_back();
      const Source& source = sources_[at];
      if (std::isinf(source.log_magnitude)) continue;  // no charge in it
      if (is_leaf(target) && source.leaf() &&
          static_cast<std::uint64_t>(source.count) * target.count() <= few_pairs_) {
        lists.near_leaves.push_back(source.cell);
      } else if (acts_as_a_whole(source, target, log_radius, gradient)) {
        const Vector3d to = target.centre - source.centre;
        const bool alone = is_softened_alone(to.squaredNorm());
        if (!alone) add_far(source.cell, to, target.radius == 0, lists);
        if (alone || is_softened(source, target, gradient)) {
          lists.far_softened.push_back(
              {opening_.softening_moments->data() + source.cell * softening_terms, to, alone});
        }
        ++lists.far_cells;
      } else if (!source.leaf() && (is_leaf(target) || source.radius > target.radius)) {
        for (std::uint32_t part = 0; part < source.parts; ++part) lists.stack.push_back(source.first + part);
      } else if (is_leaf(target)) {
        lists.near_leaves.push_back(source.cell);
      } else {
        remaining.push_back(at);
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
    for (const std::uint32_t number : lists.near_leaves) {
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
    for (const std::uint32_t number : lists.near_leaves) {
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
  const Paged<Source> sources_;
  const Paged<NearSource<float>> single_points_;
  SortedSums& sums_;
  jobs::Progress progress_;
  std::size_t field_size_;   ///< of harmonics, then of the softening series
  std::uint64_t few_pairs_;  ///< as many direct pairs as cost no more than expansions
  std::atomic<std::uint64_t> point_pairs_ = 0, cell_pairs_ = 0, done_ = 0;
};

}  // namespace

void sum_down(const PointTree& targets, const CellMoments& sources, const Opening& opening,
              const NearField& near_field, SortedSums& sums, const jobs::Progress& progress) {
  Descent(targets, sources, opening, near_field, sums, progress).add_all();
}

}  // namespace isolume::multipoles
