#include "core/dispatch/dispatch.h"

#include <atomic>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include "core/base/error.h"

namespace isolume::dispatch {
namespace {

/// A device with one worker that takes `delay` over each tile and fails at its n-th.
class TestDevice final : public Device {
 public:
  TestDevice(std::string name, std::chrono::microseconds delay, int fail_at = -1)
      : name_(std::move(name)), delay_(delay), fail_at_(fail_at) {}
  DeviceKind kind() const override { return DeviceKind::emulated_gpu; }
  std::string name() const override { return name_; }
  std::size_t memory_budget_bytes() const override { return 1 << 20; }
  int concurrency() const override { return 1; }
  void run_workers(const std::function<void(int)>& body) override { body(0); }

  void work() {
    std::this_thread::sleep_for(delay_);
    if (launched_++ == fail_at_) throw Error(name_ + " broke");
  }

 private:
  std::string name_;
  std::chrono::microseconds delay_;
  int fail_at_;
  int launched_ = 0;
};

void work_on(Device& device) {
  if (auto* test = dynamic_cast<TestDevice*>(&device)) test->work();
}

std::size_t total_tiles(const Report& report) {
  return std::accumulate(report.shares.begin(), report.shares.end(), std::size_t{0},
                         [](std::size_t sum, const Report::Share& share) { return sum + share.tiles; });
}

using Counts = std::vector<std::atomic<int>>;

void expect_each_once(const Counts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 1) << "tile " << i;
}

TEST(Dispatch, CpuComputesEveryTileOnce) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  Counts counts(1000);
  const Report report = run_tiles(devices, counts.size(), [&](Device&, int worker, std::size_t tile) {
    EXPECT_GE(worker, 0);
    EXPECT_LT(worker, cpu->concurrency());
    ++counts[tile];
  });
  expect_each_once(counts);
  EXPECT_EQ(total_tiles(report), 1000u);
}

TEST(Dispatch, NoTilesIsNoWork) {
  const auto cpu = make_cpu_device(1);
  Device* const devices[] = {cpu.get()};
  EXPECT_EQ(total_tiles(run_tiles(devices, 0, [](Device&, int, std::size_t) { FAIL(); })), 0u);
}

TEST(Dispatch, NoDeviceIsAnError) {
  EXPECT_THROW(run_tiles({}, 1, [](Device&, int, std::size_t) {}), Error);
}

TEST(Dispatch, FasterDevicesTakeMore) {
  TestDevice slow("slow", std::chrono::milliseconds(8));
  TestDevice fast("fast", std::chrono::milliseconds(1));
  Device* const devices[] = {&slow, &fast};
  const Report report = run_tiles(devices, 64, [](Device& device, int, std::size_t) { work_on(device); });
  EXPECT_EQ(total_tiles(report), 64u);
  EXPECT_GT(report.shares[1].tiles, report.shares[0].tiles);
}

TEST(Dispatch, AFailingDeviceGivesItsTileBackWhicheverItIs) {
  for (int at = 0; at < 8; ++at) {
    TestDevice breaks("breaks", std::chrono::microseconds(10), at);
    TestDevice steady("steady", std::chrono::microseconds(10));
    Device* const devices[] = {&breaks, &steady};
    Counts counts(8);
    const Report report = run_tiles(devices, counts.size(), [&](Device& device, int, std::size_t tile) {
      work_on(device);
      ++counts[tile];
    });
    expect_each_once(counts);
    EXPECT_EQ(total_tiles(report), 8u);
    EXPECT_TRUE(report.shares[0].error.empty() || report.shares[0].error == "breaks broke");
    EXPECT_TRUE(report.shares[1].error.empty());
  }
}

TEST(Dispatch, ATileReturnedAfterTheOthersHadGoneIsStillComputed) {
  TestDevice breaks("breaks late", std::chrono::milliseconds(50), 0);
  TestDevice steady("steady", std::chrono::microseconds(1));
  Device* const devices[] = {&breaks, &steady};
  Counts counts(4);
  std::atomic<bool> taken = false;
  const Report report = run_tiles(devices, counts.size(), [&](Device& device, int, std::size_t tile) {
    if (&device == &breaks) taken = true;
    while (!taken) std::this_thread::yield();  // the steady device leaves one tile to the other
    work_on(device);
    ++counts[tile];
  });
  expect_each_once(counts);
  EXPECT_EQ(report.shares[0].error, "breaks late broke");
}

TEST(Dispatch, WhenAllFailTheErrorIsPassedOn) {
  TestDevice one("one", std::chrono::microseconds(1), 0);
  TestDevice two("two", std::chrono::microseconds(1), 1);
  Device* const devices[] = {&one, &two};
  EXPECT_THROW(run_tiles(devices, 100, [](Device& device, int, std::size_t) { work_on(device); }), Error);
}

TEST(Dispatch, CancelEndsTheRun) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  std::stop_source stop;
  std::atomic<int> computed = 0;
  const auto run = [&] {
    run_tiles(
        devices, 100000,
        [&](Device&, int, std::size_t) {
          if (++computed == 10) stop.request_stop();
        },
        jobs::Progress(stop.get_token(), nullptr));
  };
  EXPECT_THROW(run(), Cancelled);
  EXPECT_LT(computed, 100000);
}

TEST(Dispatch, ATileThatNoticesTheCancelEndsTheRunToo) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  EXPECT_THROW(run_tiles(devices, 100, [](Device&, int, std::size_t) { throw Cancelled(); }), Cancelled);
}

TEST(Dispatch, TilesMayUseTbbThemselves) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  std::atomic<int> sum = 0;
  run_tiles(devices, 50, [&](Device&, int, std::size_t) { tbb::parallel_for(0, 100, [&](int) { ++sum; }); });
  EXPECT_EQ(sum, 5000);
}

TEST(Dispatch, ProgressGrowsToOne) {
  const auto cpu = make_cpu_device(1);
  Device* const devices[] = {cpu.get()};
  std::vector<double> seen;
  run_tiles(
      devices, 4, [](Device&, int, std::size_t) {},
      jobs::Progress({}, [&](double fraction, std::string_view) { seen.push_back(fraction); }));
  EXPECT_EQ(seen, (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

TEST(Dispatch, MemoryThatCannotBeThereIsRefusedWithNumbers) {
  EXPECT_NO_THROW(require_memory("a test", 1 << 20, ""));
  try {
    require_memory("A lattice of 10^6 points an axis", std::size_t{4} << 60, "Use a larger spacing.");
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("4 EiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Use a larger spacing."), std::string::npos);
  }
}

}  // namespace
}  // namespace isolume::dispatch
