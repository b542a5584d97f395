#include "app/labs/livewire/views/layers.h"

#include <cmath>

#include <gtest/gtest.h>

namespace isolume::labs::livewire {
namespace {

using isolume::livewire::CostGrid;

CostGrid three_by_two() {
  CostGrid grid;
  grid.width = 3;
  grid.height = 2;
  grid.units_per_one = 100;
  return grid;
}

TEST(Layers, CostsOfNodesAreInTheirUnit) {
  auto grid = three_by_two();
  grid.node = {1, 50, 100, 20, 30, 40};
  const auto map = cost_map({2, 4}, grid);
  EXPECT_EQ(map.slice, (images::SliceId{2, 4}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_FLOAT_EQ((*map.values)[i], grid.node[i] / 100.0F);
  EXPECT_FLOAT_EQ(static_cast<float>(map.range.high), 1);
}

TEST(Layers, CostsOfArcsAreTheMeanOfThoseIntoThePixelByLength) {
  auto grid = three_by_two();
  grid.neighbours = isolume::livewire::Neighbours::eight;
  grid.arcs.assign(48, 1000);  // those that leave the slice are not looked at
  double sum = 0;
  int count = 0;
  for (int y = 0; y < 2; ++y) {
    for (int x = 0; x < 3; ++x) {
      for (int d = 0; d < 8; ++d) {
        const auto step = isolume::livewire::steps[static_cast<std::size_t>(d)];
        if (x + step.x != 1 || y + step.y != 0) continue;
        const auto cost = static_cast<std::uint16_t>(10 * (1 + x + 3 * y));
        grid.arcs[(static_cast<std::size_t>(y) * 3 + static_cast<std::size_t>(x)) * 8 +
                  static_cast<std::size_t>(d)] = cost;
        sum += cost * 128.0 / grid.length[static_cast<std::size_t>(d)];
        ++count;
      }
    }
  }
  ASSERT_EQ(count, 5);
  EXPECT_NEAR((*cost_map({2, 0}, grid).values)[1], sum / count / 100, 1e-6);
}

TEST(Layers, DistancesThatAreNotFinalAreNotThere) {
  auto grid = three_by_two();
  const auto none = isolume::livewire::unreached;
  const auto map = distance_map({1, 2}, grid, {0, 100, 250, none, 400, none});
  EXPECT_FLOAT_EQ((*map.values)[2], 2.5F);
  EXPECT_TRUE(std::isnan((*map.values)[3]));
  EXPECT_FLOAT_EQ(static_cast<float>(map.range.high), 4);
}

TEST(Layers, GradientsKeepTheImagesUnit) {
  isolume::livewire::Features features;
  features.width = 2;
  features.height = 1;
  features.gradient = {3, 7};
  EXPECT_EQ(gradient_map({2, 0}, features, "HU").unit, "HU/px");
  EXPECT_EQ(gradient_map({2, 0}, features, "").unit, "1/px");
}

}  // namespace
}  // namespace isolume::labs::livewire
