// Every instruction set that the bucket queue and the rows of features and costs are compiled for, and that
// this machine can run.
#include <algorithm>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/livewire/costs.h"
#include "core/livewire/engine.h"
#include "tests/core/livewire/random_grids.h"
#include "tests/core/livewire/slices.h"

namespace isolume::livewire {
namespace {

class PathsOnInstructionSet : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one
};

TEST_P(PathsOnInstructionSet, DistancesAreTheReferences) {
  if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
  hwy::GetChosenTarget().Update(GetParam());
  const auto engine = make_cpu_engine(), reference = make_reference_engine();
  for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
    for (const auto form : {testing::Form::node, testing::Form::arcs}) {
      const auto grid = testing::random_grid(67, 58, neighbours, form, 17, 1, 4000);
      const auto found = engine->start(grid, {20, 30}), expected = reference->start(grid, {20, 30});
      found->settle_all();
      expected->settle_all();
      ASSERT_EQ(found->distances(), expected->distances());
      ASSERT_EQ(found->settled_count(), grid->pixel_count());
    }
  }
}

/// To the last bit, so that a wire does not depend on the processor.
TEST_P(PathsOnInstructionSet, FeaturesAndCostsAreTheSame) {
  if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
  for (const auto& [width, height] :
       {std::pair(83, 41), std::pair(300, 20), std::pair(3, 50), std::pair(1, 1)}) {
    auto slice = testing::noise_slice(width, height, 21);
    slice.plane.set_spacing({0.8, 1.3});
    for (const auto filter : {GradientFilter::sobel, GradientFilter::gaussian}) {
      for (const auto neighbours : {NeighbourChoice::four, NeighbourChoice::eight}) {
        CostParameters parameters;
        parameters.filter = filter;
        parameters.neighbours = neighbours;
        parameters.inside_weight = 0.2;
        hwy::GetChosenTarget().Update(GetParam());
        const Features found = compute_features(slice, parameters);
        const CostGrid costs = make_costs(slice, found, parameters);
        hwy::GetChosenTarget().DeInit();  // the best one
        const Features expected = compute_features(slice, parameters);
        const CostGrid expected_costs = make_costs(slice, expected, parameters);
        ASSERT_EQ(found.gradient, expected.gradient);
        ASSERT_EQ(found.gradient_x, expected.gradient_x);
        ASSERT_EQ(found.gradient_y, expected.gradient_y);
        ASSERT_EQ(found.laplacian, expected.laplacian);
        ASSERT_EQ(found.gradient_scale, expected.gradient_scale);
        ASSERT_EQ(costs.arcs, expected_costs.arcs);
        ASSERT_EQ(costs.least_arc, std::ranges::min(costs.arcs));
        ASSERT_EQ(costs.greatest_arc, std::ranges::max(costs.arcs));
      }
    }
  }
}

#if HWY_ARCH_X86
INSTANTIATE_TEST_SUITE_P(All, PathsOnInstructionSet,
                         ::testing::Values(HWY_SCALAR, HWY_SSE4, HWY_AVX2, HWY_AVX3),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });
#else
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PathsOnInstructionSet);
#endif

}  // namespace
}  // namespace isolume::livewire
