#include "core/multipoles/interaction_lists.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/multipoles/softening.h"

namespace isolume::multipoles {

namespace {

using Range = tbb::blocked_range<std::size_t>;

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

/// If one cell exerts most of the gradient, errors do not average out.
float most_of(float own, float gradient) {
  return std::clamp(own - gradient + 2, 0.0F, 2.0F);
}
/// Upper bound of the gradient that a cell exerts without softening.
float log_unsoftened(float log_magnitude, double squared) {
  return log_magnitude - rough_log2(squared);
}

}  // namespace

/// The first source holds all points, and those of one level are together, so that walks wait less for memory.
Paged<SourceFinder::Source> SourceFinder::sources_of(const CellMoments& moments, std::uint32_t leaf_size) {
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

SourceFinder::SourceFinder(const PointTree& targets, const CellMoments& moments, const Opening& opening,
                           std::uint32_t leaf_size)
    : targets_(targets),
      opening_(opening),
      leaf_size_(leaf_size),
      order_(moments.harmonics.order()),
      few_pairs_(static_cast<std::uint64_t>(2.5 * std::pow(order_ + 1, 2))),
      sources_(sources_of(moments, leaf_size)) {}

bool SourceFinder::acts_as_a_whole(const Source& source, const PointCell& target, float log_radius,
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
         log_unsoftened(source.log_magnitude, squared) + left_out <=
             on_target - 7 + 0.14F * opening_.log_share;
}
float SourceFinder::left_out_on_target(const Source& source, float own, float log_radius,
                                       float gradient) const {
  // Small cells around one position each have a smaller truncation error, but the same one in total.
  const float together = 2 * std::max(0.0F, log_radius - source.log_radius);
  return std::max(mixed(gradient, own, 0) - together, mixed(gradient, own, 1)) - most_of(own, gradient);
}
/// True near and below the softening length, where 1 / r is much larger than the softened potential.
bool SourceFinder::is_softened_alone(double squared) const {
  return 4 * opening_.softening * opening_.softening > squared;
}
/// With D^2 = distance^2 + softening^2 and t = radii / D, the series of 1 / sqrt(r^2 + softening^2) is that
/// of Legendre polynomials in t, none of which exceeds 1: truncated at degree p, it has an error of about
/// (p + 1) t^p / D^2 in the gradient.
bool SourceFinder::acts_softened(const Source& source, double radii, double squared, float log_radius,
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
/// Truncation errors of the two expansions. Multipole moments of higher degrees n = order + 1 ... each
/// contribute (n + 1) power radius^n / distance^(n + 2) at the nearest point of the target. Terms of the
/// local expansion of higher degrees contribute n magnitude (the target's radius)^(n - 1) / distance^(n +
/// 1) for the nearest point of the source. Both geometric series are summed without the factor n, which
/// cancellation makes up for.
SourceFinder::LeftOut SourceFinder::expansions_left_out(const Source& source, const PointCell& target,
                                                        float log_radius, double distance) const {
  const auto order = static_cast<float>(order_);
  const float gap = rough_log2(distance - source.radius - target.radius);
  return {
      source.log_power + (order + 1) * source.log_radius -
          (order + 2) * rough_log2(distance - target.radius) - gap,
      source.log_magnitude + order * log_radius - (order + 1) * rough_log2(distance - source.radius) - gap};
}
float SourceFinder::log_own(const Source& source, double squared) const {
  if (opening_.softening == 0) return log_unsoftened(source.log_magnitude, squared);
  const double ratio = squared / (squared + opening_.softening * opening_.softening);
  return log_unsoftened(source.log_magnitude, squared) + 1.5F * rough_log2(ratio);
}
/// The change by softening, relative to the gradient without softening.
float SourceFinder::softening_change(double squared) const {
  const double change = 1.5 * opening_.softening * opening_.softening / squared;
  return rough_log2(std::min(1.0, change));
}
/// The truncation error of the softening series, relative to the same.
float SourceFinder::softening_left_out(double radii, double squared) const {
  if (opening_.softening == 0) return -std::numeric_limits<float>::infinity();
  return softening_change(squared) + 2 + (softening_degree + 1) * rough_log2(radii / std::sqrt(squared));
}
/// Whether the change by softening is too large to be neglected.
bool SourceFinder::is_softened(const Source& source, const PointCell& target, float gradient) const {
  if (opening_.softening == 0) return false;
  const double squared = (source.centre - target.centre).squaredNorm();
  const float change = softening_change(squared);
  if (opening_.log_gradients.empty()) return change > opening_.log_share - 6;
  return log_unsoftened(source.log_magnitude, squared) + change >
         mixed(gradient, log_own(source, squared), 1) - 6;
}
/// The allowed error: a part of the target's gradient (part = 0), of the cell's own (part = 1), or of a
/// mean of both.
float SourceFinder::mixed(float gradient, float own, float part) const {
  return opening_.log_share + gradient + part * (own - gradient);
}

void SourceFinder::find(std::uint32_t number, const Candidates& candidates, Candidates& remaining,
                        FoundSources& found) const {
  found.far.clear();
  found.near_leaves.clear();
  const PointCell& target = targets_.cells[number];
  const float gradient = opening_.log_gradients.empty() ? 0 : opening_.log_gradients[number],
              log_radius = static_cast<float>(std::log2(target.radius));
  Candidates stack = candidates;
  while (!stack.empty()) {
    const std::uint32_t at = stack.back();
    stack.pop_back();
    const Source& source = sources_[at];
    if (std::isinf(source.log_magnitude)) continue;  // no charge in it
    if (is_leaf(target) && source.leaf() &&
        static_cast<std::uint64_t>(source.count) * target.count() <= few_pairs_) {
      found.near_leaves.push_back(source.cell);
    } else if (acts_as_a_whole(source, target, log_radius, gradient)) {
      const bool alone = is_softened_alone((source.centre - target.centre).squaredNorm());
      found.far.push_back({source.cell, alone || is_softened(source, target, gradient), alone});
    } else if (!source.leaf() && (is_leaf(target) || source.radius > target.radius)) {
      for (std::uint32_t part = 0; part < source.parts; ++part) stack.push_back(source.first + part);
    } else if (is_leaf(target)) {
      found.near_leaves.push_back(source.cell);
    } else {
      remaining.push_back(at);
    }
  }
}

namespace {

class ListMaker {
 public:
  ListMaker(const PointTree& targets, const SourceFinder& finder, const jobs::Progress& progress)
      : found(targets.cells.size()), targets_(targets), finder_(finder), progress_(progress) {}

  std::vector<FoundSources> found;  ///< for each target cell

  void descend(std::uint32_t number, const SourceFinder::Candidates& candidates) {
    const PointCell& target = targets_.cells[number];
    SourceFinder::Candidates remaining;
    FoundSources& own = found[number];
    finder_.find(number, candidates, remaining, own);
    own.far.shrink_to_fit();
    own.near_leaves.shrink_to_fit();
    if (finder_.is_leaf(target)) return;
    progress_.check();
    std::vector<std::uint32_t> parts;
    for (std::uint32_t part = number + 1; part < target.next; part = targets_.cells[part].next) {
      parts.push_back(part);
    }
    if (target.count() < worth_a_thread) {
      for (const std::uint32_t part : parts) descend(part, remaining);
      return;
    }
    handover::parallel_for(Range(0, parts.size(), 1), [&](const Range& range) {
      for (std::size_t i = range.begin(); i != range.end(); ++i) descend(parts[i], remaining);
    });
  }

 private:
  static constexpr std::uint32_t worth_a_thread = 1 << 12;

  const PointTree& targets_;
  const SourceFinder& finder_;
  jobs::Progress progress_;
};

/// `each(found, take)` calls take(cell) for the entries of a list.
template <class Each>
InteractionLists::Lists joined(const std::vector<FoundSources>& found, const Each& each) {
  InteractionLists::Lists lists;
  lists.starts.resize(found.size() + 1);
  handover::parallel_for(Range(0, found.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      each(found[i], [&count = lists.starts[i + 1]](std::uint32_t) { ++count; });
    }
  });
  std::partial_sum(lists.starts.begin(), lists.starts.end(), lists.starts.begin());
  lists.cells.resize(lists.starts.back());
  handover::parallel_for(Range(0, found.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      each(found[i], [to = lists.cells.begin() + static_cast<std::ptrdiff_t>(lists.starts[i])](
                         std::uint32_t cell) mutable { *to++ = cell; });
    }
  });
  return lists;
}

}  // namespace

InteractionLists interaction_lists(const PointTree& targets, const CellMoments& sources,
                                   const Opening& opening, const jobs::Progress& progress) {
  const SourceFinder finder(targets, sources, opening, 0);
  ListMaker maker(targets, finder, progress);
  maker.descend(0, {0});
  InteractionLists lists;
  lists.far = joined(maker.found, [](const FoundSources& found, auto&& take) {
    for (const FarCell& far : found.far) {
      if (!far.alone) take(far.cell);
    }
  });
  lists.softened = joined(maker.found, [](const FoundSources& found, auto&& take) {
    for (const FarCell& far : found.far) {
      if (far.softened) take(far.cell | (far.alone ? InteractionLists::alone : 0));
    }
  });
  lists.near = joined(maker.found, [](const FoundSources& found, auto&& take) {
    for (const std::uint32_t leaf : found.near_leaves) take(leaf);
  });
  for (const FoundSources& found : maker.found) lists.cell_pairs += found.far.size();
  return lists;
}

}  // namespace isolume::multipoles
