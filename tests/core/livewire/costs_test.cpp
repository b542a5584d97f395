#include "core/livewire/costs.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/livewire/engine.h"
#include "tests/core/livewire/slices.h"

namespace isolume::livewire {
namespace {

using testing::noise_slice;
using testing::slice_of;

CostParameters only(double CostParameters::*weight) {
  CostParameters parameters;
  parameters.gradient_weight = parameters.zero_crossing_weight = parameters.direction_weight = 0;
  parameters.*weight = 1;
  return parameters;
}

CostGrid costs_of(const images::SliceImage& slice, const CostParameters& parameters,
                  const Training* training = nullptr) {
  return make_costs(slice, compute_features(slice, parameters), parameters, training);
}

/// A disc of 1000 on 0 with an edge half a pixel soft, and its centre.
constexpr double disc_x = 49.3, disc_y = 51.8, disc_radius = 30;
images::SliceImage disc() {
  return slice_of(101, 103, [](int x, int y) {
    return 1000 * std::clamp(disc_radius - std::hypot(x - disc_x, y - disc_y) + 0.5, 0.0, 1.0);
  });
}

TEST(Costs, GradientIsCheapestWhereItIsStrongest) {
  const auto slice = noise_slice(33, 21, 5);
  auto parameters = only(&CostParameters::gradient_weight);
  parameters.gradient_reach_px = 0;
  const Features features = compute_features(slice, parameters);
  const CostGrid grid = make_costs(slice, features, parameters);
  ASSERT_EQ(grid.node.size(), 33u * 21u);
  EXPECT_TRUE(grid.arcs.empty());
  EXPECT_EQ(grid.neighbours, Neighbours::eight);
  for (std::size_t at = 0; at < grid.node.size(); ++at) {
    const double f = 1 - std::min(1.0, static_cast<double>(features.gradient[at]) / features.gradient_scale);
    EXPECT_NEAR(grid.node[at], std::max(1.0, f * grid.units_per_one), 0.51);
  }
}

TEST(Costs, AFaintEdgeIsCheapWhereNothingClearerIsNear) {
  // Steps of 1000, 300 and 50 far apart, and one of 300 beside the first.
  const auto slice = slice_of(300, 40, [](int x, int) {
    return (x < 40 ? 0 : 1000) + (x < 50 ? 0 : 300) + (x < 150 ? 0 : 300) + (x < 250 ? 0 : 50);
  });
  auto parameters = only(&CostParameters::gradient_weight);
  const auto cost_at = [&](int x) {
    const CostGrid grid = costs_of(slice, parameters);
    return std::min(grid.node[grid.index({x - 1, 20})], grid.node[grid.index({x, 20})]) / grid.units_per_one;
  };
  EXPECT_NEAR(cost_at(40), 0, 0.01);
  EXPECT_NEAR(cost_at(150), 0, 0.01);
  EXPECT_NEAR(cost_at(250), 1 - 50 / 200.0, 0.01) << "noise is no edge: a fifth of the clearest counts as 1";
  EXPECT_GT(cost_at(50), 0.4);
  parameters.gradient_reach_px = 0;
  EXPECT_NEAR(cost_at(40), 0, 0.01);
  EXPECT_NEAR(cost_at(150), 0.7, 0.01);
  EXPECT_NEAR(cost_at(50), 0.7, 0.01);
}

/// Between the middles of blocks what counts as 1 is linear; reaches that do not divide the slice, are larger
/// than it, or fit it.
TEST(Costs, TheScaleOfGradientsIsLinearBetweenBlocks) {
  const auto slice = noise_slice(70, 45, 6);
  for (const int reach : {2, 7, 16, 35, 45, 70, 500}) {
    auto parameters = only(&CostParameters::gradient_weight);
    parameters.gradient_reach_px = reach;
    const Features features = compute_features(slice, parameters);
    const CostGrid grid = make_costs(slice, features, parameters);
    const int side = std::min(reach, 71);
    const auto scale_of_block = [&](int i, int j) {
      double strongest = 0.2 * features.gradient_scale;
      for (int y = j * side; y < std::min((j + 1) * side, 45); ++y) {
        for (int x = i * side; x < std::min((i + 1) * side, 70); ++x)
          strongest = std::max<double>(strongest, features.gradient[grid.index({x, y})]);
      }
      return std::min<double>(strongest, features.gradient_scale);
    };
    const int across = (70 + side - 1) / side, down = (45 + side - 1) / side;
    const auto place = [&](int pixel, int count) {
      return std::clamp((pixel + 0.5) / side - 0.5, 0.0, static_cast<double>(count - 1));
    };
    for (int y = 0; y < 45; ++y) {
      for (int x = 0; x < 70; ++x) {
        const double u = place(x, across), v = place(y, down);
        const int i = static_cast<int>(u), j = static_cast<int>(v), right = std::min(i + 1, across - 1),
                  below = std::min(j + 1, down - 1);
        const double scale =
            (1 - (v - j)) * ((1 - (u - i)) * scale_of_block(i, j) + (u - i) * scale_of_block(right, j)) +
            (v - j) * ((1 - (u - i)) * scale_of_block(i, below) + (u - i) * scale_of_block(right, below));
        const double f = 1 - std::min(1.0, features.gradient[grid.index({x, y})] / scale);
        ASSERT_NEAR(grid.node[grid.index({x, y})], std::max(1.0, f * grid.units_per_one), 0.6)
            << x << ", " << y;
      }
    }
  }
}

TEST(Costs, ZeroCrossingsLieAtTheRadiusOfADisc) {
  for (const double sigma : {1.0, 2.0}) {
    auto parameters = only(&CostParameters::zero_crossing_weight);
    parameters.sigma_px = sigma;
    const CostGrid grid = costs_of(disc(), parameters);
    int crossings = 0;
    for (int y = 0; y < grid.height; ++y) {
      for (int x = 0; x < grid.width; ++x) {
        if (grid.node[grid.index({x, y})] > 100) continue;
        ++crossings;
        EXPECT_NEAR(std::hypot(x - disc_x, y - disc_y), disc_radius, 1.0) << x << ", " << y;
      }
    }
    // A closed chain of 8 neighbours around the disc has at least 4 sqrt(2) r pixels.
    EXPECT_GE(crossings, static_cast<int>(4 * std::numbers::sqrt2 * disc_radius));
  }
}

TEST(Costs, ZeroCrossingsOfNoiseCountInProportionToTheirGradient) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise(0, 1);
  const auto slice = slice_of(120, 80, [&](int x, int) { return (x < 60 ? 0 : 1000) + noise(random); });
  auto parameters = only(&CostParameters::zero_crossing_weight);
  const CostGrid weighted = costs_of(slice, parameters);
  parameters.zero_crossing_threshold = 0;
  const CostGrid plain = costs_of(slice, parameters);
  int cheap_noise = 0;
  for (int y = 0; y < 80; ++y) {
    EXPECT_EQ(std::min(weighted.node[weighted.index({59, y})], weighted.node[weighted.index({60, y})]), 1);
    for (int x = 0; x < 120; ++x) {
      if (std::abs(x - 59.5) < 8) continue;
      EXPECT_GT(weighted.node[weighted.index({x, y})], 900);
      cheap_noise += plain.node[plain.index({x, y})] == 1 ? 1 : 0;
    }
  }
  EXPECT_GT(cheap_noise, 100) << "the test's noise has no zero crossings";
}

/// With pixels of 0.7 x 1.9 mm, whose columns run along `y_direction`.
void expect_formula_of_mortensen_and_barrett(const Eigen::Vector3d& y_direction) {
  auto slice = noise_slice(17, 19, 8);
  slice.plane.along = 0.7 * Eigen::Vector3d::UnitX();
  slice.plane.across = 1.9 * y_direction;
  Eigen::Matrix2d to_mm;
  to_mm << 0.7, 1.9 * y_direction.x(), 0, 1.9 * y_direction.y();
  const Eigen::Matrix2d gradient_to_mm = to_mm.inverse().transpose();
  const auto parameters = only(&CostParameters::direction_weight);
  const Features features = compute_features(slice, parameters);
  const CostGrid grid = make_costs(slice, features, parameters);
  ASSERT_EQ(grid.arcs.size(), 17u * 19u * 8u);
  const auto edge = [&](Pixel pixel) {
    const std::size_t at = grid.index(pixel);
    const Eigen::Vector2d slope =
        gradient_to_mm * Eigen::Vector2d(features.gradient_x[at], features.gradient_y[at]);
    return Eigen::Vector2d(slope.y(), -slope.x()).normalized();
  };
  for (int y = 0; y < 19; ++y) {
    for (int x = 0; x < 17; ++x) {
      for (int d = 0; d < 8; ++d) {
        const Pixel step = steps[static_cast<std::size_t>(d)], to{x + step.x, y + step.y};
        if (!grid.contains(to)) continue;
        Eigen::Vector2d link = (to_mm * Eigen::Vector2d(step.x, step.y)).normalized();
        // At right angles to the edge (exactly so at mirrored borders), rounding decides which way is "with"
        // it.
        if (std::abs(edge({x, y}).dot(link)) < 1e-4) continue;
        if (edge({x, y}).dot(link) < 0) link = -link;
        const double f = 2 / (3 * std::numbers::pi) *
                         (std::acos(std::clamp(edge({x, y}).dot(link), -1.0, 1.0)) +
                          std::acos(std::clamp(edge(to).dot(link), -1.0, 1.0)));
        const double length = grid.length[static_cast<std::size_t>(d)] / 128.0;
        ASSERT_NEAR(grid.arc(grid.index({x, y}), grid.index(to), d),
                    std::max(1.0, f * grid.units_per_one * length), 0.6 * length + 0.5);
      }
    }
  }
}

TEST(Costs, DirectionFollowsTheFormulaOfMortensenAndBarrett) {
  expect_formula_of_mortensen_and_barrett({0, 1, 0});
}

TEST(Costs, DirectionFollowsTheAxesOfAShearedGrid) {
  expect_formula_of_mortensen_and_barrett({std::sin(0.35), std::cos(0.35), 0});
}

TEST(Costs, InsideAndOutsideAreLeftAndRightOfTheWay) {
  // Upper half 100, lower half 300: going right along the border has 100 on its left.
  const auto slice = slice_of(30, 30, [](int, int y) { return y < 15 ? 100 : (y > 15 ? 300 : 200); });
  auto parameters = only(&CostParameters::inside_weight);
  parameters.outside_weight = 1;
  parameters.inside_value = 100;
  parameters.outside_value = 300;
  parameters.inside_tolerance = parameters.outside_tolerance = 400;
  const CostGrid grid = costs_of(slice, parameters);
  const auto arc = [&](Pixel from, int d) {
    const Pixel step = steps[static_cast<std::size_t>(d)];
    return grid.arc(grid.index(from), grid.index({from.x + step.x, from.y + step.y}), d);
  };
  EXPECT_EQ(arc({10, 15}, 0), 1u);                            // to the right
  EXPECT_EQ(arc({10, 15}, 2), std::lround(1023 * 0.5));       // to the left: 200 off on either side
  EXPECT_EQ(arc({10, 5}, 0), std::lround(1023 * 0.5 * 0.5));  // left right, right 200 off
}

TEST(Costs, SidesOfAStepAreThePixelsBesideItsEnds) {
  const auto slice = slice_of(9, 9, [](int x, int y) { return 10 * x + y; });
  const auto right = sides_of_step(slice, {4, 4}, 0), diagonal = sides_of_step(slice, {4, 4}, 4);
  EXPECT_EQ(right.left, 10 * 4.5F + 3);
  EXPECT_EQ(right.right, 10 * 4.5F + 5);
  EXPECT_EQ(diagonal.left, 10 * 5.5F + 3.5F);   // mean of (5, 3) and (6, 4)
  EXPECT_EQ(diagonal.right, 10 * 3.5F + 5.5F);  // mean of (3, 5) and (4, 6)
  EXPECT_EQ(sides_of_step(slice, {0, 0}, 0).left, 10 * 0.5F);
}

TEST(Costs, ArcsAreTheWeightedMeanOfTheirParts) {
  const auto slice = noise_slice(25, 20, 9);
  CostParameters parameters;
  parameters.gradient_weight = 0.3;
  parameters.zero_crossing_weight = 0.2;
  parameters.direction_weight = 0.4;
  parameters.inside_weight = 0.6;
  parameters.outside_weight = 0.5;
  parameters.outside_value = 150;
  const Features features = compute_features(slice, parameters);
  const CostGrid all = make_costs(slice, features, parameters);
  const double sum = 0.3 + 0.2 + 0.4 + 0.6 + 0.5;
  std::vector<double> expected(all.arcs.size(), 0);
  for (const auto weight :
       {&CostParameters::gradient_weight, &CostParameters::zero_crossing_weight,
        &CostParameters::direction_weight, &CostParameters::inside_weight, &CostParameters::outside_weight}) {
    auto alone = only(weight);
    alone.outside_value = 150;
    const CostGrid part = make_costs(slice, features, alone);
    for (int y = 1; y < 19; ++y) {
      for (int x = 1; x < 24; ++x) {
        for (int d = 0; d < 8; ++d) {
          const Pixel step = steps[static_cast<std::size_t>(d)];
          const std::size_t from = all.index({x, y}), to = all.index({x + step.x, y + step.y});
          expected[from * 8 + static_cast<std::size_t>(d)] +=
              parameters.*weight / sum * part.arc(from, to, d);
        }
      }
    }
  }
  for (int y = 1; y < 19; ++y) {
    for (int x = 1; x < 24; ++x) {
      for (std::size_t d = 0; d < 8; ++d) {
        const std::size_t at = all.index({x, y}) * 8 + d;
        ASSERT_NEAR(all.arcs[at], expected[at], 3);
      }
    }
  }
}

TEST(Costs, ThesisIsTheInverseRampOfTheGradientInFourDirections) {
  auto slice = noise_slice(31, 22, 4);
  CostParameters parameters;
  parameters.model = CostModel::thesis;
  parameters.filter = GradientFilter::sobel;
  const Features features = compute_features(slice, parameters);
  const CostGrid grid = make_costs(slice, features, parameters);
  EXPECT_EQ(grid.neighbours, Neighbours::four);
  ASSERT_EQ(grid.node.size(), 31u * 22u);
  const auto [least, greatest] = std::ranges::minmax(features.gradient);
  for (std::size_t at = 0; at < grid.node.size(); ++at) {
    const double f = (1 - (features.gradient[at] - least) / (greatest - least)) / std::numbers::sqrt2;
    EXPECT_NEAR(grid.node[at] / grid.units_per_one, f, 1 / grid.units_per_one);
  }
}

TEST(Costs, DoNotDependOnHowValuesAreStored) {
  // The same values as float, and as int16 with a slope and an intercept.
  images::Geometry geometry;
  geometry.dimensions = {48, 40, 1};
  images::Volume stored, plain;
  stored.geometry = plain.geometry = geometry;
  stored.type = images::PixelType::int16;
  stored.slope = 2;
  stored.intercept = -1024;
  plain.type = images::PixelType::float32;
  auto stored_memory = images::allocate_voxels(geometry, stored.type),
       plain_memory = images::allocate_voxels(geometry, plain.type);
  std::mt19937 random(1);
  for (std::size_t at = 0; at < geometry.point_count(); ++at) {
    const auto number = static_cast<std::int16_t>(random() % 3000);
    reinterpret_cast<std::int16_t*>(stored_memory.get())[at] = number;
    reinterpret_cast<float*>(plain_memory.get())[at] = 2.0F * number - 1024;
  }
  stored.storage = stored_memory;
  plain.storage = plain_memory;
  const CostGrid one = costs_of(images::extract_slice(stored, {2, 0}), {}),
                 other = costs_of(images::extract_slice(plain, {2, 0}), {});
  EXPECT_FALSE(one.arcs.empty());
  EXPECT_EQ(one.arcs, other.arcs);
}

TEST(Costs, AreRelativeToTheContrastOfTheSlice) {
  const auto slice = noise_slice(60, 50, 6);
  auto scaled = slice;
  for (float& value : scaled.values) value = value / 8 + 50;
  const CostGrid one = costs_of(slice, {}), other = costs_of(scaled, {});
  ASSERT_EQ(one.arcs.size(), other.arcs.size());
  std::size_t different = 0;
  for (std::size_t at = 0; at < one.arcs.size(); ++at)
    different += std::abs(one.arcs[at] - other.arcs[at]) > 2 ? 1 : 0;
  EXPECT_LT(different, one.arcs.size() / 200) << "more than the ties at the mirrored borders";
}

TEST(Costs, LengthsFollowTheSpacing) {
  auto slice = noise_slice(10, 10, 1);
  slice.plane.set_spacing({0.5, 2});
  const CostGrid grid = costs_of(slice, only(&CostParameters::gradient_weight));
  EXPECT_EQ(grid.length[0], 128u);
  EXPECT_EQ(grid.length[1], 512u);
  EXPECT_EQ(grid.length[4], static_cast<std::uint32_t>(std::lround(128 * std::sqrt(17.0))));
}

TEST(Costs, RefuseWeightsThatAreAllZeroAndTakeFourNeighboursAndBadNumbers) {
  const auto slice = noise_slice(12, 12, 1);
  auto parameters = only(&CostParameters::trained_weight);
  EXPECT_THROW(costs_of(slice, parameters), Error);
  parameters = {};
  parameters.neighbours = NeighbourChoice::four;
  EXPECT_EQ(costs_of(slice, parameters).arcs.size(), 12u * 12u * 4u);
  auto hole = slice;
  hole.values[50] = std::numeric_limits<float>::quiet_NaN();
  parameters.inside_weight = 1;
  const CostGrid grid = costs_of(hole, parameters);
  EXPECT_LE(grid.greatest_arc, 1448u);
}

/// Whatever an image holds, every cost is 1 at least and no greater than a step's length allows.
TEST(Costs, AreBoundedOnAnyImage) {
  constexpr float huge = std::numeric_limits<float>::max(), none = std::numeric_limits<float>::quiet_NaN();
  std::vector<images::SliceImage> slices;
  for (const auto& [width, height] : {std::pair{1, 1}, {1, 9}, {9, 1}, {2, 2}}) {
    slices.push_back(noise_slice(width, height, 2));
    slices.push_back(slice_of(width, height, [](int, int) { return 7; }));
    slices.push_back(slice_of(width, height, [=](int, int) { return none; }));
  }
  slices.push_back(slice_of(30, 20, [=](int x, int y) { return (x / 3 + y) % 2 == 0 ? huge : -huge; }));
  slices.push_back(slice_of(30, 20, [=](int x, int y) { return x == y ? none : (x > y ? huge : 0); }));
  slices.push_back(slices.back());
  slices.back().plane.set_spacing({1e-6, 3});
  CostParameters all, nodes = only(&CostParameters::gradient_weight), thesis;
  all.inside_weight = all.outside_weight = 0.2;
  nodes.zero_crossing_weight = 1;
  thesis.model = CostModel::thesis;
  for (const auto& slice : slices) {
    for (const auto& parameters : {all, nodes, thesis}) {
      const Features features = compute_features(slice, parameters);
      EXPECT_TRUE(std::ranges::all_of(features.gradient, [](float value) { return std::isfinite(value); }));
      const CostGrid grid = make_costs(slice, features, parameters);
      EXPECT_GE(grid.least_arc, 1u);
      const auto longest = std::ranges::max(grid.length);
      EXPECT_LE(grid.greatest_arc, (std::uint64_t{greatest_node_cost} * longest + 64) >> 7);
      const auto& values = grid.arcs.empty() ? grid.node : grid.arcs;
      EXPECT_GE(std::ranges::min(values), 1);
    }
  }
}

TEST(Costs, TheWireFollowsADiscWithinAPixel) {
  const auto engine = make_cpu_engine();
  const auto slice = disc();
  auto thesis = CostParameters{};
  thesis.model = CostModel::thesis;
  for (const auto& parameters : {CostParameters{}, thesis}) {
    const auto grid = std::make_shared<CostGrid>(costs_of(slice, parameters));
    const auto search = engine->start(grid, {79, 52});
    search->settle({19, 52});
    const auto path = trace_path(*grid, *search, {19, 52});
    EXPECT_GT(path.size(), 60u);
    for (const Pixel pixel : path)
      EXPECT_NEAR(std::hypot(pixel.x - disc_x, pixel.y - disc_y), disc_radius, 1.0);
  }
}

TEST(Costs, SchemaDescribesEveryParameter) {
  CostParameters parameters;
  parameters::StructParameters set(cost_schema(), parameters);
  EXPECT_EQ(set.descriptions().size(), 16u);
  for (const auto& each : set.descriptions()) {
    EXPECT_FALSE(each.help.empty()) << each.key;
    EXPECT_FALSE(each.label.empty()) << each.key;
  }
  set.set_text("cost", "thesis");
  set.set_text("sigma", "2.5");
  EXPECT_EQ(parameters.model, CostModel::thesis);
  EXPECT_EQ(parameters.sigma_px, 2.5);
  EXPECT_THROW(set.set_text("sigma", "0"), Error);
  EXPECT_THROW(set.set_text("direction-weight", "2"), Error);
}

}  // namespace
}  // namespace isolume::livewire
