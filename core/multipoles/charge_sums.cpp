#include "core/multipoles/charge_sums.h"

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"
#include "core/base/large_pages.h"
#include "core/multipoles/sum_setup.h"

namespace isolume::multipoles {

namespace {

using Range = tbb::blocked_range<std::size_t>;

ChargeSums in_order(const PointTree& tree, const SortedSums& sums, const Frame& frame) {
  ChargeSums result;
  const std::size_t count = tree.original.size();
  for (auto* values : {&result.potential, &result.dx, &result.dy, &result.dz}) {
    values->reserve(count);
    prefer_large_pages(values->data(), count * sizeof(double));  // values are written in random order
    values->resize(count);
  }
  const double unit = frame.charge / frame.length, slope_unit = unit / frame.length;
  handover::parallel_for(Range(0, count, 1 << 12), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const std::uint32_t to = tree.original[i];
      result.potential[to] = unit * sums.potential[i];
      result.dx[to] = slope_unit * sums.x[i];
      result.dy[to] = slope_unit * sums.y[i];
      result.dz[to] = slope_unit * sums.z[i];
    }
  });
  result.point_pairs = sums.point_pairs;
  result.cell_pairs = sums.cell_pairs;
  return result;
}

/// `targets` is null if the targets are the sources.
ChargeSums sums_at(const Points* targets, const Points& sources, const SumOptions& options,
                   const jobs::Progress& progress) {
  const std::size_t count = targets != nullptr ? targets->size() : sources.size();
  if (count == 0 || sources.size() == 0) {
    check(options);
    const std::vector<double> none(count);
    return {none, none, none, none};
  }
  SumSetup setup(targets, sources, options, Harmonics::highest_order<float>, progress);
  const auto start = std::chrono::steady_clock::now();
  sum_down(setup.targets(), *setup.moments, setup.opening, setup.near_field, setup.sums,
           progress.part(0.1, 1));
  ChargeSums result = in_order(setup.targets(), setup.sums, setup.frame);
  result.order = setup.order;
  result.single_precision = setup.near_field.in_single_precision;
  result.seconds = setup.seconds;
  result.seconds.sums = seconds_since(start);
  return result;
}

}  // namespace

ChargeSums charge_sums(const Points& targets, const Points& sources, const SumOptions& options,
                       const jobs::Progress& progress) {
  return sums_at(&targets, sources, options, progress);
}
ChargeSums charge_sums(const Points& sources, const SumOptions& options, const jobs::Progress& progress) {
  return sums_at(nullptr, sources, options, progress);
}

}  // namespace isolume::multipoles
