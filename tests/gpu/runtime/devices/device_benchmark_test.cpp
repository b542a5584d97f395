#include "gpu/runtime/devices/device_benchmark.h"

#include <stop_token>

#include "core/base/error.h"
#include "tests/gpu/runtime/runtime_test.h"

namespace isolume::gpu {
namespace {

constexpr benchmarks::RepeatOptions briefly{.least_seconds = 0, .least_repeats = 3};

class DeviceBenchmark : public RuntimeTest {};

TEST_F(DeviceBenchmark, LaunchesTakeTimeOnBothSides) {
  const auto times = time_launches(device(), 20, briefly);
  EXPECT_EQ(times.launches, 20);
  EXPECT_GT(times.call_us, 0);
  EXPECT_GT(times.device_us, 0);
  EXPECT_GT(times.round_trip.least_ms, 0);
  EXPECT_GT(times.round_trip.first_ms, 0);
}

TEST_F(DeviceBenchmark, GraphsAreMadeAndLaunched) {
  const auto times = time_graph_launches(device(), 3, 5, briefly);
  EXPECT_EQ(times.launches, 15);
  EXPECT_GT(times.call_us, 0);
  EXPECT_GT(times.device_us, 0);
  EXPECT_GT(times.round_trip.least_ms, 0);
  EXPECT_GT(times.make.least_ms, 0);
}

TEST_F(DeviceBenchmark, WaitsAreTimedOnBothSides) {
  const auto times = time_wait(device(), 100, briefly);
  EXPECT_GT(times.device_us, 0);
  EXPECT_EQ(times.repeats, 3);
}

TEST_F(DeviceBenchmark, EveryKindOfTransferIsTimed) {
  for (const auto kind : transfer_kinds) {
    const auto times = time_transfer(device(), kind, 48 * 1024, briefly);
    EXPECT_EQ(times.moved_bytes, (kind == TransferKind::device_to_device ? 2U : 1U) * 48 * 1024);
    EXPECT_GT(times.timing.median_ms, 0) << to_string(kind);
    EXPECT_GT(times.gigabytes_per_second(), 0) << to_string(kind);
  }
}

TEST_F(DeviceBenchmark, MultiplyAddsAreCounted) {
  const auto times = time_multiply_adds(device(), 0, briefly);
  const double threads = 24.0 * 256 * device().description().multiprocessors;
  EXPECT_NEAR(times.gflop, 2e-9 * 256 * threads, 1e-12);
  EXPECT_GT(times.gflop_per_second(), 0);
}

TEST_F(DeviceBenchmark, NothingIsMeasuredOfAProcessorOrAfterACancel) {
  const auto cpu = dispatch::make_cpu_device(1);
  EXPECT_THROW(time_launches(*cpu, 10, briefly), Error);
  EXPECT_THROW(time_transfer(*cpu, TransferKind::set, 1024, briefly), Error);
  std::stop_source stop;
  stop.request_stop();
  const jobs::Progress cancelled(stop.get_token(), {});
  EXPECT_THROW(time_transfer(device(), TransferKind::pageable_to_device, 1024, briefly, cancelled),
               Cancelled);
}

#ifdef ISOLUME_GPU_EMULATED
TEST_F(DeviceBenchmark, WhatDoesNotFitIsAnErrorAndTheRestGoesOn) {
  emulate("sm90 1MiB");
  EXPECT_THROW(time_transfer(device(), TransferKind::set, std::size_t{16} << 20, briefly), ResourceError);
  EXPECT_GT(time_transfer(device(), TransferKind::set, 1024, briefly).timing.median_ms, 0);
}
#endif

}  // namespace
}  // namespace isolume::gpu
