#include "core/livewire/wire_solver.h"

#include <gtest/gtest.h>

#include "tests/core/livewire/random_grids.h"

namespace isolume::livewire {
namespace {

using testing::Form;
using testing::random_grid;

TEST(WireSolver, FindsTheCheapestWireAndKeepsItsSearchWhileTheSeedStays) {
  const auto engine = make_cpu_engine();
  const auto grid = random_grid(120, 90, Neighbours::eight, Form::node, 4);
  WireSolver solver(*engine, grid);
  EXPECT_EQ(solver.search(), nullptr);
  const auto far = solver.wire({10, 10}, {60, 50});
  const auto* first = solver.search();
  const std::size_t settled = first->settled_count();
  const auto near = solver.wire({10, 10}, {20, 15});
  EXPECT_EQ(solver.search(), first);
  EXPECT_EQ(first->settled_count(), settled) << "what is nearer was settled already";
  const auto reference = make_reference_engine()->start(grid, {10, 10});
  EXPECT_EQ(far.cost, reference->settle({60, 50}));
  EXPECT_EQ(near.cost, reference->settle({20, 15}));
  EXPECT_EQ(near.points.front(), Eigen::Vector2d(10, 10));
  EXPECT_EQ(near.points.back(), Eigen::Vector2d(20, 15));
  for (std::size_t i = 1; i < far.points.size(); ++i) {
    EXPECT_EQ((far.points[i] - far.points[i - 1]).lpNorm<Eigen::Infinity>(), 1);
  }
  EXPECT_EQ(solver.wire({60, 50}, {60, 50}).points.size(), 1u);
}

TEST(WireSolver, MovesPlacesOutsideToTheBorder) {
  const auto engine = make_cpu_engine();
  WireSolver solver(*engine, random_grid(30, 20, Neighbours::four, Form::node, 4));
  const auto wire = solver.wire({-5, 3}, {500, 500});
  EXPECT_EQ(wire.points.front(), Eigen::Vector2d(0, 3));
  EXPECT_EQ(wire.points.back(), Eigen::Vector2d(29, 19));
}

TEST(WireSolver, GivesAStraightLineWhereTheRegionKeepsTheEndsApart) {
  const auto engine = make_cpu_engine();
  SearchOptions options;
  options.region = {10, 10, 20, 20};
  WireSolver solver(*engine, random_grid(50, 50, Neighbours::eight, Form::node, 4), options);
  for (const auto& wire : {solver.wire({12, 12}, {40, 12}), solver.wire({2, 2}, {12, 12})}) {
    EXPECT_EQ(wire.cost, unreached);
    EXPECT_EQ(wire.points.size(), 2u);
  }
  EXPECT_EQ(solver.wire({12, 12}, {40, 12}).points.back(), Eigen::Vector2d(40, 12));
  EXPECT_NE(solver.wire({12, 12}, {29, 29}).cost, unreached);
}

/// Two roads from (10, 40), over y = 20 and over y = 60, meet in one at x = 310 from y = 20 to y = 60; what
/// lies beside them is dear.
std::shared_ptr<const CostGrid> two_roads() {
  auto grid = std::make_shared<CostGrid>();
  grid->width = 320;
  grid->height = 81;
  for (int y = 0; y < grid->height; ++y) {
    for (int x = 0; x < grid->width; ++x) {
      const bool along = (y == 20 || y == 60) && x >= 10 && x <= 310;
      const bool across = (x == 10 || x == 310) && y >= 20 && y <= 60;
      grid->node.push_back(along || across ? 10 : 1000);
    }
  }
  finish(*grid);
  return grid;
}
int road_of(const WireSolver::Wire& wire) {
  return static_cast<int>(wire.points[wire.points.size() / 2].y());
}

TEST(WireSolver, ThePointersTremorDoesNotMakeTheLiveWireJumpBetweenEquallyGoodEdges) {
  const auto engine = make_cpu_engine();
  WireSolver solver(*engine, two_roads());
  const Pixel from{10, 40};
  auto shown = solver.wire(from, {310, 39});
  ASSERT_EQ(road_of(shown), 20);
  for (const int y : {41, 39, 42, 40, 41, 38, 42}) {
    const auto cheapest = solver.wire(from, {310, y});
    EXPECT_EQ(road_of(cheapest), y <= 40 ? 20 : 60) << "the cheapest wire does jump";
    shown = solver.live_wire(from, {310, y}, shown.points);
    EXPECT_EQ(road_of(shown), 20);
    EXPECT_EQ(shown.points.back(), Eigen::Vector2d(310, y));
  }
  shown = solver.live_wire(from, {310, 44}, shown.points);
  EXPECT_EQ(road_of(shown), 60) << "this is no tremor: the other edge is cheaper by far";
  shown = solver.live_wire(from, {310, 39}, shown.points);
  EXPECT_EQ(road_of(shown), 60) << "so it stays there";
  EXPECT_EQ(road_of(solver.live_wire(from, {310, 39}, {})), 20) << "nothing is drawn";
}

/// A pointer that trembles along on noise, with all that a kept wire must be.
TEST(WireSolver, LiveWiresArePathsWithinTwoPercentOfTheCheapestWithoutPixelsGoneTwice) {
  const auto engine = make_cpu_engine();
  SearchOptions options;
  options.region = {5, 5, 180, 130};
  for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
    const auto grid = random_grid(200, 150, neighbours, Form::arcs, 11, 400, 600);
    WireSolver solver(*engine, grid, options);
    std::mt19937 random(3);
    std::uniform_int_distribution<int> tremor(-2, 3);
    Pixel to{20, 20};
    contours::Polyline shown;
    int kept = 0;
    for (; to.x < 184 && to.y < 134;
         to = {std::max(5, to.x + tremor(random)), std::max(5, to.y + tremor(random))}) {
      const auto cheapest = solver.wire({8, 9}, to), live = solver.live_wire({8, 9}, to, shown);
      std::vector<Pixel> path;
      for (const auto& point : live.points)
        path.push_back({static_cast<int>(point.x()), static_cast<int>(point.y())});
      EXPECT_EQ(path.front(), (Pixel{8, 9}));
      EXPECT_EQ(path.back(), to);
      EXPECT_EQ(path_cost(*grid, path), live.cost);
      EXPECT_LE(live.cost, 1.02 * cheapest.cost);
      EXPECT_TRUE(std::ranges::all_of(path, [&](Pixel pixel) { return options.region.contains(pixel); }));
      kept += live.points != cheapest.points ? 1 : 0;
      shown = live.points;
      std::ranges::sort(path);
      EXPECT_EQ(std::ranges::adjacent_find(path), path.end());
    }
    EXPECT_GT(kept, 0);
  }
}

TEST(WireSolver, WhatIsShownOfAnotherGraphIsLetGoOf) {
  const auto engine = make_cpu_engine();
  WireSolver solver(*engine, random_grid(60, 60, Neighbours::four, Form::node, 4));
  const auto cheapest = solver.wire({10, 10}, {50, 50}).points;
  const contours::Polyline straight{{10, 10}, {50, 50}}, elsewhere{{500, 500}, {501, 501}};
  contours::Polyline diagonal, from_elsewhere{{9, 10}};
  for (int i = 10; i <= 50; ++i) diagonal.emplace_back(i, i);
  from_elsewhere.insert(from_elsewhere.end(), cheapest.begin(), cheapest.end());
  for (const auto& shown : {straight, elsewhere, diagonal, from_elsewhere})
    EXPECT_EQ(solver.live_wire({10, 10}, {50, 50}, shown).points, cheapest);
}

/// A road around a rectangle from (20, 20) to (80, 60), five times as dear along its left side, the faint
/// one; what lies beside it is dear.
std::shared_ptr<CostGrid> ring_road(Form form) {
  auto grid = std::make_shared<CostGrid>();
  grid->width = 100;
  grid->height = 81;
  for (int y = 0; y < grid->height; ++y) {
    for (int x = 0; x < grid->width; ++x) {
      const bool across = (x == 20 || x == 80) && y >= 20 && y <= 60;
      const bool along = (y == 20 || y == 60) && x >= 20 && x <= 80;
      grid->node.push_back(across && x == 20 ? 500 : along || across ? 100 : 1000);
    }
  }
  finish(*grid);
  if (form == Form::node) return grid;
  auto arcs = std::make_shared<CostGrid>(*grid);
  arcs->arcs.assign(grid->pixel_count() * 8, 1);
  for (int y = 0; y < grid->height; ++y) {
    for (int x = 0; x < grid->width; ++x) {
      for (std::size_t d = 0; d < 8; ++d) {
        const Pixel to{x + steps[d].x, y + steps[d].y};
        if (grid->contains(to)) {
          arcs->arcs[grid->index({x, y}) * 8 + d] = static_cast<std::uint16_t>(
              grid->arc(grid->index({x, y}), grid->index(to), static_cast<int>(d)));
        }
      }
    }
  }
  arcs->node.clear();
  finish(*arcs);
  return arcs;
}

TEST(WireSolver, AClosingWireDoesNotRunBackAlongWhatIsTraced) {
  const std::unique_ptr<Engine> engines[] = {make_cpu_engine(), make_cpu_delta_engine(),
                                             make_reference_engine()};
  for (const auto form : {Form::node, Form::arcs}) {
    for (const auto& engine : engines) {
      WireSolver solver(*engine, ring_road(form));
      const Pixel first{20, 20}, last{20, 60};
      const Polylines traced{solver.wire(first, {80, 20}).points, solver.wire({80, 20}, {80, 60}).points,
                             solver.wire({80, 60}, last).points};
      // 158 steps of 100 one way, across two corners; 40 of 500 the other.
      EXPECT_EQ(solver.wire(last, first).points.size(), 159u) << "the cheapest wire does run back";
      const auto closing = solver.wire(last, first, traced);
      EXPECT_EQ(closing.points.size(), 41u);
      for (const auto& point : closing.points) EXPECT_EQ(point.x(), 20);
      EXPECT_EQ(solver.live_wire(last, first, {}, traced).points, closing.points);
      // Traced elsewhere: nothing to keep away from.
      EXPECT_EQ(solver.wire(last, first, {{{0, 0}, {99, 0}}}).points.size(), 159u);
      EXPECT_EQ(solver.wire(last, first, traced).points, closing.points);
    }
  }
}

TEST(WireSolver, AWireMayCrossWhatIsTracedAndLeaveItsSeedsBesideIt) {
  const auto engine = make_cpu_engine();
  WireSolver solver(*engine, ring_road(Form::node));
  const auto across = solver.wire({50, 20}, {50, 60}).points;
  const Polylines middle{{{0, 40}, {99, 40}}};
  EXPECT_EQ(solver.wire({50, 20}, {50, 60}, middle).points, across);
  const Polylines one_side{solver.wire({20, 20}, {80, 20}).points};
  EXPECT_EQ(solver.wire({80, 20}, {80, 60}, one_side).points, solver.wire({80, 20}, {80, 60}).points);
}

TEST(WireSolver, PixelsBesideALineAreThoseWithinOneOfIt) {
  const auto pixels = pixels_beside({{{3, 5}, {9, 5}}, {{20, 1}}});
  EXPECT_TRUE(std::ranges::is_sorted(pixels));
  EXPECT_EQ(pixels.size(), 9u * 3 + 9);
  for (const Pixel pixel : pixels) {
    const bool first = pixel.x >= 2 && pixel.x <= 10 && std::abs(pixel.y - 5) <= 1;
    EXPECT_TRUE(first || (std::abs(pixel.x - 20) <= 1 && std::abs(pixel.y - 1) <= 1));
  }
}

}  // namespace
}  // namespace isolume::livewire
