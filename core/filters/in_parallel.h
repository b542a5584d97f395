#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <span>

#include <tbb/blocked_range.h>

#include "core/base/field_values.h"
#include "core/base/handover.h"
#include "core/jobs/progress.h"

namespace isolume::filters {

/// Calls work(i) for i from 0 to before `count` on the threads of TBB's arena, reports how many are done, and throws
/// Cancelled.
template <class Work>
void in_parallel(int count, const jobs::Progress& progress, const Work& work) {
  std::atomic<int> done = 0;
  using Range = tbb::blocked_range<int>;
  handover::parallel_for(Range(0, count), [&](const Range& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      progress.check();
      work(i);
      progress.report(static_cast<double>(++done) / count);
    }
  });
}

/// A copy that all threads write: the first write to memory costs more than the copying.
inline FieldValues copy_in_parallel(std::span<const float> values) {
  FieldValues copy(values.size());
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, values.size(), 1U << 16U), [&](const auto& part) {
    std::copy(values.begin() + static_cast<std::ptrdiff_t>(part.begin()),
              values.begin() + static_cast<std::ptrdiff_t>(part.end()),
              copy.begin() + static_cast<std::ptrdiff_t>(part.begin()));
  });
  return copy;
}

}  // namespace isolume::filters
