#include "core/anatomy/atlas_devices.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include <gtest/gtest.h>

#include "core/anatomy/fluid_calibration.h"

namespace isolume::anatomy {
namespace {

double end_of(std::span<const std::size_t> dealt, std::span<const double> seconds) {
  double end = 0;
  for (std::size_t i = 0; i < dealt.size(); ++i)
    end = std::max(end, static_cast<double>(dealt[i]) * seconds[i]);
  return end;
}

/// Over all ways to deal them.
double earliest_end(std::size_t images, std::span<const double> seconds,
                    std::span<const std::size_t> capacity) {
  double earliest = 1e9;
  std::vector<std::size_t> dealt(seconds.size());
  const std::function<void(std::size_t, std::size_t)> deal = [&](std::size_t device, std::size_t left) {
    if (device == dealt.size()) {
      if (left == 0) earliest = std::min(earliest, end_of(dealt, seconds));
      return;
    }
    for (dealt[device] = 0; dealt[device] <= std::min(left, capacity[device]); ++dealt[device])
      deal(device + 1, left - dealt[device]);
    dealt[device] = 0;
  };
  deal(0, images);
  return earliest;
}

TEST(DealtImages, AllEndAsEarlyAsInAnyWayToDealThem) {
  const std::vector<double> seconds{1, 2.5, 0.7};
  for (const std::vector<std::size_t>& capacity :
       {std::vector<std::size_t>{20, 20, 20}, {3, 20, 20}, {20, 20, 2}, {0, 20, 1}}) {
    for (std::size_t images = 1; images < 15; ++images) {
      const auto dealt = deal_images(images, seconds, capacity);
      ASSERT_EQ(std::accumulate(dealt.begin(), dealt.end(), std::size_t{0}), images);
      for (std::size_t i = 0; i < dealt.size(); ++i) ASSERT_LE(dealt[i], capacity[i]);
      ASSERT_EQ(end_of(dealt, seconds), earliest_end(images, seconds, capacity)) << images;
    }
  }
}

TEST(DealtImages, StopWhereTheDevicesHoldNoMore) {
  const std::vector<double> seconds{1, 1};
  EXPECT_EQ(deal_images(9, seconds, std::vector<std::size_t>{2, 3}), (std::vector<std::size_t>{2, 3}));
}

class NamedDevice final : public dispatch::Device {
 public:
  dispatch::DeviceKind kind() const override { return dispatch::DeviceKind::gpu; }
  std::string name() const override { return "device"; }
  std::size_t memory_budget_bytes() const override { return 0; }
  int concurrency() const override { return 1; }
  void run_workers(const std::function<void(int)>& body) override { body(0); }
};

/// 1 ms for launches and 1 ns for a voxel.
TEST(FluidTimes, AreThoseOfLaunchesAndVoxelsMeasuredOnce) {
  NamedDevice device;
  int timed = 0;
  FluidCalibration calibration([&](const dispatch::Device&, const FluidParameters&, int side) {
    ++timed;
    return 1e-3 + 1e-9 * side * side * side;
  });
  const FluidParameters parameters;
  EXPECT_NEAR(calibration.seconds(device, parameters, {100, 100, 100}), 2e-3, 1e-9);
  EXPECT_NEAR(calibration.seconds(device, parameters, {10, 10, 10}), 1e-3 + 1e-6, 1e-9);
  EXPECT_EQ(timed, 2) << "both sides, once";
  // Twice as slow as the dry iterations were; the first measure counts no longer.
  calibration.add(device, parameters, {100, 100, 100}, 10, 10 * (1e-3 + 2e-3));
  EXPECT_NEAR(calibration.seconds(device, parameters, {100, 100, 100}), 3e-3, 1e-9);
  EXPECT_EQ(timed, 2);
  FluidParameters by_correlation;
  by_correlation.metric = Metric::correlation;
  calibration.seconds(device, by_correlation, {10, 10, 10});
  EXPECT_EQ(timed, 4) << "another kind of iteration";
}

TEST(FluidTimes, AreNotKnownOfADeviceThatHasNone) {
  NamedDevice device;
  FluidCalibration calibration([](const dispatch::Device&, const FluidParameters&, int) { return 0.0; });
  calibration.add(device, {}, {100, 100, 100}, 10, 1);
  EXPECT_EQ(calibration.seconds(device, {}, {100, 100, 100}), 0);
}

TEST(FluidTimes, OfTheCpuGrowWithTheCube) {
  const auto cpu = make_cpu_fluid_engine();
  const double small = time_iteration(*cpu, {}, {}, 16), large = time_iteration(*cpu, {}, {}, 48);
  EXPECT_GT(small, 0);
  EXPECT_GT(large, 3 * small) << "27 times as many voxels";
}

}  // namespace
}  // namespace isolume::anatomy
