#include "gpu/runtime/devices/guarded_on.h"

#include <cuda_runtime.h>

#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

using namespace std::chrono_literals;

class GuardedOn : public RuntimeTest {};

TEST_F(GuardedOn, ReturnsTheResultOfWorkOnTheCurrentDevice) {
  const std::size_t last = device_count() - 1;
  EXPECT_EQ(guarded_on(device(last), 10s,
                       [] {
                         int current = -1;
                         cudaGetDevice(&current);
                         return current;
                       }),
            device(last).index());
}

TEST_F(GuardedOn, KeepsADeviceThatPassesTheTestAfterAnError) {
  try {
    guarded_on(device(), 10s, [] { throw Error("the work's own"); });
    FAIL() << "The error is lost.";
  } catch (const dispatch::DeviceLost&) {
    FAIL() << "The device is not lost.";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the work's own");
  }
  EXPECT_EQ(device().set_aside_because(), "");
}

#ifdef ISOLUME_GPU_EMULATED

TEST_F(GuardedOn, SetsAsideADeviceThatFailsTheTestAfterAnError) {
  expect_given_up();
  emulate("sm90 64MiB fails@1");
  const auto fail = [] { throw Error("the work's own"); };
  EXPECT_THROW(guarded_on(device(), 10s, fail), dispatch::DeviceLost);
  EXPECT_NE(device().set_aside_because(), "");
}

TEST_F(GuardedOn, DoesNotTestADeviceWhoseMemoryRanOut) {
  emulate("sm90 64MiB fails@1");  // so would the test
  const auto fail = [] { throw ResourceError("too much"); };
  EXPECT_THROW(guarded_on(device(), 10s, fail), ResourceError);
  EXPECT_EQ(device().set_aside_because(), "");
}

#endif

}  // namespace
}  // namespace isolume::gpu
