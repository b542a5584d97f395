#include "core/benchmark/repeats.h"

#include <gtest/gtest.h>

#include "core/benchmark/machine_peak.h"

namespace isolume::benchmarks {
namespace {

TEST(Repeats, TheFirstIsTold) {
  int run = 0;
  const auto timing = time_repeats({.least_seconds = 0, .least_repeats = 5}, [&] {
    constexpr double times[] = {100, 4, 2, 5, 3, 1};
    return times[run++];
  });
  EXPECT_EQ(run, 6);
  EXPECT_EQ(timing.first_ms, 100);
  EXPECT_EQ(timing.median_ms, 3);
  EXPECT_EQ(timing.least_ms, 1);
  EXPECT_EQ(timing.greatest_ms, 5);
  EXPECT_EQ(timing.repeats, 5);
}

TEST(Repeats, TheFirstMayBeTheOnlyOne) {
  const auto timing = time_repeats({.least_seconds = 0, .least_repeats = 0}, [] { return 7.0; });
  EXPECT_EQ(timing.first_ms, 7);
  EXPECT_EQ(timing.median_ms, 7);
  EXPECT_EQ(timing.repeats, 0);
}

TEST(Repeats, GoOnUntilTheSecondsAreOver) {
  const auto timing = time_repeats({.least_seconds = 0.01, .least_repeats = 1}, [] { return 1.0; });
  EXPECT_GT(timing.repeats, 10);
}

TEST(Repeats, QuantilesAreTimesThatWereTaken) {
  std::vector<double> times;
  for (int i = 100; i > 0; --i) times.push_back(i);
  const auto timing = timing_of(times);
  EXPECT_EQ(timing.first_ms, 100);
  EXPECT_EQ(timing.median_ms, 51);
  EXPECT_EQ(timing.p95_ms, 95);
  EXPECT_EQ(timing.least_ms, 1);
  EXPECT_EQ(timing.greatest_ms, 100);
  EXPECT_EQ(timing.repeats, 100);
  EXPECT_EQ(to_json(timing)["p95_ms"], 95);
}

TEST(MachinePeak, IsMeasuredAndMoreMemoryTakesLonger) {
  const auto peak = measure_machine_peak(1);
  EXPECT_EQ(peak.threads, 1);
  EXPECT_GT(peak.gflop_per_second, 0.1);
  EXPECT_GT(fastest_write_ms(std::size_t{64} << 20, 1), fastest_write_ms(std::size_t{1} << 20, 1));
}

}  // namespace
}  // namespace isolume::benchmarks
