#pragma once

#include <chrono>
#include <mutex>

#include "core/jobs/progress.h"

namespace isolume::jobs {

/// Waits for a mutex that jobs share which should not hold their memory at the same time. Throws Cancelled.
inline std::unique_lock<std::timed_mutex> exclusive(std::timed_mutex& mutex, const Progress& progress) {
  constexpr std::chrono::milliseconds interval{20};
  std::unique_lock lock(mutex, std::defer_lock);
  while (!lock.try_lock_for(interval)) progress.check();
  return lock;
}

}  // namespace isolume::jobs
