// Every instruction set that the bucket queue is compiled for, and that this machine can run.
#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/livewire/engine.h"
#include "tests/core/livewire/random_grids.h"

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

#if HWY_ARCH_X86
INSTANTIATE_TEST_SUITE_P(All, PathsOnInstructionSet,
                         ::testing::Values(HWY_SCALAR, HWY_SSE4, HWY_AVX2, HWY_AVX3),
                         [](const auto& each) { return std::string(hwy::TargetName(each.param)); });
#else
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PathsOnInstructionSet);
#endif

}  // namespace
}  // namespace isolume::livewire
