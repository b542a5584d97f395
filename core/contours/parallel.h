#pragma once

#include <atomic>
#include <cstddef>
#include <string_view>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/jobs/progress.h"

namespace isolume::contours {

/// Calls `body(i)` for all i below `count` on all threads. Reports whole per cents, and checks for cancellation
/// before each call (which should take less than 50 ms). Throws Cancelled, and what `body` throws.
template <class Body>
void in_parallel(std::size_t count, const jobs::Progress& progress, std::string_view stage,
                 const Body& body) {
  std::atomic<std::size_t> done{0};
  const auto worker = [&](const tbb::blocked_range<std::size_t>& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      progress.check();
      body(i);
      const std::size_t now = ++done;
      if (now * 100 / count != (now - 1) * 100 / count) {
        progress.report(static_cast<double>(now) / static_cast<double>(count), stage);
      }
    }
  };
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count), worker);
}

}  // namespace isolume::contours
