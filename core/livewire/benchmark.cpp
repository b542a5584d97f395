#include "core/livewire/benchmark.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <random>

#include <tbb/blocked_range.h>

#include "core/base/clock.h"
#include "core/base/handover.h"

namespace isolume::livewire {

namespace {

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): 64 random bits that depend on seed and number alone.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t number) {
  std::uint64_t bits = (seed * 0x9e3779b97f4a7c15u) ^ (number * 0x9e3779b97f4a7c15u + 0x9e3779b97f4a7c15u);
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return bits ^ (bits >> 31);
}

/// 0 to 1; the normal one is the mean of four numbers (standard deviation 0.144).
double random_cost(CostPattern pattern, std::uint64_t bits) {
  if (pattern == CostPattern::uniform) return static_cast<double>(bits >> 11) * 0x1p-53;
  double sum = 0;
  for (int part = 0; part < 64; part += 16) sum += static_cast<double>((bits >> part) & 0xffff);
  return sum / (4 * 0xffff);
}

/// A pointer that keeps its heading for a while and turns back before it leaves the circle or the grid.
class Walk {
 public:
  Walk(const CostGrid& grid, Pixel seed, int radius_px)
      : grid_(grid), seed_(seed), radius_px_(radius_px), x_(seed.x), y_(seed.y) {}
  Pixel next() {
    heading_ += std::uniform_real_distribution(-0.5, 0.5)(random_);
    const double length = std::uniform_real_distribution(1.0, 25.0)(random_);
    // Each failed attempt turns further; a few reach any direction.
    for (int tries = 0; tries < 64; ++tries, heading_ += 1) {
      const double x = x_ + length * std::cos(heading_), y = y_ + length * std::sin(heading_);
      const Pixel pixel{static_cast<int>(std::lround(x)), static_cast<int>(std::lround(y))};
      if (std::hypot(x - seed_.x, y - seed_.y) > radius_px_ || !grid_.contains(pixel)) continue;
      x_ = x;
      y_ = y;
      break;
    }
    return {static_cast<int>(std::lround(x_)), static_cast<int>(std::lround(y_))};
  }

 private:
  const CostGrid& grid_;
  Pixel seed_;
  int radius_px_;
  double x_, y_, heading_ = 0;
  std::mt19937 random_;
};

}  // namespace

CostGrid random_grid(int side, Neighbours neighbours, CostPattern pattern, std::uint64_t seed) {
  CostGrid grid;
  grid.width = grid.height = side;
  grid.neighbours = neighbours;
  grid.units_per_one = greatest_node_cost;
  const auto directions = static_cast<std::size_t>(grid.directions());
  grid.arcs.resize(grid.pixel_count() * directions);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, grid.pixel_count()), [&](const auto& pixels) {
    for (std::size_t at = pixels.begin() * directions; at < pixels.end() * directions; ++at) {
      const double cost = random_cost(pattern, random_bits(seed, at)) * grid.units_per_one;
      const double length = grid.length[at % directions] / 128.0;
      grid.arcs[at] = static_cast<std::uint16_t>(std::max(1L, std::lround(cost * length)));
    }
  });
  finish(grid);
  return grid;
}

images::SliceImage noisy_rings(int side, std::uint64_t seed) {
  images::SliceImage slice;
  slice.plane.columns = slice.plane.rows = side;
  slice.values.resize(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x);
      const auto ring = std::lround(24 * std::hypot(x - side / 2.0, y - side / 2.0) / side);
      const double noise = (random_cost(CostPattern::normal, random_bits(seed, at)) - 0.5) / 0.144;
      slice.values[at] = static_cast<float>((ring % 2 == 0 ? 1000 : 400) + 60 * noise);
    }
  }
  return slice;
}

MapTiming time_all(const Engine& engine, const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                   const SearchOptions& options, int runs, const jobs::Progress& progress) {
  MapTiming made;
  made.timing = benchmarks::time_repeats({0, runs - 1}, [&] {
    made.last.reset();  // so that its memory is reused
    const auto start = std::chrono::steady_clock::now();
    made.last = engine.start(grid, seed, options);
    made.last->settle_all(progress);
    return milliseconds_since(start);
  });
  return made;
}

benchmarks::Timing time_pointer(const Engine& engine, const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                                int radius_px, int moves, const jobs::Progress& progress) {
  std::vector<double> times_ms;
  Walk walk(*grid, seed, radius_px);
  std::unique_ptr<Search> search;
  for (int move = 0; move < std::max(1, moves); ++move) {
    const Pixel target = walk.next();
    const auto start = std::chrono::steady_clock::now();
    if (search == nullptr) search = engine.start(grid, seed);
    search->settle(target, progress);
    const auto path = trace_path(*grid, *search, target);
    times_ms.push_back(milliseconds_since(start));
  }
  return benchmarks::timing_of(std::move(times_ms));
}

}  // namespace isolume::livewire
