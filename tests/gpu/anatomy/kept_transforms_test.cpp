#include "gpu/anatomy/kept_transforms.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "tests/gpu/found_machine.h"

namespace isolume::gpu {
namespace {

class KeptTransformsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!machine.gpu_is_usable) GTEST_SKIP() << machine.pool->why_no_gpu();
    device = &gpu_of(*dispatch::usable_gpus(*machine.pool).front());
    try {
      fourier_library();
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  FoundMachine machine;
  const GpuDevice* device = nullptr;
};

TEST_F(KeptTransformsTest, AreLentToOneAtATimeAndLentAgain) {
  KeptTransforms kept;
  auto first = kept.lend(*device, {8, 6, 4}, 3);
  const auto second = kept.lend(*device, {8, 6, 4}, 3);
  EXPECT_NE(first, second) << "both are in use";
  const SingleFourier* const planned = first.get();
  first.reset();
  EXPECT_EQ(kept.size(), 1U);
  EXPECT_NE(kept.lend(*device, {8, 6, 4}, 1).get(), planned) << "of one array";
  EXPECT_NE(kept.lend(*device, {8, 4, 6}, 3).get(), planned);
  EXPECT_EQ(kept.lend(*device, {8, 6, 4}, 3).get(), planned);
}

TEST_F(KeptTransformsTest, AreFewAndThoseUsedLast) {
  KeptTransforms kept;
  const SingleFourier* last = nullptr;
  for (int side = 2; side < 9; ++side) {
    last = kept.lend(*device, {side, 2, 2}, 3).get();
    EXPECT_LE(kept.size(), KeptTransforms::most_of_a_device);
  }
  EXPECT_EQ(kept.lend(*device, {8, 2, 2}, 3).get(), last);
}

}  // namespace
}  // namespace isolume::gpu
