#pragma once

#include <functional>
#include <vector>

#include <nlohmann/json.hpp>

/// How everything in this program is timed: the first time, with everything cold, apart from those that
/// follow. (The namespace is not named after the room because Google's library is called `benchmark`.)
namespace isolume::benchmarks {

/// How often a piece of work is done again, after a first time. Both 0: not at all, and the first time
/// counts.
struct RepeatOptions {
  double least_seconds = 0.5;
  int least_repeats = 10;
};

/// The same work done again and again.
struct Timing {
  double first_ms = 0;  ///< before all others, with everything cold
  double median_ms = 0;
  double p95_ms = 0;
  double least_ms = 0;
  double greatest_ms = 0;
  int repeats = 0;  ///< without the first
};
/// {"first_ms": ..., "median_ms": ..., ...}
nlohmann::ordered_json to_json(const Timing& timing);

/// `run` returns the milliseconds that it took, by whatever clock.
Timing time_repeats(const RepeatOptions& options, const std::function<double()>& run);

/// Of times that all count (at least one), in the order in which they were taken.
Timing timing_of(std::vector<double> times_ms);

}  // namespace isolume::benchmarks
