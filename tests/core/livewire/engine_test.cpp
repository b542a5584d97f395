#include "core/livewire/engine.h"

#include <algorithm>
#include <cmath>
#include <stop_token>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/livewire/random_grids.h"

namespace isolume::livewire {
namespace {

using testing::Form;
using testing::random_grid;

struct Case {
  const char* name;
  std::unique_ptr<Engine> (*make)();
};

class Engines : public ::testing::TestWithParam<Case> {
 protected:
  std::unique_ptr<Engine> engine_ = GetParam().make();
  std::unique_ptr<Engine> reference_ = make_reference_engine();

  std::vector<std::uint32_t> map(const Engine& engine, const std::shared_ptr<CostGrid>& grid, Pixel seed,
                                 const SearchOptions& options = {}) {
    const auto search = engine.start(grid, seed, options);
    search->settle_all();
    return search->distances();
  }
  void expect_agreement(const std::shared_ptr<CostGrid>& grid, Pixel seed,
                        const SearchOptions& options = {}) {
    const auto expected = map(*reference_, grid, seed, options);
    const auto found = map(*engine_, grid, seed, options);
    ASSERT_EQ(found.size(), expected.size());
    const auto [ours, theirs] = std::ranges::mismatch(found, expected);
    ASSERT_TRUE(ours == found.end()) << "pixel " << (ours - found.begin()) << " of " << grid->width << " x "
                                     << grid->height << ": " << *ours << " instead of " << *theirs;
  }
};

const std::vector<std::pair<int, int>> sizes{{1, 1},  {2, 1},   {1, 7},   {2, 2},   {3, 3},  {17, 1},
                                             {5, 40}, {64, 64}, {65, 33}, {31, 97}, {128, 9}};

TEST_P(Engines, GiveTheDistancesOfTheReference) {
  for (const auto& [width, height] : sizes) {
    for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
      for (const auto form : {Form::node, Form::arcs}) {
        const auto grid = random_grid(width, height, neighbours, form, 7);
        for (const Pixel seed : {Pixel{0, 0}, Pixel{width / 2, height / 2}, Pixel{width - 1, height / 3}}) {
          expect_agreement(grid, seed);
        }
      }
    }
  }
}

TEST_P(Engines, TakeCostsOfAnyRange) {
  for (const auto& [least, greatest] :
       std::vector<std::pair<int, int>>{{1, 1}, {1, 2}, {5, 5}, {100, 110}, {1000, 1023}, {1, 65535}}) {
    for (const auto form : {Form::node, Form::arcs}) {
      expect_agreement(random_grid(41, 37, Neighbours::eight, form, 3, least, greatest), {20, 11});
      expect_agreement(random_grid(37, 41, Neighbours::four, form, 4, least, greatest), {0, 40});
    }
  }
}

TEST_P(Engines, TakePixelsThatAreNotSquare) {
  for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
    for (const auto& [x, y] : std::vector<std::pair<double, double>>{{0.7, 2.5}, {3, 1}, {1, 1.01}}) {
      auto grid = random_grid(50, 45, neighbours, Form::node, 11);
      grid->length = step_lengths(Eigen::Vector2d(x, y).asDiagonal());
      finish(*grid);
      expect_agreement(grid, {25, 44});
    }
  }
}

TEST_P(Engines, StayInTheRegion) {
  const auto grid = random_grid(60, 50, Neighbours::eight, Form::node, 5);
  for (const Rectangle& region :
       {Rectangle{10, 5, 30, 20}, Rectangle{0, 0, 60, 1}, Rectangle{20, 0, 1, 50}, Rectangle{25, 25, 1, 1},
        Rectangle{-5, -5, 30, 30}, Rectangle{20, 20, 1000, 1000}}) {
    SearchOptions options;
    options.region = region;
    expect_agreement(grid,
                     {std::clamp(25, region.x, region.x + region.width - 1),
                      std::clamp(25, region.y, region.y + region.height - 1)},
                     options);
  }
  SearchOptions options;
  options.region = {10, 5, 30, 20};
  const auto search = engine_->start(grid, {12, 6}, options);
  EXPECT_EQ(search->settle({9, 6}), unreached);
  EXPECT_EQ(search->settle({12, 25}), unreached);
}

