#include "core/multipoles/moments.h"

#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/multipoles/softening.h"
#include "core/multipoles/translations.h"

namespace isolume::multipoles {

namespace {

using Range = tbb::blocked_range<std::size_t>;

/// The upward pass: moments from the leaves to the root.
class Ascent {
 public:
  Ascent(CellMoments& moments, const jobs::Progress& progress) : moments_(moments), progress_(progress) {}

  void add(std::uint32_t number, Workspace& workspace) {
    const PointCell& cell = moments_.tree.cells[number];
    if (cell.leaf) {
      add_leaf(number, cell, workspace);
    } else {
      std::vector<std::uint32_t> parts;
      for (std::uint32_t part = number + 1; part < cell.next; part = moments_.tree.cells[part].next) {
        parts.push_back(part);
      }
      add_all(parts, cell, workspace);
      join(number, cell, parts, workspace);
    }
    moments_.power[number] = power(values(number));
  }

 private:
  static constexpr std::uint32_t worth_a_thread = 1 << 12;

  double* values(std::uint32_t number) { return moments_.values.data() + number * moments_.harmonics.size(); }
  void add_all(const std::vector<std::uint32_t>& parts, const PointCell& cell, Workspace& workspace) {
    if (cell.count() < worth_a_thread) {
      for (const std::uint32_t part : parts) add(part, workspace);
      return;
    }
    progress_.check();
    handover::parallel_for(Range(0, parts.size(), 1), [&](const Range& range) {
      Workspace own(moments_.harmonics);
      for (std::size_t i = range.begin(); i != range.end(); ++i) add(parts[i], own);
    });
  }
  void add_leaf(std::uint32_t number, const PointCell& cell, Workspace& workspace) {
    const PointTree& tree = moments_.tree;
    double charge = 0, magnitude = 0;
    for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
      charge += tree.charge[i];
      magnitude += std::abs(tree.charge[i]);
    }
    moments_.charge[number] = charge;
    moments_.magnitude[number] = magnitude;
    moments_of_points(moments_.harmonics, {tree, cell.begin, cell.count()}, cell.centre, unit_of(cell),
                      values(number), workspace);
  }
  void join(std::uint32_t number, const PointCell& cell, const std::vector<std::uint32_t>& parts,
            Workspace& workspace) {
    double charge = 0, magnitude = 0;
    std::vector<Expansion<double>> expansions;
    for (const std::uint32_t part : parts) {
      const PointCell& from = moments_.tree.cells[part];
      charge += moments_.charge[part];
      magnitude += moments_.magnitude[part];
      expansions.push_back({moments_.of(part), cell.centre - from.centre, unit_of(from)});
    }
    moments_.charge[number] = charge;
    moments_.magnitude[number] = magnitude;
    sum_moments(moments_.harmonics, expansions, unit_of(cell), values(number), workspace);
  }
  double power(const double* values) const {
    const std::size_t terms = moments_.harmonics.terms();
    double largest = 0;
    for (int n = std::max(0, moments_.harmonics.order() - 1); n <= moments_.harmonics.order(); ++n) {
      double sum = 0;
      for (int m = 0; m <= n; ++m) {
        const std::size_t at = Harmonics::index(n, m);
        const double squared = values[at] * values[at] + values[terms + at] * values[terms + at];
        sum += (m > 0 ? 2 : 1) * squared;
      }
      largest = std::max(largest, sum);
    }
    return std::sqrt(largest);
  }

  CellMoments& moments_;
  jobs::Progress progress_;
};

}  // namespace

Paged<double> softening_moments_of(const PointTree& tree) {
  Paged<double> moments(tree.cells.size() * softening_terms);
  handover::parallel_for(Range(0, tree.cells.size(), 1 << 6), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const PointCell& cell = tree.cells[i];
      double* own = moments.data() + i * softening_terms;
      std::fill_n(own, softening_terms, 0.0);
      if (cell.leaf) softening_moments({tree, cell.begin, cell.count()}, cell.centre, own);
    }
  });
  for (std::size_t i = tree.cells.size(); i-- > 0;) {
    const PointCell& cell = tree.cells[i];
    if (cell.leaf) continue;
    for (std::size_t part = i + 1; part < cell.next; part = tree.cells[part].next) {
      add_softening_moments(moments.data() + part * softening_terms, cell.centre - tree.cells[part].centre,
                            moments.data() + i * softening_terms);
    }
  }
  return moments;
}

CellMoments moments_of(const PointTree& tree, int order, bool in_single_precision,
                       const jobs::Progress& progress) {
  CellMoments moments{.tree = tree, .harmonics = Harmonics(order)};
  const std::size_t count = tree.cells.size();
  moments.values.resize(count * moments.harmonics.size());
  for (auto* values : {&moments.charge, &moments.magnitude, &moments.power}) values->resize(count);
  Workspace workspace(moments.harmonics);
  Ascent(moments, progress).add(0, workspace);
  if (in_single_precision) {
    moments.singles.resize(moments.values.size());
    handover::parallel_for(Range(0, moments.values.size(), 1 << 14), [&](const Range& part) {
      for (std::size_t i = part.begin(); i != part.end(); ++i)
        moments.singles[i] = static_cast<float>(moments.values[i]);
    });
  }
  return moments;
}

}  // namespace isolume::multipoles
