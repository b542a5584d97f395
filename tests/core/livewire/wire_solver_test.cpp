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

}  // namespace
}  // namespace isolume::livewire
