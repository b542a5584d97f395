#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::anatomy {

/// Voxels in parts of a fixed size, whatever the number of threads, so that sums over them have the same bits.
inline constexpr std::size_t part_size = 1 << 14;

/// Calls part(number, begin, end) for each.
template <class Part>
void for_parts(std::size_t count, const Part& part) {
  using Parts = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Parts(0, (count + part_size - 1) / part_size), [&](const Parts& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i)
      part(i, i * part_size, std::min((i + 1) * part_size, count));
  });
}

/// The sum of what `value` gives for each index, in a fixed order.
template <class Value>
double sum_of(std::size_t count, const Value& value) {
  std::vector<double> sums((count + part_size - 1) / part_size);
  for_parts(count, [&](std::size_t part, std::size_t begin, std::size_t end) {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += value(i);
    sums[part] = sum;
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace isolume::anatomy
