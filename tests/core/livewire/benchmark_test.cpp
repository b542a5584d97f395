#include "core/livewire/benchmark.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/livewire/costs.h"

namespace isolume::livewire {
namespace {

struct Moments {
  double mean = 0, deviation = 0;
};
/// Of the straight arcs' costs, in units of 1.
Moments moments_of_straight_arcs(const CostGrid& grid) {
  double sum = 0, squares = 0, count = 0;
  const auto directions = static_cast<std::size_t>(grid.directions());
  for (std::size_t at = 0; at < grid.arcs.size(); ++at) {
    if (at % directions >= 4) continue;
    const double cost = grid.arcs[at] / grid.units_per_one;
    sum += cost;
    squares += cost * cost;
    ++count;
  }
  return {sum / count, std::sqrt(squares / count - sum * sum / count / count)};
}

TEST(Benchmark, RandomGridsHaveTheMomentsOfTheirDistributions) {
  const auto uniform = moments_of_straight_arcs(random_grid(128, Neighbours::eight, CostPattern::uniform));
  EXPECT_NEAR(uniform.mean, 0.5, 0.01);
  EXPECT_NEAR(uniform.deviation, std::sqrt(1 / 12.0), 0.01);
  const auto normal = moments_of_straight_arcs(random_grid(128, Neighbours::four, CostPattern::normal));
  EXPECT_NEAR(normal.mean, 0.5, 0.01);
  EXPECT_NEAR(normal.deviation, std::sqrt(1 / 12.0) / 2, 0.01);
}

TEST(Benchmark, RandomGridsDependOnTheSeedAlone) {
  const auto make = [](std::uint64_t seed) {
    return random_grid(40, Neighbours::eight, CostPattern::uniform, seed).arcs;
  };
  EXPECT_EQ(make(1), make(1));
  EXPECT_NE(make(1), make(2));
}

TEST(Benchmark, RingsHaveTheirContrastAndNoise) {
  const auto slice = noisy_rings(96);
  // The middle disc is bright and two pixels wide in every direction; the next ring is dark.
  double sum = 0, squares = 0;
  int count = 0;
  for (int y = 0; y < 96; ++y) {
    for (int x = 0; x < 96; ++x) {
      if (std::lround(24 * std::hypot(x - 48, y - 48) / 96) % 2 == 0) continue;
      sum += slice.at(x, y);
      squares += static_cast<double>(slice.at(x, y)) * slice.at(x, y);
      ++count;
    }
  }
  EXPECT_NEAR(sum / count, 400, 5);
  EXPECT_NEAR(std::sqrt(squares / count - sum * sum / count / count), 60, 3);
}

TEST(Benchmark, TimesAreInOrderAndEveryRunCounts) {
  const auto engine = make_cpu_engine();
  const auto grid = std::make_shared<CostGrid>(random_grid(200, Neighbours::eight, CostPattern::normal));
  const auto map = time_all(*engine, grid, {0, 0}, {}, 5);
  for (const auto& timing : {map.timing, time_pointer(*engine, grid, {100, 100}, 60, 50)}) {
    EXPECT_GT(timing.least_ms, 0);
    EXPECT_LE(timing.least_ms, timing.median_ms);
    EXPECT_LE(timing.median_ms, timing.p95_ms);
    EXPECT_LE(timing.p95_ms, timing.greatest_ms);
  }
  EXPECT_EQ(map.timing.repeats, 4) << "and the first";
  EXPECT_EQ(map.last->settled_count(), grid->pixel_count());
  EXPECT_EQ(map.last->report().who, engine->description());
  EXPECT_EQ(time_pointer(*engine, grid, {100, 100}, 60, 50).repeats, 50);
}

}  // namespace
}  // namespace isolume::livewire