TEST_P(Engines, GoOnFromWhereTheyStopped) {
  for (std::uint32_t round = 0; round < 12; ++round) {
    const auto neighbours = round % 2 == 0 ? Neighbours::eight : Neighbours::four;
    const auto grid = random_grid(83, 71, neighbours, round % 3 == 0 ? Form::arcs : Form::node, round,
                                  round % 4 == 0 ? 40 : 1, round % 4 == 0 ? 60 : 1023);
    const Pixel seed{static_cast<int>(round * 7 % 83), static_cast<int>(round * 31 % 71)};
    const auto expected = map(*reference_, grid, seed);
    const auto search = engine_->start(grid, seed);
    std::mt19937 random(round);
    std::size_t settled = 0;
    for (int target = 0; target < 60; ++target) {
      const Pixel to{static_cast<int>(random() % 83), static_cast<int>(random() % 71)};
      const std::uint32_t distance = search->settle(to);
      EXPECT_EQ(distance, expected[grid->index(to)]);
      EXPECT_EQ(search->distance(to), distance);
      EXPECT_GE(search->settled_count(), settled);
      settled = search->settled_count();
      const auto now = search->distances();
      std::size_t finals = 0;
      for (std::size_t at = 0; at < now.size(); ++at) {
        if (now[at] == unreached) {
          EXPECT_GE(expected[at], distance) << "nearer than the target, but not settled";
        } else {
          ++finals;
          EXPECT_EQ(now[at], expected[at]);
        }
      }
      EXPECT_EQ(finals, settled);
    }
    search->settle_all();
    EXPECT_EQ(search->settled_count(), grid->pixel_count());
    EXPECT_EQ(search->distances(), expected);
  }
}

TEST_P(Engines, ObeyTheTriangleInequalityTightlyOnTheTree) {
  for (const auto form : {Form::node, Form::arcs}) {
    const auto grid = random_grid(90, 70, Neighbours::eight, form, 21);
    const Pixel seed{45, 0};
    const auto distance = map(*engine_, grid, seed);
    for (int y = 0; y < grid->height; ++y) {
      for (int x = 0; x < grid->width; ++x) {
        const std::size_t to = grid->index({x, y});
        bool tight = Pixel{x, y} == seed;
        for (int d = 0; d < 8; ++d) {
          const Pixel step = steps[static_cast<std::size_t>(d)];
          const Pixel before{x - step.x, y - step.y};
          if (!grid->contains(before)) continue;
          const std::size_t from = grid->index(before);
          const std::uint32_t through = distance[from] + grid->arc(from, to, d);
          ASSERT_LE(distance[to], through);
          tight = tight || distance[to] == through;
        }
        ASSERT_TRUE(tight);
      }
    }
  }
}

TEST_P(Engines, GiveOctileAndManhattanDistancesOnUniformCosts) {
  for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
    const auto grid = random_grid(75, 52, neighbours, Form::node, 1, 1000, 1000);
    const Pixel seed{30, 20};
    const auto distance = map(*engine_, grid, seed);
    const std::uint32_t straight = 1000, diagonal = (1000 * 181 + 64) >> 7;
    for (int y = 0; y < grid->height; ++y) {
      for (int x = 0; x < grid->width; ++x) {
        const auto dx = static_cast<std::uint32_t>(std::abs(x - seed.x)),
                   dy = static_cast<std::uint32_t>(std::abs(y - seed.y));
        const std::uint32_t both = std::min(dx, dy);
        const std::uint32_t expected = neighbours == Neighbours::four
                                           ? (dx + dy) * straight
                                           : both * diagonal + (dx + dy - 2 * both) * straight;
        ASSERT_EQ(distance[grid->index({x, y})], expected);
      }
    }
  }
}

TEST_P(Engines, GiveTheMirroredMapOfTheMirroredGrid) {
  const auto grid = random_grid(66, 43, Neighbours::eight, Form::node, 77);
  auto mirrored = std::make_shared<CostGrid>(*grid);
  for (int y = 0; y < grid->height; ++y) {
    for (int x = 0; x < grid->width; ++x) {
      mirrored->node[grid->index({65 - x, y})] = grid->node[grid->index({x, y})];
    }
  }
  const auto one = map(*engine_, grid, {10, 20}), other = map(*engine_, mirrored, {55, 20});
  for (int y = 0; y < grid->height; ++y) {
    for (int x = 0; x < grid->width; ++x) {
      ASSERT_EQ(one[grid->index({x, y})], other[grid->index({65 - x, y})]);
    }
  }
}

