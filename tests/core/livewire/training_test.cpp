#include <algorithm>

#include <gtest/gtest.h>

#include "core/livewire/costs.h"
#include "core/livewire/engine.h"
#include "tests/core/livewire/slices.h"

namespace isolume::livewire {
namespace {

/// Two vertical edges: a weak one (0 to 100) at x = 20 and a strong one (100 to 1000) at x = 28.
images::SliceImage two_edges() {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 3);
  return testing::slice_of(60, 120, [&](int x, int) {
    return (x < 20 ? 0 : x == 20 ? 50 : x < 28 ? 100 : x == 28 ? 550 : 1000) + noise(random);
  });
}

std::vector<Pixel> column(int x, int first, int last) {
  std::vector<Pixel> path;
  for (int y = first; y <= last; ++y) path.push_back({x, y});
  return path;
}

/// Mean x of the wire between two places that lie between the edges.
double mean_x(const images::SliceImage& slice, const CostParameters& parameters, const Training* training) {
  const Features features = compute_features(slice, parameters);
  const auto grid = std::make_shared<CostGrid>(make_costs(slice, features, parameters, training));
  const auto search = make_cpu_engine()->start(grid, {24, 10});
  search->settle({24, 110});
  double sum = 0;
  int count = 0;
  for (const Pixel pixel : trace_path(*grid, *search, {24, 110})) {
    if (pixel.y < 30 || pixel.y > 90) continue;
    sum += pixel.x;
    ++count;
  }
  return sum / count;
}

TEST(Training, MakesTheWirePreferTheEdgeItWasTrainedOn) {
  const auto slice = two_edges();
  CostParameters parameters;
  parameters.trained_weight = 1;
  const Features features = compute_features(slice, parameters);
  EXPECT_NEAR(mean_x(slice, parameters, nullptr), 28, 1) << "untrained, the strong edge attracts";
  Training training;
  EXPECT_TRUE(training.empty());
  training.learn(slice, features, column(20, 5, 60));
  EXPECT_FALSE(training.empty());
  EXPECT_NEAR(mean_x(slice, parameters, &training), 20, 1);
  training.learn(slice, features, column(28, 5, 60));
  EXPECT_NEAR(mean_x(slice, parameters, &training), 28, 1) << "learning again replaces what was learnt";
}

TEST(Training, CostsLeastWhatOccurredMostAndAllWhatNeverDid) {
  const auto slice = two_edges();
  const Features features = compute_features(slice, {});
  Training training;
  training.learn(slice, features, column(20, 5, 100));
  // Down the edge, the bright side is on the left.
  const float usual = training.cost(features.gradient[30 * 60 + 20], 100, 0);
  EXPECT_LT(usual, 0.5F);
  EXPECT_GT(training.cost(features.gradient[30 * 60 + 20], 0, 100), usual + 0.3F) << "sides exchanged";
  EXPECT_EQ(training.cost(1e6F, 1e6F, -1e6F), 1);
}

TEST(Training, CountsTheMostRecentPixelsOnly) {
  const auto slice = two_edges();
  const Features features = compute_features(slice, {});
  auto path = column(28, 0, 50);
  std::ranges::copy(column(20, 0, 110), std::back_inserter(path));
  Training recent, alone;
  recent.learn(slice, features, path, 111);
  alone.learn(slice, features, column(20, 0, 110));
  for (const float gradient : {5.0F, 20.0F, 35.0F, 200.0F})
    EXPECT_EQ(recent.cost(gradient, 100, 0), alone.cost(gradient, 100, 0));
  recent.learn(slice, features, {{3, 3}});
  EXPECT_TRUE(recent.empty()) << "a single pixel has no sides";
}

}  // namespace
}  // namespace isolume::livewire
