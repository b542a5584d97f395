#include "core/benchmark/repeats.h"

#include <algorithm>
#include <cmath>

#include "core/base/clock.h"

namespace isolume::benchmarks {

Timing timing_of(std::vector<double> times_ms) {
  Timing timing;
  timing.first_ms = times_ms.front();
  timing.repeats = static_cast<int>(times_ms.size());
  std::ranges::sort(times_ms);
  const auto quantile = [&](double q) {
    return times_ms[static_cast<std::size_t>(std::lround(q * static_cast<double>(times_ms.size() - 1)))];
  };
  timing.median_ms = quantile(0.5);
  timing.p95_ms = quantile(0.95);
  timing.least_ms = times_ms.front();
  timing.greatest_ms = times_ms.back();
  return timing;
}

Timing time_repeats(const RepeatOptions& options, const std::function<double()>& run) {
  const double first = run();
  std::vector<double> times;
  const auto start = std::chrono::steady_clock::now();
  while (static_cast<int>(times.size()) < options.least_repeats ||
         seconds_since(start) < options.least_seconds) {
    times.push_back(run());
  }
  const bool alone = times.empty();
  Timing timing = timing_of(alone ? std::vector{first} : std::move(times));
  timing.first_ms = first;
  if (alone) timing.repeats = 0;
  return timing;
}

nlohmann::ordered_json to_json(const Timing& timing) {
  return {{"repeats", timing.repeats}, {"first_ms", timing.first_ms}, {"median_ms", timing.median_ms},
          {"p95_ms", timing.p95_ms},   {"least_ms", timing.least_ms}, {"greatest_ms", timing.greatest_ms}};
}

}  // namespace isolume::benchmarks