TEST_P(Engines, GivePathsThatCostTheDistanceAndBreakTiesAlike) {
  // Few different costs: many ways are equally cheap.
  const auto grid = random_grid(80, 60, Neighbours::eight, Form::node, 8, 3, 4);
  const Pixel seed{79, 0};
  const auto search = engine_->start(grid, seed), reference = reference_->start(grid, seed);
  std::mt19937 random(2);
  for (int n = 0; n < 100; ++n) {
    const Pixel to{static_cast<int>(random() % 80), static_cast<int>(random() % 60)};
    const std::uint32_t distance = search->settle(to);
    reference->settle(to);
    const auto path = trace_path(*grid, *search, to);
    EXPECT_EQ(path.front(), seed);
    EXPECT_EQ(path.back(), to);
    EXPECT_EQ(path_cost(*grid, path), distance);
    EXPECT_EQ(path, trace_path(*grid, *reference, to));
  }
}

TEST_P(Engines, StopWhenCancelledAndGoOnAfterwards) {
  const auto grid = random_grid(400, 400, Neighbours::eight, Form::node, 6);
  std::stop_source stop;
  stop.request_stop();
  const auto search = engine_->start(grid, {200, 200});
  EXPECT_THROW(search->settle_all({stop.get_token(), {}}), Cancelled);
  EXPECT_LT(search->settled_count(), grid->pixel_count());
  search->settle_all();
  EXPECT_EQ(search->distances(), map(*reference_, grid, {200, 200}));
}

TEST_P(Engines, RefuseSeedsOutsideAndDistancesThatWouldOverflow) {
  const auto grid = random_grid(10, 10, Neighbours::eight, Form::node, 6);
  EXPECT_THROW(engine_->start(grid, {10, 0}), Error);
  EXPECT_THROW(engine_->start(grid, {0, -1}), Error);
  SearchOptions options;
  options.region = {5, 5, 3, 3};
  EXPECT_THROW(engine_->start(grid, {1, 1}, options), Error);
  options.region = {50, 50, 3, 3};
  EXPECT_THROW(engine_->start(grid, {1, 1}, options), Error);
  const auto long_and_dear = random_grid(70000, 1, Neighbours::four, Form::arcs, 6, 65535, 65535);
  EXPECT_THROW(engine_->start(long_and_dear, {0, 0}), Error);
}

TEST_P(Engines, TakeVeryLongSlices) {
  const auto wide = random_grid(70000, 2, Neighbours::eight, Form::node, 6);
  expect_agreement(wide, {35000, 1});
  expect_agreement(random_grid(2, 70000, Neighbours::four, Form::arcs, 6), {0, 0});
}

TEST(DeltaEngine, IsExactForAnyDeltaAndNumberOfThreads) {
  const auto engine = make_cpu_delta_engine();
  for (const auto form : {Form::node, Form::arcs}) {
    const auto grid = random_grid(90, 110, Neighbours::eight, form, 13);
    const auto reference = make_reference_engine()->start(grid, {30, 70});
    reference->settle_all();
    const auto expected = reference->distances();
    for (const int threads : {1, 2, 3, 7}) {
      for (const std::uint32_t delta : {1u, 2u, 50u, 333u, 1023u, 5000u, 1'000'000u, unreached}) {
        SearchOptions options;
        options.threads = threads;
        options.delta = delta;
        const auto search = engine->start(grid, {30, 70}, options);
        search->settle_all();
        ASSERT_EQ(search->distances(), expected) << threads << " threads, delta " << delta;
        ASSERT_EQ(search->settled_count(), grid->pixel_count());
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Engines,
                         ::testing::Values(Case{"reference", make_reference_engine},
                                           Case{"cpu", make_cpu_engine},
                                           Case{"cpu_delta", make_cpu_delta_engine}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace isolume::livewire
