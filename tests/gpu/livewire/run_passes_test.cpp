#include "gpu/livewire/run_passes.h"

#include <cmath>
#include <functional>
#include <stop_token>
#include <vector>

#include "tests/gpu/runtime/kernels.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

/// Passes that double a number; it stays finite for a hundred of them.
class Passes : public RuntimeTest {
 protected:
  /// How often the number was doubled until the host saw that it had reached `wanted`.
  double run(float wanted, const std::function<void(const Stream&)>& also = {}) {
    const Stream stream(device());
    DeviceBuffer<float> number(stream, 1);
    test::fill(number.device_data(), 1, 1, stream);
    const auto pass = [&] {
      if (also) also(stream);
      test::scale_and_shift(number.device_data(), number.device_data(), 1, 2, 0, stream);
    };
    const auto done = [&](float now) { return now >= wanted; };
    const float end = run_passes(number, {.passes = 4, .launches_a_pass = 1}, pass, done, stream,
                                 default_deadline(), {}, counts);
    return std::log2(end);
  }
  SearchCounts counts;
};

TEST_F(Passes, GoOnBatchByBatchAndTheSecondBatchIsAGraph) {
  in_every_order([&] {
    counts = {};
    EXPECT_EQ(run(1000), 12);  // 2^10 is reached in the third batch
    EXPECT_EQ(counts.launches, 4U * 4U) << "one batch more";
    EXPECT_EQ(counts.graphs, 3U);
    EXPECT_EQ(counts.no_graph, "");
  });
}

TEST_F(Passes, ThatCannotBeRecordedAreLaunchedOneByOne) {
  in_every_order([&] {
    counts = {};
    EXPECT_EQ(run(1000, [](const Stream& stream) { stream.wait(); }), 12);
    EXPECT_EQ(counts.launches, 4U * 4U);
    EXPECT_EQ(counts.graphs, 0U);
    EXPECT_NE(counts.no_graph, "");
  });
}

TEST_F(Passes, MayBeCancelledAndLeaveTheStreamInOrder) {
  std::stop_source stop;
  const Stream stream(device());
  DeviceBuffer<float> number(stream, 1);
  test::fill(number.device_data(), 1, 1, stream);
  int passes = 0;
  const auto pass = [&] {
    if (++passes == 7) stop.request_stop();  // while the graph is recorded
    test::scale_and_shift(number.device_data(), number.device_data(), 1, 2, 0, stream);
  };
  const jobs::Progress progress(stop.get_token(), {});
  EXPECT_THROW(run_passes(
                   number, {.passes = 4, .launches_a_pass = 1}, pass, [](float) { return false; }, stream,
                   default_deadline(), progress, counts),
               Cancelled);
  std::vector<float> value(1);
  number.copy_to(value, stream);
  stream.wait();
  EXPECT_GE(value[0], 16);
}

}  // namespace
}  // namespace isolume::gpu
